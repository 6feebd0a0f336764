"""Staged updates: download of a bundle, and what the installer made of it."""
