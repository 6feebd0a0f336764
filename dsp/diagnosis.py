"""Which bearing fault a recording shows: one shaft speed must explain all lines of the envelope.

Each hypothesis (no bearing fault, or one of `FAMILIES`) explains the same lines by harmonics of one
speed s and by one family at n · order · s · (1 + slip) with its sidebands (`line_search.py`). The
evidence of a fault is what its best explanation is worth beyond the best explanation by the shaft
alone. A comb at any order (`combs.py`) shows what the stated bearing does not explain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.bearing import Bearing
from auscult.dsp.cage_lines import CageLines, cage_lines
from auscult.dsp.combs import Comb, strongest_comb
from auscult.dsp.envelope_lines import TOP_SHARE, EnvelopeLines, envelope_lines
from auscult.dsp.line_search import (
    FAMILIES,
    SAME_LINE,
    SHAFT_HARMONICS,
    SPEED_TOLERANCE,
    TOP_ORDER,
    Family,
    LineSearch,
    steps,
)

Float32 = NDArray[np.float32]

LONG_REVOLUTIONS: Final = 100.0
"""Such a segment separates 0.02 orders, and most machines keep their speed so long."""
SHORT_REVOLUTIONS: Final = 50.0
"""The evidence is averaged with that of shorter segments: slip smears the lines of long ones."""
LEAST_REVOLUTIONS: Final = 5.0
"""A shorter recording does not separate the shaft's harmonics from anything."""
WORTH_SHORTER: Final = 1.5
"""Share of the recording over `SHORT_REVOLUTIONS` from which the shorter segments are used too."""

SLIP: Final = 0.02
"""Largest deviation of a fault's order: rolling elements slip by 1–2 % (Randall, Antoni 2011)."""
SLIP_COST_DB: Final = 4.0 / 0.01**2
"""Cost of slip, times its square: 4 dB at 1 %."""
INTERVAL_DB: Final = 8.3
"""Likelihood that a speed may lose within the interval of 95 %: 1.92 nat."""
BALL_CAGE: Final = 0.39
"""Cage order of almost every bearing, where its own is unknown."""
CLEAR_DB: Final = 15.0
"""A fault with so much evidence stands out: the cage need not be searched."""
MOST_HARMONICS: Final = 6
MOST_SIDEBANDS: Final = 6
"""Harmonics and sidebands of a named fault that leave no line unexplained."""
LEAST_ORDER: Final = 0.3
"""Lines below are drift and cage beats."""
WIDE_LINE: Final = 0.01
"""A line of a family is as wide as this share of its order, by slip."""


@dataclass(frozen=True, slots=True)
class FaultMatch:
    """How well one fault explains a recording.

    Parameters
    ----------
    fault : str
        ``bpfo``, ``bpfi`` or ``bsf``.
    evidence_db : float
        What the fault explains beyond the shaft's own lines; no fault has 0.
    speed_scale : float
        True over stated speed, as the lines say under this fault.
    speed_interval : (float, float)
        The scales that explain these lines, and the shaft's lines in the signal's own spectrum,
        nearly as well (95 %).
    slip : float
        Deviation of the fault's order from the bearing's.
    slip_at_edge : bool
        The best slip is the largest that was searched: the lines want to be something else.
    order : float
        Of the fundamental, in orders of the stated speed.
    harmonics_db : mapping of int to float
        Height of each harmonic that only the fault explains.
    sidebands_db : float
        Mean height of the sidebands.
    swing_db : float
        Mean height of the sidebands at ± shaft over their carriers; an amplitude that swings
        between 0 and twice its mean has −6 dB.
    plain_db : mapping of int to float
        Height over the floor of the harmonics that stand alone, in the spectrum of the signal.
    depth : float
        Largest modulation depth of a harmonic in any band, 0..2.
    unexplained_db : float
        Highest line that neither the shaft nor this fault explains.
    channel : int
        The channel nearest to the fault.
    synchronous : bool
        The first harmonic is one line with a harmonic of the shaft.
    """

    fault: str
    evidence_db: float
    speed_scale: float
    speed_interval: tuple[float, float]
    slip: float
    slip_at_edge: bool
    order: float
    harmonics_db: Mapping[int, float]
    sidebands_db: float
    swing_db: float
    plain_db: Mapping[int, float]
    depth: float
    unexplained_db: float
    channel: int
    synchronous: bool


