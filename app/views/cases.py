"""Cases: what is wrong with a machine, where, how urgent, what to check, and who has it."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, computed_field

from auscult.app.views.base import View
from auscult.app.views.commands import SentCommand
from auscult.app.views.events import EventView
from auscult.app.views.labels import LabelView
from auscult.app.views.prescriptions import Prescription
from auscult.contract.inventory import CriticalityPart
from auscult.contract.message import MAX_TIME_MS
from auscult.contract.parts import SpectrumKind, SuppressionPart
from auscult.contract.payloads import Condition
from auscult.contract.records import Reason, ZoneLetter
from auscult.contract.said import Said

CaseKind = Literal["machine", "sensor", "supply", "gateway", "broker"]
CaseState = Literal["open", "over", "closed"]
"""The machine departs now; it does not, and people have not finished; finished."""
Attention = Literal["needs_someone", "in_hand", "shelved", "closed"]
"""In the order of lists"""
WorkState = Literal["under_way", "watched", "gone", "unchanged", "new"]
UrgencyLevel = Literal["now", "days", "weeks", "watch", "over"]
OrderState = Literal["requested", "open", "in_progress", "done", "cancelled", "failed"]
EntryKind = Literal[
    "opened", "worse", "ended", "acknowledged", "answered", "note", "photo", "assigned", "due",
    "handed_over", "order", "closed", "reopened", "notified", "lost", "work_finished",
    "taken_back", "split",
]  # fmt: skip


class Location(View):
    """Where the fault is, as far as it is known."""

    point: str | None = Field(default=None, description="The measuring point nearest to it")
    point_name: str = ""
    shaft: str | None = None
    bearing: str | None = Field(default=None, description="Its designation")
    source: Literal["diagnosis", "moved_most", "limit", "relation"] | None = Field(
        default=None, description="How it is known; null = it is not"
    )


class Movement(View):
    """How one feature of a point moved from its baseline."""

    feature: str
    title: str = Field(description="In English; the page names `feature` in its language")
    low_hz: float | None = None
    high_hz: float | None = None
    order: float | None = Field(default=None, description="Multiples of shaft speed")
    value: float
    baseline: float
    unit: str
    sigma: float = Field(description="Robust z-score, signed")
    change_db: float | None = None


class PointStatements(View):
    """All that was stated of one point, strongest first."""

    point: str | None = Field(description="null = of the machine as a whole")
    point_name: str = ""
    strength: float = Field(description="Largest change of a level that counts, dB")
    moved: list[Movement] = Field(default=[])
    reasons: list[Reason] = Field(default=[])


class TimeToLimit(View):
    """When a limit is reached if the trend continues."""

    expected_s: float
    earliest_s: float
    latest_s: float | None = Field(default=None, description="null = perhaps never")
    level: Literal["warning", "alarm"]
    feature: str
    point: str | None = None
    value: float | None = None
    limit: float | None = None
    unit: str = ""


class Zone(View):
    """The worst zone of r.m.s. velocity over the machine's points (ISO 20816-3, 10816-1)."""

    zone: ZoneLetter
    value: float = Field(description="mm/s")
    point: str
    title: str = Field(description="The standard with its class")


class Evidence(View):
    """The evidence that the machine departs, against the levels of its conditions."""

    now: float | None = None
    peak: float
    warning_level: float | None = None
    alarm_level: float | None = None
    times_alarm: float | None = Field(default=None, description="Of `now`, over the alarm level")
    trend: Literal["rising", "steady", "falling"] | None = Field(
        default=None, description="Over the last day; null = too short to tell"
    )


