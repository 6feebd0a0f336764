"""Everything learned of a machine in one file: for a new computer, or a machine of the same type.

    magic | SHA-256 of the rest | zlib(named parts)

The parts are the detector's state (baseline and model), the kept older baselines, and the files of
learning: checkpoints, replay, waiting labels.
"""

from __future__ import annotations

import hashlib
import shutil
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auscult.contract.said import Rejection, Said
from auscult.durable import sync_folder, write_durably
from auscult.gateway.machines import baselines
from auscult.gateway.machines.restore import LEARNING_FOLDER
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings, MachineSettings
from auscult.gateway.sources.configured import opened
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import PointPlan, name_plate_of, plan_points
from auscult.inflate import InflateError, inflated
from auscult.models.baseline import container
from auscult.models.baseline.container import StateError
from auscult.models.detector import MachineDetector
from auscult.models.learning.packing import pack, unpack

MAGIC = b"AUSCULT-LEARNED-1\n"
LARGEST = 256 * 2**20
"""Limit of an unpacked file: a damaged length must not exhaust the memory."""
STATE, BASELINE, LEARNING = "state", "baseline/", "learning/"


class LearnedFileError(Rejection):
    """What can't be exported or imported, and why."""


@dataclass(frozen=True, slots=True)
class LearnedFile:
    """Content of a file, checked against its hash."""

    parts: Mapping[str, bytes]
    about: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> LearnedFile:
        """Read a file; `LearnedFileError` if it is another kind of file or damaged."""
        data = path.read_bytes()
        if not data.startswith(MAGIC):
            raise LearnedFileError("not_an_export", path=str(path))
        digest, body = data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
        if hashlib.sha256(body).digest() != digest:
            raise LearnedFileError("file_damaged", file=str(path))
        try:
            return cls(*unpack(inflated(body, LARGEST)))
        except InflateError as error:
            raise LearnedFileError("text", text=f"{path}: {error}; export it again") from error

    def write(self, path: Path) -> int:
        """Write a file; returns its size in bytes."""
        body = zlib.compress(pack(self.parts, self.about), 6)
        data = MAGIC + hashlib.sha256(body).digest() + body
        write_durably(path, data)
        return len(data)


def export_machine(settings: GatewaySettings, machine_id: str, path: Path) -> int:
    """Write what a machine has learned to a file, also while its gateway runs.

    Returns
    -------
    int
        Size in bytes.

    Raises
    ------
    LearnedFileError
        If the machine has learned nothing yet.
    """
    machine = configured(settings, machine_id)
    store = Store(settings.gateway.data_dir)
    try:
        saved = next(detector_states.good_states(store, machine.id), None)
        if saved is None:
            raise LearnedFileError("no_baseline_yet", machine=machine.id)
        parts = {STATE: saved.state}
        for kept in baselines.kept(store, machine.id):
            state = baselines.state_of(store, machine.id, kept.baseline_id)
            if state is not None:
                parts[f"{BASELINE}{kept.since_ns}"] = state
    finally:
        store.close()
    for file in sorted(learning_folder(settings, machine.id).glob("*")):
        if file.suffix != ".tmp":
            parts[f"{LEARNING}{file.name}"] = file.read_bytes()
    about = {
        "machine": machine.id,
        "gateway": f"{settings.site.id}/{settings.gateway.id}",
        "exported_ns": str(time.time_ns()),
    }
    return LearnedFile(parts, about).write(path)


def import_machine(settings: GatewaySettings, machine_id: str, path: Path) -> Said:
    """Import what a file holds into a machine; the gateway must be stopped.

    What the machine had learned is moved aside, not deleted.

    Returns
    -------
    Said
        What was done.

    Raises
    ------
    LearnedFileError
        If the file is damaged, or made for other points, units or window lengths.
    """
    machine = configured(settings, machine_id)
    learned = LearnedFile.read(path)
    store = Store(settings.gateway.data_dir)
    try:
        plans = plans_of(settings, store)
        state = _renamed(learned.parts[STATE], machine.id)
        _check(machine, plans, state)
        older = {
            int(name.removeprefix(BASELINE)): _renamed(part, machine.id)
            for name, part in learned.parts.items()
            if name.startswith(BASELINE)
        }
        aside = _replace_folder(learning_folder(settings, machine.id), learned.parts)
        stream_ns = detector_states.stream_end_ns(store, machine.id)
        keep = settings.learning.keep_baselines

        def save(db: Database) -> None:
            for since_ns, one in reversed(older.items()):  # the newest is the first in the file
                detector = detector_of(machine, plans)
                detector.restore(one)
                if detector.model is not None:
                    baseline_id = detector.model.baseline_id
                    baselines.keep(db, machine.id, baseline_id, one, since_ns, keep)
            detector_states.save(db, machine.id, state, stream_ns)

        store.write(save).result()
    finally:
        store.close()
    return Said(
        "import_done",
        {
            "source": learned.about["machine"],
            "gateway": learned.about["gateway"],
            "machine": machine.id,
            "aside": str(aside or ""),
        },
    )


def configured(settings: GatewaySettings, machine_id: str) -> MachineSettings:
    """Find a machine; `LearnedFileError` if it is not configured."""
    for machine in settings.machines:
        if machine.id == machine_id:
            return machine
    known = tuple(machine.id for machine in settings.machines)
    raise LearnedFileError("machine_not_configured", machine=machine_id, machines=known)


def learning_folder(settings: GatewaySettings, machine_id: str) -> Path:
    """Return where a machine's checkpoints and replay are."""
    return settings.gateway.data_dir / LEARNING_FOLDER / machine_id


def plans_of(settings: GatewaySettings, store: Store) -> dict[PointId, PointPlan]:
    """Plan the points as the gateway does."""
    machines = {machine.id: machine for machine in settings.machines}
    bursts_s = {
        point: bursts.length_s
        for source in settings.sources
        for point, bursts in opened(source, settings, machines, store).bursts.items()
    }
    return plan_points(settings, bursts_s)


def detector_of(machine: MachineSettings, plans: Mapping[PointId, PointPlan]) -> MachineDetector:
    """Make a machine's detector, with nothing learned."""
    specs = {point.point: p.spec for point, p in plans.items() if point.machine == machine.id}
    return MachineDetector(name_plate_of(machine), specs)


def _check(machine: MachineSettings, plans: Mapping[PointId, PointPlan], state: bytes) -> None:
    try:
        detector_of(machine, plans).restore(state)
    except StateError as error:
        raise LearnedFileError("state_unfit", machine=machine.id, cause=error.said) from error


def _renamed(state: bytes, machine_id: str) -> bytes:
    """Replace the machine's name in the state of a machine of the same type."""
    try:
        meta, arrays = container.unpack(state)
    except StateError as error:
        raise LearnedFileError(error.said) from error
    return container.pack({**meta, "machine": machine_id}, arrays)


def _replace_folder(folder: Path, parts: Mapping[str, bytes]) -> Path | None:
    """Replace the files of learning, durably: the state that follows them is on the disk, too.

    Returns the folder of the old ones, if any.
    """
    coming = folder.with_name(f"{folder.name}.importing")
    shutil.rmtree(coming, ignore_errors=True)
    coming.mkdir(parents=True)
    for name, part in parts.items():
        if name.startswith(LEARNING):
            # The name is foreign: only its last part is used.
            write_durably(coming / Path(name).name, part)
    aside = None
    if folder.exists():
        aside = folder.with_name(f"{folder.name}.before-import-{time.time_ns()}")
        folder.rename(aside)
    coming.rename(folder)
    sync_folder(folder.parent)
    return aside
