"""Reads overall values from an OPC UA server: a subscription, the values' quality, reconnection."""

from auscult.gateway.sources.opcua.source import KIND

__all__ = ["KIND"]
