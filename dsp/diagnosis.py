"""Which bearing fault a recording shows: one shaft speed must explain all lines of the envelope.

Each hypothesis (no bearing fault, or one of `FAMILIES`) explains the same lines by harmonics of one
speed s and by one family at n · order · s · (1 + slip) with its sidebands. A line is worth its
height in dB over chance, which is its log-likelihood under heavy-tailed noise; a predicted line
that is absent costs a little. The evidence of a fault is what its best explanation is worth beyond
the best explanation by the shaft alone. A line that the shaft can explain counts for no fault:
BPFO + BPFI is the number of balls, so BPFI − 2 × shaft often lies within 3 % of BPFO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.bearing import Bearing
from auscult.dsp.envelope_lines import TOP_SHARE, EnvelopeLines, envelope_lines

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

LONG_REVOLUTIONS: Final = 100.0
"""Such a segment separates 0.02 orders, and most machines keep their speed so long."""
SHORT_REVOLUTIONS: Final = 50.0
"""The evidence is averaged with that of shorter segments: slip smears the lines of long ones."""
LEAST_REVOLUTIONS: Final = 5.0
"""A shorter recording does not separate the shaft's harmonics from anything."""
WORTH_SHORTER: Final = 1.5
"""Share of the recording over `SHORT_REVOLUTIONS` from which the shorter segments are used too."""

TOP_ORDER: Final = 16.0
SHAFT_HARMONICS: Final = 12
SPEED_TOLERANCE: Final = 0.075
"""Largest error of the stated speed: name plates were off by up to 6 % on real rigs."""
SLIP: Final = 0.02
"""Largest deviation of a fault's order: rolling elements slip by 1–2 % (Randall, Antoni 2011)."""
SPEED_COST_DB: Final = 1.0 / 0.03**2
"""Cost of a relative speed error, times its square: 1 dB at 3 %."""
SLIP_COST_DB: Final = 4.0 / 0.01**2
"""Cost of slip, times its square: 4 dB at 1 %."""

SAME_LINE: Final = 2.5
"""Lines that lie this close together are one."""
SIDEBAND_ORDERS: Final = 0.25
"""A line so close to a shaft harmonic may be its modulation, which has a mirror image."""
HARMONIC_COST_DB: Final = 3.0
"""An absent harmonic costs this …"""
SIDEBAND_COST_DB: Final = 1.5
"""… and an absent sideband this."""
CARRIER_DB: Final = 3.0
"""A sideband may be this much higher than its carrier."""
GROWTH_DB: Final = 6.0
"""A harmonic may be this much higher than all before it."""
BALL_CAGE: Final = 0.39
"""Cage order of almost every bearing, where its own is unknown."""
MOST_HARMONICS: Final = 6
MOST_SIDEBANDS: Final = 6
"""Harmonics and sidebands of a named fault that leave no line unexplained."""
LEAST_ORDER: Final = 0.3
"""Lines below are drift and cage beats."""
WIDE_LINE: Final = 0.01
"""A line of a family is as wide as this share of its order, by slip."""


@dataclass(frozen=True, slots=True)
class Family:
    """Lines that a fault of a rolling bearing makes in the envelope spectrum.

    Parameters
    ----------
    fault : str
        ``bpfo``, ``bpfi`` or ``bsf``: the order of the bearing that repeats.
    harmonics : tuple of int
        A damaged ball strikes both races, so its even harmonics lead.
    sidebands : tuple of (harmonic, offset)
        Offsets are in turns of the shaft; those of a ball in turns of the cage, which carries it
        through the load zone.
    cage_sidebands : bool
    sidebands_expected : bool
        Whether an absent sideband counts against the fault. An outer race keeps its place in the
        load zone, so that its impacts need not vary.
    """

    fault: str
    harmonics: tuple[int, ...]
    sidebands: tuple[tuple[int, int], ...]
    cage_sidebands: bool = False
    sidebands_expected: bool = True


