"""Measurements of the dashboard: `python -m app.bench.storage`."""
