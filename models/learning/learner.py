"""Learning of one machine: remembers windows, takes labels, changes heads, keeps checkpoints."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models import artefact
from models.calibration import Calibration
from models.detector import JudgedWindow
from models.learning.checkpoints import (
    CheckpointError,
    CheckpointStore,
    Entry,
    read_whole,
    write_whole,
)
from models.learning.gate import PointReplay, Replayed, judge, limit_of, replay_events
from models.learning.head import Head
from models.learning.lesson import new_head, with_offset
from models.learning.replay import Replay, RowClass
from models.learning.settings import SETTINGS, LearningSettings
from models.machine_model import MachineModel
from models.records import Checkpoint, CheckpointState, HeadUpdate, Label, Metrics, Verdict
from models.runtime import Model

logger = logging.getLogger(__name__)

REPLAY_FILE = "replay"
BACKLOG = 1000
"""Hops that wait at most while a label is being learned: minutes of windows, and older ones are
no loss to a replay."""
ROW_CLASS = {
    Verdict.FALSE_ALARM: RowClass.FALSE_ALARM,
    Verdict.CONFIRMED_FAULT: RowClass.CONFIRMED_FAULT,
}


@dataclass(frozen=True, slots=True)
class PointContext:
    """What the baseline fixed for a point: its whitened coordinates, and its calibrations."""

    coordinates: int
    seen: Calibration
    unseen: Calibration


def contexts_of(model: MachineModel) -> dict[str, PointContext]:
    """Give what learning needs of each point of a machine's model."""
    return {
        name: PointContext(len(point.distance.centre), point.seen, point.unseen or point.seen)
        for kind in model.kinds
        for name, point in zip(kind.slots.points, kind.points, strict=True)
    }


