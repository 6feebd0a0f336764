"""A small plant in every condition, as messages of its gateway."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from auscult.contract.inventory import (
    BandsPart,
    BearingPart,
    Configuration,
    Inventory,
    LimitPart,
    MachinePart,
    PointPart,
    ZonesPart,
)
from auscult.contract.learning import BaselinePart, CheckpointPart, Checkpoints, ShadowPart
from auscult.contract.machines import MachineSettings
from auscult.contract.parts import Level, SuppressionPart, WordedReason
from auscult.contract.payloads import Contribution, EventMessage
from auscult.contract.records import Coverage
from auscult.contract.said import Said
from tests.app.messages import (
    IDS,
    READY,
    FakeGateway,
    clip,
    event,
    handling,
    inventory,
    machine_state,
    metrics,
    now_ms,
    point_state,
    status,
    trend,
    turning,
    ulid,
)
from tests.e2e import history
from tests.reasons import reason
from tests.waiting import DEADLINE_S

MINUTE_MS = 60_000
TRAIN = {
    "shafts": [{"id": "2", "ratio": 0.4}],
    "gears": [{"driving_teeth": 20, "driven_teeth": 50, "driven_shaft": "2"}],
    "belts": [{"pulley_mm": 200, "length_mm": 2000, "shaft": "2"}],
    "blades": [{"count": 7, "shaft": "2"}],
    "bearings": [
        {"name": "6312", "balls": 8, "ball_diameter_mm": 22.2, "pitch_diameter_mm": 96},
        {"name": "own", "bpfo": 3.1, "bpfi": 4.9, "shaft": "2"},
    ],
    "baseline_days": 7,
    "points": [
        {
            "id": "DE-A", "kind": "vibration", "unit": "V", "fs_hz": 25_600, "direction": "axial",
            "sensitivity_mv": 100, "sensitivity_unit": "g", "bearings": ["6312"],
            "limits": [{"feature": "velocity_rms_mm_s", "warning": 4.5, "alarm": 7.1}],
        },
        {
            "id": "T", "kind": "value", "unit": "°C", "quantity": "temperature", "interval_s": 60,
        },
    ],
}  # fmt: skip
"""Every part that the wizard can set up."""

BEARING = reason(
    kind="learned",
    condition="alarm",
    text="Envelope lines at the outer-race frequency are 14 dB above the baseline",
    point="DE-H",
    fault="outer",
    confidence=0.82,
    matched=("BPFO and 4 harmonics in the envelope", "level of 2–4 kHz rises"),
    missing=("sidebands at shaft speed",),
    contributions=(
        Contribution(
            feature="bpfo_prominence", value=9.4, baseline=1.9, unit="", sigma=11.2,
            change_db=13.9, share=0.46,
        ),
        Contribution(
            feature="envelope_rms", value=0.81, baseline=0.22, unit="g", sigma=7.9,
            change_db=11.3, share=0.31,
        ),
        Contribution(
            feature="kurtosis", value=7.2, baseline=3.1, unit="", sigma=5.5,
            change_db=None, share=0.14,
        ),
    ),
)  # fmt: skip
ISO = reason(
    kind="iso_zone",
    condition="warning",
    text="Zone C: not suited for long-term operation (ISO 20816-3, group 2, rigid)",
    point="DE-H",
    value=3.1,
    limit=2.8,
    unit="mm/s",
)
CABLE = reason(
    kind="sensor",
    condition="unknown",
    text="Signal is constant: cable or sensor supply",
    point="DE-H",
)


@dataclass(frozen=True)
class Case:
    """One machine of the plant."""

    id: str
    name: str
    area: str
    condition: str
    reasons: tuple[WordedReason, ...] = ()


CASES = (
    Case("pump-3", "Cooling water pump 3", "Hall 2", "alarm", (BEARING, ISO)),
    Case("fan-1", "Exhaust fan 1", "Roof", "warning", (ISO,)),
    Case("gear-7", "Gearbox line 7", "Hall 1", "unknown", (CABLE,)),
    Case("motor-2", "Conveyor motor 2", "Hall 1", "learning"),
    Case("pump-1", "Cooling water pump 1", "Hall 2", "normal"),
    Case("pump-2", "Cooling water pump 2", "Hall 2", "normal"),
)
SHELF = SuppressionPart(
    kind="shelved",
    reason="Seal is changed on Monday",
    actor="Eva",
    since_ms=now_ms(),
    until_ms=now_ms() + 8 * 60 * MINUTE_MS,
)
EVIDENCE = {"alarm": 14.2, "warning": 7.1, "normal": 0.8, "learning": None, "unknown": None}


def publish(gateway: FakeGateway) -> str:
    """Publish the whole plant with three hours of history; return the open event's id."""
    event_id = ulid()
    gateway.publish(
        status(
            clock_synchronised=True,
            clock_error_ms=1.4,
            time_services=("ptp4l", "chronyd"),
            memory_mb=412.0,
            disk_free_mb=53_000.0,
        )
    )
    gateway.publish(_inventory())
    gateway.publish(_configuration())
    for case in CASES:
        is_open = case.condition == "alarm"
        gateway.publish(
            machine_state(
                case.id,
                case.condition,
                reasons=case.reasons,
                evidence=EVIDENCE[case.condition],
                warning_level=6.0,
                alarm_level=10.0,
                event_id=event_id if is_open else None,
                coverage=_coverage(case.condition),
                suppression=SHELF if case.id == "pump-1" else None,
                ids=IDS,
            )
        )
        for point in ("DE-H", "NDE-H"):
            faulty = point == "DE-H"
            gateway.publish(
                point_state(
                    case.id,
                    point,
                    case.condition if faulty else _healthy(case.condition),
                    reasons=case.reasons if faulty else (),
                    evidence=EVIDENCE[case.condition] if faulty else 0.4,
                    sensor=("constant signal",) if faulty and case.condition == "unknown" else (),
                    quality="bad" if faulty and case.condition == "unknown" else "good",
                    levels={
                        "velocity_rms_mm_s": Level(value=3.1 if faulty else 1.4, unit="mm/s"),
                        "rms": Level(value=0.41, unit="g"),
                        "kurtosis": Level(value=7.2 if faulty else 3.0, unit=""),
                    },
                )
            )
    for message in _events(event_id):
        gateway.publish(message)
    gateway.publish(_versions(event_id))
    gateway.publish(clip("pump-3", "DE-H", kind="healthy"))
    for point, phase_deg in (("DE-H", 0), ("NDE-H", -80)):
        begin_s = now_ms() // 1000 - 60
        gateway.publish(turning("pump-3", point, phase_deg, begin_s=begin_s, clock="ni:pump-3"))
    for message in (
        *history.trends("pump-3", "DE-H"),
        *history.spectra("pump-3", "DE-H", event_id),
    ):
        gateway.publish(message)
    return event_id


