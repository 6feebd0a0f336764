"""Deltas between gateways: made and signed, or checked and applied if the gate accepts."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from auscult.contract.learning import MAX_DELTA_BYTES
from auscult.contract.records import HeadUpdate
from auscult.durable import write_durably
from auscult.gateway.learning import export_import
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store
from auscult.link.signing import GATEWAY_KEY, KeyFileError, load_or_make_key
from auscult.models.detector import MachineDetector
from auscult.models.learning.delta import Delta, DeltaError, sign, verify
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.learned_file import LearnedFileError
from auscult.models.learning.machine_replay import contexts_of


def own_key(data_dir: Path) -> Ed25519PrivateKey:
    """Return the key that signs this gateway's deltas; made on first use, for its user only.

    Raises
    ------
    LearnedFileError
        If the file holds no such key.
    """
    try:
        return load_or_make_key(data_dir / GATEWAY_KEY)
    except KeyFileError as error:
        raise LearnedFileError(error.said.code, **error.said.values) from error


@dataclass(frozen=True, slots=True)
class Exchange:
    """Makes and reads the deltas of one gateway.

    Parameters
    ----------
    device : str
        Site and gateway, as deltas name where they come from.
    data_dir : Path
        Holds the key.
    trusted : sequence of str
        Public keys (hexadecimal) of other gateways whose deltas are accepted; the own key always
        is.
    """

    device: str
    data_dir: Path
    trusted: tuple[str, ...]

    @classmethod
    def from_settings(cls, settings: GatewaySettings) -> Exchange:
        """Read the settings."""
        device = f"{settings.site.id}/{settings.gateway.id}"
        return cls(device, settings.gateway.data_dir, settings.learning.trusted_keys)

    def make(self, updater: HeadUpdater, detector: MachineDetector) -> bytes:
        """Return what a machine has learned as a signed delta."""
        delta = updater.export(self.device, spec_id(detector), time.time_ns())
        return sign(delta, own_key(self.data_dir))

    def read(self, data: bytes) -> Delta:
        """Verify the signature of a delta and read it.

        Raises
        ------
        DeltaError
            If its key is not trusted, or it was changed.
        LearnedFileError
            If the own key can't be read.
        """
        if len(data) > MAX_DELTA_BYTES:
            raise DeltaError("delta_too_large", bytes=len(data), limit=MAX_DELTA_BYTES)
        own = own_key(self.data_dir).public_key()
        others = [Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)) for key in self.trusted]
        return verify(data, [own, *others])


def make_delta(settings: GatewaySettings, machine_id: str, path: Path) -> int:
    """Write what a machine has learned as a signed delta, also while its gateway runs.

    Returns
    -------
    int
        Size in bytes.
    """
    detector = _detector(settings, machine_id)
    folder = export_import.learning_folder(settings, machine_id)
    with tempfile.TemporaryDirectory() as copied:
        # A copy: the running gateway is the only one that may write to the folder.
        copy = Path(copied) / "learning"
        if folder.exists():
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.tmp"))
        data = Exchange.from_settings(settings).make(
            _updater_of(settings, copy, detector), detector
        )
    write_durably(path, data)
    return len(data)


def apply_delta(settings: GatewaySettings, machine_id: str, path: Path) -> HeadUpdate:
    """Apply another machine's delta if this machine's own gate accepts; the gateway is stopped.

    Raises
    ------
    LearnedFileError
        If its key is not trusted, it was changed, or base, specification or points differ.
    """
    try:
        delta = Exchange.from_settings(settings).read(path.read_bytes())
        detector = _detector(settings, machine_id)
        folder = export_import.learning_folder(settings, machine_id)
        updater = _updater_of(settings, folder, detector)
        return updater.apply(delta, spec_id(detector), time.time_ns())
    except DeltaError as error:
        raise LearnedFileError("file_unusable", path=str(path), cause=error.said) from error


def spec_id(detector: MachineDetector) -> str:
    """Return one id for the features of all points of a machine."""
    ids = "".join(f"{point}:{spec.spec_id};" for point, spec in sorted(detector.specs.items()))
    return hashlib.sha256(ids.encode()).hexdigest()[:16]


def _detector(settings: GatewaySettings, machine_id: str) -> MachineDetector:
    machine = export_import.configured(settings, machine_id)
    store = Store(settings.gateway.data_dir)
    try:
        detector = export_import.detector_of(machine, export_import.plans_of(settings, store))
        saved = next(detector_states.good_states(store, machine_id), None)
    finally:
        store.close()
    if saved is not None:
        detector.restore(saved.state)
    if detector.model is None:
        raise LearnedFileError("no_baseline_yet", machine=machine_id)
    return detector


def _updater_of(settings: GatewaySettings, folder: Path, detector: MachineDetector) -> HeadUpdater:
    model = detector.model
    assert model is not None  # noqa: S101
    return HeadUpdater(
        folder,
        detector.name_plate.machine,
        contexts_of(model),
        model.baseline_id,
        settings.learning.head_updates(),
        time.time_ns(),
    )
