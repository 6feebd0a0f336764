"""Changes of a spectrum that a sensor makes and a machine does not.

Each sensor fault predicts how every band moves, with one or two unknowns:

- wrong sensitivity or unit: all bands by the same amount. A band that stays while the others rise
  contradicts it: flow noise raises all bands but those of strong lines. A band that does not fall
  with the others may be the noise of the converter. Where healthy bands vary by more than such a
  change, the machine itself moves them (a speed or load that is not known), and nothing follows;
- loose mount: the transmissibility of a mass on a spring (Harris' Shock and Vibration Handbook,
  chapter 2): a resonance, and less and less above it;
- exchanged cables, another axis: the bands are those of another point;
- open cable: white noise and the mains;
- hum: the bands of the mains rise, the others stay.

A machine fault adds energy somewhere and leaves a residual. A prediction explains the change where
its residual is no larger than healthy scatter, and far smaller than the change itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.health import SensorHealth
from auscult.dsp.mains import MAINS_HZ
from auscult.dsp.scales import MAD_TO_SIGMA

Float64 = NDArray[np.float64]
SignatureKind = Literal["sensitivity", "loose_mount", "other_point", "open_cable", "hum"]

REPEATABILITY_DB: Final = 1.0
"""Bands of one sensor repeat within this beside their scatter: temperature, cables, mounting."""
LARGEST_RESIDUAL: Final = 1.5
"""R.m.s. residual, in standard deviations, up to which a prediction explains a change: 1 where it
is true; 1.5 leaves room for a scatter that few windows estimate."""
CUT_SIGMA: Final = 3.0
"""Residual of one band counts up to this, so that a few bands can't decide."""
LEAST_GAIN: Final = 1.5
"""The change without the prediction is at least this many times the residual with it."""
LEAST_CHANGE_DB: Final = 3.0
"""Smaller changes of sensitivity are followed as drift (half of what practice calls a change), and
a healthy scatter above it hides one. On five rigs at known states healthy bands scatter by 0.6 to
2.8 dB; over all speeds of a propeller by 5 dB."""
MOUNT_RISE_DB: Final = 6.0
MOUNT_LOSS_DB: Final = 3.0
"""A loose mount shows a resonance of at least the first, and loses the second above it."""
HUM_DB: Final = 10.0
"""Hum raises its band by at least this; loads move a band by up to 9 dB."""
SILENT_DB: Final = -10.0
"""Median change below which nothing of the machine arrives."""
WHITE_DB: Final = 2.0
"""Levels within this of white noise (standard deviation) are white."""
ODD: Final = (1, 3, 5)
ORDERS: Final = 10
"""Orders of the shaft that a machine may raise alone."""
SPEED_ERROR: Final = 0.06
"""A true speed differs from a stated one by up to this: 5 % by the slip of a motor (NEMA MG 1,
design B), 6 % on a rig."""
MIN_BANDS: Final = 12
DAMPING: Final = (0.02, 0.05, 0.1, 0.2)
RESONANCES_PER_OCTAVE: Final = 16
OCTAVES: Final = 6
NEIGHBOURS: Final = 8
"""Resonances that are compared together first."""
HIGHEST_RESONANCE: Final = 0.7
"""Highest resonance as a share of the upper end: above it there must be bands that lose."""
BAND_STEPS: Final = 9


class Signature(NamedTuple):
    """A sensor fault that explains a change of levels.

    ``residual`` is in standard deviations; ``value`` the change in dB (sensitivity, open cable,
    hum) or the resonance in Hz (loose mount); ``point`` the point whose levels these are.
    """

    kind: SignatureKind
    residual: float
    value: float
    point: str = ""


