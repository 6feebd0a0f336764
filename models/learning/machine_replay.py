"""The replays of all points of a machine: its stored windows, and how heads score them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.kind_model import Rescore
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.breadth import breadth
from auscult.models.learning.checkpoints import CheckpointError, read_whole, write_whole
from auscult.models.learning.gate import PointContext, PointReplay, Replayed, replay_events
from auscult.models.learning.head import Head
from auscult.models.learning.known_scores import KnownScores
from auscult.models.learning.lookalikes import (
    Likeness,
    false_alarms_like,
    fault_like,
)
from auscult.models.learning.packing import pack, unpack
from auscult.models.learning.replay import Replay, ReplayRows, RowClass, group_key
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.window_ring import RingWindow
from auscult.models.records import ScoredWindow

LAST_NS = int(np.iinfo(np.int64).max)
REPLAY_FILE = "replay"
"""Files begin with it; the baseline's id follows."""
LAYOUT, READABLE = "4", ("2", "3", "4")
"""Of the file; one of another layout is not read."""

logger = logging.getLogger(__name__)


def contexts_of(model: MachineModel) -> dict[str, PointContext]:
    """Return what learning needs of each point of a machine's model."""
    return {
        name: PointContext(
            kind.autoencoder.width + kind.autoencoder.latent,
            point.seen,
            point.unseen or point.seen,
            model.predicts_states,
            kind.distance.slots,
            partial(kind.rescore, kind.row[name]),
        )
        for kind in model.kinds
        for name, point in zip(kind.slots.points, kind.points, strict=True)
    }


