"""What the API says: one model for each thing a page shows, the same in answers and live events.

Times are integers in UTC milliseconds since 1970, named ``*_ms``, as in the messages. Ids of
machines are ``site~gateway~machine``: `~` may not stand in a part, nor must a URL escape it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.people.roles import Role
from gateway.messages.learning import (
    BaselinePart,
    CheckpointPart,
    LessonPart,
    ShadowPart,
    VerdictName,
    WaitingPart,
)
from gateway.messages.machines import MachineSettings
from gateway.messages.message import SaidPart
from gateway.messages.payloads import (
    AlarmState,
    BearingPart,
    ChannelPart,
    Condition,
    CoveragePart,
    Level,
    LimitPart,
    ProblemPart,
    Provenance,
    Quality,
    ReasonPart,
    SuppressionKind,
    ZonesPart,
)

CommandState = Literal["pending", "sent", "acknowledged", "refused", "expired"]
"""Stored; handed to the broker; done by the gateway; refused by it; never answered in time."""


class View(BaseModel):
    """What all views share: they are made once and never changed."""

    # An answer always holds all its fields: the schema, and so the page's types, may say so.
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Health(View):
    """How the dashboard itself is."""

    status: Literal["ok", "degraded", "failing"] = Field(
        description="`degraded` without the broker, `failing` when nothing can be stored"
    )
    version: str
    database: str = Field(description="`ok`, or what is wrong with it")
    broker: str = Field(description="`connected`, or what is wrong with the link")
    now_ms: int = Field(description="The server's clock, to judge ages by")
    stale_after_s: float
    page_built: bool


class Gateway(View):
    """A gateway with the health it reports of itself."""

    id: str = Field(description="`site~gateway`")
    site: str
    gateway: str
    state: Literal["online", "offline"]
    stale: bool = Field(description="Nothing heard for longer than `stale_after_s`")
    heard_ms: int = Field(description="When the dashboard last heard of it")
    updated_ms: int = Field(description="When the gateway last spoke, by its own clock")
    version: str = ""
    started_ms: int = 0
    clock_synchronised: bool | None = None
    cpu_percent: float | None = None
    memory_mb: float | None = None
    disk_free_mb: float | None = None
    temperature_c: float | None = None
    outbox_pending: int = 0
    outbox_dropped: int = 0
    windows_total: int = 0
    certificate_days: float | None = Field(
        default=None, description="Days until its client certificate expires; null without one"
    )
    sources: dict[str, str] = Field(default_factory=dict)
    machines: int = Field(default=0, description="How many machines it listens to")


class Judgement(View):
    """The current verdict, its evidence and the ids of all that made it."""

    condition: Condition
    quality: Quality
    stale: bool = Field(description="Too old to trust, or its gateway is offline")
    heard_ms: int | None = Field(description="When the dashboard last heard of it; null = never")
    updated_ms: int | None = Field(description="When it was judged, by the gateway's clock")
    reasons: tuple[ReasonPart, ...] = ()
    p_value: float | None = None
    evidence: float | None = None
    warning_level: float | None = Field(default=None, description="In the unit of `evidence`")
    alarm_level: float | None = Field(default=None, description="In the unit of `evidence`")
    ids: Provenance = Provenance()


class Point(Judgement):
    """A measuring point with its current state."""

    machine_id: str
    point: str
    name: str
    kind: Literal["vibration", "sound"] | None = None
    unit: str | None = None
    fs_hz: float | None = None
    limits: tuple[LimitPart, ...] = Field(default=(), description="Fixed limits on features")
    window_ms: int | None = Field(default=None, description="Start of the judged window")
    score: float | None = None
    levels: dict[str, Level] = Field(default_factory=dict)
    sensor: tuple[str, ...] = Field(default=(), description="Sensor faults, empty when well")
    speed_rpm: float | None = None
    load: float | None = None


class Machine(Judgement):
    """A machine with its current state, as a list shows it."""

    id: str = Field(description="`site~gateway~machine`")
    gateway_id: str
    machine: str
    name: str
    area: str = ""
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: str | None = None
    points: int = Field(default=0, description="How many measuring points it has")
    coverage: CoveragePart | None = Field(default=None, description="Progress of the baseline")
    event_id: str | None = Field(default=None, description="The open event, if any")
    awaiting_approval: bool = Field(
        default=False, description="Its baseline is complete, and an engineer must approve it"
    )
    alarm: Alarm = Field(
        description="Of the open event, else of one that waits for someone, else `normal`"
    )
    unacknowledged: int = Field(default=0, description="Events that wait for someone")
    suppression: Suppression | None = Field(
        default=None, description="Shelved or out of service, if so"
    )


class SpectrumRef(View):
    """Which spectrum there is; fetch it by its id."""

    id: str
    machine_id: str
    point: str
    event_id: str | None = None
    kind: Literal["spectrum", "envelope"]
    window_ms: int


class Spectrum(SpectrumRef):
    """A spectrum with all that says how it was measured (ISO 13373)."""

    f0_hz: float
    df_hz: float
    values: list[float]
    unit: str
    fs_hz: float
    window: str
    averages: int
    overlap: float
    band_hz: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    speed_rpm: float | None = None
    load: float | None = None
    condition: Condition | None = Field(
        default=None, description="What the point was called when it was measured"
    )
    baseline_id: str = Field(
        default="", description="By which baseline; empty while one was learned"
    )


class SpectrumPage(View):
    """Spectra, newest first."""

    items: list[SpectrumRef]


class SpectrumBand(View):
    """Between which values each line lay while the point was healthy; no lines if too few.

    Made of spectra of one baseline and one operating state, as far as those are known.
    """

    f0_hz: float = 0
    df_hz: float = 0
    unit: str = ""
    spectra: int = Field(description="How many healthy spectra it is made of")
    baseline_id: str = Field(default="", description="Empty while the baseline is learned")
    speed_rpm: float | None = None
    load: float | None = None
    low: list[float] = Field(default=[], description="10 % of them lay below")
    median: list[float] = []
    high: list[float] = Field(default=[], description="10 % of them lay above")


class Waterfall(View):
    """Spectra of one point over time, oldest first; neighbouring lines joined to their largest."""

    f0_hz: float = 0
    df_hz: float = Field(default=0, description="Width of a column")
    unit: str = ""
    spectrum_ids: list[str] = []
    window_ms: list[int] = []
    condition: list[Condition | None] = []
    rows: list[list[float]] = Field(default=[], description="One row a spectrum")


class ClipView(View):
    """A piece of a raw signal that someone asked for; the sound is at `/clips/{id}.wav`."""

    id: str = Field(description="That of the command that asked for it")
    machine_id: str
    point: str
    kind: Literal["recent", "healthy"] = Field(
        description="The last seconds, or the end of the healthy period that was learned from"
    )
    t0_ms: int = Field(description="Time of the first sample")
    asked_ms: int
    actor: str = Field(description="Who asked for it")
    fs_hz: float
    n: int
    duration_s: float
    unit: str
    peak: float = Field(description="Greatest distance from the mean, in `unit`")
    rms: float = Field(description="About the mean, in `unit`")
    baseline_id: str = ""
    speed_rpm: float | None = None


class ClipPage(View):
    """Clips, newest first."""

    items: list[ClipView]


class Label(View):
    """A technician's verdict on an event, and what it changed on the gateway."""

    id: str
    event_id: str
    machine_id: str
    verdict: VerdictName
    kind: str | None = None
    note: str = ""
    actor: str
    created_ms: int
    state: CommandState
    reason: str = Field(default="", description="Why it was refused, or what the gateway said")
    answered_ms: int | None = None
    lesson: LessonPart | None = Field(
        default=None, description="Before and after; null until answered or if nothing changed"
    )