class Measured(View):
    """The value that a case is about, against its limit or what is expected of it."""

    feature: str
    title: str = Field(description="In English; the page names `feature` in its language")
    unit: str
    point: str
    quantity: str | None = Field(
        default=None, description="What an overall value is; null = a feature of a signal"
    )
    value: float
    limit: float | None = Field(default=None, description="null = there is none: see `expected`")
    expected: float | None = Field(
        default=None, description="What the baseline or its relations explain"
    )
    level: Literal["warning", "alarm"] | None = Field(default=None, description="Of `limit`")
    beyond: float = Field(description="How far the value is beyond it; negative = back within")
    said: Said = Field(description="How far, as code and values")
    text: str = Field(description="How far, in English")
    since_ms: int = Field(description="Start of the departure")
    at_ms: int = Field(description="When `value` was measured")
    current: bool = Field(description="Of now; else the worst of the departure")


class EvidencePoint(View):
    """The highest evidence within ten minutes, or an hour after a day."""

    at_ms: int = Field(description="When it was reached")
    evidence: float


class Urgency(View):
    """How soon someone must act, and why."""

    level: UrgencyLevel
    said: Said = Field(description="The reason, as code and values")
    text: str = Field(description="The reason in English")
    time_to_limit: TimeToLimit | None = None
    zone: Zone | None = None
    evidence: Evidence


class Ranking(View):
    """Why a case is before another one."""

    rank: float = Field(
        description="Points; among equal sums the dearer downtime is first, then the larger "
        "departure, which do not add up to a point"
    )
    points: int = Field(description="Urgency + consequence + 1 where a spare part comes too late")
    said: Said = Field(description="The sum, as code and values")
    text: str = Field(description="The sum in English")


class Picture(View):
    """What to show first: where and when the departure shows best."""

    point: str
    feature: str | None = Field(default=None, description="The trend to show")
    plot: Literal["spectrum", "trend"] = Field(
        default="spectrum", description="`trend`: of a value, which has no spectrum"
    )
    kind: SpectrumKind = "spectrum"
    spectrum_id: str | None = Field(default=None, description="null = none is stored")
    said: Said = Field(description="What it shows, as code and values")
    text: str = Field(description="What it shows, in English")
    at_ms: int
    since_ms: int = Field(description="Start of the trend: a day before the case")
    until_ms: int
    low_hz: float | None = Field(default=None, description="Band that moved most")
    high_hz: float | None = None
    line_hz: float | None = Field(default=None, description="Line of the fault")
    line: str | None = Field(default=None, description="Its fault class, e.g. `outer`")


class Repeats(View):
    """How often the machine departed within the case."""

    times: int
    median_s: float | None = Field(default=None, description="Median length of those that ended")


class WorkOrder(View):
    """The case's order in the plant's maintenance system."""

    id: str = Field(description="Of this request; the status comes back with it")
    state: OrderState
    number: str = Field(default="", description="The other system's number")
    url: str = ""
    system: str = Field(default="", description="The template it was made with")
    actor: str
    at_ms: int
    reason: str = Field(default="", description="Why it failed, or the other system's remark")


class Finding(View):
    """What people found when they closed a case."""

    result: Literal["fault_repaired", "fault_not_repaired", "no_fault", "planned_work", "unclear"]
    kind: str | None = Field(max_length=64, description="Class of the fault")
    text: str = Field(max_length=2000)


class Outcome(Finding):
    """What people found, and what the case saved or cost by their own figures."""

    stop: Literal["avoided", "happened"] | None = Field(
        default=None, description="An unplanned stop that the case spared the plant, or did not"
    )
    stop_h: float | None = Field(default=None, description="Its length, as a person estimated it")
    downtime_cost_per_h: float | None = Field(
        default=None, description="As the machine's settings stated it at the closing"
    )


class CaseMachine(View):
    """A machine that a case concerns."""

    id: str
    name: str
    area: str = ""


class CaseRef(View):
    """A case and its machine."""

    id: str
    machine_id: str
    machine_name: str


class SisterList(View):
    """Machines of the same make."""

    items: list[CaseMachine]


class CommonCause(View):
    """Machines of one area whose departures began within minutes: probably one cause."""

    since_ms: int = Field(description="When the first of them began")
    area: str = Field(description="Empty = `gateway` says it")
    gateway: str = Field(description="Of machines without an area")
    cases: list[CaseRef] = Field(description="Those that are active, oldest first")
    by_chance_per_year: float = Field(
        description="How often so many begin together by chance, at the machines' budgets of false "
        "events"
    )


