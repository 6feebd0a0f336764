"""Frequency bands of a point: the edges of its features, and trends of bands that people chose.

A trend holds the levels of the gateway's own bands. A band with other edges is their power sum,
each counted by the share of its width inside, as the gateway compares it with a limit. Least and
greatest value of an interval are sums of those of the parts: they bound the true ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.app.store.connection import Database
from auscult.contract.own_band import own_band_hz

Edges = Mapping[str, tuple[float, float]]
"""Lower and upper edge of each feature that is the level of a band, Hz."""
SUMMED: Final = "band_"
"""Bands without gaps that a band with own edges is a sum of."""


@dataclass(frozen=True, slots=True)
class PointBands:
    """Edges of the features of a point, and the bands that its limits are on."""

    edges: Edges
    own: tuple[str, ...]


def of_point(db: Database, number: int) -> PointBands:
    """Return the bands of a point, as its gateway's inventory has them."""
    row = db.execute("SELECT part FROM point WHERE num = ?", (number,)).fetchone()
    part = db.damage.decoded("point", number, row[0]) if row else {}
    edges = {
        f"{family['prefix']}{i:02d}": (low, high)
        for family in part.get("bands", ())
        for i, (low, high) in enumerate(zip(family["low_hz"], family["high_hz"], strict=True))
    }
    limited = dict.fromkeys(limit["feature"] for limit in part.get("limits", ()))
    return PointBands(edges, tuple(name for name in limited if own_band_hz(name)))


def parts_of(name: str, edges: Edges, features: Iterable[str]) -> dict[str, float]:
    """Return the features that an own band is the sum of, each with its share; none = not known.

    >>> edges = {"band_00": (100.0, 200.0), "band_01": (200.0, 400.0), "rms": (0.0, 1.0)}
    >>> parts_of("rms_150_300hz", edges, edges)
    {'band_00': 0.5, 'band_01': 0.5}
    """
    own = own_band_hz(name)
    if own is None:
        return {}
    low, high = own
    known = set(features)
    shares = {
        feature: (min(to, high) - max(begin, low)) / (to - begin)
        for feature, (begin, to) in edges.items()
        if feature.startswith(SUMMED) and feature in known
    }
    return {feature: min(share, 1.0) for feature, share in shares.items() if share > 0}


def summed(values: NDArray[np.float64], shares: Iterable[float]) -> NDArray[np.float64]:
    """Return the level of a band from those of its parts [shape=(..., parts)]."""
    level: NDArray[np.float64] = np.sqrt(np.square(values) @ np.array(list(shares)))
    return level
