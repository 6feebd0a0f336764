"""Cases as people read them, composed of stored events, states and actions."""