class Case(View):
    """The events of one machine that follow or overlap, as one matter.

    Or what keeps a sensor from measuring: the sensor, or a cause that several machines have in
    common.
    """

    id: str
    kind: CaseKind = Field(
        default="machine",
        description="`machine`: it departs; `sensor`: one is faulty; `supply`: machines of an area "
        "fell silent together; `gateway`, `broker`: away",
    )
    machines: list[CaseMachine] = Field(
        default=[], description="Which are not measured, or not fully; empty of a machine's case"
    )
    common: CommonCause | None = Field(
        default=None, description="What it probably has one cause with, until someone splits it"
    )
    explained_by: str | None = Field(
        default=None, description="Id of the open case of the sensor whose fault may be all of it"
    )
    machine_id: str = Field(description="A gateway's id where the cause is of several machines")
    machine_name: str
    area: str = ""
    state: CaseState
    attention: Attention
    ranking: Ranking
    criticality: CriticalityPart = Field(
        default=CriticalityPart(), description="What a failure of the machine entails"
    )
    status: Said = Field(description="Its state in one line, as code and values")
    status_ms: int | None = Field(
        default=None, description="When that began; null = `suppression` says it"
    )
    unrepaired: bool = Field(
        default=False,
        description="A fault was confirmed, and no one has said yet that it was repaired",
    )
    stale: bool = Field(default=False, description="The machine's state is too old to rely on")
    condition: Condition = Field(
        description="Of the machine now; with `lost_ms` the one known last"
    )
    peak_condition: Condition
    opened_ms: int
    updated_ms: int
    added_ms: int | None = Field(
        default=None,
        description="When something else was added to the event while it was open, last; null = "
        "nothing was",
    )
    ended_ms: int | None = Field(default=None, description="null = the machine departs now")
    lost_ms: int | None = Field(
        default=None,
        description="Since when its gateway does not have the open event: what is shown was known "
        "before",
    )
    closed_ms: int | None = None
    closed_by: str = ""
    finding: Outcome | None = None
    headline: Said = Field(
        description="Fault or symptom with its place, as code and values; `feature` among the "
        "values names a feature in the page's language"
    )
    text: str = Field(description="The headline in English")
    fault: str | None = Field(default=None, description="Class of the fault, if named")
    confidence: float | None = Field(default=None, description="0..1, of the fault")
    signs_found: int = 0
    signs_sought: int = 0
    symptom: Movement | None = Field(
        default=None, description="What moved most there, in the event that `picture` shows"
    )
    measured: Measured | None = Field(
        default=None, description="The value that the case is about; null = see `symptom`"
    )
    also: list[str] = Field(
        default=[],
        description="Quantities of other points that moved too; `vibration` for all of vibration",
    )
    decided_by: Literal["learned", "iso_zone", "fixed_limit"] = Field(
        default="learned", description="The rule that opened it; limits need no evidence"
    )
    location: Location
    urgency: Urgency
    repeats: Repeats
    event_id: str = Field(description="The event to answer: the open one, else the newest")
    unacknowledged: int
    acknowledged_by: str = ""
    acknowledged_ms: int | None = None
    suppression: SuppressionPart | None = None
    work: WorkState | None = Field(
        default=None,
        description="Of planned work or a repair: under way, being checked, or the check's result",
    )
    assignee: str = Field(default="", description="Who has it; empty = not assigned")
    due_ms: int | None = None
    label: LabelView | None = Field(default=None, description="The newest answer that counts")
    refuted: bool = Field(
        default=False,
        description="`label` says that there is no fault, and nothing since then denies it",
    )
    order: WorkOrder | None = None
    notes: int = 0
    photos: int = 0

    @computed_field(  # type: ignore[prop-decorator]
        description="Lists are sorted by this text: first what needs someone, then the highest "
        "rank, then the newest"
    )
    @property
    def sort_key(self) -> str:
        """Return the text by which lists of cases are sorted, lowest first."""
        attention = get_args(Attention).index(self.attention)
        newest = MAX_TIME_MS - self.opened_ms
        return f"{attention} {99 - self.ranking.rank:010.7f} {newest:016d} {self.id}"