def depart(gateway: FakeGateway) -> str:
    """Let pump-3 depart from its baseline; return the event's id."""
    event_id = ulid()
    gateway.publish(status())
    gateway.publish(inventory("pump-3"))
    gateway.publish(event("pump-3", event_id, reasons=(BEARING, ISO)))
    gateway.publish(
        machine_state("pump-3", "alarm", coverage=READY, reasons=(BEARING, ISO), event_id=event_id)
    )
    gateway.publish(point_state("pump-3", "DE-H", "alarm", reasons=(BEARING, ISO), evidence=14.2))
    return event_id


def overheat(gateway: FakeGateway) -> str:
    """Let the bearing temperature of pump-3 pass its limit; return the event's id."""
    event_id, now = ulid(), now_ms()
    limit = LimitPart(feature="temperature_c", warning=32.0, alarm=35.0)
    bearing = PointPart(
        id="TB", name="Bearing", kind="value", unit="°C", fs_hz=0.0, quantity="temperature",
        interval_s=60.0, limits=(limit,),
    )  # fmt: skip
    machine = MachinePart(
        id="pump-3", name="Cooling water pump 3", area="Hall 2", points=(bearing,)
    )
    beyond = reason(
        kind="fixed_limit", condition="alarm", text="limit", point="TB", value=42.0, limit=35.0,
        unit="°C",
        said=Said("limit", {
            "title": "temperature", "feature": "temperature_c", "level": "alarm",
            "direction": "above", "standard": "",
        }),
    )  # fmt: skip
    gateway.publish(status())
    gateway.publish(Inventory(ts=now, machines=(machine,)))
    for minute in range(60):
        heat = 28.0 + max(0.0, minute - 40) * 0.7
        gateway.publish(
            trend(
                "pump-3", "TB", now - (60 - minute) * MINUTE_MS, units={"temperature_c": "°C"},
                values={"temperature_c": (heat - 0.2, heat, heat + 0.2)},
            )
        )  # fmt: skip
    started = {"started_ms": now - 10 * MINUTE_MS, "points": ("TB",), "peak_evidence": 0.0}
    gateway.publish(event("pump-3", event_id, reasons=(beyond,), updated_ms=now, **started))
    gateway.publish(
        machine_state("pump-3", "alarm", coverage=READY, reasons=(beyond,), event_id=event_id)
    )
    levels = {"temperature_c": Level(value=42.0, unit="°C")}
    gateway.publish(point_state("pump-3", "TB", "alarm", reasons=(beyond,), levels=levels))
    return event_id


