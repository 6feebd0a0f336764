"""A small plant for the tests: two machines with their points, and what their gateway says."""

from __future__ import annotations

import time

from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.contract.parts import Level
from auscult.contract.payloads import (
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    SpectrumMessage,
    Status,
)
from auscult.contract.records import Coverage
from auscult.contract.said import Said
from tests.reasons import reason

GROUP, NODE, HOST = "plant", "gw1", "scada"
MACHINES = ("pump-3", "fan-1")
INVENTORY = Inventory(
    ts=0,
    machines=(
        MachinePart(
            id="pump-3",
            name="Feed pump 3",
            area="boiler house",
            power_kw=75.0,
            speed_rpm=1480.0,
            support="rigid",
            points=(
                PointPart(id="DE", name="Drive end", kind="vibration", unit="g", fs_hz=25600.0),
                PointPart(id="NDE", name="Non-drive end", kind="vibration", unit="g", fs_hz=25600),
            ),
        ),
        MachinePart(
            id="fan-1",
            name="Fan 1",
            points=(PointPart(id="M", name="Motor", kind="sound", unit="Pa", fs_hz=48000.0),),
        ),
    ),
)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def point_state(
    machine="pump-3", point="DE", *, velocity=2.0, condition="normal", sensor=(), quality="good",
    reasons=(), t_ms=None, evidence=0.0,
) -> PointStateMessage:  # fmt: skip
    t_ms = t_ms or now_ms()
    return PointStateMessage(
        ts=t_ms,
        machine=machine,
        point=point,
        condition=condition,
        quality=quality,
        window_ms=t_ms,
        reasons=reasons,
        evidence=evidence,
        warning_level=3.0,
        alarm_level=6.0,
        levels={
            "velocity_rms": Level(value=velocity, unit="mm/s", quality=quality),
            "crest_factor": Level(value=3.2, unit="1", quality=quality),
        },
        sensor=sensor,
        speed_rpm=1480.0,
    )


def machine_state(machine="pump-3", *, condition="normal", fraction=0.5, event_id=None):
    return MachineStateMessage(
        ts=now_ms(),
        machine=machine,
        condition=condition,
        quality="good",
        coverage=Coverage(
            phase="collecting", fraction=fraction, windows=100, windows_needed=200,
            lacks=(Said("windows", {"count": 100, "point": None}),),
        ),
        evidence=0.1,
        warning_level=3.0,
        alarm_level=6.0,
        event_id=event_id,
    )  # fmt: skip


def event(machine="pump-3", event_id="01J0EVENT", phase="start"):
    t_ms = now_ms()
    return EventMessage(
        ts=t_ms, id=f"{event_id}-{phase}", event_id=event_id, machine=machine, phase=phase,
        condition="alarm", started_ms=t_ms, updated_ms=t_ms, peak_condition="alarm",
        peak_evidence=7.0,
    )  # fmt: skip


def status(windows=1, cpu=10.0):
    return Status(
        ts=now_ms(), state="online", cpu_percent=cpu, memory_mb=100.0, windows_total=windows,
        clock_synchronised=True, sources={"recordings": "ok"},
    )  # fmt: skip


def spectrum(machine="pump-3", point="DE", kind="spectrum", lines=400):
    return SpectrumMessage(
        ts=now_ms(), id="01J0SPEC", machine=machine, point=point, kind=kind, window_ms=now_ms(),
        f0_hz=0.0, df_hz=2.5, values=tuple(0.001 * i for i in range(lines)), unit="g",
        fs_hz=25600.0, window="hann", averages=4, overlap=0.5,
    )  # fmt: skip


BEARING = reason(
    kind="learned", condition="alarm", text="outer-race defect", fault="outer", confidence=0.8
)
ZONE = reason(kind="iso_zone", condition="alarm", text="zone D", value=9.0, limit=7.1)
SILENT = reason(kind="sensor", condition="unknown", text="no window for more than 10 s")
