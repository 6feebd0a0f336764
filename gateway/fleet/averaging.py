"""The average of deltas: mean of gate weights, union of places; with clipping and optional noise.

McMahan et al. 2017 (federated averaging) and, with noise, McMahan et al. 2018: each machine's
contribution is clipped, so that no machine moves the mean far, and Gaussian noise hides each
contribution. A place is the mean spectrum of one machine's windows. Noise that hides it would make
it useless, so with noise only gate weights are averaged; places and reports stay on the gateway.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from auscult.models.learning.delta import Delta, DeltaAbout, DeltaError, PointDelta
from auscult.models.learning.head_fit import Place, gathered
from auscult.models.learning.settings import SETTINGS
from auscult.models.learning.transfer import has_numbers

Float64 = NDArray[np.float64]

FLEET = "fleet"
"""Device of an averaged delta."""
DP_DELTA = 1e-5
"""Probability at which the bound ε may fail: far below one over the number of machines."""


@dataclass(frozen=True, slots=True)
class AveragingSettings:
    """Settings of an average.

    Parameters
    ----------
    least : int
        Fewest deltas of a base for an average.
    clip_norm : float
        Largest Euclidean norm of the change of a point's gate weights. After five labels it is
        0.3 to 3.8 on real recordings, so larger contributions are shortened, and a hostile machine
        moves the mean of n by at most 2/n of it.
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
        UTC time of the average.
    rng : np.random.Generator, optional
        Source of the noise, by default from the operating system's entropy; for tests.

    Raises
    ------
    DeltaError
        If there are too few, two of one machine, or bases, specifications or points differ.
    """
    if len(deltas) < settings.least:
        raise DeltaError("average_too_few", count=len(deltas), least=settings.least)
    machines = {(delta.about.device, delta.about.machine) for delta in deltas}
    if len(machines) < len(deltas):
        raise DeltaError("average_twice")
    first = deltas[0]
    if any(kin_of(delta) != kin_of(first) for delta in deltas):
        raise DeltaError("average_mixed")
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
        reports = _joined([one.reports for one in own], 0 if private else SETTINGS.directions)
        places = _joined([one.places for one in own], 0 if private else SETTINGS.places)
        averaged[point] = PointDelta(
            places[_apart(places, faults)], faults, own_mean.astype(np.float16), reports
        )
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
        if all(map(has_numbers, delta.points.values())):
            newest[delta.about.device, delta.about.machine] = delta
    return list(newest.values())


def kin_of(delta: Delta) -> tuple[str, str, tuple[str, ...]]:
    """Return base, specification and points, which deltas must share to be averaged."""
    return delta.about.base_id, delta.about.spec_id, tuple(delta.points)


def epsilon(noise: float, releases: int = 1, delta: float = DP_DELTA) -> float:
    """ε of (ε, δ)-differential privacy between neighbouring fleets, for this noise.

    Neighbours differ in one machine's delta, replaced by any other; the number of machines is
    public. From all `releases`, the odds of the two fleets change by at most a factor of e^ε,
    except with probability δ. Exact for the Gaussian mechanism (Balle & Wang 2018, theorem 8).

    Parameters
    ----------
    noise : float
        As in `AveragingSettings`, > 0.
    releases : int
        Number of averages published of the same machines.
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
    """Weights of all points [shape=(points, 65)], with their common norm limited."""
    weights = np.stack([delta.points[point].weights.astype(np.float64) for point in points])
    norm = float(np.linalg.norm(weights))
    longest = settings.clip_norm * float(np.sqrt(len(points)))
    clipped: Float64 = weights * min(1.0, longest / max(norm, 1e-12))
    return clipped


def _joined(places: Sequence[NDArray[np.float16]], most: int) -> NDArray[np.float16]:
    """Union of the places of several machines; the nearest ones are merged."""
    each = (Place(one.astype(np.float32), 1.0, 1) for own in places for one in own)
    together = gathered(each, most, SETTINGS.merge_distance)
    return np.array([place.centre for place in together], np.float16).reshape(
        -1, places[0].shape[1]
    )


def _apart(places: NDArray[np.float16], faults: NDArray[np.float16]) -> NDArray[np.bool_]:
    """Places away from all confirmed faults, which outweigh false alarms of other machines."""
    between = places.astype(np.float32)[:, None] - faults.astype(np.float32)
    apart: NDArray[np.bool_] = ((between**2).sum(-1) >= SETTINGS.merge_distance).all(1)
    return apart
