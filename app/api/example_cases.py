"""One example of each answer about cases, messages, reports and work orders."""

from __future__ import annotations

from pydantic import BaseModel

from auscult.app.api.example_plant import DEPARTURE, EVENT, ISO, LABELLED, MACHINE, MINUTE, T
from auscult.app.cases import prescriptions
from auscult.app.cases.ranking import ranking_of
from auscult.app.notify.orders import shipped
from auscult.app.views import (
    Case,
    CaseDetail,
    CaseEntry,
    CaseList,
    CaseMachine,
    Channel,
    ChannelList,
    Delivery,
    DeliveryPage,
    EarlierCase,
    EarlierCases,
    Evidence,
    EvidencePoint,
    Figures,
    Location,
    Mark,
    MonthFigures,
    NoteList,
    OrderSystem,
    OrderSystemList,
    OrderTemplateList,
    Picture,
    PlantStatus,
    PointStatements,
    PrescriptionList,
    Repeats,
    ReportSchedule,
    ReportScheduleList,
    Rule,
    RuleList,
    SisterList,
    Span,
    Stops,
    Urgency,
    Zone,
)
from auscult.contract.inventory import CriticalityPart
from auscult.contract.said import Said

HEADLINE = Said("case_zone", {"zone": "C", "point": "Drive end, horizontal"})
REASON = Said("urgency_zone_c", {"value": 3.1})
STATUS = Said("status_needs", {"count": 1})
CHECK = next(p for p in prescriptions.shipped() if (p.fault, p.machine_class) == ("limit", "pump"))
URGENCY = Urgency(
    level="weeks",
    said=REASON,
    text=REASON.text,
    zone=Zone(zone="C", value=3.1, point="DE-H", title="ISO 20816-3 group 2, rigid"),
    evidence=Evidence(
        now=1.3,
        peak=1.3,
        warning_level=1.0,
        alarm_level=2.0,
        times_alarm=0.65,
        trend="rising",
    ),
)
RANKING = ranking_of(URGENCY, CriticalityPart(), None)
CASE = Case(
    id=EVENT,
    machine_id=MACHINE,
    machine_name="Cooling water pump 3",
    area="Hall 2",
    state="open",
    attention="needs_someone",
    ranking=RANKING,
    status=Said("status_waits", {"condition": "warning"}),
    status_ms=T - 20 * MINUTE,
    condition="warning",
    peak_condition="warning",
    opened_ms=T - 20 * MINUTE,
    updated_ms=T,
    headline=HEADLINE,
    text=HEADLINE.text,
    location=Location(point="DE-H", point_name="Drive end, horizontal", source="limit"),
    urgency=URGENCY,
    repeats=Repeats(times=1),
    event_id=EVENT,
    unacknowledged=1,
    assignee="Eva",
    label=LABELLED,
    notes=1,
)
DETAIL = CaseDetail(
    **dict(CASE),
    check_first=CHECK,
    picture=Picture(
        point="DE-H",
        feature="velocity_rms_mm_s",
        said=Said("proof_any"),
        text=Said("proof_any").text,
        at_ms=T,
        since_ms=T - 24 * 60 * MINUTE,
        until_ms=T,
    ),
    points=[
        PointStatements(point="DE-H", point_name="Drive end, horizontal", strength=0, reasons=[ISO])
    ],
    evidence=[EvidencePoint(at_ms=T - 10 * MINUTE, evidence=1.1)],
    events=[DEPARTURE],
    history=[
        CaseEntry(
            id="01KAJ9NOTE0000000000000001", at_ms=T, kind="note", actor="Eva", text="belt is worn"
        )
    ],
)
PLANT = PlantStatus(
    said=STATUS,
    text=STATUS.text,
    details=[Said("status_quiet", {"count": 41})],
    machines=42,
    needs_someone=1,
    in_hand=0,
    shelved=0,
    cannot_assess=0,
    learning=0,
    at_rest=0,
    awaiting_approval=0,
    quiet=41,
    unacknowledged=1,
    gateways_offline=0,
)
CHANNEL = Channel(
    id="c-1",
    name="Shift mail",
    service="E-Mail",
    target="shift@plant.example",
    language="de",
    enabled=True,
    actor="Ada",
    changed_ms=T,
)
RULE = Rule(
    id="r-1",
    name="Alarms to the shift",
    enabled=True,
    channels=("c-1",),
    areas=("Hall 2",),
    severity="alarm",
    weekdays=(0, 1, 2, 3, 4),
    shift=Span(start="06:00", end="22:00"),
    quiet_hours=None,
    alarms_in_quiet_hours=True,
    cool_down_min=60,
    escalate_after_min=30,
    escalate_to=(),
    digest_at=None,
    actor="Ada",
    changed_ms=T,
)
DELIVERY = Delivery(
    id="01KAJ9SENT0000000000000001",
    reason="opened",
    channel_id="c-1",
    channel_name="Shift mail",
    rule_id="r-1",
    case_id=EVENT,
    subject=f"Cooling water pump 3: {HEADLINE.text}",
    state="sent",
    attempts=1,
    created_ms=T,
    sent_ms=T + 900,
)
SCHEDULE = ReportSchedule(
    id="s-1",
    name="Monday",
    enabled=True,
    machine_id=None,
    weekday=0,
    at="06:00",
    channels=("c-1",),
    language="en",
    actor="Ada",
    changed_ms=T,
)
MONTH = MonthFigures(
    month="2025-11",
    since_ms=T - 20 * 86_400_000,
    until_ms=T,
    alarms=12,
    per_day=0.6,
    cases=5,
    cases_closed=4,
    answered=9,
    confirmed=6,
    false_alarms=2,
    planned_work=1,
    right_share=0.75,
    median_acknowledge_s=1260,
    unacknowledged=1,
    stops_avoided=Stops(cases=2, hours=12, cost=4800, without_cost=1),
    stops=Stops(cases=0, hours=0, cost=0, without_cost=0),
)
SYSTEM = OrderSystem(
    id="o-1",
    url="https://cmms.plant.example/api",
    template=shipped()[0],
    headers=["Authorization"],
    actor="Ada",
    changed_ms=T,
)
SISTER = CaseMachine(id="plant~gw1~pump-4", name="Cooling water pump 4", area="Hall 2")
EARLIER = EarlierCases(
    sisters=[SISTER],
    items=[
        EarlierCase(
            alike="signs",
            sister=True,
            case=CASE.model_copy(
                update={"machine_id": SISTER.id, "machine_name": SISTER.name, "state": "closed"}
            ),
        )
    ],
    further=0,
)
NOTED = CaseEntry(
    id="01KAJ9NOTE0000000000000002", at_ms=T, kind="note", actor="Eva", text="coupling rubs here",
    mark=Mark(point="DE-H", at_ms=T, hz=49.3),
)  # fmt: skip
CASE_ANSWERS: tuple[BaseModel, ...] = (
    CASE,
    DETAIL,
    EARLIER,
    SisterList(items=[SISTER]),
    NoteList(items=[NOTED]),
    CaseList(status=PLANT, items=[CASE]),
    CHECK,
    PrescriptionList(items=[CHECK]),
    CHANNEL,
    ChannelList(items=[CHANNEL]),
    RULE,
    RuleList(items=[RULE]),
    DELIVERY,
    DeliveryPage(items=[DELIVERY], failing=0),
    Figures(months=[MONTH]),
    SCHEDULE,
    ReportScheduleList(items=[SCHEDULE]),
    SYSTEM,
    OrderSystemList(items=[SYSTEM]),
    OrderTemplateList(items=list(shipped()[:1])),
)
