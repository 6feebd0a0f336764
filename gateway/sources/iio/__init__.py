"""MEMS accelerometers by the Industrial I/O interface of Linux: its files, without a library."""

from auscult.gateway.sources.iio.source import KIND

__all__ = ["KIND"]
