"""Overall values from a table: what the gateway would have reported."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.contract.records import Condition, Coverage, Reason
from auscult.contract.times import NS_PER_S
from auscult.dsp.quantities import QUANTITIES, usual_interval_s
from auscult.dsp.spec import FeatureSpec
from auscult.errors import InputError, MissingExtraError
from auscult.gateway.machines.running import RunCourse
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.windows.machine_states import MachineStates
from auscult.gateway.windows.values import (
    ValueMismatchError,
    ValueStreams,
    value_spec,
)
from auscult.models.decision.alarm_rule import RULE, worst
from auscult.models.decision.confirmation import Confirmation
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED
from auscult.models.values.monitor import DAY_S

if TYPE_CHECKING:
    from pandas import DataFrame

MACHINE: Final = "machine"
MOST_AFTER_S: Final = 1e9
COUNTERS: Final = ("", "per_s", "per_min", "per_h")


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """What a column of overall values is.

    Parameters
    ----------
    quantity : str
        As in docs/sensors/values.md, such as ``velocity_rms`` or ``temperature``; ``other`` for a
        run bit and what has no name there.
    unit : str
        Its unit; velocities, temperatures and so on are converted.
    interval_s : float, optional
        Usual time between two values, 1 s to 1 day; default: the median of their distances.
    resolution : float
        Smallest step of the value; a change by one step is no departure.
    counter : {"", "per_s", "per_min", "per_h"}
        The value counts up: its rate is monitored.
    running_above : float, optional
        The machine runs while the value is above this.
    """

    quantity: str
    unit: str
    interval_s: float | None = None
    resolution: float = 0.0
    counter: str = ""
    running_above: float | None = None

    def __post_init__(self) -> None:
        if self.quantity not in QUANTITIES:
            raise InputError(f"quantity = {self.quantity!r} is none of {', '.join(QUANTITIES)}")
        if self.counter not in COUNTERS:
            raise InputError(f"counter = {self.counter!r} is none of {', '.join(COUNTERS[1:])}")


@dataclass(frozen=True, slots=True)
class ValueAnswer:
    """What a person answers to the event that began at ``start_ns``, at ``at_ns`` (UTC).

    Made by `ValueEvent.false_alarm` and `ValueEvent.confirm`.
    """

    start_ns: int
    at_ns: int
    normal: bool
    """Whether the level of then is normal; else it is a fault."""


@dataclass(frozen=True, slots=True)
class ValueEvent:
    """An event from its first decision to its last (UTC ns); its worst condition and its reasons.

    An event that is open at the end of the table ends with it.
    """

    start_ns: int
    end_ns: int
    condition: Condition
    reasons: tuple[Reason, ...]

    def false_alarm(self, after_s: float = DAY_S) -> ValueAnswer:
        """Answer that the level of then is normal: it becomes the reference, and the event ends.

        Parameters
        ----------
        after_s : float
            When a person answers, in seconds after the start of the event, 0..1e9; default: a day.
            An answer after its end changes nothing, as on the gateway.

        Raises
        ------
        InputError
            If ``after_s`` is no such number.
        """
        return self._answer(after_s, normal=True)

    def confirm(self, after_s: float = DAY_S) -> ValueAnswer:
        """Answer that it is a fault: its level never becomes the reference.

        Parameters and errors as `false_alarm`.
        """
        return self._answer(after_s, normal=False)

    def _answer(self, after_s: float, *, normal: bool) -> ValueAnswer:
        try:
            known = 0 <= float(after_s) <= MOST_AFTER_S
        except (TypeError, ValueError):
            known = False
        if not known:
            raise InputError(f"after_s = {after_s!r} is no number of seconds in 0..1e9")
        return ValueAnswer(self.start_ns, self.start_ns + round(float(after_s) * NS_PER_S), normal)


@dataclass(frozen=True, slots=True, eq=False)
class ValueResult:
    """What was decided on a table.

    Attributes
    ----------
    t_ns : np.ndarray [shape=(n,), dtype=int64]
        UTC, in order.
    conditions : tuple of n Condition
        Of the machine after each row.
    p_values : np.ndarray [shape=(n, columns), dtype=float64]
        In (0, 1]; NaN without a baseline, at rest, and where a row has no value.
    evidence : np.ndarray [shape=(n,), dtype=float64]
        1 switches the warning on, 2 the alarm; NaN without a decision.
    events : tuple of ValueEvent
    ready : int or None
        Row of the first decision.
    coverage : Coverage
        How complete the baseline is at the end, and what it still waits for.
    columns : tuple of str
    answers : tuple of ValueAnswer
        Those whose event was open, so that they changed something.
    """

    t_ns: NDArray[np.int64]
    conditions: tuple[Condition, ...]
    p_values: NDArray[np.float64]
    evidence: NDArray[np.float64]
    events: tuple[ValueEvent, ...]
    ready: int | None
    coverage: Coverage
    columns: tuple[str, ...]
    answers: tuple[ValueAnswer, ...] = ()

    def to_pandas(self) -> DataFrame:
        """Give a DataFrame by time (UTC): ``condition``, ``evidence``, and a p-value a column.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            from pandas import DataFrame, DatetimeIndex
        except ModuleNotFoundError as error:
            raise MissingExtraError("to_pandas needs pandas: pip install pandas") from error
        frame = DataFrame(
            {"condition": [one.value for one in self.conditions], "evidence": self.evidence},
            index=DatetimeIndex(self.t_ns.astype("datetime64[ns]"), name="time").tz_localize("UTC"),
        )
        for number, column in enumerate(self.columns):
            frame[f"p {column}"] = self.p_values[:, number]
        return frame


