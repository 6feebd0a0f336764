"""Outputs: each serves or passes on the gateway's messages in one protocol."""
