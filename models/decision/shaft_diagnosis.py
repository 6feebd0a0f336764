"""Which fault of a shaft: imbalance, bend, misalignment or looseness, by orders and directions.

What rose against the healthy machine at the same speed is compared, so that a resonance, which
amplifies both, cancels. A fault is named by where its energy went: radial 1× for imbalance, axial
1× for a bow, 2× for misalignment, half orders and many harmonics for looseness. Phase between
points on one clock separates what orders can't.

References: ISO 13373-3:2015, tables of fault symptoms; ISO 20816-1, 6.5.3: a change counts,
whatever the level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Direction
from auscult.contract.said import Said
from auscult.dsp.order_lines import ORDERS, OrderLines
from auscult.models.decision.diagnosis import UNCLEAR, Diagnosis

Float64 = NDArray[np.float64]

ROSE_DB: Final = 6.0
"""An order rose if its level over all points doubled."""
LEADING_SHARE: Final = 0.7
"""A fault is named if its lines hold this share of the added energy …"""
HALF_SHARE: Final = 0.05
"""… looseness if half orders hold this one: no other fault of a shaft adds any."""
AXIAL_SHARE: Final = 0.5
"""Radial forces reach the axial sensor with a third of their amplitude or less; a bow or an
angle makes as much axial as radial vibration."""
IN_PHASE_DEG: Final = 60.0
"""Phases this near to 0 or 180 degrees count as that."""
SURE: Final = 0.8
"""Most that is claimed, with directions and phases that fit …"""
WITHOUT_PHASE: Final = 0.75
"""… without phases between two points …"""
WITHOUT_DIRECTION: Final = 0.7
"""… and where no axial point is known: a bow and an overhung rotor look like imbalance radially."""
LEAST_BEFORE: Final = 1e-3
"""A line that was absent counts as 30 dB below the highest one: an absent line can't rise from
nothing."""
AXIAL_LEADS_DB: Final = 6.0
"""Axial vibration that rose so much more than radial one has a cause of its own."""
FULL_RISE_DB: Final = 12.0
"""Confidence is full for a rise that leaves no doubt, and 0.5 at `ROSE_DB`."""

NOISE_MARGIN_DB: Final = 6.0
"""A fault of a shaft raises its orders by so much more than the noise above 1 kHz; a damaged
bearing raises its noise and shakes the shaft besides."""
SAME_SPEED: Final = 0.005
"""Two speeds at one setting differ by less; where they seem to differ more, one was not found."""
SIGNIFICANT: Final = 0.56
"""Energy of all orders that must be added: 25 % of amplitude, as ISO 20816-1 counts a change."""
SECOND_SHARE: Final = 0.02
"""2× that came with 1×: an imbalance adds none."""
ANGULAR_LEADS_DB: Final = 3.0
"""Axial 2× rose so much more than radial 2×: an angle, not a resonance that amplifies an offset."""
HARMONIC_ORDERS: Final = (3.0, 4.0, 5.0, 6.0)


@dataclass(frozen=True, slots=True)
class ShaftPoints:
    """Where the points of a recording measure.

    Parameters
    ----------
    names : tuple of str
        In the order of the channels.
    directions : mapping of point to Direction
        Points whose direction is stated.
    shafts : mapping of point to str
        Shaft of each point; points on one shaft share its forces. Empty: one shaft.
    one_clock : bool
        Whether phases between points have a meaning.
    """

    names: tuple[str, ...]
    directions: Mapping[str, Direction]
    shafts: Mapping[str, str]
    one_clock: bool = True

    def rows(self, *directions: Direction) -> list[int]:
        """Return the channels that measure in one of these directions."""
        return [i for i, name in enumerate(self.names) if self.directions.get(name) in directions]


@dataclass(frozen=True)
class _Change:
    """Energy of the healthy machine and what was added, in velocity squared, (c, orders)."""

    before: Float64
    added: Float64

    def share(self, *orders: float, rows: Sequence[int] | None = None) -> float:
        """Share of all added energy at some orders, of some channels."""
        columns = [ORDERS.index(order) for order in orders]
        part = self.added if rows is None else self.added[list(rows)]
        return float(part[:, columns].sum() / max(float(self.added.sum()), 1e-30))

    def rise(self, order: float, rows: Sequence[int] | None = None) -> float:
        """Return the rise of an order in dB, over all channels or some."""
        which = slice(None) if rows is None else list(rows)
        column = ORDERS.index(order)
        before = float(self.before[which, column].sum())
        added = float(self.added[which, column].sum())
        least = LEAST_BEFORE * float(self.before.max())
        return float(10 * np.log10(1 + added / max(before, least, 1e-30)))


def shaft_diagnosis(
    now: OrderLines, healthy: OrderLines, points: ShaftPoints, noise_db: float = 0.0
) -> Diagnosis:
    """Name the fault that explains what rose.

    Parameters
    ----------
    now, healthy : OrderLines
        Of the same points at about the same speed.
    points : ShaftPoints
    noise_db : float
        Rise of the noise above 1 kHz.

    Returns
    -------
    Diagnosis
        ``unclear`` where no order doubled, or where two faults fit.
    """
    before, after = healthy.velocity**2, now.velocity**2
    added = np.maximum(after - before, 0)
    if now.referenced and healthy.referenced and abs(
        now.shaft_hz / healthy.shaft_hz - 1
    ) <= SAME_SPEED:  # fmt: skip
        # A vector changes though its amplitude stays: ISO 20816-1, annex on vector change.
        whole = np.array(ORDERS) % 1 == 0
        vector = (np.abs(now.lines - healthy.lines) / np.array(ORDERS)) ** 2
        added = np.where(whole, np.maximum(added, vector), added)
    change = _Change(before, added)
    found = _named(change, now, points)
    if found.fault == UNCLEAR:
        return found
    if abs(now.shaft_hz / healthy.shaft_hz - 1) > SAME_SPEED:
        return Diagnosis(UNCLEAR, 0.0, Said("shaft_speeds_differ"))
    if float(change.added.sum()) < SIGNIFICANT * float(change.before.sum()):
        return Diagnosis(UNCLEAR, 0.0, Said("no_shaft_fault"))
    leading = {"misalignment": (1.0, 2.0), "looseness": ORDERS}.get(found.fault, (1.0,))
    if max(change.rise(order) for order in leading) >= noise_db + NOISE_MARGIN_DB:
        return found
    missing = (*found.missing, Said("noise_rose", {"db": round(noise_db, 1)}))
    return Diagnosis(UNCLEAR, 0.0, _either(found.fault, "bearing"), found.matched, missing)


def _named(change: _Change, now: OrderLines, points: ShaftPoints) -> Diagnosis:
    half = change.share(0.5, 1.5, 2.5)
    many = sum(change.rise(order) >= ROSE_DB for order in HARMONIC_ORDERS)
    if change.rise(0.5) >= ROSE_DB and half >= HALF_SHARE:
        return _looseness(change)
    if many >= 3 and change.share(*HARMONIC_ORDERS) >= 1 - LEADING_SHARE:
        return _looseness(change)
    if change.rise(2.0) >= ROSE_DB and change.share(2.0) >= change.share(1.0):
        return _misalignment(change, now, points)
    if change.rise(1.0) >= ROSE_DB and change.share(1.0) + change.share(2.0) >= LEADING_SHARE:
        return _first_order(change, now, points)
    return Diagnosis(UNCLEAR, 0.0, Said("no_shaft_fault"))


def _confidence(change: _Change, order: float, most: float) -> float:
    reached = (change.rise(order) - ROSE_DB) / (FULL_RISE_DB - ROSE_DB)
    return float(most * (0.6 + 0.4 * min(max(reached, 0.0), 1.0)))


def _first_order(change: _Change, now: OrderLines, points: ShaftPoints) -> Diagnosis:
    """Tell imbalance, a bow and an angle apart."""
    axial, radial = points.rows("axial"), points.rows("horizontal", "vertical")
    if not axial or not radial:
        return _first_order_anywhere(change, points)
    column = ORDERS.index(1.0)
    along = float(np.sqrt(change.added[axial, column].max()))
    across = float(np.sqrt(change.added[radial, column].max()))
    if along >= AXIAL_SHARE * across:
        return _first_order_along(change, now, points)
    if change.rise(1.0, axial) - change.rise(1.0, radial) >= AXIAL_LEADS_DB:
        said = _either("imbalance", "bent")
        return Diagnosis(UNCLEAR, 0.0, said, (_rose(1),))
    return _first_order_across(change, now, points)


def _rose(order: int) -> Said:
    return Said("order_rose", {"order": order})


def _second_rose(change: _Change) -> bool:
    return change.rise(2.0) >= ROSE_DB and change.share(2.0) >= SECOND_SHARE


def _first_order_anywhere(change: _Change, points: ShaftPoints) -> Diagnosis:
    """Name a rise of 1× where the directions of the points are not known."""
    found = (_rose(1), _rose(2)) if _second_rose(change) else (_rose(1),)
    missing = (Said("axial_unknown"),)
    if change.share(1.0) < LEADING_SHARE:
        return Diagnosis(UNCLEAR, 0.0, _either("imbalance", "misalignment"), found, missing)
    return Diagnosis(
        "imbalance", _confidence(change, 1.0, WITHOUT_DIRECTION), Said("diagnosis"),
        found, missing, point=_loudest(change, points, 1.0), prescription="imbalance",
    )  # fmt: skip


def _first_order_across(change: _Change, now: OrderLines, points: ShaftPoints) -> Diagnosis:
    """Name a radial rise of 1×: imbalance turns a quarter between horizontal and vertical."""
    turning = _radial_turns(now, points)
    found, quarter_turn = (_rose(1), Said("axial_steady")), Said("radial_quarter_turn")
    if turning is False:
        # Horizontal and vertical swing together: a direction is soft, or the frame is loose.
        said = _either("imbalance", "looseness")
        return Diagnosis(UNCLEAR, 0.0, said, found, (quarter_turn,))
    most = SURE if turning else WITHOUT_PHASE
    return Diagnosis(
        "imbalance", _confidence(change, 1.0, most), Said("diagnosis"),
        (*found, quarter_turn) if turning else found,
        point=_loudest(change, points, 1.0), prescription="imbalance",
    )  # fmt: skip


def _first_order_along(change: _Change, now: OrderLines, points: ShaftPoints) -> Diagnosis:
    """Name an axial rise of 1× by the axial phases over the shaft and over the coupling."""
    place, second = _loudest(change, points, 1.0), _second_rose(change)
    rose = Said("axial_order_rose", {"order": 1})
    same_shaft, across_coupling = _axial_phases(now, points)
    if same_shaft is not None and abs(same_shaft) >= 180 - IN_PHASE_DEG:
        return Diagnosis(
            "bent", _confidence(change, 1.0, SURE), Said("diagnosis"),
            (rose, Said("axial_opposed_shaft")),
            point=place, prescription="bent_shaft",
        )  # fmt: skip
    if across_coupling is not None and abs(across_coupling) >= 180 - IN_PHASE_DEG:
        coupled = (rose, Said("axial_opposed_coupling"), *((_rose(2),) if second else ()))
        return Diagnosis(
            "misalignment", _confidence(change, 1.0, SURE), Said("diagnosis"), coupled,
            point=place, prescription="misalignment.angular",
        )  # fmt: skip
    if same_shaft is not None and abs(same_shaft) <= IN_PHASE_DEG and not second:
        return Diagnosis(
            "imbalance", _confidence(change, 1.0, WITHOUT_PHASE), Said("diagnosis"),
            (_rose(1), rose, Said("axial_together")),
            point=place, prescription="imbalance",
        )  # fmt: skip
    missing = (Said("axial_phase_unknown"),)
    return Diagnosis(UNCLEAR, 0.0, _either("bent", "misalignment"), (rose,), missing)


def _misalignment(change: _Change, now: OrderLines, points: ShaftPoints) -> Diagnosis:
    """Tell parallel and angular misalignment apart, and a bow whose 2× is amplified."""
    axial, radial = points.rows("axial"), points.rows("horizontal", "vertical")
    rose = _rose(2)
    if not axial or not radial:
        return Diagnosis(
            "misalignment", _confidence(change, 2.0, WITHOUT_DIRECTION), Said("diagnosis"), (rose,),
            (Said("axial_unknown"),), point=_loudest(change, points, 2.0),
            prescription="misalignment",
        )  # fmt: skip
    columns = [ORDERS.index(1.0), ORDERS.index(2.0)]
    along = float(np.sqrt(change.added[axial][:, columns].sum(axis=1).max()))
    across = float(np.sqrt(change.added[radial][:, columns].sum(axis=1).max()))
    axial_rose = Said("axial_order_rose", {"order": 2})
    place = _loudest(change, points, 2.0)
    if along < AXIAL_SHARE * across:
        return Diagnosis(
            "misalignment", _confidence(change, 2.0, WITHOUT_PHASE), Said("diagnosis"),
            (rose, Said("axial_steady")), point=place, prescription="misalignment.parallel",
        )  # fmt: skip
    if change.rise(1.0, axial) >= ROSE_DB:
        same_shaft, across_coupling = _axial_phases(now, points)
        if same_shaft is not None and abs(same_shaft) >= 180 - IN_PHASE_DEG:
            return Diagnosis(
                "bent", _confidence(change, 1.0, WITHOUT_PHASE), Said("diagnosis"),
                (axial_rose, Said("axial_opposed_shaft")), point=place, prescription="bent_shaft",
            )  # fmt: skip
        if same_shaft is None and across_coupling is None:
            missing = (Said("axial_phase_unknown"),)
            return Diagnosis(UNCLEAR, 0.0, _either("misalignment", "bent"), (axial_rose,), missing)
    angular = change.rise(2.0, axial) - change.rise(2.0, radial) >= ANGULAR_LEADS_DB
    return Diagnosis(
        "misalignment", _confidence(change, 2.0, WITHOUT_PHASE), Said("diagnosis"),
        (rose, axial_rose), point=place,
        prescription="misalignment.angular" if angular else "misalignment",
    )  # fmt: skip


def _looseness(change: _Change) -> Diagnosis:
    found = [Said("harmonics_rose")]
    if change.rise(0.5) >= ROSE_DB:
        found.insert(0, Said("half_orders_rose"))
    confidence = _confidence(change, 0.5 if len(found) > 1 else 3.0, WITHOUT_PHASE)
    return Diagnosis(
        "looseness", confidence, Said("diagnosis"), tuple(found), prescription="looseness"
    )


def _either(*faults: str) -> Said:
    return Said("unclear", {"faults": faults})


def _loudest(change: _Change, points: ShaftPoints, order: float) -> str:
    return points.names[int(change.added[:, ORDERS.index(order)].argmax())]


def _radial_turns(now: OrderLines, points: ShaftPoints) -> bool | None:
    """Return whether a horizontal and a vertical point of one shaft differ by a quarter turn."""
    if not points.one_clock:
        return None
    answers = [
        abs(abs(now.phase_deg(h, v)) - 90) <= IN_PHASE_DEG
        for h in points.rows("horizontal")
        for v in points.rows("vertical")
        if points.shafts.get(points.names[h]) == points.shafts.get(points.names[v])
    ]
    return any(answers) if answers else None


def _axial_phases(now: OrderLines, points: ShaftPoints) -> tuple[float | None, float | None]:
    """Phases at 1× between axial points on one shaft, and between shafts; None without a pair."""
    same, across = None, None
    if not points.one_clock:
        return same, across
    axial = points.rows("axial")
    for i, a in enumerate(axial):
        for b in axial[i + 1 :]:
            phase = now.phase_deg(a, b)
            if points.shafts.get(points.names[a]) == points.shafts.get(points.names[b]):
                same = phase if same is None else same
            else:
                across = phase if across is None else across
    return same, across