def evaluate_values(
    table: Any,
    columns: Mapping[str, ValueColumn],
    *,
    times: ArrayLike | None = None,
    healthy_rows: int | None = None,
    name_plate: NamePlate | None = None,
    false_alarms_per_year: float = SHIPPED.false_alarms_per_year,
    answers: Sequence[ValueAnswer] = (),
) -> ValueResult:
    """Play a table of overall values through the gateway's own code, as if it came live.

    It learns, decides and follows rest and running as a gateway does with its shipped settings.
    Without answers the result is that of ``auscult evaluate`` on the same table.

    Parameters
    ----------
    table : pandas.DataFrame, or mapping of column to array_like [shape=(n,)]
        Rows in any order; NaN is a gap. A DataFrame has its times as index: without a zone, UTC.
    columns : mapping of column to ValueColumn
        Columns of one machine.
    times : array_like [shape=(n,)], optional
        ``datetime64`` in UTC, for a table without an index of times.
    healthy_rows : int, optional
        The first rows are healthy; default: the detector decides when its baseline is complete.
    name_plate : NamePlate, optional
        Adds the zones of ISO 20816.
    false_alarms_per_year : float
        Budget of false events of this machine, > 0.
    answers : sequence of ValueAnswer
        To events of an earlier result of the same table. The result shows what they change; leave
        one out to take it back.

    Raises
    ------
    InputError
        If a column, the times, an answer or a number can't be used; the message names value, limit,
        remedy.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> times = np.datetime64("2026-01-01", "ns") + np.arange(600) * np.timedelta64(60, "s")
    >>> velocity = 2 * np.exp(0.05 * rng.standard_normal(600))
    >>> velocity[400:] *= 3
    >>> result = evaluate_values({"v": velocity}, {"v": ValueColumn("velocity_rms", "mm/s")},
    ...                          times=times, healthy_rows=300)
    >>> result.conditions[399].value, result.conditions[-1].value, len(result.events)
    ('normal', 'alarm', 1)
    >>> answer = result.events[0].false_alarm(after_s=3600)
    >>> answered = evaluate_values({"v": velocity}, {"v": ValueColumn("velocity_rms", "mm/s")},
    ...                            times=times, healthy_rows=300, answers=[answer])
    >>> answered.conditions[-1].value, len(answered.events)
    ('normal', 1)
    """
    if not 0 < false_alarms_per_year < 1e6:
        raise InputError(
            f"false_alarms_per_year = {false_alarms_per_year} is not above 0; 1 is shipped"
        )
    t_ns, values = _sorted_rows(table, columns, times)
    if healthy_rows is not None and not 0 < healthy_rows <= len(t_ns):
        raise InputError(f"healthy_rows = {healthy_rows} is outside 1..{len(t_ns)} rows")
    if not isinstance(answers, Sequence):
        raise InputError(f"answers = {answers!r} is no sequence; give a list of answers")
    for one in answers:
        if not isinstance(one, ValueAnswer):
            raise InputError(f"{one!r} is no answer; give what a ValueEvent's false_alarm returns")
        if not t_ns[0] <= one.at_ns < t_ns[-1]:
            at, last = np.array([one.at_ns, t_ns[-1]]).astype("datetime64[ns]")
            raise InputError(
                f"an answer at {at} comes before the table or after its last row, {last}: it "
                "changes nothing; give another after_s, or leave it out"
            )
    played = _Play(columns, t_ns, values, name_plate or NamePlate(MACHINE), false_alarms_per_year)
    return played.run(healthy_rows, answers)