def explain(
    levels_db: Float64,
    own_db: Float64,
    scatter_db: Float64,
    edges_hz: Float64,
    others_db: Mapping[str, Float64] | None = None,
    shaft_hz: float | None = None,
    *,
    mains: int = 0,
) -> Signature | None:
    """Name the sensor fault that explains the levels best; None where none does.

    Parameters
    ----------
    levels_db : np.ndarray [shape=(bands,)]
        Level of each band now, dB.
    own_db, scatter_db : np.ndarray [shape=(bands,)]
        Median and standard deviation of the healthy levels.
    edges_hz : np.ndarray [shape=(bands, 2)]
    others_db : mapping of str to np.ndarray, optional
        Healthy levels of the machine's other points with the same bands and unit.
    shaft_hz : float, optional
        Shaft frequency.
    mains : int
        `SensorHealth` bits of `dsp.mains.MainsLines`; without them nothing is hum.

    Examples
    --------
    >>> edges = np.c_[np.geomspace(10, 8000, 41)[:-1], np.geomspace(10, 8000, 41)[1:]]
    >>> own, calm = np.linspace(-40, 0, 40), np.full(40, 0.5)
    >>> explain(own + 19.8, own, calm, edges).kind  # m/s² taken for g
    'sensitivity'
    >>> flow_noise = np.where(np.arange(40) == 9, 0.0, 18.0)  # beside a strong line
    >>> explain(own + flow_noise, own, calm, edges) is None
    True
    >>> all_speeds = np.full(40, 5.0)  # healthy scatter where the speed is not known
    >>> explain(own + 14.0, own, all_speeds, edges) is None
    True
    >>> bearing = np.where(edges[:, 0] > 3000, 12.0, 0.0)
    >>> explain(own + bearing, own, calm, edges) is None
    True
    """
    if levels_db.size < MIN_BANDS:
        return None
    change_db = levels_db - own_db
    sigma_db = np.hypot(scatter_db, REPEATABILITY_DB)
    largest = min(LARGEST_RESIDUAL, float(_residual(change_db / sigma_db)) / LEAST_GAIN)
    found: list[Signature] = []
    common = _median(change_db)
    stays = change_db < common / 2 - CUT_SIGMA * sigma_db
    varies = _median(scatter_db) > LEAST_CHANGE_DB
    if abs(common) >= LEAST_CHANGE_DB and not varies and not (common > 0 and stays.any()):
        residual = float(_residual((change_db - common) / sigma_db))
        found.append(Signature("sensitivity", residual, common))
    found += _loose_mount(change_db, sigma_db, edges_hz, largest)
    if others_db:
        residuals = _residual((levels_db - np.array(list(others_db.values()))) / sigma_db)
        nearest = int(residuals.argmin())
        name = list(others_db)[nearest]
        found.append(Signature("other_point", float(residuals[nearest]), 0.0, name))
    best = min(found, key=lambda one: one.residual, default=None)
    if best is not None and best.residual <= largest:
        return best
    for mains_hz, flag in MAINS_HZ.items():
        hum = _hum(change_db, sigma_db, edges_hz, mains_hz) if mains & flag else None
        odd = bool(mains & SensorHealth.MAINS_ODD)
        if hum and not _may_be_shaft(change_db, edges_hz, mains_hz, shaft_hz, odd=odd):
            return hum
    if common <= SILENT_DB and _is_white(levels_db, edges_hz):
        return Signature("open_cable", 0.0, common)
    return None


def transmissibility_db(f_hz: Float64, resonance_hz: float, damping: float) -> Float64:
    """Return the level beyond the base of a mass on a damped spring.

    Parameters
    ----------
    f_hz : np.ndarray
    resonance_hz : float
        Undamped natural frequency.
    damping : float
        Share of critical damping.

    Examples
    --------
    >>> transmissibility_db(np.array([1.0, 1000.0, 4000.0]), 1000.0, 0.05).round(1).tolist()
    [0.0, 20.0, -22.9]
    """
    r = f_hz / resonance_hz
    loss = (2 * damping * r) ** 2
    return np.asarray(10 * np.log10((1 + loss) / ((1 - r**2) ** 2 + loss)))


def _residual(z: Float64) -> Float64:
    """Return the r.m.s. over the bands (last axis), each cut at `CUT_SIGMA`."""
    cut = z * z
    np.minimum(cut, CUT_SIGMA**2, out=cut)
    return np.asarray(np.sqrt(np.add.reduce(cut, axis=-1) / z.shape[-1]))


def _median(x: Float64) -> float:
    """Median of a few numbers: `np.median` takes ten times as long to check what it got."""
    ordered, half = np.sort(x), x.size // 2
    return float(ordered[half] if x.size % 2 else (ordered[half - 1] + ordered[half]) / 2)