def arrived(get: Callable[..., Any]) -> bool:
    """Whether the API of a dashboard has all that was published."""
    point = "/api/v1/machines/plant~gw1~pump-3/points/DE-H"
    return (
        len(get("/api/v1/machines")["items"]) == len(CASES)
        and len(get(f"{point}/spectra")["items"]) == history.SPECTRA
        and len(get("/api/v1/events")["items"]) == 3
        and len(get(f"{point}/trend")["t_ms"]) == history.HISTORY_MINUTES
    )


def _healthy(condition: str) -> str:
    return "learning" if condition == "learning" else "normal"


def _coverage(condition: str) -> Coverage:
    if condition != "learning":
        return Coverage(
            phase="ready", fraction=1, windows=200, windows_needed=200, settled=True, outliers=2
        )
    return Coverage(
        phase="collecting",
        fraction=0.64,
        windows=128,
        windows_needed=200,
        states=("1480 r/min",),
        lacks=(
            Said("windows", {"count": 72, "point": None}),
            Said("text", {"text": "load above 60 %"}),
        ),
    )


def furnish(url: str) -> None:
    """Set up who is notified, a weekly report and a maintenance system, as an engineer does."""
    api = httpx.Client(base_url=f"{url}/api/v1", timeout=DEADLINE_S)

    def post(path: str, **body: Any) -> Any:
        return api.post(path, json={"actor": "Eva", **body}).raise_for_status().json()

    channel = post(
        "/notifications/channels", name="Shift", url="json://127.0.0.1:9/", enabled=False
    )
    post(
        "/notifications/rules", name="Alarms", enabled=True, channels=[channel["id"]], areas=[],
        severity="alarm", weekdays=[], shift=None, quiet_hours={"start": "22:00", "end": "06:00"},
        alarms_in_quiet_hours=True, cool_down_min=60, escalate_after_min=30, escalate_to=[],
        digest_at=None,
    )  # fmt: skip
    post(
        "/reports/schedules", name="Monday", enabled=True, machine_id=None, weekday=0, at="06:00",
        channels=[channel["id"]], language="en",
    )  # fmt: skip
    template = api.get("/order-templates").raise_for_status().json()["items"][0]
    post("/order-systems", url="http://127.0.0.1:9", template=template)