def _sorted_rows(
    table: Any, columns: Mapping[str, ValueColumn], times: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if not columns:
        raise InputError("no column is named; give at least one")
    for name in columns:
        if name not in table:
            raise InputError(f"the table has no column {name!r}; it holds {', '.join(table)}")
    index: Any = getattr(table, "index", None) if times is None else times
    if getattr(index, "tz", None) is not None:
        index = index.tz_convert(None)
    moments = np.asarray(index)
    if moments.dtype.kind != "M":
        raise InputError(
            "the table has no times; set a DatetimeIndex, or give times as datetime64 in UTC"
        )
    t_ns = moments.astype("datetime64[ns]").astype(np.int64)
    try:
        values = np.column_stack([np.asarray(table[name], np.float64) for name in columns])
    except (TypeError, ValueError) as error:
        raise InputError(f"a column holds no numbers ({error}); use NaN for gaps") from error
    if len(values) != len(t_ns) or not len(t_ns):
        raise InputError(f"{len(values)} rows have {len(t_ns)} times; give one for each row")
    order = np.argsort(t_ns, kind="stable")
    return t_ns[order], values[order]


@dataclass(frozen=True, slots=True)
class _Settings:
    """A column as the gateway's settings of a point."""

    quantity: str
    unit: str
    interval_s: float
    resolution: float
    counter: str
    state: str
    running_above: float


@dataclass(frozen=True, slots=True)
class _Plan:
    settings: _Settings
    spec: FeatureSpec

    @property
    def interval_s(self) -> float:
        return self.spec.interval_s


class _Play:
    """One machine while its table is played."""

    def __init__(
        self,
        columns: Mapping[str, ValueColumn],
        t_ns: NDArray[np.int64],
        values: NDArray[np.float64],
        name_plate: NamePlate,
        budget: float,
    ) -> None:
        self._names = tuple(columns)
        self._t_ns, self._values = t_ns, values
        self._now_s = 0.0
        plans = {}
        for number, (name, column) in enumerate(columns.items()):
            known = np.isfinite(values[:, number])
            settings = _Settings(
                column.quantity, column.unit,
                column.interval_s or usual_interval_s(t_ns[known]),
                column.resolution, column.counter,
                "" if column.running_above is None else "running",
                column.running_above or 0.0,
            )  # fmt: skip
            plans[name] = _Plan(settings, value_spec(settings))
        # What states the operating state comes first: all values of a row are of one time.
        self._order = sorted(
            range(len(plans)), key=lambda i: not plans[self._names[i]].settings.state
        )
        self._points = [PointId(MACHINE, name) for name in self._names]
        self._units = [plans[name].settings.unit for name in self._names]
        self._streams = ValueStreams(dict(zip(self._points, plans.values(), strict=True)))
        self._states = MachineStates(lambda: self._now_s)
        shipped = replace(SHIPPED, false_alarms_per_year=budget)
        specs = {name: plan.spec for name, plan in plans.items()}
        self._detector = MachineDetector(name_plate, specs, shipped)
        self._running = RunCourse(self._detector)
        self._confirmation = Confirmation()
        self._present = Condition.LEARNING
        self._events: list[ValueEvent] = []
        self._open = False
        self._now = Condition.NORMAL
        """Condition of the open event."""

    def run(self, healthy_rows: int | None, answers: Sequence[ValueAnswer]) -> ValueResult:
        """Play all rows; an answer comes after the rows up to its time."""
        due, met = deque(sorted(answers, key=lambda one: one.at_ns)), list[ValueAnswer]()
        n = len(self._t_ns)
        p_values = np.full((n, len(self._names)), np.nan)
        evidence = np.full(n, np.nan)
        conditions: list[Condition] = []
        ready = None
        for row in range(n):
            while due and due[0].at_ns < self._t_ns[row]:
                answer = due.popleft()
                if self._open and self._events[-1].start_ns == answer.start_ns:
                    self._detector.answer_level(normal=answer.normal)
                    met.append(answer)
            observations = self._observations(row)
            if observations:
                evidence[row] = self._hop(row, observations, p_values[row])
            if ready is None and np.isfinite(p_values[row]).any():
                ready = row
            if row + 1 == healthy_rows:
                if self._detector.model is None:
                    self._fit(due=False)
            elif row >= (healthy_rows or 0):
                self._fit(due=True)
            shown = RULE.shown(self._present, self._now) if self._open else self._present
            conditions.append(shown)
        return ValueResult(
            self._t_ns, tuple(conditions), p_values, evidence, tuple(self._events), ready,
            self._detector.coverage, self._names, tuple(met),
        )  # fmt: skip

    def _observations(self, row: int) -> list[Observation]:
        t_ns = int(self._t_ns[row])
        self._now_s = t_ns / NS_PER_S
        found = []
        for i in self._order:
            value = float(self._values[row, i])
            if value != value:  # NaN: a gap
                continue
            item = PointValue(self._points[i], t_ns, value, self._units[i])
            try:
                one = self._streams.observe(item, self._states)
            except ValueMismatchError:
                continue  # a number beyond what a measurement can be
            if one is not None:
                found.append(one)
        return found

    def _hop(
        self, row: int, observations: Sequence[Observation], p_values: NDArray[np.float64]
    ) -> float:
        t_ns = int(self._t_ns[row])
        turning = self._running.follow(observations, t_ns)
        evidence = np.nan
        if turning.passing:
            self._present = Condition.UNKNOWN
        if running := turning.running:
            decided = self._detector.observe(running)
            compare = self._detector.compare_values
            machine = self._confirmation.follow(decided.machine, compare)
            for point, one in decided.points.items():
                if one.p_value is not None:
                    p_values[self._names.index(point)] = one.p_value
            evidence = np.nan if machine.evidence is None else machine.evidence
            self._present = machine.condition
            self._follow_event(t_ns, machine.condition, machine.reasons)
        if turning.rests:
            self._present = self._running.rest(t_ns).condition
        return evidence

    def _follow_event(self, t_ns: int, condition: Condition, reasons: tuple[Reason, ...]) -> None:
        opens = RULE.opens(condition)
        end_ns = int(self._t_ns[-1])
        if not self._open and opens:
            self._events.append(ValueEvent(t_ns, end_ns, condition, reasons))
        elif self._open and RULE.closes(condition):
            self._events[-1] = replace(self._events[-1], end_ns=t_ns)
        elif self._open and opens:
            event = self._events[-1]
            worse = worst(event.condition, condition)
            if worse is not event.condition:
                self._events[-1] = replace(event, condition=worse, reasons=reasons)
        self._open = opens or (self._open and not RULE.closes(condition))
        self._now = condition if opens else self._now

    def _fit(self, *, due: bool) -> None:
        job = self._detector.fit_due() if due else self._detector.fit_now()
        if job is None:
            return
        try:
            model = job.run()
        except Exception as error:  # as the gateway: it is tried again with more values
            self._detector.fit_failed(error)
        else:
            self._detector.adopt(model)
            self._running.use(model)
