"""Reads wireless sensors and process tags over MQTT, in Auscult's own envelope and plain JSON."""

from auscult.gateway.sources.mqtt.source import KIND

__all__ = ["KIND"]