@dataclass(frozen=True, slots=True)
class BearingLines:
    """What the lines of a recording say of a bearing.

    Parameters
    ----------
    matches : tuple of FaultMatch
        One for each fault whose order the bearing states and the recording carries, largest
        evidence first.
    comb : Comb or None
        The comb that stands out, whatever the bearing; None where nothing does.
    cage : CageLines or None
        Searched where no fault stands out and the bearing states any order.
    """

    matches: tuple[FaultMatch, ...]
    comb: Comb | None
    cage: CageLines | None = None


def diagnose_bearing(
    channels: Sequence[tuple[Float32, float]],
    bearing: Bearing,
    speed_rpm: float,
    units: Sequence[str] = (),
) -> BearingLines:
    """Match the faults of a bearing with simultaneous recordings of its machine.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(n,) or (w, n)], fs_hz)
        Signals of one or more sensors over the same seconds of steady speed, each one stretch of n
        samples or w of them. At 100 revolutions and more the orders separate best.
    bearing : Bearing
        Without any order, only the comb is searched.
    speed_rpm : float
        Stated shaft speed in r/min, > 0; the true one may differ by 7.5 %.
    units : sequence of str
        Of each channel; empty = all alike. Only levels of one unit tell which channel is nearest.

    Examples
    --------
    >>> rng, fs = np.random.default_rng(0), 12_000
    >>> strikes = np.zeros(8 * fs, np.float32)
    >>> strikes[:: round(fs / (25 * 3.58))] = 1.0
    >>> ring = np.exp(-np.arange(200) / 20) * np.sin(2 * np.pi * 0.25 * np.arange(200))
    >>> x = np.convolve(strikes, ring, "same") + 0.05 * rng.standard_normal(8 * fs)
    >>> bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    >>> found = diagnose_bearing([(x.astype(np.float32), fs)], bearing, speed_rpm=1500)
    >>> found.matches[0].fault, round(found.comb.order, 2)
    ('bpfo', 3.58)
    """
    shaft_hz = speed_rpm / 60
    rows = [(np.atleast_2d(x), fs_hz) for x, fs_hz in channels]
    revolutions = min(x.shape[1] / fs_hz for x, fs_hz in rows) * shaft_hz
    if revolutions < LEAST_REVOLUTIONS:
        return BearingLines((), None)
    lengths = [min(LONG_REVOLUTIONS, revolutions)]
    if lengths[0] >= WORTH_SHORTER * SHORT_REVOLUTIONS:
        lengths.append(SHORT_REVOLUTIONS)
    top_order = TOP_ORDER * (1 + SPEED_TOLERANCE)
    searches = [LineSearch(envelope_lines(rows, shaft_hz, n, top_order, units)) for n in lengths]
    carried_orders = min(TOP_ORDER, *(TOP_SHARE * fs_hz / shaft_hz for _, fs_hz in rows))
    matches = [
        _joined([_match(search, family, order, bearing.ftf or BALL_CAGE) for search in searches])
        for family in FAMILIES
        if (order := bearing.order(family.fault)) is not None
        and family.harmonics[0] * order * (1 + SPEED_TOLERANCE) < carried_orders
    ]
    matches.sort(key=lambda match: -match.evidence_db)
    cage = None
    if matches and matches[0].evidence_db < CLEAR_DB:
        cage = cage_lines(rows, shaft_hz, bearing.ftf or BALL_CAGE, lengths[0])
    return BearingLines(tuple(matches), strongest_comb(searches), cage)


