"""A pump with its motor, and events of an outer-race fault at its drive end."""

from __future__ import annotations

from auscult.app.store.freshness import Freshness
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.inventory import BearingPart, Inventory, MachinePart, PointPart, ZonesPart
from auscult.contract.parts import WordedReason
from auscult.contract.payloads import Contribution
from auscult.contract.said import Said
from tests.app import messages as m
from tests.reasons import reason

HOUR = 3_600_000
T = 1_800_000_000_000
ORIGIN = Origin("plant", "gw1", T)
PUMP = "plant~gw1~pump-3"
NOW = Freshness(T, 180_000)


def moved(feature: str, sigma: float, **more: object) -> Contribution:
    return Contribution(**{
        "feature": feature, "value": 2.0, "baseline": 1.0, "unit": "m/s²", "sigma": sigma,
        "share": 0.5, "change_db": 6.0, "title": feature, **more,
    })  # fmt: skip


def departs(point: str, *moves: Contribution) -> WordedReason:
    return reason(
        kind="learned", condition="alarm", text="departs", point=point, value=3.0,
        contributions=moves, said=Said("departs"),
    )  # fmt: skip


OUTER = reason(
    kind="learned", condition="alarm", text="outer race", fault="outer", confidence=0.94,
    matched=("BPFO 1×", "BPFO 2×"), missing=("BPFO sidebands",),
    said=Said("bearing_fault", {
        "bearing": "6205", "hz": 88.5, "order": 3.58, "speed_rpm": 1482.0, "db": 21.0,
    }),
)  # fmt: skip
SEEN = (
    departs("M_NDE", moved("rms", 40.0), moved("bpfo_level", 3.5)),
    departs("P_DE", moved("rms", 12.0), moved("bpfo_level", 30.0, low_hz=80.0, high_hz=96.0)),
    OUTER,
)
"""The motor's evidence saturates first and its r.m.s. moves more, but the pump has the lines."""


def inventory() -> Inventory:
    return Inventory(
        ts=T,
        machines=(
            MachinePart(
                id="pump-3", name="Feed pump P-101", area="Boiler house", speed_rpm=1482,
                bearings=(BearingPart(name="6205", bpfo=3.58),),
                zones=ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
                points=tuple(
                    PointPart(id=i, name=n, kind="vibration", unit="g", fs_hz=25_600)
                    for i, n in (("M_NDE", "Motor, free end"), ("P_DE", "Pump, drive end"))
                ),
            ),
        ),
    )  # fmt: skip


def event(name: str, started_ms: int, ended_ms: int | None = None, **more: object):
    return m.event(
        "pump-3", name, "start" if ended_ms is None else "end", ts=T, started_ms=started_ms,
        updated_ms=ended_ms or started_ms, ended_ms=ended_ms,
        **{"reasons": SEEN, "points": ("M_NDE", "P_DE"), **more},
    )  # fmt: skip


def stored(store, *messages) -> None:
    store.write(lambda db: [store_message(db, ORIGIN, one) for one in messages])
