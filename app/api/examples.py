"""What answers look like: one example of each kind, put into the OpenAPI document.

Each is made with the view itself, so that it can't say what no answer says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from app.api.people import AccountList
from app.api.session import Session
from app.commissioning import table
from app.commissioning.bearings import PUBLISHED
from app.people.accounts import Account
from app.people.audit import AuditEntry, AuditPage
from app.store import exports
from app.views import (
    Alarm,
    AlarmLoad,
    BearingList,
    ClipPage,
    ClipView,
    Command,
    CommandPage,
    Event,
    EventDetail,
    EventPage,
    Gateway,
    GatewayList,
    Health,
    ImportResult,
    Label,
    LabelPage,
    LabelPreview,
    Learner,
    Machine,
    MachineCheckpoints,
    MachineConfiguration,
    MachineDetail,
    MachineList,
    MachineLoad,
    MadeToken,
    Point,
    SensorFault,
    ShiftReport,
    Spectrum,
    SpectrumBand,
    SpectrumPage,
    SpectrumRef,
    Token,
    TokenList,
    Trend,
    TrendSeries,
    Waterfall,
)
from gateway.messages.inventory import BearingPart, ChannelPart, LimitPart, ZonesPart
from gateway.messages.learning import (
    BaselinePart,
    CheckpointPart,
    LessonPart,
    MetricsPart,
    ShadowPart,
)
from gateway.messages.machines import MachineSettings
from gateway.messages.message import SaidPart
from gateway.messages.payloads import CoveragePart, Level, Provenance, ReasonPart

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
ISO = ReasonPart(
    kind="iso_zone",
    condition="warning",
    text="r.m.s. velocity, ISO 20816-3 group 2, rigid: 3.1 mm/s is above the warning limit of "
    "2.8 mm/s",
    point="DE-H",
    value=3.1,
    limit=2.8,
    unit="mm/s",
    said=SaidPart(
        code="limit",
        values={
            "feature": "velocity_rms_mm_s",
            "level": "warning",
            "direction": "above",
            "standard": "ISO 20816-3 group 2, rigid",
        },
    ),
)
COVERAGE = CoveragePart(
    phase="ready",
    fraction=1,
    windows=200,
    windows_needed=200,
    states=("1480 r/min",),
    settled=True,
    outliers=2,
)
JUDGED: dict[str, Any] = {
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
ALARM = Alarm(state="unacknowledged")
BEFORE = MetricsPart(
    false_alarm_rate=0.01,
    faults_detected=2,
    faults_total=2,
    labelled_false_alarms_silenced=0,
    labelled_false_alarms_total=1,
    alarms_per_week=3.0,
    threshold=9.1,
)
AFTER = BEFORE.model_copy(update={"labelled_false_alarms_silenced": 1, "alarms_per_week": 0.2})
LESSON = LessonPart(
    label_id=LABEL,
    checkpoint_id="000002",
    parent_id="000001",
    accepted=True,
    reason="1 of 1 labelled false alarms are silent, 2 of 2 confirmed faults still alarm",
    before=BEFORE,
    after=AFTER,
    weights_change_norm=0.02,
    duration_ms=18.0,
    silenced=(EVENT,),
)
LABELLED = Label(
    id=LABEL,
    event_id=EVENT,
    machine_id=MACHINE,
    verdict="false_alarm",
    note="belt changed",
    actor="Eva",
    created_ms=T,
    state="acknowledged",
    answered_ms=T + 150,
    lesson=LESSON,
)
DEPARTURE = Event(
    id=EVENT,
    machine_id=MACHINE,
    machine_name="Cooling water pump 3",
    area="Hall 2",
    open=True,
    phase="update",
    condition="warning",
    peak_condition="warning",
    peak_evidence=1.3,
    peak_p_value=2e-5,
    started_ms=T - 20 * MINUTE,
    updated_ms=T,
    points=("DE-H",),
    reasons=(ISO,),
    ids=IDS,
    alarm=ALARM,
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
    alarm=ALARM,
    unacknowledged=1,
    **JUDGED,
)
DRIVE_END = Point(
    machine_id=MACHINE,
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
    **JUDGED,
)
HEARD = Gateway(
    id=GATEWAY,
    site="plant",
    gateway="gw1",
    state="online",
    stale=False,
    heard_ms=T,
    updated_ms=T - 100,
    version="0.1.0",
    started_ms=T - 86_400_000,
    clock_synchronised=True,
    cpu_percent=12.5,
    memory_mb=412,
    disk_free_mb=53_000,
    temperature_c=51,
    windows_total=1_234_567,
    certificate_days=211,
    sources={"mqtt pump-3": "ok"},
    machines=1,
)
ASKED = Command(
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
PROGRAM = Token(
    id="t-7f3a",
    name="historian",
    role="viewer",
    actor="Ada",
    created_ms=T,
    expires_ms=T + 365 * 86_400_000,
    revoked_ms=None,
    used_ms=None,
)

ANSWERS: tuple[BaseModel, ...] = (
    Health(
        status="ok",
        version="0.1.0",
        database="ok",
        broker="connected",
        now_ms=T,
        stale_after_s=180,
        page_built=True,
    ),
    HEARD,
    GatewayList(items=[HEARD]),
    MachineList(items=[PUMP]),
    MachineDetail(
        **dict(PUMP),
        bearings=(BearingPart(name="6312", bpfo=3.08, bpfi=4.92, bsf=2.05, ftf=0.385),),
        zones=ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
        point_states=[DRIVE_END],
        event=DEPARTURE,
    ),
    DRIVE_END,
    Trend(
        machine_id=MACHINE,
        point="DE-H",
        start_ms=T - 2 * MINUTE,
        end_ms=T,
        bucket_ms=MINUTE,
        t_ms=[T - 2 * MINUTE, T - MINUTE],
        windows=[120, 120],
        condition=["normal", "warning"],
        series=[
            TrendSeries(
                feature="velocity_rms_mm_s",
                unit="mm/s",
                minimum=[2.1, 2.6],
                mean=[2.3, 2.9],
                maximum=[2.6, 3.1],
            )
        ],
        features={"velocity_rms_mm_s": "mm/s", "kurtosis": "1"},
    ),
    SpectrumPage(items=[MEASURED]),
    Spectrum(
        **dict(MEASURED),
        f0_hz=0,
        df_hz=1.25,
        values=[0.001, 0.004, 0.12],
        unit="g",
        fs_hz=25_600,
        window="hann",
        averages=8,
        overlap=0.5,
        speed_rpm=1476,
        load=62,
        condition="warning",
        baseline_id=IDS.baseline_id,
    ),
    SpectrumBand(
        f0_hz=0,
        df_hz=1.25,
        unit="g",
        spectra=28,
        baseline_id=IDS.baseline_id,
        speed_rpm=1476,
        load=62,
        low=[0.001, 0.002, 0.05],
        median=[0.001, 0.003, 0.06],
        high=[0.002, 0.004, 0.08],
    ),
    Waterfall(
        f0_hz=0,
        df_hz=5,
        unit="g",
        spectrum_ids=[MEASURED.id],
        window_ms=[MEASURED.window_ms],
        condition=["warning"],
        rows=[[0.004, 0.12]],
    ),
    RECORDED,
    ClipPage(items=[RECORDED]),
    EventPage(items=[DEPARTURE]),
    EventDetail(**dict(DEPARTURE), spectra=[MEASURED], labels=[LABELLED]),
    LABELLED,
    LabelPage(items=[LABELLED]),
    LabelPreview(
        event_id=EVENT,
        machine_id=MACHINE,
        verdict="false_alarm",
        reason=LESSON.reason,
        effect=LESSON.model_copy(update={"checkpoint_id": ""}),
    ),
    MachineCheckpoints(
        machine_id=MACHINE,
        updated_ms=T,
        active="000001",
        candidate="000002",
        shadow=ShadowPart(
            windows=310, windows_needed=500, hours_needed=8, active_beyond=4, candidate_beyond=1
        ),
        checkpoints=(
            CheckpointPart(
                id="000002",
                parent_id="000001",
                created_ms=T,
                state="candidate",
                reason=LESSON.reason,
                baseline_id=IDS.baseline_id,
                kept=True,
                size_bytes=4200,
                label_id=LABEL,
                event_id=EVENT,
                verdict="false_alarm",
                actor="Eva",
                before=BEFORE,
                after=AFTER,
            ),
        ),
        waiting=(),
        baselines=(BaselinePart(id=IDS.baseline_id, since_ms=T - 32 * 86_400_000, active=True),),
    ),
    LOAD,
    ASKED,
    CommandPage(items=[ASKED]),
    MachineConfiguration(
        gateway_id=GATEWAY,
        version="4f1c0a9be2d7735a",
        fixed=[],
        machines=[SETTINGS],
        sources=[
            {
                "type": "mqtt",
                "machine": "pump-3",
                "waveforms": [{"point": "DE-H", "topic": "sensors/pump-3/de-h"}],
            }
        ],
        channels=[
            ChannelPart(
                type="recordings",
                source="rig/manifest.csv",
                machine="pump",
                point="de",
                kind="vibration",
                unit="g",
                fs_hz=25_600,
            )
        ],
    ),
    ImportResult(machines=1, points=2, problems=[], command=ASKED),
    PUBLISHED[0],
    BearingList(items=list(PUBLISHED[:1])),
    PROGRAM,
    MadeToken(**dict(PROGRAM), secret="auscult_…"),  # noqa: S106 - shown in a document
    TokenList(items=[PROGRAM]),
    ShiftReport(
        since_ms=T - 8 * 60 * MINUTE,
        until_ms=T,
        made_ms=T,
        conditions={"normal": 41, "warning": 1},
        began=[DEPARTURE],
        still_open=[DEPARTURE],
        ended=[],
        labels=[LABELLED],
        lessons_accepted=1,
        lessons_rejected=0,
        learning=[
            Learner(
                machine_id=f"{GATEWAY}~fan-1",
                machine_name="Exhaust fan 1",
                fraction=0.64,
                awaiting_approval=False,
            )
        ],
        alarm_load=LOAD,
        sensors=[
            SensorFault(
                machine_id=f"{GATEWAY}~fan-1",
                machine_name="Exhaust fan 1",
                point="DE-H",
                point_name="Drive end, horizontal",
                faults=["flat_line"],
            )
        ],
        gateways_offline=[],
        machines_stale=[],
    ),
    Session(login_required=True, first_start=False, name="Eva", role="technician"),
    EVA,
    AccountList(items=[EVA]),
    AuditPage(
        items=[
            AuditEntry(
                number=812,
                at_ms=T,
                actor="Eva",
                address="10.0.4.17",
                action="label",
                subject=EVENT,
                outcome="sent",
            )
        ],
        actions=["label", "sign_in"],
        next_before=None,
    ),
)
"""An example of each answer in JSON."""


def _head(columns: Iterable[str]) -> str:
    return ",".join(columns) + "\r\n"


TABLES = {
    "/audit.csv": _head(AuditEntry.model_fields),
    "/template.csv": table.template(),
    "/configuration.csv": table.template(),
    "/trends.csv": _head(exports.TREND_COLUMNS),
    "/events.csv": _head(exports.EVENT_COLUMNS),
}
"""How the tables begin, by the end of their path."""
STREAMED = f"event: machine\ndata: {PUMP.model_dump_json()}\n\n"


def add_to(document: dict[str, Any]) -> None:
    """Put an example into each main answer of an OpenAPI document that can be shown as text."""
    by_schema = {type(one).__name__: one.model_dump(mode="json") for one in ANSWERS}
    for path, content in _contents(document):
        for media, described in content.items():
            name = str(described.get("schema", {}).get("$ref", "")).rpartition("/")[2]
            if media == "application/json" and name in by_schema:
                described["example"] = by_schema[name]
            elif media == "text/csv":
                described["example"] = next(
                    text for end, text in TABLES.items() if path.endswith(end)
                )
            elif media == "text/event-stream":
                described["example"] = STREAMED


def _contents(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status.startswith("2"):
                    yield path, answer.get("content", {})
