"""The windows that the loop passes on: into the replay, the count of novel data, a shadow run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.models.learning.checkpoints import write_whole
from auscult.models.learning.gate import PointContext
from auscult.models.learning.history import Heads
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.shadow import ShadowRun
from auscult.models.learning.trigger import Novelty
from auscult.models.records import ScoredWindow

SHADOW_FILE = "shadow"
BACKLOG = 1000
"""Most hops that wait while a label is being learned: minutes of windows. A replay loses nothing
when older ones are discarded."""


class LiveWindows:
    """Takes windows from the loop at any time, and passes them on when learning has time.

    `put` may run beside the rest; the rest is not thread-safe.

    Parameters
    ----------
    folder : Path
        Holds the file of the shadow run.
    replay : MachineReplay
    points : mapping of point to PointContext
    settings : LearningSettings
    """

    def __init__(
        self,
        folder: Path,
        replay: MachineReplay,
        points: Mapping[str, PointContext],
        settings: LearningSettings,
    ) -> None:
        self.shadow: ShadowRun | None = None
        self.novelty = Novelty()
        self._shadow_file = folder / SHADOW_FILE
        self._replay = replay
        self._points = points
        self._settings = settings
        self._incoming: deque[tuple[tuple[ScoredWindow, ...], str | None, int | None]]
        self._incoming = deque(maxlen=BACKLOG)

    def put(
        self,
        windows: Sequence[ScoredWindow],
        event_id: str | None,
        doubtful_since_ns: int | None = None,
    ) -> None:
        """Note the windows of a hop and the open event that they belong to.

        With ``doubtful_since_ns`` those that were healthy since are no longer.
        """
        self._incoming.append((tuple(windows), event_id, doubtful_since_ns))

    def process(self, active: Heads, newest: Heads) -> None:
        """Pass on all windows so far: ``active`` heads decide, ``newest`` may be a candidate's."""
        points, settings = self._points, self._settings
        while self._incoming:
            windows, event_id, doubtful_since_ns = self._incoming.popleft()
            if doubtful_since_ns is not None:
                self._replay.discard_healthy(doubtful_since_ns)
            self._replay.offer(windows, event_id)
            if event_id is not None:
                classes = self._replay.classes_of(event_id)
                self.novelty.count(windows, classes, active, points, settings)
            if self.shadow is not None:
                in_event = event_id is not None
                self.shadow.compare(windows, in_event, active, newest, points, settings)

    def begin_shadow(self, checkpoint_id: str) -> None:
        """Begin the shadow run of a new candidate."""
        self.shadow = ShadowRun(checkpoint_id)

    def resume_shadow(self, checkpoint_id: str) -> None:
        """Continue the shadow run of a candidate from the file, or begin it."""
        self.shadow = ShadowRun.resumed(checkpoint_id, self._shadow_file)

    def save(self, *, only_changes: bool = False) -> None:
        """Write replay and shadow run to disk."""
        if self._replay.changed or not only_changes:
            self._replay.save()
        if self.shadow is not None:
            write_whole(self._shadow_file, self.shadow.to_bytes())
