"""Measurements of the healthy machine, one for each speed and load; they survive a power cut.

They belong to one baseline and one description of the machine: after a repair or with other teeth
the machine is measured again.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from numpy.typing import NDArray

from auscult.dsp.current_lines import CurrentLines
from auscult.dsp.drive_signs import DriveSigns
from auscult.dsp.gear_average import GearSigns
from auscult.dsp.order_lines import OrderLines
from auscult.gateway.machines.train_search import TrainKey, TrainState
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store, StoreError
from auscult.models.baseline.container import StateError, pack, unpack
from auscult.models.name_plate import Train

log = logging.getLogger(__name__)

FORMAT: Final = 1
"""A reference of another format is measured again."""
MOST: Final = 20
"""References of a machine: about 2 kB each for six points."""
SIGNS, NOISE = "signs/", "noise/"


class HealthyReferences:
    """References of all machines: in memory, and in the database where there is one.

    Parameters
    ----------
    trains : mapping of machine to Train
        A reference of another description is not used.
    store : Store, optional
    """

    def __init__(self, trains: Mapping[str, Train], store: Store | None = None) -> None:
        self._trains = trains
        self._store = store
        self._of: dict[str, tuple[str, list[TrainState]]] = {}

    def use(self, machine: str, baseline_id: str) -> None:
        """Compare a machine with the references of this baseline from now on."""
        if machine not in self._of or self._of[machine][0] != baseline_id:
            self._of[machine] = baseline_id, self._stored(machine, baseline_id)

    def full(self, machine: str) -> bool:
        """Return whether no more are kept of a machine."""
        return len(self._of.get(machine, ("", []))[1]) >= MOST

    def like(self, machine: str, key: TrainKey) -> TrainState | None:
        """Return the reference of these points at about this speed and load, None without one."""
        return next((one for one in self._of.get(machine, ("", []))[1] if one.alike(key)), None)

    def add(self, machine: str, baseline_id: str, state: TrainState) -> None:
        """Add a measurement, made while this baseline was in use."""
        present_id, known = self._of.setdefault(machine, (baseline_id, []))
        if present_id != baseline_id:
            return
        known.append(state)
        if self._store is not None:
            packed = to_bytes(state)
            layout = self._layout(machine)
            job = partial(
                _keep, machine=machine, baseline_id=baseline_id, layout=layout, state=packed
            )
            self._store.write(job).add_done_callback(partial(_log_failure, machine))

    def _stored(self, machine: str, baseline_id: str) -> list[TrainState]:
        if self._store is None:
            return []
        found = []
        try:
            rows = self._store.read(
                "SELECT state FROM healthy_references WHERE machine = ? AND baseline_id = ?"
                " AND layout = ? ORDER BY id",
                [machine, baseline_id, self._layout(machine)],
            )
        except StoreError as error:
            log.error("%s: its healthy references can't be read: %s", machine, error)
            return []
        for (state,) in rows:
            try:
                found.append(from_bytes(bytes(state)))
            except StateError as error:
                log.error("%s: a healthy reference can't be used: %s", machine, error)
        return found

    def _layout(self, machine: str) -> str:
        described = repr(self._trains.get(machine, Train()))
        return hashlib.sha256(described.encode()).hexdigest()[:16]


def _keep(db: Database, machine: str, baseline_id: str, layout: str, state: bytes) -> None:
    """Store a reference; discard those of other layouts and of baselines that are not kept."""
    db.execute(
        "DELETE FROM healthy_references WHERE machine = ? AND (layout <> ? OR (baseline_id <> ?"
        " AND baseline_id NOT IN (SELECT baseline_id FROM baselines WHERE machine = ?)))",
        [machine, layout, baseline_id, machine],
    )
    db.execute(
        "INSERT INTO healthy_references (machine, baseline_id, layout, measured_ns, state)"
        " VALUES (?, ?, ?, ?, ?)",
        [machine, baseline_id, layout, time.time_ns(), state],
    )


def _log_failure(machine: str, done: Future[None]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        log.error("%s: its healthy reference is not stored: %s", machine, error)


def to_bytes(state: TrainState) -> bytes:
    """Pack a measurement with its version and SHA-256."""
    meta: dict[str, Any] = {
        "format": FORMAT,
        "points": state.points,
        "speed_rpm": state.speed_rpm,
        "load": state.load,
        "gears": [[*key, asdict(signs)] for key, signs in state.gears.items()],
        "currents": {point: asdict(lines) for point, lines in state.currents.items()},
    }
    arrays: dict[str, NDArray[Any]] = {}
    if state.lines is not None:
        own = state.lines
        meta["shaft"] = [own.shaft_hz, own.speed_known, own.referenced]
        arrays["lines"] = state.lines.lines
    if state.signs is not None:
        signs = asdict(state.signs)
        arrays |= {f"{NOISE}{i:03d}": one for i, one in enumerate(signs.pop("noise_db"))}
        arrays |= {SIGNS + name: value for name, value in signs.items()}
    return pack(meta, arrays)


def from_bytes(data: bytes) -> TrainState:
    """Read the result of `to_bytes`.

    Raises
    ------
    StateError
        If the bytes are damaged or of another format.
    """
    meta, arrays = unpack(data)
    if meta.get("format") != FORMAT:
        raise StateError("state_version", version=meta.get("format"), reads=FORMAT)
    lines = signs = None
    if "lines" in arrays:
        shaft_hz, known, *referenced = meta["shaft"]
        lines = OrderLines(shaft_hz, arrays["lines"], known, any(referenced))
    own = {n.removeprefix(SIGNS): a for n, a in arrays.items() if n.startswith(SIGNS)}
    if own:
        noise = tuple(arrays[name] for name in sorted(arrays) if name.startswith(NOISE))
        signs = DriveSigns(noise_db=noise, **own)
    return TrainState(
        tuple(meta["points"]),
        meta["speed_rpm"],
        lines,
        {(p, n, teeth): GearSigns(**values) for p, n, teeth, values in meta["gears"]},
        signs,
        {point: CurrentLines(**values) for point, values in meta["currents"].items()},
        meta["load"],
    )