def _joined(matches: Sequence[FaultMatch]) -> FaultMatch:
    """Return one match of several resolutions: the better one, with the mean evidence."""
    return replace(
        max(matches, key=lambda match: match.evidence_db),
        evidence_db=float(np.mean([match.evidence_db for match in matches])),
        slip_at_edge=all(match.slip_at_edge for match in matches),
        depth=max(match.depth for match in matches),
        unexplained_db=min(match.unexplained_db for match in matches),
        synchronous=all(match.synchronous for match in matches),
    )


def _match(search: LineSearch, family: Family, stated: float, cage: float) -> FaultMatch:
    """Return the best speed and slip for one family with its stated order."""
    slips = search.step * steps(SLIP / search.step)
    turns = stated * (1 + slips)[None]
    spacing = cage / stated * turns if family.cage_sidebands else np.ones_like(turns)
    explained = search.explain(family, turns, spacing)
    worth = explained.worth - SLIP_COST_DB * slips**2
    i, j = (int(k) for k in np.unravel_index(worth.argmax(), worth.shape))
    speed = float(search.speed[i, 0])
    order, between = float(turns[0, j] * speed), float(spacing[0, j] * speed)
    profile = worth.max(axis=1)
    held = profile >= worth[i, j] - INTERVAL_DB
    both = np.where(held, profile + search.plain_shaft[:, 0], -np.inf)
    held = search.speed[both >= both.max() - INTERVAL_DB, 0]
    lines, harmonics = search.lines, np.array(list(explained.harmonics))
    first = family.harmonics[0] * order / speed
    sides = np.array([n * order + m * between for n, m in family.sidebands])
    return FaultMatch(
        fault=family.fault,
        evidence_db=float(worth[i, j] - search.shaft.max()),
        speed_scale=speed,
        speed_interval=(float(held[0] - search.step), float(held[-1] + search.step)),
        slip=float(slips[j]),
        slip_at_edge=j in (0, slips.size - 1),
        order=order,
        harmonics_db={n: float(credit[i, j]) for n, credit in explained.harmonics.items()},
        sidebands_db=float(search.height(sides).mean()),
        swing_db=_swing_db(lines, [n * order for n in list(explained.harmonics)[:2]], speed),
        plain_db={
            int(n): float(lines.plain[:, lines.near(np.array([n * order]))].max(initial=0))
            for n in harmonics
            if abs(n * order / speed - round(n * order / speed)) * lines.per_order >= SAME_LINE
        },
        depth=lines.deepest(harmonics * order),
        unexplained_db=_unexplained(search, family, order, speed, between),
        channel=lines.nearest(harmonics * order),
        synchronous=abs(first - round(first)) * lines.per_order < SAME_LINE,
    )


def _swing_db(lines: EnvelopeLines, carriers: Sequence[float], speed: float) -> float:
    """Return the mean height of the sidebands at ± `speed` over their carriers."""
    mean = lines.decibel.mean(axis=0)

    def height(order: float) -> float:
        return float(mean[lines.near(np.array([order]))].max(initial=0))

    sides = [height(c - speed) / 2 + height(c + speed) / 2 - height(c) for c in carriers]
    return float(np.mean(sides))


def _unexplained(
    search: LineSearch, family: Family, order: float, speed: float, spacing: float
) -> float:
    """Return the highest line that is no harmonic of the shaft and no line of the family."""
    per_order = search.lines.per_order
    last = min(int(SHAFT_HARMONICS * per_order), search.peaks.size - 1)
    orders = np.arange(int(LEAST_ORDER * per_order), last) / per_order
    first = 0 if family.cage_sidebands else 1
    n = np.arange(first, MOST_HARMONICS + 1)[:, None]
    m = np.arange(-MOST_SIDEBANDS, MOST_SIDEBANDS + 1)
    shaft = np.arange(1, int(TOP_ORDER) + 1) * speed
    known = np.sort(np.append(np.abs(n * order + m * spacing).ravel(), shaft))
    after = np.searchsorted(known, orders).clip(1, known.size - 1)
    away = np.minimum(np.abs(orders - known[after - 1]), np.abs(known[after] - orders))
    wide = np.maximum((SAME_LINE + 1) / per_order, WIDE_LINE * orders)
    return float(search.height(orders[away >= wide]).max(initial=0))
