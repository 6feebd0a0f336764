"""A simulated machine as a source: it learns, runs, and fails, without any sensor."""

from auscult.gateway.sources.simulator.source import KIND

__all__ = ["KIND"]
