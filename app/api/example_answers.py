"""One example of each answer in JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from auscult.app.api.example_cases import CASE
from auscult.app.api.example_plant import (
    AFTER,
    ASKED,
    BEFORE,
    BUNDLE,
    CODE,
    DEPARTURE,
    DRIVE_END,
    EVA,
    EVENT,
    GATEWAY,
    IDS,
    LABEL,
    LABELLED,
    LESSON,
    LOAD,
    MACHINE,
    MEASURED,
    MINUTE,
    PASSED,
    PROGRAM,
    PUMP,
    RECORDED,
    ROLLOUT,
    SETTINGS,
    STATUS,
    T,
)
from auscult.app.api.people import AccountList
from auscult.app.api.session import Session
from auscult.app.commissioning.bearings import PUBLISHED
from auscult.app.people.audit import AuditEntry, AuditPage
from auscult.app.views import (
    BearingCandidate,
    BearingCandidates,
    BearingList,
    BulkChange,
    BulkMachine,
    BulkResult,
    ClipPage,
    CombinedSpectrum,
    CommandPage,
    EnrolmentAnswer,
    EnrolmentCodeList,
    EventDetail,
    EventPage,
    FalseAlarmAccount,
    FeatureTrends,
    GatewayList,
    Health,
    ImportResult,
    LabelPage,
    LabelPreview,
    LearningMachine,
    MachineCheckpoints,
    MachineConfiguration,
    MachineDetail,
    MachineList,
    MadeEnrolmentCode,
    MadeToken,
    RunUpPage,
    RunUpView,
    SensorFault,
    ShiftReport,
    Spectrum,
    SpectrumBand,
    SpectrumPage,
    TokenList,
    TrendSeries,
    UnknownGateway,
    UnknownGatewayList,
    UpdateList,
    Waterfall,
)
from auscult.app.views.phase import Orbit, PhaseLine, PointPair
from auscult.app.views.plant_map import MapPicture, MapPlace, PlantMap
from auscult.app.views.topics import SourceTrial, TableMapping, TopicValue, TopicValues
from auscult.contract.inventory import BearingPart, ChannelPart, ZonesPart
from auscult.contract.label import Verdict
from auscult.contract.learning import BaselinePart, CheckpointPart, ShadowPart
from auscult.contract.records import Detectable
from auscult.contract.run_up import CascadePart
from auscult.contract.said import Said
from auscult.contract.tables import TableColumn
from auscult.contract.trials import TriedValue

LINES: dict[str, Any] = {
    "f0_hz": 0, "df_hz": 1.25, "values": [0.001, 0.004, 0.12], "unit": "g", "fs_hz": 25_600,
    "window": "hann", "averages": 8, "overlap": 0.5, "speed_rpm": 1476,
}  # fmt: skip
ANSWERS: tuple[BaseModel, ...] = (
    Health(
        status="ok",
        version="0.3.0",
        database="ok",
        damaged_rows=0,
        broker="connected",
        now_ms=T,
        stale_after_s=180,
        page_built=True,
    ),
    TopicValues(
        items=(
            TopicValue(
                topic="zigbee2mqtt/pump-3",
                path="/temperature",
                value=41.5,
                messages=3,
                interval_s=2.0,
                quantity="temperature",
                unit="°C",
            ),
        )
    ),
    SourceTrial(
        values=(
            TriedValue(
                point="temperature", raw=415, value=41.5, unit="°C", at_ms=T, measured=False
            ),
        ),
        seconds=0.4,
    ),
    TableMapping(
        columns=(
            TableColumn(name="Zeit", cells=("01.03.2023 00:00:00",), numbers=False),
            TableColumn(name="Lager A [mm/s]", cells=("1,5", "Bad Input"), numbers=True),
        ),
        table="pump-1.csv",
        machines=(
            {
                "id": "pump-1",
                "table": "pump-1.csv",
                "time": "Zeit",
                "points": [
                    {
                        "id": "lager-a",
                        "column": "Lager A [mm/s]",
                        "quantity": "velocity_rms",
                        "unit": "mm/s",
                    }
                ],
            },
        ),
        open=(Said("draft_zone", {"column": "Zeit", "value": "01.03.2023 00:00:00"}),),
    ),
    STATUS,
    GatewayList(items=[STATUS]),
    UnknownGatewayList(
        items=[UnknownGateway(id="plant~gw9", site="plant", gateway="gw9", heard_ms=T)]
    ),
    MachineList(items=[PUMP]),
    MachineDetail(
        **dict(PUMP),
        bearings=(BearingPart(name="6312", bpfo=3.08, bpfi=4.92, bsf=2.05, ftf=0.385),),
        zones=ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
        point_states=[DRIVE_END],
        event=DEPARTURE,
        account=FalseAlarmAccount(since_ms=T - 525_600 * MINUTE, false_alarms=1, unanswered=2),
        detectable=(
            Detectable("de", "outer", "g", "6205", 0.41, 0.41, 0.41),
            Detectable("temp", "step", "degC", "temperature_c", None, 9.5, 4.2),
        ),
    ),
    DRIVE_END,
    FeatureTrends(
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
    RunUpPage(items=[PASSED]),
    RunUpView(
        **dict(PASSED),
        unit="µm",
        speed_rpm=[300, 1020, 3300],
        amplitude=[2.1, 96.4, 11.8],
        phase_deg=[-4, -88, -176],
        cascade=CascadePart(
            speed_rpm=(300, 3300),
            order_step=0.5,
            unit="g",
            values=((0.001, 0.01, 0.02), (0.001, 0.04, 0.31)),
        ),
    ),
    SpectrumPage(items=[MEASURED]),
    Spectrum(
        **dict(MEASURED),
        **LINES,
        load=62,
        condition="warning",
        baseline_id=IDS.baseline_id,
    ),
    CombinedSpectrum(
        **dict(MEASURED),
        **LINES,
        spectra=12,
        left_out=1,
        first_ms=MEASURED.window_ms - 86_400_000,
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
    PlantMap(
        picture=MapPicture(id="5f3a", width=1600, height=900),
        places=[MapPlace(machine_id=MACHINE, x=0.25, y=0.4)],
    ),
    PointPair(
        machine_id=MACHINE,
        x="DE-H",
        y="DE-V",
        clips=[RECORDED.id, "0190-b"],
        t0_ms=T,
        duration_s=4.8,
        unit="g",
        df_hz=1.7,
        averages=8,
        shaft_hz=24.6,
        orbits=[
            Orbit(
                order=1,
                line=PhaseLine(
                    hz=24.6,
                    phase_deg=-88.0,
                    phase_error_deg=2.1,
                    coherence=0.98,
                    x_amplitude=0.04,
                    y_amplitude=0.03,
                ),
                unit="µm",
                x=[16.4, 0.0, -16.4, 0.0],
                y=[0.0, 12.3, 0.0, -12.3],
            )
        ],
        line=None,
    ),
    EventPage(items=[DEPARTURE]),
    EventDetail(**dict(DEPARTURE), spectra=[MEASURED], labels=[LABELLED]),
    LABELLED,
    LabelPage(items=[LABELLED]),
    LabelPreview(
        event_id=EVENT,
        machine_id=MACHINE,
        verdict=Verdict.FALSE_ALARM,
        said=LESSON.said,
        effect=replace(LESSON, checkpoint_id=""),
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
                said=LESSON.said,
                baseline_id=IDS.baseline_id,
                kept=True,
                size_bytes=4200,
                label_id=LABEL,
                event_id=EVENT,
                verdict=Verdict.FALSE_ALARM,
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
        forms=[],
    ),
    ImportResult(machines=1, points=2, problems=[], command=ASKED),
    BulkResult(
        items=[
            BulkMachine(
                machine_id="plant~gw2~pump-4",
                state="changes",
                changes=[BulkChange(setting="baseline_days", before=0, after=7)],
            )
        ]
    ),
    PUBLISHED[0],
    BearingList(items=list(PUBLISHED[:1])),
    BearingCandidates(
        items=[BearingCandidate(bearing=PUBLISHED[0], part="bpfi", deviation=-0.0016)]
    ),
    PROGRAM,
    MadeToken(**dict(PROGRAM), secret="auscult_…"),  # noqa: S106 - shown in a document
    TokenList(items=[PROGRAM]),
    MadeEnrolmentCode(
        code="K7Q2-M9XD-4TRW-8HJ3", site="plant", gateway="gw2", expires_ms=T + 60 * MINUTE
    ),
    EnrolmentCodeList(items=[CODE], open=True),
    ROLLOUT,
    UpdateList(open=True, bundles=[BUNDLE], rollouts=[ROLLOUT]),
    EnrolmentAnswer(
        site="plant",
        gateway="gw2",
        certificate="-----BEGIN CERTIFICATE-----…",
        authority="-----BEGIN CERTIFICATE-----…",
        broker="broker.plant.example:8883",
        dashboard_key="6f2c…",
        listed=True,
        proof="91b4…",
    ),
    ShiftReport(
        since_ms=T - 8 * 60 * MINUTE,
        until_ms=T,
        made_ms=T,
        conditions={"normal": 41, "warning": 1},
        began=[CASE],
        still_open=[],
        ended=[],
        labels=[LABELLED],
        lessons_accepted=1,
        lessons_rejected=0,
        learning=[
            LearningMachine(
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
                faults=("flat_line",),
                reasons=[],
            )
        ],
        gateways_offline=[],
        machines_stale=[],
    ),
    Session(
        login_required=True,
        first_start=False,
        name="Eva",
        role="technician",
        time_zone="Europe/Berlin",
    ),
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
