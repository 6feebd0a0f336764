"""Reads overall values from any JSON over MQTT: Zigbee, LoRaWAN, IO-Link, plain numbers."""

from auscult.gateway.sources.mqtt_json.source import KIND

__all__ = ["KIND"]
