"""Replay: the windows that a head is trained and tested on, bounded and balanced."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from auscult.models.learning.settings import SETTINGS, LearningSettings

Float32 = NDArray[np.float32]
T = TypeVar("T", bound=np.generic)


class RowClass(IntEnum):
    """How a window is marked."""

    HEALTHY = 0
    OPEN = 1
    """Of an event without a verdict."""
    FALSE_ALARM = 2
    CONFIRMED_FAULT = 3


GROUP_BYTES = 64
"""Ids are ASCII and no longer than this; a longer name of a state is cut."""


KEY = np.random.default_rng(0).integers(0, 2**64, GROUP_BYTES // 8, np.uint64) | np.uint64(1)
"""Random odd numbers, by which the names of groups become numbers that sort quickly."""


def group_key(name: str) -> bytes:
    """Return the stored name of an event or state: UTF-8, cut to `GROUP_BYTES`."""
    return name.encode()[:GROUP_BYTES]


ROW = np.dtype(
    [
        ("class", "u1"),
        ("seen", "u1"),
        ("group", f"S{GROUP_BYTES}"),
        ("t_ns", "i8"),
        ("log_score", "f4"),
        ("kind", "u4"),
        ("state", "u4"),
    ]
)
"""``group`` is the event, or for healthy windows the operating state; ``seen`` is 1 where the
baseline holds the operating state. ``kind`` of a confirmed fault and ``state`` are the CRC-32 of
their names."""

BALANCED = ("kind", "state", "group")
"""A full class discards a row of its commonest kind, of its commonest state, of its event with most
rows, in this order: a rare kind of fault keeps its rows however often another one comes."""


class ReplayArrays(NamedTuple):
    """Arrays of a replay, a row a window: float16, of single windows float32.

    ``positions`` [shape=(r, m)] and ``z`` [shape=(r, w)]; ``serial`` [shape=(r,), dtype=int64]
    rises, and identifies a window while the process lives.
    """

    positions: NDArray[np.floating]
    z: NDArray[np.floating]
    serial: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReplayRows:
    """Some of a replay's windows, until the replay changes: large arrays are read where needed.

    ``at`` [shape=(n,)] are their rows in ``stored``, ``info`` is the `ROW` of each [shape=(n,)].
    """

    stored: ReplayArrays
    at: NDArray[np.intp]
    info: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.info)

    @property
    def positions(self) -> Float32:
        """Return the whitened positions [shape=(n, m)], a copy."""
        return self.stored.positions[self.at].astype(np.float32)

    @property
    def serials(self) -> NDArray[np.int64]:
        """Return the number of each window [shape=(n,)], rising."""
        return self.stored.serial[self.at]

    @property
    def z(self) -> Float32:
        """Return the z-scores [shape=(n, w)], a copy; NaN where only a position is known."""
        return self.stored.z[self.at].astype(np.float32)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> ReplayRows:
        """Select rows, by mask or by number."""
        return ReplayRows(self.stored, self.at[keep], self.info[keep])

    def select_classes(self, *classes: RowClass) -> ReplayRows:
        """Select classes."""
        chosen = np.zeros(len(RowClass), bool)
        chosen[list(classes)] = True
        return self.where(chosen[self.info["class"]])

    def select_event(self, event: bytes) -> ReplayRows:
        """Select the rows of an event or state, as stored."""
        return self.where(self.info["group"] == event)

    def blocks(self) -> Iterator[ReplayRows]:
        """Yield all rows, so few at a time that their arrays are small."""
        for start in range(0, len(self), BLOCK):
            block = slice(start, start + BLOCK)
            yield ReplayRows(self.stored, self.at[block], self.info[block])

    @property
    def log_scores(self) -> NDArray[np.float64]:
        """Log scores before any head."""
        return self.info["log_score"].astype(np.float64)

    @property
    def groups(self) -> list[bytes]:
        """Return the events or states among the rows, as stored, sorted."""
        return sorted(set(self.info["group"].tolist()))


BLOCK = 32
"""Windows whose positions and z-scores are in memory at a time: 35 kB as float32."""
LARGEST_Z = 60_000.0
"""Limit of stored z-scores: they are float16."""
FIRST_ROWS = 48
"""Rows that a replay begins with; its memory doubles as it fills, to four times these for the
healthy windows alone."""


class Replay:
    """The replay of one point.

    Each class has its own room. A full class discards a row of its largest group (`BALANCED`):
    kinds of faults, operating states and events stay balanced however often or long one comes.

    Parameters
    ----------
    coordinates : int
        Length m of a whitened position.
    slots : int
        Length w of a window's z-scores; 0 = they are not kept.
    """

    def __init__(
        self, coordinates: int, slots: int = 0, settings: LearningSettings = SETTINGS
    ) -> None:
        self._room = {
            RowClass.HEALTHY: settings.healthy_rows,
            RowClass.OPEN: settings.open_rows,
            RowClass.FALSE_ALARM: settings.false_alarm_rows,
            RowClass.CONFIRMED_FAULT: settings.fault_rows,
        }
        self._positions = np.zeros((0, coordinates), np.float16)
        self._info = np.zeros(0, ROW)
        self._z = np.zeros((0, slots), np.float16)
        self._serial = np.zeros(0, np.int64)
        self._n = 0
        self._offered = 0
        self._in_groups: tuple[NDArray[np.intp], NDArray[np.bool_]] | None = None
        self._healthy: int | None = None
        self.changed = False
        """Whether rows came, went or were marked since it was stored."""

    def __len__(self) -> int:
        return self._n

    @property
    def rows(self) -> ReplayRows:
        """Return all rows, in order of arrival."""
        return self._at(np.ones(self._n, bool))

    @property
    def training(self) -> ReplayRows:
        """Return every second row of each event or state, to train heads on."""
        place, _ = self._places()
        return self._at(place % 2 == 0)

    @property
    def held_back(self) -> ReplayRows:
        """Return the other rows, to test heads; a single row belongs to both halves."""
        place, alone = self._places()
        return self._at((place % 2 == 1) | alone)

    def rows_of(self, *classes: RowClass) -> ReplayRows:
        """Select rows of some classes, in order of arrival."""
        return self._at(np.isin(self._info["class"][: self._n], classes))

    def _places(self) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return each row's number within its event or state, and whether it is the only one.

        Kept until a row comes or goes.
        """
        if self._in_groups is not None:
            return self._in_groups
        names = np.ascontiguousarray(self._info["group"][: self._n])
        keys = names.view(np.uint64).reshape(self._n, len(KEY)) @ KEY
        _, group, size = np.unique(keys, return_inverse=True, return_counts=True)
        order = np.argsort(group, kind="stable")
        first = np.repeat(np.cumsum(size) - size, size)
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order)) - first
        self._in_groups = place, size[group] == 1
        return self._in_groups

    def _at(self, keep: NDArray[np.bool_]) -> ReplayRows:
        at = np.flatnonzero(keep)
        stored = ReplayArrays(self._positions, self._z, self._serial)
        return ReplayRows(stored, at, self._info[at])

    def offer(
        self,
        position: Float32,
        log_score: float,
        t_ns: int,
        *,
        seen: bool = True,
        state: str = "",
        event_id: str | None = None,
        z: Float32 | None = None,
    ) -> None:
        """Offer a window to the replay, which may keep it.

        Parameters
        ----------
        position : np.ndarray [shape=(m,), dtype=float32]
            Whitened coordinates.
        log_score : float
            Before any head.
        seen : bool
            Whether the baseline holds the operating state.
        state : str
            Name of the operating state; balances the healthy windows.
        event_id : str, optional
            The open event that the window belongs to; without, it counts as healthy.
        z : np.ndarray [shape=(w,), dtype=float32], optional
            Its z-scores.
        """
        self._offered += 1
        row_class = RowClass.HEALTHY if event_id is None else RowClass.OPEN
        room = self._room[row_class]
        # Reservoir sampling (Vitter 1985): each healthy window seen so far is as likely to be here.
        # After an hour nearly all are rejected, so the draw comes before the count.
        if event_id is None and self._draw(self._offered) >= room and self._healthy_rows() >= room:
            return
        kind, group = 0, group_key(state if event_id is None else event_id)
        if event_id is not None:
            # Windows that come after the verdict on their event share it.
            known = self._info[self._event_rows(event_id)]
            if len(known):
                row_class, kind = RowClass(known["class"][0]), known["kind"].max()
        self._make_room(row_class)
        self._reserve(self._n + 1)
        self._positions[self._n] = position
        self._z[self._n] = np.nan if z is None else np.clip(z, -LARGEST_Z, LARGEST_Z)
        self._info[self._n] = (row_class, seen, group, t_ns, log_score, kind, number_of(state))
        self._serial[self._n] = self._offered
        self._n, self._in_groups, self._healthy = self._n + 1, None, None
        self.changed = True

    def _healthy_rows(self) -> int:
        """Count the healthy rows; kept until a row comes, goes or is marked."""
        if self._healthy is None:
            self._healthy = int((self._info["class"][: self._n] == RowClass.HEALTHY).sum())
        return self._healthy

    def discard_healthy(self, start_ns: int, end_ns: int) -> None:
        """Discard the healthy windows of a stretch of time: a fault is known in it since."""
        info = self._info[: self._n]
        within = (info["t_ns"] >= start_ns) & (info["t_ns"] <= end_ns)
        keep = np.flatnonzero(~(within & (info["class"] == RowClass.HEALTHY)))
        for rows in self._columns:
            rows[: len(keep)] = rows[keep]
        self._n, self._in_groups, self._healthy = len(keep), None, None
        self.changed = True

    def class_of(self, event_id: str) -> RowClass | None:
        """Return how the windows of an event are marked, None if none are kept."""
        rows = self._event_rows(event_id)
        return RowClass(self._info["class"][rows[0]]) if len(rows) else None

    def mark(self, event_id: str, row_class: RowClass, kind: str = "") -> int:
        """Mark the windows of an event; returns how many there are."""
        rows = self._event_rows(event_id)
        self._info["class"][rows], self._healthy = row_class, None
        self.changed = True
        self._info["kind"][rows] = number_of(kind)
        while (self._info["class"][: self._n] == row_class).sum() > self._room[row_class]:
            self._drop_of_commonest(row_class)
        return len(rows)

    def to_bytes(self) -> bytes:
        """Serialise."""
        buffer = io.BytesIO()
        np.save(buffer, np.array([self._offered]))
        np.save(buffer, self._positions[: self._n])
        np.save(buffer, np.zeros((self._n, 1), np.float16))  # versions before 0.3 read a layer
        np.save(buffer, self._info[: self._n])
        np.save(buffer, self._z[: self._n])
        return buffer.getvalue()

    @classmethod
    def from_bytes(
        cls, data: bytes, slots: int = 0, settings: LearningSettings = SETTINGS
    ) -> Replay:
        """Read what `to_bytes` wrote; a file of versions before 0.3 has no z-scores."""
        buffer = io.BytesIO(data)
        offered, positions, _, info = (np.load(buffer, allow_pickle=False) for _ in range(4))
        replay = cls(positions.shape[1], slots, settings)
        replay._reserve(len(info))
        replay._n, replay._offered = len(info), int(offered[0])
        replay._positions[: len(info)] = positions
        for name in info.dtype.names or ():  # an older file has fewer
            replay._info[name][: len(info)] = info[name]
        more = buffer.tell() < len(data)
        replay._z[: len(info)] = np.load(buffer, allow_pickle=False) if more else np.nan
        replay._serial[: len(info)] = np.arange(-len(info), 0)  # before those of later windows
        return replay

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self._positions, self._info, self._z, self._serial

    def _event_rows(self, event_id: str) -> NDArray[np.intp]:
        mine = self._info[: self._n]
        return np.flatnonzero(
            (mine["group"] == group_key(event_id)) & (mine["class"] != RowClass.HEALTHY)
        )

    def _reserve(self, rows: int) -> None:
        """Reserve memory for so many rows: most points never fill the room for events."""
        have = len(self._info)
        if rows <= have:
            return
        most = sum(self._room.values())
        more = min(max(rows, 2 * have, FIRST_ROWS), most) - have
        self._positions = _longer(self._positions, more)
        self._info = _longer(self._info, more)
        self._z = _longer(self._z, more)
        self._serial = _longer(self._serial, more)

    def _make_room(self, row_class: RowClass) -> None:
        if (self._info["class"][: self._n] == row_class).sum() >= self._room[row_class]:
            self._drop_of_commonest(row_class)

    def _drop_of_commonest(self, row_class: RowClass) -> None:
        rows = np.flatnonzero(self._info["class"][: self._n] == row_class)
        for name in BALANCED:
            found = self._info[name][rows]
            if (found == found[0]).all():
                continue  # the usual case, without sorting
            values, sizes = np.unique(found, return_counts=True)
            rows = rows[found == values[sizes.argmax()]]
        victim = int(rows[self._draw(len(rows))])
        for column in self._columns:
            column[victim : self._n - 1] = column[victim + 1 : self._n]
        self._n, self._in_groups, self._healthy = self._n - 1, None, None

    def _draw(self, below: int) -> int:
        """Draw from 0..below−1: random, yet the same for the same history, restarts included."""
        history = self._offered.to_bytes(8, "little") + self._n.to_bytes(4, "little")
        digest = hashlib.blake2b(history, digest_size=8).digest()
        return int.from_bytes(digest, "little") % below


def _longer(array: NDArray[T], more: int) -> NDArray[T]:
    return np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)])


def number_of(name: str) -> int:
    """Return a number for a name, 0 for none."""
    return zlib.crc32(name.encode())
