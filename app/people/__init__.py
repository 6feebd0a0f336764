"""People: accounts with roles, sessions, lock-out, and the audit of what they did."""
