"""Windows of one machine for learning from labels: stored as healthy, or with their event."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.contract.records import Condition, Reason
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.alarm_rule import RULE
from auscult.models.decision.value_evidence import CompareValues
from auscult.models.learning.checkpoints import CheckpointError, read_whole, write_whole
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.machine_replay import contexts_of
from auscult.models.learning.questions import Question, Questions
from auscult.models.learning.recognition import DepartureSum, resemblance
from auscult.models.learning.repair import RepairCheck, RepairResult
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.records import Decision, ScoredWindow

log = logging.getLogger(__name__)

SUSPECT_EVIDENCE = 0.5
"""Windows from this share of the warning level on are not stored as healthy."""
UNLIKELY_P = 0.05
"""Windows up to this p-value contribute to the decision on the machine, and always the least."""
PRELUDE_WINDOWS = 32
"""Number of suspect windows that are kept: they belong to the event that follows. In as many hops
before an event no window counts as healthy: evidence needs some until an event opens."""
REPAIR_FILE = "repair"
QUESTIONS_FILE = "questions"


class MachineLearning:
    """Passes windows to the head updater of one machine, from its first baseline on.

    The window loop calls it; `save` and the questions are for other threads too. Labels go to the
    head updater itself.

    Parameters
    ----------
    folder : Path
        For checkpoints and replay.
    machine : str
    settings : LearningSettings, optional
    """

    def __init__(self, folder: Path, machine: str, settings: LearningSettings = SETTINGS) -> None:
        self._folder = folder
        self._machine = machine
        self.settings = settings
        self._updater: HeadUpdater | None = None
        self._prelude: deque[ScoredWindow] = deque(maxlen=PRELUDE_WINDOWS)
        self._recent_ns: deque[int] = deque(maxlen=PRELUDE_WINDOWS)
        """Times of the last hops without an event."""
        self._event_id: str | None = None
        self._departure: DepartureSum | None = None
        self._recognised: Reason | None = None
        self._failing = False
        self._questions: Questions | None = None
        self.repair: RepairCheck | None = None
        """The check of the last planned work, None without one."""

    def begin(self, model: MachineModel) -> HeadUpdater:
        """Learn on this baseline from now on; continue the work of an earlier process on it.

        Returns
        -------
        HeadUpdater
            Gets the windows, and learns from labels on them.
        """
        contexts = contexts_of(model)
        self._updater = HeadUpdater(
            self._folder, self._machine, contexts, model.baseline_id, self.settings, time.time_ns()
        )
        self._updater.remember(model.healthy, None)
        self._prelude.clear()
        self._recent_ns.clear()
        self._departure = self._recognised = None
        self._questions = Questions(self._folder / f"{QUESTIONS_FILE}-{model.baseline_id[:12]}")
        self._repair_file = self._folder / f"{REPAIR_FILE}-{model.baseline_id[:12]}"
        self.repair = self._read_repair()
        return self._updater

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions that wait for an answer, the most informative first."""
        return self._questions.open(time.time_ns()) if self._questions else ()

    def question(self, question_id: str) -> Question | None:
        """Return a question, answered or not; None if there is none of this id."""
        return self._questions.find(question_id) if self._questions else None

    def answered(self, question_id: str) -> None:
        """Note the answer to a question."""
        if self._questions is not None:
            self._questions.answer(question_id)

    def ask(
        self, decision: Decision, windows: Sequence[ScoredWindow], event_id: str | None
    ) -> None:
        """Ask about a stretch without an event if its answer would help; its windows are kept."""
        if self._questions is None or self._updater is None:
            return
        has_event = event_id is not None
        new = self._questions.follow(decision, windows, time.time_ns(), has_event=has_event)
        if new is None:
            return
        question, hops = new
        for hop in hops:
            self._updater.remember(hop, question.question_id)
        self.save()
        log.info("%s: asks about %s: %s", self._machine, question.question_id, question.said.text)

    def begin_repair_check(self, event_id: str, t_ns: int) -> RepairCheck | None:
        """Compare the windows from now on with those of an event before work on the machine.

        Returns
        -------
        RepairCheck or None
            None without a baseline: there is nothing to compare with.
        """
        if self._updater is None:
            return None
        self.repair = RepairCheck(event_id, t_ns, self._updater.centres_of(event_id))
        self._keep_repair()
        return self.repair

    def follow_repair(
        self,
        decision: Decision,
        windows: Sequence[ScoredWindow],
        compare: CompareValues | None = None,
    ) -> RepairResult | None:
        """Add a hop to the check after work, if one runs; returns its result once.

        Where overall values decide, ``compare`` says how they lie.
        """
        check = self.repair
        if check is None:
            return None
        if not (check.ask_values(compare) if compare else check.add_hop(decision, windows)):
            return None
        log.info("%s: %s", self._machine, check.said.text)
        self._keep_repair()
        return check.result

    def _keep_repair(self) -> None:
        assert self.repair is not None  # noqa: S101
        try:
            write_whole(self._repair_file, self.repair.to_bytes())
        except OSError as error:
            log.error("%s: the check of the work can't be stored (%s)", self._machine, error)

    def _read_repair(self) -> RepairCheck | None:
        assert self._updater is not None  # noqa: S101
        try:
            data = read_whole(self._repair_file)
        except CheckpointError as error:
            log.error("%s: the check of the work can't be read (%s)", self._machine, error)
            return None
        return RepairCheck.from_bytes(data, self._updater.centres_of) if data else None

    def recognise(
        self,
        decision: Decision,
        windows: Sequence[ScoredWindow],
        points: Mapping[str, Decision],
        event_id: str | None,
    ) -> Decision:
        """Add the earlier confirmed fault that a departure resembles to its reasons.

        The match stays until the departure ends, or a better one replaces it. The open event
        (`event_id`) itself is no earlier fault.
        """
        known = self._updater.known_faults if self._updater else ()
        faults = [fault for fault in known if fault.label.event_id != event_id]
        if not faults or not RULE.opens(decision.condition):
            self._departure = self._recognised = None
            return decision
        if self._departure is None:
            self._departure = DepartureSum()
            self._departure.add(self._prelude)
        suspect = [w for w in windows if _is_suspect(points[w.point])]
        self._departure.add(suspect or _unlikely(windows, points))
        found = resemblance(self._departure, faults, self.settings.resembles)
        best = self._recognised
        if found and (best is None or (found.value or 0.0) > (best.value or 0.0)):
            self._recognised = found
        if self._recognised is None:
            return decision
        return decision._replace(reasons=(*decision.reasons, self._recognised))

    def offer(
        self,
        windows: Sequence[ScoredWindow],
        decisions: Mapping[str, Decision],
        event_id: str | None,
    ) -> None:
        """Pass the windows of a hop to the updater, with the decisions on their points."""
        if self._updater is None:
            return
        self._updater.reports.keep(windows)
        if event_id is not None and self._event_id != event_id:
            self._updater.remember(
                tuple(self._prelude), event_id, min(self._recent_ns, default=None)
            )
            self._recent_ns.clear()
        if event_id is not None or self._event_id is not None:
            self._prelude.clear()
        self._event_id = event_id
        suspect = [w for w in windows if _is_suspect(decisions[w.point])]
        if event_id is not None:
            self._updater.remember(suspect or _unlikely(windows, decisions), event_id)
            return
        self._recent_ns += [window.t_ns for window in windows[:1]]
        if self._prelude:
            self._discard_faded({w.point for w in windows} - {w.point for w in suspect})
        self._prelude.extend(suspect)
        normal = [
            w
            for w in windows
            if decisions[w.point].condition is Condition.NORMAL
            and not _is_suspect(decisions[w.point])
        ]
        self._updater.remember(normal, None)

    def _discard_faded(self, points: set[str]) -> None:
        """Discard suspect windows of points that are normal again without an event."""
        kept = [window for window in self._prelude if window.point not in points]
        self._prelude.clear()
        self._prelude.extend(kept)

    def save(self, *, only_changes: bool = False) -> None:
        """Write the replay to disk; log a failure once, and try again at the next call."""
        if self._updater is None:
            return
        try:
            self._updater.save(only_changes=only_changes)
        except OSError as error:
            if not self._failing:
                log.error("%s: the replay can't be stored (%s)", self._machine, error)
            self._failing = True
        else:
            self._failing = False


def _is_suspect(decision: Decision) -> bool:
    return RULE.opens(decision.condition) or (decision.evidence or 0.0) >= SUSPECT_EVIDENCE


def _unlikely(
    windows: Sequence[ScoredWindow], decisions: Mapping[str, Decision]
) -> list[ScoredWindow]:
    """Return the windows of a departure that only the points together show."""

    def p_value(window: ScoredWindow) -> float:
        p = decisions[window.point].p_value
        return 1.0 if p is None else p

    least = min(map(p_value, windows), default=1.0)
    return [w for w in windows if p_value(w) <= max(UNLIKELY_P, least)]
