"""Watches a folder: each file is read when it is whole, and once, across restarts."""

from auscult.gateway.sources.folder.source import KIND

__all__ = ["KIND"]
