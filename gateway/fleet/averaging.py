"""The average of deltas: gate weights by mean, places joined; clipping and noise as options.

McMahan et al. 2017 (federated averaging) and, with noise, McMahan et al. 2018: each machine's
contribution is clipped, so that none can pull the mean far, and Gaussian noise hides any one of
them. A place is the mean spectrum of one machine's windows and cannot be hidden by noise that
would leave it of use, so with noise places stay at home and only gate weights are averaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from auscult.models.learning.delta import Delta, DeltaAbout, DeltaError, PointDelta
from auscult.models.learning.lesson import Place, gathered
from auscult.models.learning.settings import SETTINGS

Float64 = NDArray[np.float64]

FLEET = "fleet"
"""Device of an averaged delta."""
DP_DELTA = 1e-5
"""Chance at which the bound ε may fail: far below one over the number of machines."""


@dataclass(frozen=True, slots=True)
class AveragingSettings:
    """How deltas are averaged.

    Parameters
    ----------
    least : int
        Deltas of one base that an average needs; of fewer none is made.
    clip_norm : float
        Largest Euclidean norm of one point's gate weights' difference from the start: after five
        labels it lies between 0.3 and 3.8 on real recordings, so a machine that learned much is
        shortened, and a hostile one moves the mean of n by no more than 2/n of it.
    noise : float
        Standard deviation of the Gaussian noise, as a multiple of the clipped contribution's share
        in the mean; 0 = none. See `epsilon`.
    """

    least: int = 2
    clip_norm: float = 2.0
    noise: float = 0.0


def average(
    deltas: Sequence[Delta],
    settings: AveragingSettings,
    created_ns: int,
    rng: np.random.Generator | None = None,
) -> Delta:
    """Average deltas of one base.

    Parameters
    ----------
    deltas : sequence of Delta
        Of the same base, specification and points, one of each machine (see `countable`).
    created_ns : int
        UTC time to note.
    rng : np.random.Generator, optional
        Of the noise; drawn from the operating system's entropy by default. Only tests give one.

    Raises
    ------
    DeltaError
        If there are too few, two of one machine, or bases, specifications or points differ.
    """
    if len(deltas) < settings.least:
        raise DeltaError(f"{len(deltas)} deltas of this base; an average needs {settings.least}")
    machines = {(delta.about.device, delta.about.machine) for delta in deltas}
    if len(machines) < len(deltas):
        raise DeltaError("two deltas of one machine; it may count once only")
    first = deltas[0]
    if any(kin_of(delta) != kin_of(first) for delta in deltas):
        raise DeltaError("deltas of different bases, specifications or points have no average")
    points = list(first.points)
    weights = np.stack([_clipped(delta, points, settings) for delta in deltas])
    mean: Float64 = weights.mean(axis=0)
    private = settings.noise > 0
    if private:
        share = settings.clip_norm * np.sqrt(len(points)) / len(deltas)
        mean = mean + (rng or np.random.default_rng()).normal(0, settings.noise * share, mean.shape)
    averaged = {}
    for point, own_mean in zip(points, mean, strict=True):
        own = [delta.points[point] for delta in deltas]
        faults = _joined([one.faults for one in own], 0 if private else SETTINGS.fault_places)
        places = _joined([one.places for one in own], 0 if private else SETTINGS.places)
        undisputed = _apart(places, faults)
        averaged[point] = PointDelta(places[undisputed], faults, own_mean.astype(np.float16))
    ids = "".join(sorted(delta.delta_id for delta in deltas))
    about = DeltaAbout(
        device=FLEET,
        machine=f"{len(deltas)} machines",
        base_id=first.about.base_id,
        spec_id=first.about.spec_id,
        checkpoint_id="",
        created_ns=created_ns,
        labels=0 if private else sum(delta.about.labels for delta in deltas),
        data_sha256="" if private else hashlib.sha256(ids.encode()).hexdigest(),
        before=None,
        after=None,
    )
    return Delta(about, averaged)


def countable(deltas: Iterable[Delta]) -> list[Delta]:
    """Keep the newest delta of each machine, if all its values are numbers."""
    newest: dict[tuple[str, str], Delta] = {}
    for delta in sorted(deltas, key=lambda one: one.about.created_ns):
        arrays = [a for own in delta.points.values() for a in (own.weights, own.places, own.faults)]
        if all(np.isfinite(array).all() for array in arrays):
            newest[delta.about.device, delta.about.machine] = delta
    return list(newest.values())


def kin_of(delta: Delta) -> tuple[str, str, tuple[str, ...]]:
    """Give what deltas must share to be averaged: base, specification, points."""
    return delta.about.base_id, delta.about.spec_id, tuple(delta.points)


def epsilon(noise: float, releases: int = 1, delta: float = DP_DELTA) -> float:
    """Tell how much noise hides: ε of (ε, δ)-differential privacy, between neighbouring fleets.

    Neighbours differ in one machine's delta, replaced by any other; the number of machines is
    public. Whoever sees all `releases` can tell the two apart by a factor of e^ε at most, but for a
    chance δ. Exact for the Gaussian mechanism (Balle & Wang 2018, theorem 8).

    Parameters
    ----------
    noise : float
        As in `AveragingSettings`, > 0.
    releases : int
        Averages that were published with the same machines.
    delta : float
        0..1.

    Examples
    --------
    >>> round(epsilon(5.0), 2), round(epsilon(5.0, releases=10), 2), round(epsilon(1.0), 1)
    (1.55, 5.76, 10.0)
    """
    ratio = 2 * np.sqrt(releases) / noise  # a replaced contribution moves by twice its norm

    def fails(e: float) -> float:
        above = log_ndtr(ratio / 2 - e / ratio)
        return float(np.exp(above) - np.exp(e + log_ndtr(-ratio / 2 - e / ratio)))

    low, high = 0.0, 1.0
    while fails(high) > delta:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if fails(middle) > delta else (low, middle)
    return high


def _clipped(delta: Delta, points: Sequence[str], settings: AveragingSettings) -> Float64:
    """Weights of all points [shape=(points, 65)], their common norm bounded."""
    weights = np.stack([delta.points[point].weights.astype(np.float64) for point in points])
    norm = float(np.linalg.norm(weights))
    longest = settings.clip_norm * float(np.sqrt(len(points)))
    clipped: Float64 = weights * min(1.0, longest / max(norm, 1e-12))
    return clipped


def _joined(places: Sequence[NDArray[np.float16]], most: int) -> NDArray[np.float16]:
    """Put places of several machines together, nearest ones joined."""
    each = (Place(one.astype(np.float32), 1.0, 1) for own in places for one in own)
    together = gathered(each, most, SETTINGS.merge_distance)
    return np.array([place.centre for place in together], np.float16).reshape(
        -1, places[0].shape[1]
    )


def _apart(places: NDArray[np.float16], faults: NDArray[np.float16]) -> NDArray[np.bool_]:
    """Tell which places lie at no confirmed fault: it outweighs another machine's false alarm."""
    between = places.astype(np.float32)[:, None] - faults.astype(np.float32)
    apart: NDArray[np.bool_] = ((between**2).sum(-1) >= SETTINGS.merge_distance).all(1)
    return apart