def _loose_mount(
    change_db: Float64, sigma_db: Float64, edges_hz: Float64, largest: float
) -> list[Signature]:
    """Find the mount that comes nearest, if its residual is at most `largest`."""
    mounts = _mounts(tuple(edges_hz.ravel().tolist()))
    beyond = np.maximum(mounts.lowest_db - change_db, change_db - mounts.highest_db)
    np.maximum(beyond, 0.0, out=beyond)
    beyond /= sigma_db
    near = np.flatnonzero(_residual(beyond) <= largest)
    if not near.size:
        return []
    predicted_db = mounts.predicted_db[near].reshape(-1, change_db.size)
    z = change_db - predicted_db
    z /= sigma_db
    residual = _residual(z)
    best = int(residual.argmin())
    if predicted_db[best].max() < MOUNT_RISE_DB or predicted_db[best].min() > -MOUNT_LOSS_DB:
        return []
    resonance_hz = mounts.resonances_hz[near].ravel()[best]
    return [Signature("loose_mount", float(residual[best]), float(resonance_hz))]


class _Mounts(NamedTuple):
    """Changes that loose mounts make, in groups of neighbours.

    No mount of a group comes nearer to a change than the range of the group does, so a change
    outside most ranges needs no comparison with each mount.

    ``resonances_hz`` [shape=(groups, members)], ``predicted_db`` [shape=(groups, members, bands)],
    ``lowest_db`` and ``highest_db`` [shape=(groups, bands)].
    """

    resonances_hz: Float64
    predicted_db: Float64
    lowest_db: Float64
    highest_db: Float64


@lru_cache(maxsize=32)
def _mounts(edges: tuple[float, ...]) -> _Mounts:
    """Predict the changes at these edges."""
    edges_hz = np.array(edges).reshape(-1, 2)
    top_hz = HIGHEST_RESONANCE * float(edges_hz.max())
    each = top_hz * 2.0 ** (-np.arange(OCTAVES * RESONANCES_PER_OCTAVE) / RESONANCES_PER_OCTAVE)
    inside = (np.arange(BAND_STEPS) + 0.5) / BAND_STEPS
    f_hz = edges_hz[:, :1] + (edges_hz[:, 1:] - edges_hz[:, :1]) * inside
    made = np.array(
        [
            10 * np.log10((10 ** (transmissibility_db(f_hz, hz, zeta) / 10)).mean(axis=1))
            for hz in each
            for zeta in DAMPING
        ]
    ).reshape(-1, NEIGHBOURS * len(DAMPING), len(edges_hz))
    resonances_hz = np.repeat(each, len(DAMPING)).reshape(made.shape[:2])
    return _Mounts(resonances_hz, made, made.min(axis=1), made.max(axis=1))


def _hum(
    change_db: Float64, sigma_db: Float64, edges_hz: Float64, mains_hz: float
) -> Signature | None:
    """Return the bands of the mains and its odd harmonics may have risen; the others stay."""
    first = _holds(edges_hz, mains_hz)
    inside = np.any([_holds(edges_hz, n * mains_hz) for n in ODD], axis=0)
    beside = np.concatenate([[False], inside, [False]])
    near = inside | beside[2:] | beside[:-2]  # leakage of the lines
    if not first.any() or near.mean() > 0.5:
        return None
    rise_db = float(change_db[first].max())
    residual = float(_residual((change_db / sigma_db)[~near]))
    if rise_db < HUM_DB or residual > LARGEST_RESIDUAL:
        return None
    return Signature("hum", residual, rise_db)


def _may_be_shaft(
    change_db: Float64, edges_hz: Float64, mains_hz: float, shaft_hz: float | None, *, odd: bool
) -> bool:
    """Return whether a line at the mains may be an order of the shaft.

    An order rises alone or with the even multiples of its frequency, hum with the third. Nothing
    follows for a shaft that turns at the mains: misalignment may raise its third order.
    """
    if shaft_hz is not None:
        orders = shaft_hz * np.arange(1, ORDERS + 1) / mains_hz
        at_mains = np.abs(orders - 1) <= SPEED_ERROR
        if not at_mains.any():
            return False
        if at_mains[0]:
            return True
    third_db = float(change_db[_holds(edges_hz, 3 * mains_hz)].max(initial=-np.inf))
    return not odd or third_db < LEAST_CHANGE_DB


def _holds(edges_hz: Float64, hz: float) -> NDArray[np.bool_]:
    """Return the bands that hold a frequency."""
    return np.asarray((edges_hz[:, 0] <= hz) & (hz < edges_hz[:, 1]))


def _is_white(levels_db: Float64, edges_hz: Float64) -> bool:
    """Return whether levels are those of white noise: they grow with the width of their band."""
    excess_db = levels_db - 10 * np.log10(edges_hz[:, 1] - edges_hz[:, 0])
    return MAD_TO_SIGMA * _median(np.abs(excess_db - _median(excess_db))) <= WHITE_DB
