"""Accounts with roles, sessions, attempts to sign in, tokens, and the audit."""
