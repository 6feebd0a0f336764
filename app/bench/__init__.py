"""Measurements of the dashboard: `python -m auscult.app.bench.storage`."""
