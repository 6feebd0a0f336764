"""MCC 172: two IEPE channels of 24 bits on a Raspberry Pi, by the maker's package `daqhats`."""

from auscult.gateway.sources.mcc172.source import KIND

__all__ = ["KIND"]