class Learner:
    """The heads of one machine's points, and everything that changes them.

    The window loop calls `remember` and reads `heads`, neither of which waits; `label` and the
    rest may run in another thread meanwhile.

    Parameters
    ----------
    folder : Path
        Holds replay and checkpoints; nothing else may write to it.
    machine : str
    points : mapping of point to PointContext
        In the order of the machine's rows.
    baseline_id : str
        Heads and replay live in the coordinates of one baseline: after a new baseline learning
        starts afresh, the old checkpoints stay.
    """

    def __init__(
        self,
        folder: Path,
        machine: str,
        points: Mapping[str, PointContext],
        baseline_id: str,
        settings: LearningSettings = SETTINGS,
    ) -> None:
        self.machine = machine
        self.settings = settings
        self._points = dict(points)
        self._limits = {p: limit_of(c.seen, settings.p_limit) for p, c in points.items()}
        self._baseline_id = baseline_id
        self._store = CheckpointStore(folder, settings.keep)
        self._replay_file = folder / REPLAY_FILE
        data, manifest = artefact.load("vibration")
        self._model = Model(data, manifest.sha256)
        self._heads = self._start_heads()
        self._active_id = ""
        entry = self._store.active()
        if entry is not None:
            payload = self._store.payload(entry.checkpoint.checkpoint_id)
            self._take(payload, entry.checkpoint.checkpoint_id)
        self._replays = self._read_replays()
        self._updates = {e.update.label_id: e.update for e in self._store.entries() if e.update}
        self._lock = threading.Lock()
        self._incoming: deque[tuple[tuple[JudgedWindow, ...], str | None]] = deque(maxlen=BACKLOG)

    @property
    def checkpoint_id(self) -> str:
        """Id of the active checkpoint, empty before the first label."""
        return self._active_id

    @property
    def heads(self) -> Mapping[str, Head]:
        """The active head of each point, for `MachineDetector.set_heads`; replaced as a whole."""
        return self._heads

    def remember(self, windows: Sequence[JudgedWindow], event_id: str | None) -> None:
        """Show the windows of a hop to the replay, which may keep some; never waits.

        Parameters
        ----------
        windows : sequence of JudgedWindow
        event_id : str or None
            The open event that they belong to. Without one they count as healthy, so show no
            windows while a condition is suspect but no event is open.
        """
        self._incoming.append((tuple(windows), event_id))
        if self._lock.acquire(blocking=False):
            try:
                self._take_in()
            finally:
                self._lock.release()

    def save(self) -> None:
        """Write the replay to disk; do so when an event opens or closes, and at the end."""
        with self._lock:
            self._take_in()
            self._save()

    def label(self, label: Label) -> HeadUpdate:
        """Learn from a verdict on an event; the update says what changed, or why nothing did.

        The same event may be labelled again: the later verdict replaces the earlier one, whose
        effect is undone by learning everything else from the start. A label that was learned
        already, as when a restarted gateway repeats it, gives its old update again.
        """
        with self._lock:
            self._take_in()
            if label.label_id not in self._updates:
                self._updates[label.label_id] = self._label(label)
            return self._updates[label.label_id]

    def _label(self, label: Label) -> HeadUpdate:
        started = time.perf_counter()
        earlier = {p: replay.class_of(label.event_id) for p, replay in self._replays.items()}
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        before = self._heads
        known = [point for point, found in earlier.items() if found is not None]
        for point in known:
            self._replays[point].mark(label.event_id, row_class)
        replayed_before = self._replayed(before)
        corrected = any(c in ROW_CLASS.values() and c is not row_class for c in earlier.values())
        disputed: list[str] = []
        if not known:
            accepted, reason = False, "no window of this event is kept, so nothing can be learned"
            after = before
        elif row_class is RowClass.OPEN and not corrected:
            accepted, reason, after = False, f"{label.verdict} changes no head", before
        else:
            relearned = list(self._points) if corrected else known
            after = self._learn(relearned, self._start_heads() if corrected else before)
            if row_class is RowClass.CONFIRMED_FAULT:
                after, disputed = self._without_contradictions(after, known)
            decision = judge(replayed_before, self._replayed(after), label.event_id, self.settings)
            accepted, reason = decision.accepted or corrected, decision.reason
        if disputed:
            reason += "; contradicts the false-alarm label of event " + ", ".join(disputed)
        if not accepted and row_class is not RowClass.CONFIRMED_FAULT:
            # What the gate refused must not come back with the next label; a confirmed fault
            # stays among what must be detected even if no better head was found for it.
            for point in known:
                self._replays[point].mark(label.event_id, RowClass.OPEN)
        return self._commit(label, before, after, replayed_before, accepted, reason, started)

    def roll_back(self, checkpoint_id: str, now_ns: int) -> Checkpoint:
        """Make the heads of an older checkpoint active again, bit for bit.

        Raises
        ------
        CheckpointError
            If it is missing, damaged, of another baseline, or its weights are no longer kept.
        """
        with self._lock:
            payload = self._store.payload(checkpoint_id)
            heads = self._unpack(payload)
            if heads is None:
                raise CheckpointError(f"checkpoint {checkpoint_id} belongs to another baseline")
            checkpoint = self._store.write(
                self._checkpoint(now_ns, CheckpointState.ACTIVE, f"back to {checkpoint_id}"),
                None,
                payload,
            )
            self._take(payload, checkpoint.checkpoint_id)
            return checkpoint

    def checkpoints(self) -> list[Entry]:
        """Give all checkpoints, oldest first, each with its update: the ledger of labels."""
        return self._store.entries()

    def resembles(self, window: JudgedWindow) -> float:
        """Tell how alike a window is to the nearest confirmed fault, 0..1; 0 without any."""
        found = self._heads[window.point].resembles(window.position)
        return found[1] if found else 0.0

    def _take_in(self) -> None:
        while self._incoming:
            windows, event_id = self._incoming.popleft()
            for window in windows:
                self._replays[window.point].offer(
                    window.position,
                    window.log_score,
                    window.t_ns,
                    seen=window.seen,
                    state=window.state,
                    event_id=event_id,
                )

    def _save(self) -> None:
        parts = {point: replay.to_bytes() for point, replay in self._replays.items()}
        write_whole(self._replay_file, _pack(parts, {"baseline_id": self._baseline_id}))

    def _learn(self, points: Sequence[str], start: Mapping[str, Head]) -> dict[str, Head]:
        """Make candidate heads from every second row; the gate judges on the others."""
        heads = dict(self._heads)
        for point in points:
            rows = self._replays[point].rows
            train = rows.where(_halves(rows.info["group"])[0])
            head = new_head(start[point], train, self._model, self.settings)
            heads[point] = with_offset(head, train, self._limits[point], self.settings)
        return heads

    def _without_contradictions(
        self, heads: dict[str, Head], points: Sequence[str]
    ) -> tuple[dict[str, Head], list[str]]:
        """Dispute false-alarm labels whose places would silence a confirmed fault.

        A confirmed fault outweighs a false alarm: the events are set apart until a person decides.
        """
        disputed: list[str] = []
        bare = self._replayed(self._start_heads())
        while True:
            lost = self._replayed(heads).faults_lost(bare, self.settings)
            event = self._nearest_false_alarm(lost[0], points) if lost else None
            if event is None:
                return heads, disputed
            disputed.append(event)
            for replay in self._replays.values():
                replay.mark(event, RowClass.OPEN)
            heads = self._learn(points, self._heads)

    def _nearest_false_alarm(self, fault: str, points: Sequence[str]) -> str | None:
        nearest: list[tuple[float, str]] = []
        for point in points:
            rows = self._replays[point].rows
            at = rows.positions[rows.info["group"] == fault]
            false_alarms = rows.of(RowClass.FALSE_ALARM)
            for event in false_alarms.groups if len(at) else ():
                centre = false_alarms.positions[false_alarms.info["group"] == event].mean(0)
                nearest.append((float(((at.mean(0) - centre) ** 2).sum()), event))
        return min(nearest)[1] if nearest else None

    def _replayed(self, heads: Mapping[str, Head]) -> Replayed:
        """Replay the rows that candidates are not trained on."""
        replays = {}
        for point, context in self._points.items():
            rows = self._replays[point].rows
            held_back = rows.where(_halves(rows.info["group"])[1])
            replays[point] = PointReplay(held_back, context.seen, context.unseen)
        return replay_events(replays, heads, self.settings)

    def _commit(
        self,
        label: Label,
        before: Mapping[str, Head],
        after: Mapping[str, Head],
        replayed_before: Replayed,
        accepted: bool,
        reason: str,
        started: float,
    ) -> HeadUpdate:
        """Write what happened, whole, and only then let it act."""
        metrics_before = replayed_before.metrics(self._threshold(before), self.settings)
        metrics_after = self._replayed(after).metrics(self._threshold(after), self.settings)
        self._save()
        state = CheckpointState.ACTIVE if accepted else CheckpointState.REJECTED
        update = HeadUpdate(
            label_id=label.label_id,
            machine=self.machine,
            checkpoint_id="",
            parent_id=self._active_id,
            accepted=accepted,
            reason=reason,
            before=metrics_before,
            after=metrics_after,
            weights_change_norm=_change(before, after),
            duration_ms=(time.perf_counter() - started) * 1e3,
        )
        checkpoint = self._checkpoint(label.at_ns, state, reason, metrics_before, metrics_after)
        payload = self._pack_heads(after)
        checkpoint = self._store.write(checkpoint, update, payload)
        if accepted:
            self._take(payload, checkpoint.checkpoint_id)
        return replace(update, checkpoint_id=checkpoint.checkpoint_id)

    def _threshold(self, heads: Mapping[str, Head]) -> float:
        """Highest of the points' limits, as a score."""
        return float(np.exp(max(self._limits[p] + head.offset for p, head in heads.items())))

    def _checkpoint(
        self,
        now_ns: int,
        state: CheckpointState,
        reason: str,
        before: Metrics | None = None,
        after: Metrics | None = None,
    ) -> Checkpoint:
        return Checkpoint(
            checkpoint_id="",
            parent_id=self._active_id or None,
            machine=self.machine,
            created_ns=now_ns,
            state=state,
            reason=reason,
            metrics_before=before,
            metrics_after=after,
            size_bytes=0,
            sha256="",
        )

    def _start_heads(self) -> dict[str, Head]:
        return {p: Head.start(c.coordinates) for p, c in self._points.items()}

    def _pack_heads(self, heads: Mapping[str, Head]) -> bytes:
        parts = {point: head.to_bytes() for point, head in heads.items()}
        return _pack(parts, {"baseline_id": self._baseline_id})

    def _unpack(self, payload: bytes) -> dict[str, Head] | None:
        parts, about = _unpack(payload)
        if about["baseline_id"] != self._baseline_id or parts.keys() != self._points.keys():
            return None
        return {point: Head.from_bytes(part) for point, part in parts.items()}

    def _take(self, payload: bytes, checkpoint_id: str) -> None:
        heads = self._unpack(payload)
        if heads is not None:
            self._heads, self._active_id = heads, checkpoint_id

    def _read_replays(self) -> dict[str, Replay]:
        fresh = {
            point: Replay(context.coordinates, self.settings)
            for point, context in self._points.items()
        }
        try:
            data = read_whole(self._replay_file)
        except CheckpointError as error:
            logger.error("replay of %s starts empty: %s", self.machine, error)
            return fresh
        if data is None:
            return fresh
        parts, about = _unpack(data)
        if about["baseline_id"] != self._baseline_id or parts.keys() != fresh.keys():
            return fresh
        return {point: Replay.from_bytes(part, self.settings) for point, part in parts.items()}


