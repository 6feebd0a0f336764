"""Asks devices for overall values: JSON over HTTP, at the interval of each point."""

from auscult.gateway.sources.http_json.source import KIND

__all__ = ["KIND"]
