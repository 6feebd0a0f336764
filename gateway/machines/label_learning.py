"""What labels teach a machine on this gateway: which windows the learner sees, and as what."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.head import Head
from auscult.models.learning.learner import Learner
from auscult.models.learning.machine_replay import contexts_of
from auscult.models.learning.recognition import Departure, resemblance
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.records import (
    Checkpoint,
    Condition,
    Decision,
    HeadUpdate,
    Label,
    Reason,
    ScoredWindow,
)

log = logging.getLogger(__name__)

SUSPECT_EVIDENCE = 0.5
"""Share of the warning level from which a window is neither healthy nor yet of an event."""
UNLIKELY_P = 0.05
"""p-value of a window that has a part in the verdict on the machine; the least one always has."""
PRELUDE_WINDOWS = 32
"""Suspect windows that are kept: if an event follows, they belong to it."""
DEPARTED = (Condition.WARNING, Condition.ALARM)


class MachineLearning:
    """The learner of one machine, beginning with its first baseline.

    `show` and `heads` are for the window loop and don't wait; the rest may run beside it.

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
        self._settings = settings
        self._learner: Learner | None = None
        self._prelude: deque[ScoredWindow] = deque(maxlen=PRELUDE_WINDOWS)
        self._event_id: str | None = None
        self._departure: Departure | None = None
        self._recognised: Reason | None = None
        self._failing = False

    @property
    def learner(self) -> Learner | None:
        """What learns, None before the first baseline."""
        return self._learner

    @property
    def checkpoint_id(self) -> str:
        """Active checkpoint, empty before the first label."""
        return self._learner.checkpoint_id if self._learner else ""

    @property
    def heads(self) -> Mapping[str, Head]:
        """What labels have taught of each point."""
        return self._learner.heads if self._learner else {}

    def begin(self, model: MachineModel) -> None:
        """Learn on this baseline from now on: go on where an earlier process was, or afresh."""
        contexts = contexts_of(model)
        self._learner = Learner(
            self._folder, self._machine, contexts, model.baseline_id, self._settings, time.time_ns()
        )
        self._prelude.clear()

    def recognise(
        self,
        decision: Decision,
        windows: Sequence[ScoredWindow],
        points: Mapping[str, Decision],
        event_id: str | None,
    ) -> Decision:
        """Add to a departure's reasons the earlier confirmed fault that it resembles.

        Once recognised it stays so until the departure ends; a better match replaces it. A
        departure that is confirmed while it lasts (`event_id`) does not resemble itself.
        """
        known = self._learner.known_faults if self._learner else ()
        faults = [fault for fault in known if fault.label.event_id != event_id]
        if not faults or decision.condition not in DEPARTED:
            self._departure = self._recognised = None
            return decision
        if self._departure is None:
            self._departure = Departure()
            self._departure.take(self._prelude)
        suspect = [w for w in windows if _is_suspect(points[w.point])]
        self._departure.take(suspect or _unlikely(windows, points))
        found = resemblance(self._departure, faults, self._settings.resembles)
        best = self._recognised
        if found and (best is None or (found.value or 0.0) > (best.value or 0.0)):
            self._recognised = found
        if self._recognised is None:
            return decision
        return decision._replace(reasons=(*decision.reasons, self._recognised))

    def show(
        self,
        windows: Sequence[ScoredWindow],
        decisions: Mapping[str, Decision],
        event_id: str | None,
    ) -> None:
        """Show the windows of a hop, with what was decided of their points."""
        if self._learner is None:
            return
        if event_id is not None and self._event_id != event_id and self._prelude:
            self._learner.remember(tuple(self._prelude), event_id)
        if event_id is not None or self._event_id is not None:
            self._prelude.clear()
        self._event_id = event_id
        suspect = [w for w in windows if _is_suspect(decisions[w.point])]
        if event_id is not None:
            self._learner.remember(suspect or _unlikely(windows, decisions), event_id)
            return
        if self._prelude:
            self._forget_faded({w.point for w in windows} - {w.point for w in suspect})
        self._prelude.extend(suspect)
        normal = [
            w
            for w in windows
            if decisions[w.point].condition is Condition.NORMAL
            and not _is_suspect(decisions[w.point])
        ]
        self._learner.remember(normal, None)

    def _forget_faded(self, points: set[str]) -> None:
        """Let go of suspect windows of points that are well again: they led to no event."""
        kept = [window for window in self._prelude if window.point not in points]
        self._prelude.clear()
        self._prelude.extend(kept)

    def label(self, label: Label) -> HeadUpdate | None:
        """Learn from a label, once for each label id; None before the first baseline."""
        return self._learner.label(label) if self._learner else None

    def roll_back(self, checkpoint_id: str | None, at_ns: int) -> Checkpoint:
        """Go back to a checkpoint, or to the one before what is active; once for each `at_ns`.

        Raises
        ------
        CheckpointError
            If it can't be gone back to.
        LookupError
            If there is none.
        """
        if self._learner is None:
            raise LookupError("the machine has no baseline yet, so there is nothing to undo")
        known = [entry.checkpoint for entry in self._learner.checkpoints()]
        for checkpoint in known:
            if checkpoint.created_ns == at_ns and checkpoint.reason.startswith("back to "):
                return checkpoint
        wanted = checkpoint_id or _before(known, self._learner.checkpoint_id)
        if wanted is None:
            raise LookupError("the machine has no earlier checkpoint")
        return self._learner.roll_back(wanted, at_ns)

    def save(self) -> None:
        """Write the replay to disk; a failure is logged once and left to the next time."""
        if self._learner is None:
            return
        try:
            self._learner.save()
        except OSError as error:
            if not self._failing:
                log.error("%s: the replay can't be stored (%s)", self._machine, error)
            self._failing = True
        else:
            self._failing = False


def _before(known: Sequence[Checkpoint], active_id: str) -> str | None:
    """Name the checkpoint before the active one, or before the one that it was copied from."""
    sha256 = next((c.sha256 for c in known if c.checkpoint_id == active_id), None)
    origin = next((c for c in known if c.sha256 == sha256), None)
    return origin.parent_id if origin else None


def _is_suspect(decision: Decision) -> bool:
    return decision.condition in DEPARTED or (decision.evidence or 0.0) >= SUSPECT_EVIDENCE


def _unlikely(
    windows: Sequence[ScoredWindow], decisions: Mapping[str, Decision]
) -> list[ScoredWindow]:
    """Pick the windows that carry what only the points together show."""

    def p_value(window: ScoredWindow) -> float:
        p = decisions[window.point].p_value
        return 1.0 if p is None else p

    least = min(map(p_value, windows), default=1.0)
    return [w for w in windows if p_value(w) <= max(UNLIKELY_P, least)]