def _halves(group: NDArray[np.str_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Split the rows of each group alternately; a single row belongs to both halves."""
    first = np.zeros(len(group), bool)
    second = np.zeros(len(group), bool)
    for name in np.unique(group):
        rows = np.flatnonzero(group == name)
        first[rows[::2]] = True
        second[rows[1::2] if len(rows) > 1 else rows] = True
    return first, second


def _change(before: Mapping[str, Head], after: Mapping[str, Head]) -> float:
    """Euclidean norm of what changed in gates, limits and places."""
    total = 0.0
    for point, old in before.items():
        new = after[point]
        total += float(((new.weights - old.weights) ** 2).sum()) + (new.offset - old.offset) ** 2
        old_places = {place.tobytes() for place in old.places}
        for place in new.places:
            if place.tobytes() not in old_places:
                total += float((place.astype(np.float32) ** 2).sum())
    return float(np.sqrt(total))


def _pack(parts: Mapping[str, bytes], about: Mapping[str, str]) -> bytes:
    sizes = {name: len(part) for name, part in parts.items()}
    header = json.dumps({"sizes": sizes, "about": about}).encode()
    return header + b"\n" + b"".join(parts.values())


def _unpack(data: bytes) -> tuple[dict[str, bytes], dict[str, str]]:
    header, body = data.split(b"\n", 1)
    fields = json.loads(header)
    parts, start = {}, 0
    for name, size in fields["sizes"].items():
        parts[name] = body[start : start + size]
        start += size
    return parts, fields["about"]
