"""One machine under watch: what each hop of windows decides about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auscult.contract.event import ADDED, Event, EventPhase
from auscult.contract.label import Verdict
from auscult.contract.machines import MachineSettings
from auscult.contract.message import NS_PER_MS, NS_PER_S
from auscult.contract.parts import Quality, SuppressionPart
from auscult.contract.records import SEVERITY, Condition, Provenance, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.gateway.machines.alarms import Alarm, MachineAlarms
from auscult.gateway.machines.approval import without_baseline
from auscult.gateway.machines.events import EventTracker
from auscult.gateway.machines.found_faults import FoundFaults
from auscult.gateway.machines.idle import PLANNED_WORK, undecided
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine_writes import BaselineWrite, StateWrite
from auscult.gateway.machines.proof import ProofFiles, ProofRecorder
from auscult.gateway.machines.result import MachineResult
from auscult.gateway.machines.running import RunCourse
from auscult.gateway.machines.silence import Silence
from auscult.gateway.machines.trends import PointInterval, PointTrend
from auscult.gateway.windows.pipeline import Hop
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.alarm_rule import RULE
from auscult.models.decision.confirmation import Confirmation
from auscult.models.decision.diagnosis import Diagnosis
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.repair import RepairResult
from auscult.models.records import Decision, MachineDecision, Observation, ScoredWindow

SEARCH_AGAIN_NS = 10_000_000_000
"""Recent windows are searched for a bearing fault when an event starts or becomes worse, and again
after this time; then each time when the event has lasted twice as long."""


class MonitoredMachine:
    """Decides on one machine from its windows; the window loop owns it.

    Parameters
    ----------
    settings : MachineSettings
    detector : MachineDetector
    learning : MachineLearning
    open_event : Event or None
        The event that an earlier process left open.
    interval_s : mapping of point to float
        Real time between two windows of a point, to detect its silence.
    trend_interval_ns : int
        Length of a trend's interval, in stream time.
    stream_ns : int
        End of its stream in an earlier process.
    approved : str
        Id of the baseline that was approved last.
    alarms : MachineAlarms, optional
        How people have handled its events.
    proofs : ProofFiles, optional
        Gets what proves the decision that opens an event.
    """

    def __init__(
        self,
        settings: MachineSettings,
        detector: MachineDetector,
        learning: MachineLearning,
        open_event: Event | None,
        interval_s: Mapping[str, float],
        trend_interval_ns: int,
        stream_ns: int = 0,
        *,
        approved: str = "",
        alarms: MachineAlarms | None = None,
        proofs: ProofFiles | None = None,
    ) -> None:
        self.settings = settings
        self.detector = detector
        self.learning = learning
        self.head_updater: HeadUpdater | None = None
        """Learns from labels; None before the first baseline."""
        self.id = settings.id
        self.stream_ns = stream_ns
        self._approved = approved
        self.alarms = alarms or MachineAlarms(self.id)
        self._proof = ProofRecorder(detector, proofs.write) if proofs else None
        self._tracker = EventTracker(self.id, open_event)
        self._confirmation = Confirmation()
        self._silence = Silence(interval_s)
        self._trends = {
            point: PointTrend(
                point,
                len(spec),
                trend_interval_ns,
                at_once=spec.kind == "value" and spec.interval_s * NS_PER_S >= trend_interval_ns,
            )
            for point, spec in detector.specs.items()
        }
        self._forecasts: dict[str, tuple[Reason, ...]] = {}
        self._found = FoundFaults(detector.levels)
        self._searched_ns: int | None = None
        self._search_after_ns = 0
        self._running = RunCourse(
            detector, from_signal=settings.running_from_signal, start_s=settings.start_s
        )
        self._last = Decision(None, stream_ns, Condition.LEARNING, ())
        if detector.model is not None:
            self._begin_learning(detector.model)
            if not self.awaiting_approval:
                waits = Reason(ReasonKind.SENSOR, Condition.UNKNOWN, Said("silent_since_start"))
                self._last = Decision(None, stream_ns, Condition.UNKNOWN, (waits,))

    @property
    def open_event(self) -> Event | None:
        """Return the open event with its latest values."""
        return self._tracker.open_event

    @property
    def decision(self) -> Decision:
        """Return the decision on the machine; silent points count as unknown.

        An open event keeps its condition while nothing newer is known: no rest, no silence and no
        restart hides it. During planned work the condition is unknown.
        """
        present, event = self._present(), self.open_event
        if event is None or self._worked_on:
            return present
        shown = RULE.shown(present.condition, event.condition)
        if shown is present.condition:
            return present
        # A forecast is of the values of its time.
        reasons = tuple(r for r in event.reasons if r.kind is not ReasonKind.TREND)
        return present._replace(condition=shown, reasons=present.reasons + reasons)

    @property
    def quality(self) -> Quality:
        """Bad without a usable signal, uncertain while a sensor or the operating state is doubtful.

        An open event says nothing of the signals: what is present counts.
        """
        present = self._present()
        lost = {reason.point for reason in present.reasons if reason.kind is ReasonKind.SENSOR}
        if self._silence.received <= lost:
            return "bad"
        return "uncertain" if lost or present.condition is Condition.UNKNOWN else "good"

    def _present(self) -> Decision:
        present = self._silence.added_to(self._last)
        doubt = self._running.doubt(self.stream_ns)
        if doubt is not None:
            present = present._replace(reasons=(*present.reasons, doubt))
        if not self._running.contradicted:
            return present
        reason = Reason(ReasonKind.SENSOR, Condition.UNKNOWN, Said("speed_contradicts"))
        return present._replace(reasons=(*present.reasons, reason))

    @property
    def awaiting_approval(self) -> bool:
        """Return whether a complete baseline waits for a person's approval."""
        model = self.detector.model
        return (
            self.settings.approve_baseline
            and model is not None
            and model.baseline_id != self._approved
        )

    @property
    def baseline_id(self) -> str:
        """Return the id of the baseline in use, empty before the first."""
        model = self.detector.model
        return model.baseline_id if model is not None else ""

    @property
    def checkpoint_id(self) -> str:
        """Return the id of the active checkpoint, empty before the first label."""
        return self.head_updater.checkpoint_id if self.head_updater is not None else ""

    def approve(self, baseline_id: str) -> None:
        """Use a baseline from now on; its evidence starts from zero."""
        self._approved = baseline_id
        self.detector.reset_evidence()
        self._restart_proof("its baseline was approved")

    def provenance(self, point: str | None = None) -> Provenance:
        """Return the ids of what decides now; those of the first point unless one is named."""
        model = self.detector.model
        spec = self.detector.specs[point] if point else next(iter(self.detector.specs.values()))
        return Provenance(
            model_id=model.model_id if model else "",
            baseline_id=model.baseline_id if model else "",
            spec_id=spec.spec_id,
            checkpoint_id=self.checkpoint_id,
        )

    def adopt(self, model: MachineModel) -> None:
        """Decide by a new baseline from now on, and learn from labels on it."""
        self.detector.adopt(model)
        self._begin_learning(model)
        model.healthy.clear()
        self._restart_proof("its baseline changed")

    def go_back(self, state: bytes) -> None:
        """Decide by an older baseline again, with the heads that labels made on it.

        Raises
        ------
        StateError
            If the state is damaged or of other points; the machine is then unchanged.
        """
        self.detector.go_back(state)
        model = self.detector.model
        if model is not None:
            self._approved = model.baseline_id
            self._begin_learning(model)
        self._restart_proof("its baseline changed")

    def use_active_heads(self) -> StateWrite:
        """Use the active heads in the detector; return the write of the state with them."""
        if self.head_updater is not None:
            self.detector.set_heads(self.head_updater.heads)
        self._restart_proof("its learned heads changed")
        return self.state_write()

    def answer_level(self, event_id: str, verdict: Verdict) -> None:
        """Take the level of overall values that opened this event as an answer says.

        An event that is over has no such level.
        """
        if self.open_event is None or self.open_event.event_id != event_id:
            return
        if verdict in (Verdict.FALSE_ALARM, Verdict.CONFIRMED_FAULT):
            self.detector.answer_level(normal=verdict is Verdict.FALSE_ALARM)

    def set_limits(self, point: str, limits: Sequence[Limit]) -> None:
        """Replace the fixed limits of a point.

        Raises
        ------
        LimitError
            If a limit names a feature that the point does not have; nothing is changed then.
        """
        self.detector.set_limits(point, limits)
        self._restart_proof("its limits changed")

    def widen(self, factor: float) -> None:
        """Multiply the limits of learned evidence by a factor >= 1: `MachineDetector.widen`."""
        if factor != self.detector.settings.wider:
            self.detector.widen(factor)
            self._restart_proof("its limits were widened")

    def _restart_proof(self, since: str) -> None:
        if self._proof is not None:
            self._proof.restart(since)

    def _begin_learning(self, model: MachineModel) -> None:
        self.head_updater = self.learning.begin(model)
        self.detector.set_heads(self.head_updater.heads)
        self._running.use(model)

    def process(self, hop: Hop) -> MachineResult:
        """Process one hop: decide on points and machine, and follow the event and its alarm."""
        self._silence.hear(hop.observations)
        # Not the latest ever: a sensor's clock may be set back.
        self.stream_ns = max(o.t_ns for o in hop.observations)
        turning = self._running.follow(hop.observations, self.stream_ns)
        if turning.rest_found:
            self.head_updater = None
            self._restart_proof("its rest was found")
        observations = {o.point: o for o in turning.observations}
        idle = turning.idle
        points = {p: self._running.resting(p, observations[p].t_ns) for p in idle}
        event, search_due = None, False
        reopened: list[Alarm] = []
        if len(idle) < len(observations):
            if turning.starts:
                self._restart_proof("it was at rest")
            if self._worked_on:
                points = {p: undecided(p, self.stream_ns, PLANNED_WORK) for p in observations}
                self._last = undecided(None, self.stream_ns, PLANNED_WORK)
            else:
                for point, phase in turning.passing.items():
                    points[point] = undecided(point, self.stream_ns, phase.value)
                    self._last = undecided(None, self.stream_ns, phase.value)
                idle |= turning.passing.keys()
                if running := turning.running:
                    decided, event, reopened, search_due = self._decide(running)
                    points |= decided
        if turning.rests:
            # Evidence, event and baseline wait while the machine is at rest.
            self._last = self._running.rest(self.stream_ns)
        alarms = (self.alarms.follow(event), *self.alarms.give_up_oldest()) if event else ()
        return MachineResult(
            points=points,
            observations=observations,
            idle=idle,
            intervals=self._add_to_trends(points, observations, idle),
            event=event,
            alarms=(*reopened, *alarms),
            search_due=search_due,
        )

    def check(self, faults: Mapping[str, Said], now_ms: int) -> MachineResult:
        """Detect silent points, and a shelf or planned work whose time is over.

        Parameters
        ----------
        faults : mapping of point or channel to Said
            What can't be used, and why.
        now_ms : int
            UTC time, ms.
        """
        silent = self._silence.follow(faults, self.stream_ns, at_rest=self._running.at_rest)
        held = self.alarms.suppression
        returned = self.alarms.expire(now_ms)
        if held is None or returned is None:
            return MachineResult(points=silent)
        if held.kind == "planned_work":
            self._check_work(held)
        return MachineResult(points=silent, alarms=tuple(returned), expired=held.kind)

    def begin_work(self, work: SuppressionPart) -> list[Alarm]:
        """Decide nothing and learn nothing from now on, until the planned work is finished.

        Raises
        ------
        AlarmError
            If the machine is out of service.
        """
        changed = self.alarms.suppress(work)
        self._last = undecided(None, self.stream_ns, PLANNED_WORK)
        return changed

    def finish_work(self, actor: str, comment: str, now_ns: int) -> list[Alarm]:
        """Decide again, and compare the windows from now on with those before the work.

        Raises
        ------
        AlarmError
            If no planned work is under way.
        """
        work = self.alarms.suppression
        changed = self.alarms.release("planned_work", actor, comment, now_ns)
        self._check_work(work)
        return changed

    def _check_work(self, work: SuppressionPart | None) -> None:
        if work is not None and work.event_id is not None:
            self.learning.begin_repair_check(work.event_id, self.stream_ns)

    def state_write(self, *, only_changes: bool = False) -> StateWrite:
        """Copy the present state, to store it; only in the loop's thread.

        `only_changes` leaves out a replay that kept none of the windows since.
        """
        copy = self.detector.snapshot()
        return StateWrite(self.id, copy, self.stream_ns, self.learning, only_changes)

    def baseline_write(self) -> BaselineWrite:
        """Copy the active baseline, to keep it for a roll-back; only in the loop's thread.

        As many are kept as replays of windows, which belong to them.
        """
        most = self.learning.settings.keep_replays
        return BaselineWrite(self.id, self.baseline_id, self.detector.snapshot(), most)

    @property
    def _worked_on(self) -> bool:
        held = self.alarms.suppression
        return held is not None and held.kind == "planned_work"

    def restart_silence_timers(self) -> None:
        """Measure silence from now on, after a time in which the loop took no samples."""
        self._silence.restart()

    def flush_trends(self) -> tuple[PointInterval, ...]:
        """Return the unfinished intervals of all trends."""
        done = (trend.flush() for trend in self._trends.values())
        return self._forecast([interval for interval in done if interval is not None])

    def add_diagnoses(self, found: Sequence[Diagnosis]) -> None:
        """Add what a search found of bearings, shafts, gears and drives."""
        self._found.add(found, self.open_event)

    def _decide(
        self, running: list[Observation]
    ) -> tuple[Mapping[str, Decision], Event | None, list[Alarm], bool]:
        """Decide on the observations of running points.

        Also the event, the alarms that the check after work made unacknowledged, and whether a
        search is due.
        """
        if self._proof is not None:
            self._proof.keep_windows(running)
        observed = self._observe(running)
        if observed is None:
            return {}, None, [], False
        decided = self._with_forecasts(observed)
        if self.awaiting_approval:
            points = {point: without_baseline(d) for point, d in decided.points.items()}
            decided = MachineDecision(without_baseline(decided.machine), points)
        windows = self.detector.scored_windows()
        open_id = self.open_event.event_id if self.open_event else None
        recognised = self.learning.recognise(decided.machine, windows, decided.points, open_id)
        decision = self._confirmation.follow(
            self._with_found(recognised), self.detector.compare_values
        )
        worse = SEVERITY[decision.condition] > SEVERITY[self._last.condition]
        self._last = decision
        first_point = next((r.point for r in decision.reasons if r.point), None)
        event = self._tracker.update(decision, self.provenance(first_point))
        worse |= any(reason.said.code in ADDED for reason in observed.machine.reasons)
        if self._proof is not None:
            opens = event is not None and event.phase is EventPhase.START
            self._proof.decided(observed, event if opens else None)
        open_id = self.open_event.event_id if self.open_event else None
        self.learning.offer(windows, decided.points, open_id)
        reopened = self._check_repair(decided.machine, windows)
        self.learning.ask(decided.machine, windows, open_id)
        return decided.points, event, reopened, self._search_due(decision, worse=worse)

    def _observe(self, running: list[Observation]) -> MachineDecision | None:
        """Decide on the observations of running points; None where nothing changes."""
        return self.detector.observe(running)

    def _check_repair(self, decision: Decision, windows: Sequence[ScoredWindow]) -> list[Alarm]:
        """Add a hop to the check after work; its result replaces the evidence from before."""
        result = self.learning.follow_repair(decision, windows, self.detector.compare_values)
        if result is None:
            return []
        if result is not RepairResult.GONE:
            return self.alarms.reopen()
        self.detector.reset_evidence()
        self._restart_proof("work on it removed the fault")
        return []

    def _search_due(self, decision: Decision, *, worse: bool) -> bool:
        # Either way: the clock may have been set back since.
        again = (
            self._searched_ns is not None
            and abs(self.stream_ns - self._searched_ns) >= self._search_after_ns
        )
        if not (worse or again) or not RULE.opens(decision.condition) or self.open_event is None:
            return False
        lasted_ns = self.stream_ns - self.open_event.started_ms * NS_PER_MS
        self._searched_ns, self._search_after_ns = self.stream_ns, max(SEARCH_AGAIN_NS, lasted_ns)
        return True

    def _with_found(self, decision: Decision) -> Decision:
        """Add the faults that searches found."""
        if not RULE.opens(decision.condition):
            if self.open_event is None:
                self._found.clear()
            return decision
        return self._found.added_to(decision)

    def _add_to_trends(
        self,
        points: Mapping[str, Decision],
        observations: Mapping[str, Observation],
        idle: frozenset[str],
    ) -> tuple[PointInterval, ...]:
        done = [
            interval
            for point, observation in observations.items()
            if (interval := self._trends[point].add(observation, points[point], idle=point in idle))
        ]
        if self.open_event is not None and not self._worked_on:
            for one in done:
                state = observations[one.point].state
                self.detector.levels.add(one.point, one.interval.end_ns, one.mean_features, state)
        return self._forecast(done) if done else ()

    def _forecast(self, intervals: list[PointInterval]) -> tuple[PointInterval, ...]:
        """Renew the forecasts of points whose interval is finished, except during planned work."""
        for done in () if self._worked_on else intervals:
            self._forecasts[done.point] = self.detector.update_forecasts(
                done.point, done.interval.end_ns, done.mean_features
            )
        return tuple(intervals)

    def _with_forecasts(self, decided: MachineDecision) -> MachineDecision:
        """Add the forecasts of points that are not silent to the reasons."""
        forecasts = tuple(
            reason
            for point, own in self._forecasts.items()
            if not self._silence.is_silent(point)
            for reason in own
        )
        if not forecasts:
            return decided
        machine = decided.machine._replace(reasons=decided.machine.reasons + forecasts)
        points = {
            name: decision._replace(reasons=decision.reasons + self._forecasts.get(name, ()))
            for name, decision in decided.points.items()
        }
        return MachineDecision(machine, points)