def _configuration() -> Configuration:
    points = [
        {"id": p, "kind": "vibration", "unit": "g", "fs_hz": 25_600} for p in ("DE-H", "NDE-H")
    ]
    machines = tuple(
        MachineSettings.model_validate(
            {"id": c.id, "name": c.name, "area": c.area, "speed_rpm": 1480, "points": points}
            | (TRAIN if c.id == "motor-2" else {})
        )
        for c in CASES
    )
    return Configuration(ts=now_ms(), version="v1", fixed=machines[:3], machines=machines[3:])


def _inventory() -> Inventory:
    points = tuple(
        PointPart(
            id=p,
            name=name,
            kind="vibration",
            unit="g",
            fs_hz=25_600,
            limits=(
                LimitPart(feature="velocity_rms_mm_s", warning=4.5, alarm=7.1),
                LimitPart(feature="rms_1000_3000hz", alarm=2.0),
            ),
            bands=(
                BandsPart(prefix="band_", low_hz=(1000, 2000, 3130), high_hz=(2000, 3130, 3740)),
            ),
        )
        for p, name in (("DE-H", "Drive end, horizontal"), ("NDE-H", "Non-drive end, horizontal"))
    )
    return Inventory(
        ts=now_ms(),
        machines=tuple(
            MachinePart(
                id=c.id,
                name=c.name,
                area=c.area,
                power_kw=55,
                speed_rpm=1480,
                support="rigid",
                bearings=(BearingPart(name="6312", bpfo=3.08, bpfi=4.92, bsf=2.05, ftf=0.385),),
                zones=ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
                points=points,
            )
            for c in CASES
        ),
    )


def _events(event_id: str) -> list[EventMessage]:
    """Return one unacknowledged, one acknowledged, and one that ended unacknowledged."""
    now = now_ms()
    return [
        event(
            "pump-3", event_id, started_ms=now - 22 * MINUTE_MS, updated_ms=now,
            reasons=(BEARING, ISO), handling=handling("unacknowledged"),
        ),
        event(
            "fan-1", ulid(), started_ms=now - 95 * MINUTE_MS, updated_ms=now, condition="warning",
            peak_condition="warning", reasons=(ISO,),
            handling=handling(
                "acknowledged", 1, acknowledged_ms=now - 80 * MINUTE_MS, acknowledged_by="Eva",
                comment="balancing is ordered",
            ),
        ),
        event(
            "pump-2", ulid(), "end", started_ms=now - 60 * MINUTE_MS,
            updated_ms=now - 50 * MINUTE_MS, ended_ms=now - 50 * MINUTE_MS, condition="normal",
            peak_condition="warning", reasons=(ISO,), handling=handling("returned"),
        ),
    ]  # fmt: skip


def _versions(event_id: str) -> Checkpoints:
    """Return an active, a candidate and a rejected checkpoint."""
    now = now_ms()
    lesson = {"verdict": "false_alarm", "event_id": event_id, "actor": "Eva", "kept": True}
    made = (
        ("000003-c", "candidate", Said("shadow_first"), 5),
        ("000002-b", "rejected", Said("gate_fault_lost", {"events": event_id}), 60),
        ("000001-a", "active", Said("promoted_by", {"actor": "Eva"}), 3000),
    )
    return Checkpoints(
        ts=now,
        machine="pump-3",
        active="000001-a",
        candidate="000003-c",
        baselines=(
            BaselinePart(id="base-2", since_ms=now - 5000 * MINUTE_MS, active=True),
            BaselinePart(id="base-1", since_ms=now - 90_000 * MINUTE_MS, active=False),
        ),
        shadow=ShadowPart(
            windows=310, windows_needed=500, hours_needed=8, active_beyond=4, candidate_beyond=1
        ),
        checkpoints=tuple(
            CheckpointPart.model_validate(
                {
                    **lesson, "id": identity, "state": state, "said": said,
                    "created_ms": now - minutes * MINUTE_MS, "size_bytes": 4200,
                    "before": metrics(), "after": metrics(alarms_per_week=0.2, threshold=9.8),
                }
            )
            for identity, state, said, minutes in made
        ),
    )  # fmt: skip
