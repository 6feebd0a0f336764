"""Reads wireless sensors and process values from other Sparkplug B edge nodes."""

from auscult.gateway.sources.sparkplug.source import KIND

__all__ = ["KIND"]