class LabelPreview(View):
    """What a label would change, tried by the gateway on a copy: nothing was stored."""

    event_id: str
    machine_id: str
    verdict: VerdictName
    kind: str | None = None
    waits: str = Field(
        default="", description="What the label would wait for; empty = it would be learned at once"
    )
    reason: str = Field(description="What it would do, in words")
    offer: Literal["new_baseline"] | None = Field(
        default=None, description="What the gateway would offer to do next"
    )
    effect: LessonPart | None = Field(
        default=None,
        description="Before and after, and the events that would alarm no more; null where the "
        "verdict changes nothing, or nothing yet. `accepted` is the gate's word",
    )


class MachineCheckpoints(View):
    """Versions of what a machine has learned, as its gateway lists them."""

    machine_id: str
    updated_ms: int
    active: str = Field(description="Id of the checkpoint that judges now")
    candidate: str | None = Field(description="Id of the one that runs in the shadow, if any")
    shadow: ShadowPart | None = Field(description="How far its shadow run has come")
    checkpoints: tuple[CheckpointPart, ...] = Field(description="Newest first")
    waiting: tuple[WaitingPart, ...] = Field(description="Labels that are not learned yet")
    baselines: tuple[BaselinePart, ...] = Field(description="That can be gone back to")


class LabelPage(View):
    """The label ledger, newest first."""

    items: list[Label]
    next_cursor: str | None = None


