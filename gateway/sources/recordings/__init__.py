"""Plays the recordings of one machine as if its sensors were connected."""

from auscult.gateway.sources.recordings.source import KIND

__all__ = ["KIND"]