class MachineReplay:
    """A replay for each point, kept in one file.

    Every second row of an event or state trains heads; the gate decides on the others. The file
    holds the windows; the marks of events are in the checkpoints too, so that a label costs no
    more than its checkpoint.

    Parameters
    ----------
    path : Path
        The file; a damaged one, or one of another baseline, is not read.
    points : mapping of point to PointContext
    baseline_id : str
    """

    def __init__(
        self,
        path: Path,
        points: Mapping[str, PointContext],
        baseline_id: str,
        settings: LearningSettings,
    ) -> None:
        self._path = path
        self._points = dict(points)
        self._about = {"baseline_id": baseline_id, "layout": LAYOUT}
        self._settings = settings
        self._replays = self._read() or {
            point: Replay(context.coordinates, context.slots, settings)
            for point, context in points.items()
        }
        self._known = {point: KnownScores() for point in points}
        self._unsaved_events: set[str] = set()

    def copied(self) -> MachineReplay:
        """Return a copy in memory for a preview; don't save it."""
        other = copy(self)
        other._replays = deepcopy(self._replays)
        other._known = deepcopy(self._known)
        other._unsaved_events = set(self._unsaved_events)
        return other

    def offer(self, windows: Sequence[ScoredWindow], event_id: str | None) -> None:
        """Offer the windows of a hop to the replays; without an event they are healthy ones."""
        if event_id is not None:
            self._unsaved_events.add(event_id)
        for window in windows:
            self._replays[window.point].offer(
                window.position,
                window.log_score,
                window.t_ns,
                seen=window.seen,
                state=window.state,
                event_id=event_id,
                z=window.z,
            )

    def discard_healthy(self, since_ns: int) -> None:
        """Discard the healthy windows since a time: they may show what an event found later."""
        for replay in self._replays.values():
            replay.discard_healthy(since_ns, LAST_NS)

    def store_report(
        self, windows: Sequence[RingWindow], event_id: str, start_ns: int, end_ns: int
    ) -> tuple[str, ...]:
        """Store the windows of a reported fault, evenly over its time.

        It returns the points that have any. The same report is taken once. Healthy windows of that
        time are discarded.
        """
        if known := self.classes_of(event_id):
            return tuple(known)
        by_point: dict[str, list[RingWindow]] = {}
        for window in windows:
            by_point.setdefault(window.point, []).append(window)
        for point, own in by_point.items():
            context = self._points[point]
            if context.rescore is None:
                continue
            most = min(len(own), self._settings.report_rows)
            some = [own[i] for i in np.linspace(0, len(own) - 1, most).astype(int)]
            scored = context.rescore(np.stack([one.z[: context.slots] for one in some]))
            self._replays[point].discard_healthy(start_ns, end_ns)
            for i, one in enumerate(some):
                again = ScoredWindow(
                    point,
                    one.t_ns,
                    scored.position[i],
                    float(scored.log_score[i]),
                    one.state,
                    one.seen,
                    one.z[: context.slots],
                )
                self.offer([again], event_id)
        return tuple(self.classes_of(event_id))

    def store_place(self, point: str, event_id: str, place: NDArray[np.float32], t_ns: int) -> None:
        """Store a place of another machine [shape=(m,)] as the window of an event, once."""
        if point not in self.classes_of(event_id):
            score = float(np.log((place**2).sum()))
            self.offer([ScoredWindow(point, t_ns, place, score, "", seen=True)], event_id)

    def classes_of(self, event_id: str) -> dict[str, RowClass]:
        """Return, for each point with windows of an event, how they are marked."""
        found = {point: replay.class_of(event_id) for point, replay in self._replays.items()}
        return {point: row_class for point, row_class in found.items() if row_class is not None}

    def mark(self, event_id: str, row_class: RowClass, kind: str = "") -> None:
        """Mark the windows of an event, with the kind if a fault."""
        for replay in self._replays.values():
            replay.mark(event_id, row_class, kind)

    def has_unsaved(self, event_id: str) -> bool:
        """Return whether windows of this event are not on disk yet."""
        return event_id in self._unsaved_events

    def rows(self, point: str) -> ReplayRows:
        """Return all rows of a point."""
        return self._replays[point].rows

    def training_rows(self, point: str) -> ReplayRows:
        """Return the rows that heads are trained on."""
        return self._replays[point].training

    def replayed_with(self, heads: Mapping[str, Head]) -> Replayed:
        """Replay the held-back rows with these heads."""
        held_back = {}
        for point, context in self._points.items():
            rows = self._replays[point].held_back
            held_back[point] = PointReplay(rows, context, self._known[point])
        return replay_events(held_back, heads, self._settings)

    def fault_like(self, heads: Mapping[str, Head], event_id: str) -> Likeness | None:
        """Find the confirmed fault that an event resembles most, as these heads place them."""
        return fault_like(self._placed_by(heads), event_id)

    def breadth_of(self, event_id: str) -> float:
        """Return how wide an event departs where it departs widest, 0..1 (see `breadth`)."""
        event = group_key(event_id)
        return max(breadth(replay.rows.select_event(event)) for replay in self._replays.values())

    def false_alarms_like(
        self, heads: Mapping[str, Head], fault_id: str, least: float
    ) -> tuple[str, ...]:
        """List the false alarms that depart like a confirmed fault, by a cosine of ``least``."""
        return tuple(false_alarms_like(self._placed_by(heads), fault_id, least))

    def _placed_by(
        self, heads: Mapping[str, Head]
    ) -> dict[str, tuple[ReplayRows, Head, Rescore | None]]:
        return {
            point: (replay.rows, heads[point], self._points[point].rescore)
            for point, replay in self._replays.items()
        }

    def false_alarm_nearest(self, fault: str) -> str | None:
        """Find the labelled false alarm whose windows lie nearest to those of a fault."""
        nearest: list[tuple[float, str]] = []
        for replay in self._replays.values():
            rows = replay.rows
            at = rows.select_event(group_key(fault)).positions
            false_alarms = rows.select_classes(RowClass.FALSE_ALARM)
            for event in false_alarms.groups if len(at) else ():
                centre = false_alarms.select_event(event).positions.mean(0)
                nearest.append(
                    (float(((at.mean(0) - centre) ** 2).sum()), event.decode(errors="replace"))
                )
        return min(nearest)[1] if nearest else None

    def centres_of(self, event_id: str) -> dict[int, dict[str, NDArray[np.float32]]]:
        """Return the mean position of an event's windows by operating state and point."""
        centres: dict[int, dict[str, NDArray[np.float32]]] = {}
        for point, replay in self._replays.items():
            rows = replay.rows
            own = rows.select_event(group_key(event_id))
            for state in np.unique(own.info["state"]):
                mean = own.where(own.info["state"] == state).positions.mean(0)
                centres.setdefault(int(state), {})[point] = np.asarray(mean)
        return centres

    def fault_centres(self) -> dict[str, dict[str, NDArray[np.float32]]]:
        """Return the mean position of each confirmed fault at each point that shows it."""
        centres: dict[str, dict[str, NDArray[np.float32]]] = {}
        for point, replay in self._replays.items():
            faults = replay.rows_of(RowClass.CONFIRMED_FAULT)
            for event in faults.groups:
                mean = faults.select_event(event).positions.mean(0)
                centres.setdefault(event.decode(errors="replace"), {})[point] = mean
        return centres

    def save(self) -> None:
        """Write all replays to disk."""
        parts = {point: replay.to_bytes() for point, replay in self._replays.items()}
        write_whole(self._path, pack(parts, self._about))
        self._unsaved_events.clear()
        for replay in self._replays.values():
            replay.changed = False

    @property
    def changed(self) -> bool:
        """Return whether rows came, went or were marked since it was written.

        After some hours most healthy windows are not kept, and a file of 1 MB would be written each
        minute for nothing but their count.
        """
        return any(replay.changed for replay in self._replays.values())

    @property
    def sha256(self) -> str:
        """Hash of all stored windows."""
        parts = [replay.to_bytes() for replay in self._replays.values()]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def _read(self) -> dict[str, Replay] | None:
        try:
            data = read_whole(self._path)
        except CheckpointError as error:
            logger.error("replay starts empty: %s", error)
            return None
        if data is None:
            return None
        parts, about = unpack(data)
        mine = about["baseline_id"] == self._about["baseline_id"] and about["layout"] in READABLE
        if not mine or parts.keys() != self._points.keys():
            return None
        return {
            point: Replay.from_bytes(part, self._points[point].slots, self._settings)
            for point, part in parts.items()
        }


def remove_old_replays(folder: Path, present: Path, keep: int) -> None:
    """Remove all replays but the present one and those used last."""
    files = [path for path in folder.glob(f"{REPLAY_FILE}-*") if path != present]
    newest = sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)
    for path in newest[keep - 1 :]:
        path.unlink()