class Mark(View):
    """Where in a trend or a spectrum a note is."""

    point: str = Field(max_length=64)
    at_ms: int = Field(ge=0, lt=MAX_TIME_MS)
    hz: float | None = Field(gt=0, description="In a spectrum; null = in a trend")


class CaseEntry(View):
    """A line of a case's history."""

    id: str
    at_ms: int
    kind: EntryKind
    actor: str = ""
    text: str = Field(default="", description="What the person wrote, or who was named")
    said: Said | None = Field(default=None, description="What happened, as code and values")
    event_id: str | None = None
    label: LabelView | None = None
    photo_id: str | None = None
    undone: bool = Field(default=False, description="An answer or a note that was taken back")
    undone_by: str = ""
    mark: Mark | None = Field(default=None, description="Of a note in a plot")


class NoteList(View):
    """Notes on a machine and on its cases, newest first."""

    items: list[CaseEntry]


class PhotoRef(View):
    """A photo of a case; fetch it by its id."""

    id: str
    at_ms: int
    actor: str
    caption: str = ""
    width: int
    height: int
    bytes: int


class CaseDetail(Case):
    """A case with its proof, its history, and what to check."""

    check_first: Prescription | None = None
    picture: Picture | None = None
    points: list[PointStatements] = Field(default=[], description="Strongest first")
    moved: Said | None = Field(default=None, description="How much `points` state, and where most")
    evidence: list[EvidencePoint] = Field(default=[], description="14 days, oldest first")
    events: list[EventView] = Field(default=[], description="Newest first, up to 50")
    history: list[CaseEntry] = Field(default=[], description="Newest first")
    photo_list: list[PhotoRef] = Field(default=[])
    repair_check: SentCommand | None = Field(
        default=None,
        description="Of a case closed as repaired: the request to check the repair. The result is "
        "`repair` of the machine",
    )


Alike = Literal["recognised", "place", "fault", "signs", "other"]


class EarlierCase(View):
    """An earlier case with what people found."""

    alike: Alike = Field(
        description="What it has in common with the case that is looked at: the gateway recognised "
        "its fault; fault and place, the fault, the feature that moved most, or the make of the "
        "machine only"
    )
    likeness: float | None = Field(
        default=None, description="Of the two departures, 0..1; only of one that was recognised"
    )
    sister: bool = Field(description="Of a machine of the same make, not of this one")
    case: Case


class EarlierCases(View):
    """Cases of a machine and of its sisters in which people said what they found."""

    sisters: list[CaseMachine] = Field(
        description="Machines of the same template; of none, those with the same points and name "
        "plate. By name"
    )
    items: list[EarlierCase] = Field(description="Most similar first, then its own, then newest")
    further: int = Field(description="How many more were compared")


class PlantStatus(View):
    """The state of the plant in one sentence, with the counts behind it."""

    said: Said
    text: str
    details: list[Said] = Field(description="Further clauses, the most important first")
    machines: int
    needs_someone: int = Field(description="Machines")
    in_hand: int
    shelved: int = Field(description="Machines shelved, out of service or under planned work")
    cannot_assess: int = Field(
        description="Of those that need someone: sensor fault, unseen state, stale, never received"
    )
    learning: int
    at_rest: int = Field(description="Not running, starting or coasting")
    awaiting_approval: int
    quiet: int = Field(description="Within their baseline")
    unacknowledged: int = Field(description="Events")
    gateways_offline: int


class CaseList(View):
    """Cases, most urgent first; closed ones newest first."""

    status: PlantStatus
    items: list[Case]
    next_cursor: str | None = Field(default=None, description="Of closed cases")
