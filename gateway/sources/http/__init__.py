"""Takes overall values by HTTP POST: scripts, PLCs and gateways that push JSON with a token."""

from auscult.gateway.sources.http.source import KIND

__all__ = ["KIND"]
