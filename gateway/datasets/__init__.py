"""Data sets of recordings: read, written, and converted from other formats."""
