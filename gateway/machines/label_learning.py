"""Learning from labels of one machine: which windows are stored, as healthy or of which event."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.checkpoints import CheckpointError
from auscult.models.learning.head import Head
from auscult.models.learning.head_updater import HeadUpdater
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
"""p-value up to which a window counts to the decision on the machine; the least one always does."""
PRELUDE_WINDOWS = 32
"""Suspect windows that are kept: if an event follows, they belong to it."""
DEPARTED = (Condition.WARNING, Condition.ALARM)


class MachineLearning:
    """Offers windows to the head updater of one machine, from its first baseline on.

    `offer` and `heads` are for the window loop and don't wait; the rest may run beside it.

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
        self._updater: HeadUpdater | None = None
        self._prelude: deque[ScoredWindow] = deque(maxlen=PRELUDE_WINDOWS)
        self._event_id: str | None = None
        self._departure: Departure | None = None
        self._recognised: Reason | None = None
        self._failing = False

    @property
    def updater(self) -> HeadUpdater | None:
        """What updates the heads, None before the first baseline."""
        return self._updater

    @property
    def checkpoint_id(self) -> str:
        """Active checkpoint, empty before the first label."""
        return self._updater.checkpoint_id if self._updater else ""

    @property
    def heads(self) -> Mapping[str, Head]:
        """The active head of each point."""
        return self._updater.heads if self._updater else {}

    def begin(self, model: MachineModel) -> None:
        """Learn on this baseline from now on: continue where an earlier process was, or begin."""
        contexts = contexts_of(model)
        self._updater = HeadUpdater(
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
        known = self._updater.known_faults if self._updater else ()
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

    def offer(
        self,
        windows: Sequence[ScoredWindow],
        decisions: Mapping[str, Decision],
        event_id: str | None,
    ) -> None:
        """Offer the windows of a hop, with the decisions on their points."""
        if self._updater is None:
            return
        if event_id is not None and self._event_id != event_id and self._prelude:
            self._updater.remember(tuple(self._prelude), event_id)
        if event_id is not None or self._event_id is not None:
            self._prelude.clear()
        self._event_id = event_id
        suspect = [w for w in windows if _is_suspect(decisions[w.point])]
        if event_id is not None:
            self._updater.remember(suspect or _unlikely(windows, decisions), event_id)
            return
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
        """Discard suspect windows of points that are normal again: they led to no event."""
        kept = [window for window in self._prelude if window.point not in points]
        self._prelude.clear()
        self._prelude.extend(kept)

    def label(self, label: Label) -> HeadUpdate | None:
        """Learn from a label, once for each label id; None before the first baseline."""
        return self._updater.learn(label) if self._updater else None

    def roll_back(self, checkpoint_id: str | None, at_ns: int) -> Checkpoint:
        """Return to a checkpoint, or to the one before the active one; once for each `at_ns`.

        Raises
        ------
        CheckpointError
            If there is none, or its weights can't be used.
        """
        if self._updater is None:
            raise CheckpointError("nothing_to_undo")
        entries = self._updater.checkpoints()
        known = [entry.checkpoint for entry in entries]
        for entry in entries:
            if entry.checkpoint.created_ns == at_ns and entry.is_return:
                return entry.checkpoint
        wanted = checkpoint_id or _before(known, self._updater.checkpoint_id)
        if wanted is None:
            raise CheckpointError("no_earlier_checkpoint")
        return self._updater.roll_back(wanted, at_ns)

    def save(self) -> None:
        """Write the replay to disk; a failure is logged once and left to the next time."""
        if self._updater is None:
            return
        try:
            self._updater.save()
        except OSError as error:
            if not self._failing:
                log.error("%s: the replay can't be stored (%s)", self._machine, error)
            self._failing = True
        else:
            self._failing = False


def _before(known: Sequence[Checkpoint], active_id: str) -> str | None:
    """Return the id of the checkpoint before the active one, or before the one it copies."""
    sha256 = next((c.sha256 for c in known if c.checkpoint_id == active_id), None)
    origin = next((c for c in known if c.sha256 == sha256), None)
    return origin.parent_id if origin else None


def _is_suspect(decision: Decision) -> bool:
    return decision.condition in DEPARTED or (decision.evidence or 0.0) >= SUSPECT_EVIDENCE


def _unlikely(
    windows: Sequence[ScoredWindow], decisions: Mapping[str, Decision]
) -> list[ScoredWindow]:
    """Return the windows of a departure that only the points together show."""

    def p_value(window: ScoredWindow) -> float:
        p = decisions[window.point].p_value
        return 1.0 if p is None else p

    least = min(map(p_value, windows), default=1.0)
    return [w for w in windows if p_value(w) <= max(UNLIKELY_P, least)]
