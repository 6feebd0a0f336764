"""Analogue inputs of National Instruments, by NI-DAQmx and its package `nidaqmx`."""

from auscult.gateway.sources.ni.source import KIND

__all__ = ["KIND"]