class Alarm(View):
    """Where an event stands as an alarm by its gateway's word, and who acknowledged it."""

    state: AlarmState
    acknowledged_ms: int | None = None
    acknowledged_by: str = ""
    comment: str = ""
    until_ms: int | None = Field(default=None, description="When a shelf gives it back")


class Suppression(View):
    """A machine whose alarms nobody needs to answer now, and why."""

    kind: SuppressionKind
    reason: str
    actor: str
    since_ms: int
    until_ms: int | None = Field(
        default=None, description="Null = until someone ends it (out of service)"
    )


class MachineLoad(View):
    """How many alarms a machine had."""

    machine_id: str
    alarms: int


class AlarmLoad(View):
    """How much the alarms ask of people (ISA-18.2, EEMUA 191)."""

    since_ms: int
    until_ms: int
    alarms: int
    per_day: float
    by_day: list[int] = Field(description="Alarms in each 24 hours from `since_ms` on")
    most_in_10_min: int
    flood_10_min_periods: int = Field(description="Periods of 10 minutes with more than 10")
    chattering: list[str] = Field(description="Machines with 3 or more alarms within a minute")
    standing: int = Field(description="Of these, how many are still going on")
    stale: int = Field(description="Open for longer than 24 hours")
    unacknowledged: int
    answered: int = Field(description="How many have a label")
    median_answer_s: float | None = Field(description="From start to acknowledgement")
    by_peak_condition: dict[str, int]
    top: list[MachineLoad] = Field(description="Up to ten machines with the most alarms")


class Event(View):
    """A departure of one machine from its baseline."""

    id: str
    machine_id: str
    machine_name: str
    area: str = ""
    open: bool
    phase: Literal["start", "update", "end"]
    condition: Condition
    peak_condition: Condition
    peak_evidence: float
    peak_p_value: float | None = None
    started_ms: int
    updated_ms: int
    ended_ms: int | None = None
    points: tuple[str, ...] = ()
    reasons: tuple[ReasonPart, ...] = ()
    ids: Provenance = Provenance()
    alarm: Alarm = Field(description="Its state as an alarm (ISA-18.2)")
    label: Label | None = Field(default=None, description="The newest label, if any")


class EventPage(View):
    """Events, newest first."""

    items: list[Event]
    next_cursor: str | None = Field(default=None, description="Give it as `cursor` for the rest")


class EventDetail(Event):
    """An event with its evidence and all labels."""

    spectra: list[SpectrumRef] = Field(default_factory=list)
    labels: list[Label] = Field(default_factory=list)


class MachineDetail(Machine):
    """A machine with its points and the open event."""

    bearings: tuple[BearingPart, ...] = ()
    gear_teeth: tuple[int, ...] = ()
    zones: ZonesPart | None = Field(
        default=None, description="ISO zones of r.m.s. velocity; null where they can't judge"
    )
    zones_refusal: str = Field(
        default="", description="Why ISO judges the machine not, or not at all points"
    )
    zones_said: SaidPart | None = Field(
        default=None, description="What `zones_refusal` says, to be put in other words"
    )
    point_states: list[Point] = Field(default_factory=list)
    event: Event | None = None


class GatewayList(View):
    """All gateways."""

    items: list[Gateway]


class MachineList(View):
    """All machines, worst first."""

    items: list[Machine]


class TrendSeries(View):
    """One feature over time; null where a bucket holds no value of it."""

    feature: str
    unit: str
    minimum: list[float | None]
    mean: list[float | None]
    maximum: list[float | None]


class Trend(View):
    """Features of one point over time, as columns of equal length.

    Minimum and maximum of a bucket are those of all its values: no extreme is lost by
    down-sampling.
    """

    machine_id: str
    point: str
    start_ms: int
    end_ms: int
    bucket_ms: int = Field(description="0 = every stored interval is given as it is")
    t_ms: list[int] = Field(description="Start of each bucket")
    windows: list[int]
    condition: list[Condition] = Field(description="Worst condition within the bucket")
    series: list[TrendSeries]
    features: dict[str, str] = Field(description="All features the point has, with their units")


