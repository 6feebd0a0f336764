"""A small plant for the examples of answers: a pump that departs, and what is around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auscult.app.people.accounts import Account
from auscult.app.views import (
    AlarmLoad,
    ClipView,
    EnrolmentCode,
    EventView,
    Gateway,
    LabelView,
    Machine,
    MachineLoad,
    Point,
    Rollout,
    RolloutGateway,
    RunUpRef,
    SentCommand,
    SpectrumRef,
    Token,
    UpdateBundle,
)
from auscult.contract.event import EventPhase
from auscult.contract.inventory import LimitPart
from auscult.contract.label import Verdict
from auscult.contract.learning import Metrics
from auscult.contract.machines import MachineSettings
from auscult.contract.parts import HandlingPart, Level, WarrantyPart
from auscult.contract.records import Condition, Coverage, HeadUpdate, Provenance, Reason, ReasonKind
from auscult.contract.run_up import CriticalSpeedPart
from auscult.contract.said import Said

T = 1_763_712_000_000
"""Of the examples: 21 November 2025, 08:00 UTC."""
MINUTE = 60_000
GATEWAY = "plant~gw1"
MACHINE = f"{GATEWAY}~pump-3"
EVENT = "01KAJ8S3G0ZV4M6X8Y9B1C2D3E"
LABEL = "6e1f0c6e9a3b4d8f"

IDS = Provenance(
    model_id="sha256:3f9c0d", baseline_id="b-20251020", spec_id="feat-9a41", checkpoint_id="000002"
)
ISO = Reason(
    ReasonKind.ISO_ZONE,
    Condition.WARNING,
    point="DE-H",
    value=3.1,
    limit=2.8,
    unit="mm/s",
    said=Said(
        code="limit",
        values={
            "feature": "velocity_rms_mm_s",
            "level": "warning",
            "direction": "above",
            "standard": "ISO 20816-3 group 2, rigid",
        },
    ),
)
COVERAGE = Coverage(
    phase="ready",
    fraction=1,
    windows=200,
    windows_needed=200,
    states=("1480 r/min",),
    settled=True,
    outliers=2,
)
DECISION: dict[str, Any] = {
    "condition": "warning",
    "quality": "good",
    "stale": False,
    "heard_ms": T,
    "updated_ms": T - 200,
    "reasons": (ISO,),
    "p_value": 2e-5,
    "evidence": 1.3,
    "warning_level": 1.0,
    "alarm_level": 2.0,
    "ids": IDS,
}
ALARM = HandlingPart(state="unacknowledged")
BEFORE = Metrics(
    false_alarm_rate=0.01,
    faults_detected=2,
    faults_total=2,
    labelled_false_alarms_silenced=0,
    labelled_false_alarms_total=1,
    alarms_per_week=3.0,
    threshold=9.1,
)
AFTER = replace(BEFORE, labelled_false_alarms_silenced=1, alarms_per_week=0.2)
LESSON = HeadUpdate(
    label_id=LABEL,
    checkpoint_id="000002",
    parent_id="000001",
    accepted=True,
    said=Said("text", {"text": "1 of 1 labelled false alarms are silent"}),
    before=BEFORE,
    after=AFTER,
    weights_change_norm=0.02,
    duration_ms=18.0,
    silenced=(EVENT,),
)
LABELLED = LabelView(
    id=LABEL,
    label_id=LABEL,
    event_id=EVENT,
    machine="pump-3",
    machine_id=MACHINE,
    verdict=Verdict.FALSE_ALARM,
    note="belt changed",
    actor="Eva",
    created_ms=T,
    state="acknowledged",
    answered_ms=T + 150,
    lesson=LESSON,
)
DEPARTURE = EventView(
    id=EVENT,
    event_id=EVENT,
    machine="pump-3",
    machine_id=MACHINE,
    machine_name="Cooling water pump 3",
    area="Hall 2",
    open=True,
    phase=EventPhase.UPDATE,
    condition="warning",
    peak_condition="warning",
    peak_evidence=1.3,
    peak_p_value=2e-5,
    started_ms=T - 20 * MINUTE,
    updated_ms=T,
    points=("DE-H",),
    reasons=(ISO,),
    ids=IDS,
    handling=ALARM,
    label=LABELLED,
)
PUMP = Machine(
    id=MACHINE,
    gateway_id=GATEWAY,
    machine="pump-3",
    name="Cooling water pump 3",
    area="Hall 2",
    power_kw=55,
    speed_rpm=1480,
    support="rigid",
    points=1,
    coverage=COVERAGE,
    event_id=EVENT,
    handling=ALARM,
    unacknowledged=1,
    warranty=WarrantyPart(false_alarms_per_year=1.0, days_missing=12),
    **DECISION,
)
DRIVE_END = Point(
    machine_id=MACHINE,
    machine="pump-3",
    point="DE-H",
    name="Drive end, horizontal",
    kind="vibration",
    unit="g",
    fs_hz=25_600,
    limits=(LimitPart(feature="velocity_rms_mm_s", warning=4.5, alarm=7.1),),
    window_ms=T - 1000,
    score=14.2,
    levels={"velocity_rms_mm_s": Level(value=3.1, unit="mm/s")},
    speed_rpm=1476,
    load=62,
    **DECISION,
)
STATUS = Gateway(
    id=GATEWAY,
    site="plant",
    gateway="gw1",
    state="online",
    stale=False,
    heard_ms=T,
    updated_ms=T - 100,
    version="0.3.0",
    started_ms=T - 86_400_000,
    clock_synchronised=True,
    clock_error_ms=1.4,
    time_services=("chrony (NTP)",),
    cpu_percent=12.5,
    memory_mb=412,
    disk_free_mb=53_000,
    temperature_c=51,
    windows_total=1_234_567,
    certificate_days=211,
    sources={"mqtt pump-3": "ok"},
    machines=1,
)
ASKED = SentCommand(
    id="0f8d3a5b7c9e1d2f",
    gateway_id=GATEWAY,
    machine_id=MACHINE,
    name="shelve",
    actor="Eva",
    args={"machine": "pump-3", "duration_s": 28_800, "reason": "seal is changed on Monday"},
    created_ms=T,
    expires_ms=T + 10 * MINUTE,
    state="acknowledged",
    answered_ms=T + 120,
    attempts=1,
)
MEASURED = SpectrumRef(
    id="01KAJ8S3G1SPECTRUM00000001",
    machine_id=MACHINE,
    point="DE-H",
    event_id=EVENT,
    kind="spectrum",
    window_ms=T - 1000,
)
PASSED = RunUpRef(
    id="01KAJ8S3G1RUNUP00000000001",
    machine_id=MACHINE,
    point="DE-H",
    start_ms=T - 3 * MINUTE,
    end_ms=T - MINUTE,
    rising=True,
    low_rpm=300,
    high_rpm=3300,
    critical_speeds=[CriticalSpeedPart(rpm=1018, amplitude=96.4, amplification=9.6, turn_deg=92)],
)
RECORDED = ClipView(
    id="9b1d6f2e8c4a7053",
    machine_id=MACHINE,
    point="DE-H",
    kind="recent",
    t0_ms=T - 5000,
    asked_ms=T,
    actor="Eva",
    fs_hz=25_600,
    n=128_000,
    duration_s=5,
    unit="g",
    peak=2.4,
    rms=0.41,
    speed_rpm=1476,
)
LOAD = AlarmLoad(
    since_ms=T - 7 * 86_400_000,
    until_ms=T,
    watched_s=7 * 86_400,
    alarms=4,
    per_day=0.57,
    by_day=[0, 1, 0, 0, 2, 0, 1],
    most_in_10_min=1,
    flood_10_min_periods=0,
    chattering=[],
    standing=1,
    stale=0,
    unacknowledged=1,
    answered=3,
    median_answer_s=420,
    by_peak_condition={"warning": 3, "alarm": 1},
    top=[MachineLoad(machine_id=MACHINE, alarms=3)],
)
SETTINGS = MachineSettings.model_validate(
    {
        "id": "pump-3",
        "name": "Cooling water pump 3",
        "area": "Hall 2",
        "power_kw": 55,
        "speed_rpm": 1480,
        "support": "rigid",
        "points": [{"id": "DE-H", "kind": "vibration", "unit": "g", "fs_hz": 25_600}],
    }
)
EVA = Account(
    name="Eva",
    role="technician",
    disabled=False,
    created_ms=T - 90 * 86_400_000,
    locked_until_ms=None,
    last_seen_ms=T,
)
BUNDLE = UpdateBundle(
    sha256="4f1c…",
    version="0.3.0",
    platform="x86_64-3.11",
    size=148_000_000,
    actor="console",
    added_ms=T - 60 * MINUTE,
)
ROLLOUT = Rollout(
    id="9f1c2d3e4a5b6c7d",
    version="0.3.0",
    actor="anna",
    created_ms=T - 30 * MINUTE,
    state="running",
    stage=1,
    wait_s=3600,
    timeout_s=21_600,
    advanced_ms=T - 5 * MINUTE,
    text="",
    said=None,
    gateways=[
        RolloutGateway(
            gateway_id="plant~gw1",
            stage=0,
            state="updated",
            offers=1,
            offered_ms=T - 29 * MINUTE,
            changed_ms=T - 25 * MINUTE,
            text="",
            said=None,
        )
    ],
)
CODE = EnrolmentCode(
    tag="K7Q2",
    site="plant",
    gateway="gw2",
    actor="Ada",
    created_ms=T,
    expires_ms=T + 60 * MINUTE,
    state="open",
    failures=0,
    used_ms=None,
    address="",
)
PROGRAM = Token(
    id="t-7f3a",
    name="historian",
    role="viewer",
    sites={},
    actor="Ada",
    created_ms=T,
    expires_ms=T + 365 * 86_400_000,
    revoked_ms=None,
    used_ms=None,
)
