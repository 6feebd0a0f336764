"""Receives frames of samples over TCP or UDP, in order, with every loss counted."""

from auscult.gateway.sources.stream.source import KIND

__all__ = ["KIND"]
