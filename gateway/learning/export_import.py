"""`auscult export` and `import`: what a machine learned, for a new computer or a like machine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.durable import sync_folder
from auscult.gateway.machines import baselines
from auscult.gateway.machines.restore import LEARNING_FOLDER, detector_settings
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings, MachineSettings
from auscult.gateway.sources.configured import opened
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import PointPlan, name_plate_of, plan_points
from auscult.models.baseline import container
from auscult.models.baseline.container import StateError
from auscult.models.detector import MachineDetector
from auscult.models.learning.learned_file import (
    BASELINE,
    DETECTOR,
    STATE,
    DetectorOf,
    LearnedFile,
    LearnedFileError,
    learning_parts,
    unpack_learning,
)


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
        made = DetectorOf(
            name_plate_of(machine),
            _specs_of(machine, plans_of(settings, store)),
            detector_settings(settings.detector, machine).false_alarms_per_year,
        )
        parts = {STATE: saved.state}
        for kept in baselines.kept(store, machine.id):
            state = baselines.state_of(store, machine.id, kept.baseline_id)
            if state is not None:
                parts[f"{BASELINE}{kept.since_ns}"] = state
    finally:
        store.close()
    parts |= learning_parts(learning_folder(settings, machine.id))
    about = {
        "machine": machine.id,
        "gateway": f"{settings.site.id}/{settings.gateway.id}",
        "exported_ns": str(time.time_ns()),
        DETECTOR: msgspec.json.encode(made).decode(),
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
        state = _renamed(learned.state, machine.id)
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
    return MachineDetector(name_plate_of(machine), _specs_of(machine, plans))


def _specs_of(
    machine: MachineSettings, plans: Mapping[PointId, PointPlan]
) -> dict[str, FeatureSpec]:
    return {point.point: p.spec for point, p in plans.items() if point.machine == machine.id}


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
    unpack_learning(parts, coming)
    aside = None
    if folder.exists():
        aside = folder.with_name(f"{folder.name}.before-import-{time.time_ns()}")
        folder.rename(aside)
    coming.rename(folder)
    sync_folder(folder.parent)
    return aside
