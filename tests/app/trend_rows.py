"""Rows of trends for tests and benchmarks, without what arrival does beside."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.app.store import tiers
from auscult.app.store.connection import Database
from auscult.app.store.tiers import TrendSpan


def write_bulk(db: Database, tier_s: int, entries: Sequence[tuple[int, TrendSpan]]) -> None:
    """Store intervals of points in one tier as they are."""
    places = {(point, tier_s, one.start_ms): one for point, one in entries}
    tiers._write(db, tiers._REPLACED, places)
