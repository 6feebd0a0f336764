"""Changes of a spectrum that a sensor makes and a machine does not.

A machine fault adds energy somewhere. A wrong sensitivity moves every band by the same amount, an
open cable leaves white noise, hum raises the bands of the mains alone, and a swapped cable gives
the spectrum of another point. Rules that `sensor_faults` measures; the gateway does not use them
yet. A rule for loose mounts (a mass on a spring) was tried: it took 9 broken teeth for a mount.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

GAIN_DB: Final = 3.0
"""A common change below this is no wrong sensitivity: temperature and cables make 1 dB."""
GAIN_SCATTER_DB: Final = 1.0
"""Bands that move together differ by less than this (and than healthy scatter)."""
SILENT_DB: Final = -15.0
"""Nothing of the machine arrives where the bands fall by this (median) …"""
WHITE_DB: Final = 2.0
"""… and what is left is white noise within this (and hum)."""
HUM_DB: Final = 6.0
"""Hum raises the bands of the mains by at least this."""
QUIET_DB: Final = 1.5
"""… and the median of all others by less than this."""
MAINS_HZ: Final = (50.0, 60.0)
ODD: Final = (1, 3, 5)
ALIKE_DB: Final = 2.0
"""A swapped cable gives another point's spectrum within this (or twice its healthy scatter) …"""
UNLIKE: Final = 4.0
"""… while its own is this many times further."""
MIN_BANDS: Final = 12


def signature(
    levels_db: Float64, own_db: Float64, edges_hz: Float64, scatter_db: Float64
) -> str | None:
    """Name the sensor fault that a change of levels shows, None where it shows none.

    Parameters
    ----------
    levels_db, own_db : np.ndarray [shape=(bands,)]
        Median level of each band now, and its baseline, dB.
    edges_hz : np.ndarray [shape=(bands, 2)]
    scatter_db : np.ndarray [shape=(bands,)]
        Standard deviation of a healthy band, dB.

    Returns
    -------
    str or None
        ``gain``, ``silent`` or ``hum``.

    Examples
    --------
    >>> edges = np.c_[np.geomspace(10, 8000, 41)[:-1], np.geomspace(10, 8000, 41)[1:]]
    >>> own, calm = np.linspace(-40, 0, 40), np.full(40, 0.5)
    >>> signature(own + 19.8, own, edges, calm)  # m/s² taken for g
    'gain'
    >>> bearing = np.where(edges[:, 0] > 3000, 12.0, 0.0)
    >>> signature(own + bearing, own, edges, calm) is None
    True
    """
    if levels_db.size < MIN_BANDS:
        return None
    change_db = levels_db - own_db
    common = float(np.median(change_db))
    deviation = float(1.4826 * np.median(np.abs(change_db - common)))
    healthy = float(np.median(scatter_db))
    together = 3 * max(GAIN_SCATTER_DB, healthy)
    # the noise of the input does not follow the gain: its bands lie between no change and all
    beyond = np.maximum(change_db - max(0.0, common), min(0.0, common) - change_db)
    if (
        abs(common) >= GAIN_DB
        and deviation <= max(GAIN_SCATTER_DB, healthy / 2)
        and float(np.percentile(np.abs(change_db - common), 75)) <= together
        and float(np.percentile(beyond, 95)) <= together
    ):
        return "gain"
    if common <= SILENT_DB and _white(levels_db, edges_hz):
        return "silent"
    for mains_hz in MAINS_HZ:
        lines = mains_hz * np.array(ODD)
        inside = ((edges_hz[:, :1] <= lines) & (lines < edges_hz[:, 1:])).any(axis=1)
        first = (edges_hz[:, 0] <= mains_hz) & (mains_hz < edges_hz[:, 1])
        if not first.any() or inside.all():
            continue
        # neighbours share the line's leakage
        near = inside | np.r_[inside[1:], False] | np.r_[False, inside[:-1]]
        others = change_db[~near]
        if (
            float(change_db[first].max()) >= HUM_DB
            and abs(float(np.median(others))) <= QUIET_DB
            and float(np.percentile(others, 90)) <= 2 * QUIET_DB + healthy
        ):
            return "hum"
    return None


def _white(levels_db: Float64, edges_hz: Float64) -> bool:
    """Whether levels are those of white noise: they grow with the width of their band."""
    excess = levels_db - 10 * np.log10(edges_hz[:, 1] - edges_hz[:, 0])
    return float(1.4826 * np.median(np.abs(excess - np.median(excess)))) <= WHITE_DB


def looks_like(
    levels_db: Float64, own_db: Float64, others_db: Mapping[str, Float64], scatter_db: Float64
) -> str | None:
    """Name the point whose baseline the levels have instead of their own, None for none.

    Parameters
    ----------
    levels_db : np.ndarray [shape=(bands,)]
        Levels now, dB.
    own_db : np.ndarray [shape=(bands,)]
        Baseline of the point.
    others_db : mapping of str to np.ndarray
        Baselines of the other points with the same bands and unit.
    scatter_db : np.ndarray [shape=(bands,)]
    """
    if levels_db.size < MIN_BANDS:
        return None
    own = float(np.sqrt(np.mean((levels_db - own_db) ** 2)))
    limit = max(ALIKE_DB, 2 * float(np.median(scatter_db)))
    for name, other in others_db.items():
        distance = float(np.sqrt(np.mean((levels_db - other) ** 2)))
        if distance <= limit and own >= UNLIKE * distance:
            return name
    return None
