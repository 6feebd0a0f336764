"""Sound cards, USB and I2S microphones, by PortAudio."""

from auscult.gateway.sources.sound.source import KIND

__all__ = ["KIND"]
