"""Doubts about a healthy period when it is fitted: a fault that develops in it, or two machines.

Both are looked for in the levels of the bands of one point in one operating state, in order of
time. Normal wander moves a few bands; a load that no one stated moves most bands by a few dB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Said
from auscult.dsp.scales import DB_PER_NEPER, MAD_TO_SIGMA
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import PointWindows, measured
from auscult.models.baseline.states import StateMap

Float64 = NDArray[np.float64]

LEAST_WINDOWS: Final = 24
CHANGE_DB: Final = 6.0
"""What practice calls a significant change of a level."""
SCATTER_DB: Final = 1.0
"""Levels repeat within this beside the scatter of neighbouring windows."""
RISING_SHARE: Final = 0.05
"""Share of the bands that rise steadily from which a fault is suspected; healthy recordings reach
0.03."""
BACK_DB: Final = 0.5
"""A steady rise falls by no more than this from quarter to quarter."""
GROUP_SHARE: Final = 0.15
"""Smallest share of the windows that makes a group."""
APART: Final = ((0.4, 3.0), (0.1, 10.0))
"""Share of the bands that differ by `CHANGE_DB`, and distance of the groups in their own standard
deviation: most bands clearly, or some bands beyond question. Healthy recordings reach 0.33 with
6.3, and 0.09 with 8.2."""


def doubts(
    specs: Mapping[str, FeatureSpec], windows: Mapping[str, PointWindows], states: StateMap
) -> tuple[Said, ...]:
    """Return the doubts about a healthy period; empty where there is none.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
    windows : mapping of point to PointWindows
    states : StateMap
        States of the baseline. Inferred ones explain groups, so only given ones are looked into.
    """
    found = []
    for point, own in windows.items():
        spec = specs[point]
        known = measured({point: spec}, {point: own.features})
        bands = [spec.index[n] for n in known if n.startswith(("band_", "mel_"))
                 and "fluctuation" not in n]  # fmt: skip
        if not bands:
            continue
        levels_db = DB_PER_NEPER * np.log(np.maximum(own.features[:, bands].astype(float), 1e-12))
        state = np.array([states.match(one) or 0 for one in own.states])
        each = [levels_db[state == k] for k in range(len(states))]
        each = [x for x in each if len(x) >= LEAST_WINDOWS]
        rises = [rise for x in each if (rise := steady_rise_db(x)) is not None]
        if not states.inferred and any(two_groups(x) for x in each):
            found.append(Said("baseline_groups", {"point": point}))
        elif rises:
            found.append(Said("baseline_rises", {"point": point, "change_db": max(rises)}))
    return tuple(found)


def steady_rise_db(levels_db: Float64) -> float | None:
    """Return the largest rise of a band that rises steadily, where enough bands do.

    Parameters
    ----------
    levels_db : np.ndarray [shape=(windows, bands)]
        In order of time.

    Examples
    --------
    >>> healthy = np.random.default_rng(0).normal(0, 1.5, (100, 40))
    >>> steady_rise_db(healthy) is None
    True
    >>> healthy[:, 30:36] += np.linspace(0, 14, 100)[:, None]
    >>> steady_rise_db(healthy) > 6
    True
    """
    quarters = np.array([np.median(part, axis=0) for part in np.array_split(levels_db, 4)])
    risen_db = quarters[3] - quarters[0]
    steady = (np.diff(quarters, axis=0) >= -BACK_DB).all(axis=0)
    hit = steady & (risen_db >= np.maximum(CHANGE_DB, 2 * _scatter_db(levels_db)))
    return float(risen_db[hit].max()) if hit.mean() >= RISING_SHARE else None


def two_groups(levels_db: Float64) -> bool:
    """Return whether the windows form two groups.

    Parameters
    ----------
    levels_db : np.ndarray [shape=(windows, bands)]

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.normal(0, 8, 40), rng.normal(0, 8, 40)
    >>> noise = rng.normal(0, 1.5, (100, 40))
    >>> two_groups(one + noise), two_groups(np.where(noise[:, :1] > 0, one, other) + noise)
    (False, True)
    """
    scaled = (levels_db - np.median(levels_db, axis=0)) / _scatter_db(levels_db)
    u, s, _ = np.linalg.svd(scaled - scaled.mean(axis=0), full_matrices=False)
    along = u[:, 0] * s[0]
    upper = along > _best_split(along)
    if not GROUP_SHARE <= upper.mean() <= 1 - GROUP_SHARE:
        return False
    apart_db = np.median(levels_db[upper], axis=0) - np.median(levels_db[~upper], axis=0)
    share = float((np.abs(apart_db) >= CHANGE_DB).mean())
    within = float(np.sqrt(np.average(
        [np.var(along[upper]), np.var(along[~upper])], weights=[upper.sum(), (~upper).sum()]
    )))  # fmt: skip
    apart = abs(float(np.median(along[upper]) - np.median(along[~upper])))
    return any(share >= most and apart >= far * within for most, far in APART)


def _scatter_db(levels_db: Float64) -> Float64:
    """Return the scatter of neighbouring windows, which neither a trend nor a few steps widen."""
    steps = np.median(np.abs(np.diff(levels_db, axis=0)), axis=0)
    return np.asarray(MAD_TO_SIGMA * steps / np.sqrt(2) + SCATTER_DB)


def _best_split(x: Float64) -> float:
    """Value between the two groups with the largest variance between them (Otsu 1979)."""
    ordered = np.sort(x)
    n = len(ordered)
    count = np.arange(1, n)
    total = np.cumsum(ordered)
    means = total[:-1] / count - (total[-1] - total[:-1]) / (n - count)
    best = int(np.argmax(count * (n - count) * means**2))
    return float(ordered[best] + ordered[best + 1]) / 2