class Command(View):
    """A request to a gateway and what became of it."""

    id: str
    gateway_id: str
    machine_id: str = Field(description="Empty where it concerns the whole gateway")
    name: str
    actor: str
    args: dict[str, Any] = Field(description="Of `configure`: only which machines it lists")
    created_ms: int
    expires_ms: int
    state: CommandState
    reason: str = ""
    answered_ms: int | None = None
    attempts: int = 0
    problems: list[ProblemPart] = Field(
        default_factory=list, description="Of `configure`: all that is wrong with the machines"
    )
    lesson: LessonPart | None = Field(
        default=None, description="Of `import_delta` and `label`: what it changed, or why not"
    )


class CommandPage(View):
    """Commands, newest first."""

    items: list[Command]


class MachineConfiguration(View):
    """What a gateway is configured to listen to."""

    gateway_id: str
    version: str = Field(description="Of what was commissioned: `base` of the next change")
    fixed: list[MachineSettings] = Field(description="Of the gateway's own file: not to be changed")
    machines: list[MachineSettings] = Field(description="Commissioned")
    sources: list[dict[str, Any]] = Field(description="What commissioned machines hear")
    channels: list[ChannelPart] = Field(description="What they could hear")


class RowProblem(View):
    """What is wrong with one cell of a table."""

    row: int = Field(description="In the file; the head is row 1; 0 = of the whole table")
    column: str
    text: str


class ImportResult(View):
    """What came of a table."""

    machines: int = Field(description="How many the table holds that are well")
    points: int
    problems: list[RowProblem] = Field(description="Nothing is taken over while there is one")
    command: Command | None = Field(
        default=None, description="What was asked of the gateway, if the table was well"
    )


class Orders(View):
    """Fault frequencies in orders of shaft speed, outer ring standing still."""

    bpfo: float = Field(description="Outer race")
    bpfi: float = Field(description="Inner race")
    bsf: float = Field(description="Ball spin; a ball fault strikes at twice this")
    ftf: float = Field(description="Cage")


class Bearing(View):
    """An entry of the bearing catalogue."""

    name: str = Field(examples=["6205-2RS JEM SKF"])
    balls: int = Field(description="Rolling elements (of one row)")
    ball_diameter_mm: float
    pitch_diameter_mm: float
    contact_angle_deg: float
    orders: Orders
    source: str = Field(description="Where the geometry was published, or who entered it")
    origin: Literal["published", "own"]


class Token(View):
    """A token of a machine that uses the API; its secret is not stored."""

    id: str
    name: str
    role: Role
    actor: str = Field(description="Who made it")
    created_ms: int
    expires_ms: int | None = Field(description="Null = until it is revoked")
    revoked_ms: int | None = Field(description="Null = it is in force")
    used_ms: int | None = Field(description="Last use, to the minute; null = never")


class MadeToken(Token):
    """A token that was just made."""

    secret: str = Field(
        description="To be sent as `Authorization: Bearer …`; nobody can see it again"
    )


class TokenList(View):
    """All tokens, newest first."""

    items: list[Token]


class SensorFault(View):
    """A sensor that does not measure well now."""

    machine_id: str
    machine_name: str
    point: str
    point_name: str
    faults: list[str]


class Learner(View):
    """A machine that has no baseline yet, or one that waits for approval."""

    machine_id: str
    machine_name: str
    fraction: float
    awaiting_approval: bool


class ShiftReport(View):
    """What happened in a span of time; conditions, learning, sensors and gateways are of now."""

    since_ms: int
    until_ms: int
    made_ms: int
    conditions: dict[str, int] = Field(description="How many machines are in which condition")
    began: list[Event] = Field(description="Newest first, up to 100; so the other lists")
    still_open: list[Event]
    ended: list[Event]
    labels: list[Label]
    lessons_accepted: int
    lessons_rejected: int
    learning: list[Learner]
    alarm_load: AlarmLoad
    sensors: list[SensorFault]
    gateways_offline: list[str]
    machines_stale: list[str] = Field(description="By name")


class BearingList(View):
    """The catalogue of bearings."""

    items: list[Bearing]


class Problem(View):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str


LIVE_VIEWS: dict[str, type[View]] = {
    "gateway": Gateway,
    "machine": Machine,
    "point": Point,
    "event": Event,
    "label": Label,
    "command": Command,
    "clip": ClipView,
}
"""Types of live events and what their data is: the same model as the resource itself."""
