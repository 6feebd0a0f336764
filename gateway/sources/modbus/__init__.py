"""Reads overall values from Modbus devices, over TCP or a serial line."""

from auscult.gateway.sources.modbus.source import KIND

__all__ = ["KIND"]
