"""Learning from labels on the gateway, beside the window loop: when, on what, what came of it."""