def _sidebands(harmonics: Sequence[int], reach: int) -> tuple[tuple[int, int], ...]:
    return tuple((n, m) for n in harmonics for m in range(-reach, reach + 1) if m)


FAMILIES: Final = (
    Family("bpfo", (1, 2, 3, 4, 5), _sidebands((1, 2, 3), 2), sidebands_expected=False),
    Family("bpfi", (1, 2, 3, 4, 5), _sidebands((1, 2, 3), 3)),
    Family("bsf", (2, 4, 6), _sidebands((2, 4), 3), cage_sidebands=True),
)


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
    depth : float
        Largest modulation depth of a harmonic in any band, 0..2.
    unexplained_db : float
        Highest line that neither the shaft nor this fault explains.
    channel : int
        The channel that shows the harmonics best.
    """

    fault: str
    evidence_db: float
    speed_scale: float
    slip: float
    slip_at_edge: bool
    order: float
    harmonics_db: Mapping[int, float]
    sidebands_db: float
    depth: float
    unexplained_db: float
    channel: int


def diagnose_bearing(
    channels: Sequence[tuple[Float32, float]], bearing: Bearing, speed_rpm: float
) -> tuple[FaultMatch, ...]:
    """Match the faults of a bearing with simultaneous recordings of its machine.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(n,) or (w, n)], fs_hz)
        Signals of one or more sensors over the same seconds of steady speed, each one stretch of n
        samples or w of them. At 100 revolutions and more the orders separate best.
    bearing : Bearing
    speed_rpm : float
        Stated shaft speed in r/min, > 0; the true one may differ by 7.5 %.

    Returns
    -------
    tuple of FaultMatch
        One for each fault whose order the bearing states and the recording carries, largest
        evidence first.

    Examples
    --------
    >>> rng, fs = np.random.default_rng(0), 12_000
    >>> strikes = np.zeros(8 * fs, np.float32)
    >>> strikes[:: round(fs / (25 * 3.58))] = 1.0
    >>> ring = np.exp(-np.arange(200) / 20) * np.sin(2 * np.pi * 0.25 * np.arange(200))
    >>> x = np.convolve(strikes, ring, "same") + 0.05 * rng.standard_normal(8 * fs)
    >>> bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    >>> diagnose_bearing([(x.astype(np.float32), fs)], bearing, speed_rpm=1500)[0].fault
    'bpfo'
    """
    shaft_hz = speed_rpm / 60
    rows = [(np.atleast_2d(x), fs_hz) for x, fs_hz in channels]
    revolutions = min(x.shape[1] / fs_hz for x, fs_hz in rows) * shaft_hz
    carried_orders = min(TOP_ORDER, *(TOP_SHARE * fs_hz / shaft_hz for _, fs_hz in rows))
    carried = [
        family for family in FAMILIES
        if (order := bearing.order(family.fault)) is not None
        and family.harmonics[0] * order * (1 + SPEED_TOLERANCE) < carried_orders
    ]  # fmt: skip
    if revolutions < LEAST_REVOLUTIONS or not carried:
        return ()
    lengths = [min(LONG_REVOLUTIONS, revolutions)]
    if lengths[0] >= WORTH_SHORTER * SHORT_REVOLUTIONS:
        lengths.append(SHORT_REVOLUTIONS)
    top_order = TOP_ORDER * (1 + SPEED_TOLERANCE)
    searches = [_Search(envelope_lines(rows, shaft_hz, n, top_order), bearing) for n in lengths]
    matches = [_joined([search.match(family) for search in searches]) for family in carried]
    return tuple(sorted(matches, key=lambda match: -match.evidence_db))


def _joined(matches: Sequence[FaultMatch]) -> FaultMatch:
    """One match of several resolutions: the better one, with the mean evidence."""
    best = max(matches, key=lambda match: match.evidence_db)
    return FaultMatch(
        fault=best.fault,
        evidence_db=float(np.mean([match.evidence_db for match in matches])),
        speed_scale=best.speed_scale,
        slip=best.slip,
        slip_at_edge=all(match.slip_at_edge for match in matches),
        order=best.order,
        harmonics_db=best.harmonics_db,
        sidebands_db=best.sidebands_db,
        depth=max(match.depth for match in matches),
        unexplained_db=min(match.unexplained_db for match in matches),
        channel=best.channel,
    )


class _Search:
    """All speeds and slips of one spectrum.

    Arrays over speeds have the shape (speeds, 1), those over slips too (speeds, slips).
    """

    def __init__(self, lines: EnvelopeLines, bearing: Bearing) -> None:
        self._lines, self._bearing = lines, bearing
        self._peaks = lines.peaks()
        step = 1 / (SHAFT_HARMONICS * lines.per_order)
        self._speed = (1 + step * _steps(SPEED_TOLERANCE / step))[:, None]
        self._slip = step * _steps(SLIP / step)
        self._shaft = self._shaft_worth()

    def height(self, orders: Float64) -> Float32:
        """Height of the lines at `orders` in dB, 0 where the spectrum ends before."""
        line = np.rint(orders * self._lines.per_order).astype(np.int32)
        beyond = self._peaks.size - 1
        return self._peaks[np.where((line >= 2) & (line < beyond), line, beyond)]

    def _shaft_worth(self) -> Float64:
        """Sum up what the shaft's harmonics explain at each speed.

        From the third on, a harmonic counts no more than the higher of its neighbours: what it has
        above both may be a fault's (BPFO = 3 × shaft).
        """
        harmonics = self.height(self._speed * np.arange(1, SHAFT_HARMONICS + 1))
        padded = np.pad(harmonics, ((0, 0), (1, 1)))
        beside = np.maximum(padded[:, :-2], padded[:, 2:])
        beside[:, :2] = np.inf
        worth = np.minimum(harmonics, beside).sum(axis=1)[:, None]
        return np.asarray(worth - SPEED_COST_DB * (self._speed - 1) ** 2)

    def match(self, family: Family) -> FaultMatch:
        """Best speed and slip for one family."""
        base = self._order(family) * self._speed * (1 + self._slip)
        spacing = self._speed
        if family.cage_sidebands:
            spacing = (self._bearing.ftf or BALL_CAGE) * self._speed * (1 + self._slip)
        worth = self._shaft - SLIP_COST_DB * self._slip**2
        harmonics = self._harmonics(family, base)
        for credit, shared in harmonics.values():
            alone = credit - HARMONIC_COST_DB
            worth = worth + np.where(shared, np.maximum(alone, 0), alone)
        for n, offset in family.sidebands:
            if n in harmonics:
                credit, shared = self._credit(n * base + offset * spacing)
                alone = np.minimum(credit, harmonics[n][0]) - SIDEBAND_COST_DB
                if not family.sidebands_expected:
                    alone = np.maximum(alone, 0)
                worth = worth + np.where(shared, 0, alone)
        at = np.unravel_index(worth.argmax(), worth.shape)
        return self._found(family, at, worth, {n: c for n, (c, _) in harmonics.items()}, spacing)

    def _order(self, family: Family) -> float:
        order = self._bearing.order(family.fault)
        if order is None:
            raise ValueError(f"the bearing {self._bearing.name!r} states no {family.fault}")
        return order

    def _harmonics(self, family: Family, base: Float64) -> dict[int, tuple[Float32, Bool]]:
        """Credit of each harmonic that the spectrum carries, and whether the shaft shares it."""
        top = min(TOP_ORDER, (self._peaks.size - 2) / self._lines.per_order / (1 + SPEED_TOLERANCE))
        carried = [
            n for n in family.harmonics
            if n == family.harmonics[0] or n * self._order(family) < 0.99 * top
        ]  # fmt: skip
        found = {}
        highest = np.zeros(base.shape, np.float32)
        for n in carried:
            credit, shared = self._credit(n * base)
            if not family.cage_sidebands:
                credit = np.minimum(credit, self._over_sidebands(n, base))
            if n != carried[0]:
                credit = np.minimum(credit, highest + GROWTH_DB)
            found[n] = credit, shared
            highest = np.maximum(highest, credit)
        return found

    def _over_sidebands(self, n: int, base: Float64) -> Float32:
        """Most that harmonic n may count: a carrier rises over its own sidebands.

        A line at half the order of the first harmonic makes it a second one.
        """
        own = self.height(n * base)
        beside = np.maximum(
            self.height(n * base - self._speed), self.height(n * base + self._speed)
        )
        if n == 1:
            beside = np.maximum(beside, self.height(base / 2))
        return np.asarray(2 * np.maximum(own - beside + CARRIER_DB, 0))

    def _credit(self, orders: Float64) -> tuple[Float32, Bool]:
        """Give the height that the shaft can't have made, and whether both share one line."""
        own = self.height(orders)
        nearest = np.rint(orders / self._speed)
        off = orders - nearest * self._speed
        shared = np.abs(off) * self._lines.per_order < SAME_LINE
        before = self.height((nearest - 1) * self._speed)
        after = self.height((nearest + 1) * self._speed)
        excess = np.maximum(own - np.maximum(before, after), 0)
        mirror = self.height(nearest * self._speed - off)
        one_sided = np.minimum(own, 2 * np.maximum(own - mirror, 0))
        alone = np.where(np.abs(off) < SIDEBAND_ORDERS, one_sided, own)
        return np.where(shared, excess, alone), shared

    def _found(
        self,
        family: Family,
        at: tuple[np.intp, ...],
        worth: Float64,
        harmonics: Mapping[int, Float32],
        spacing: Float64,
    ) -> FaultMatch:
        i, j = at
        speed, slip = float(self._speed[i, 0]), float(self._slip[j])
        order = self._order(family) * speed * (1 + slip)
        between = float(np.broadcast_to(spacing, worth.shape)[i, j])
        lines = np.rint(np.array(list(harmonics)) * order * self._lines.per_order).astype(int)
        lines = lines[lines < self._lines.depth.size - 1]
        near = np.array([lines - 1, lines, lines + 1])
        sides = np.array([n * order + m * between for n, m in family.sidebands])
        return FaultMatch(
            fault=family.fault,
            evidence_db=float(worth[i, j] - self._shaft.max()),
            speed_scale=speed,
            slip=slip,
            slip_at_edge=j in (0, self._slip.size - 1),
            order=order,
            harmonics_db={n: float(credit[i, j]) for n, credit in harmonics.items()},
            sidebands_db=float(self.height(sides).mean()),
            depth=float(self._lines.depth[near].max()) if lines.size else 0.0,
            unexplained_db=self._unexplained(family, order, speed, between),
            channel=int(self._lines.decibel[:, near].max(axis=1).sum(axis=1).argmax()),
        )

    def _unexplained(self, family: Family, order: float, speed: float, spacing: float) -> float:
        """Highest line that is no harmonic of the shaft and no line of the family."""
        per_order = self._lines.per_order
        last = min(int(SHAFT_HARMONICS * per_order), self._peaks.size - 1)
        orders = np.arange(int(LEAST_ORDER * per_order), last) / per_order
        first = 0 if family.cage_sidebands else 1
        n = np.arange(first, MOST_HARMONICS + 1)[:, None]
        m = np.arange(-MOST_SIDEBANDS, MOST_SIDEBANDS + 1)
        shaft = np.arange(1, int(TOP_ORDER) + 1) * speed
        known = np.append(np.abs(n * order + m * spacing).ravel(), shaft)
        away = np.abs(orders[:, None] - known).min(axis=1)
        wide = np.maximum((SAME_LINE + 1) / per_order, WIDE_LINE * orders)
        return float(self.height(orders[away >= wide]).max(initial=0))


def _steps(reach: float) -> Float64:
    return np.arange(-int(reach), int(reach) + 1, dtype=np.float64)
