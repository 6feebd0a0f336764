"""Deltas between gateways: made and signed here, or checked and applied if this gate accepts."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from gateway.learning import learned_file
from gateway.learning.learned_file import LearnedFileError
from gateway.settings import GatewaySettings
from gateway.storage import detector_states
from gateway.storage.store import Store
from models.delta import DeltaError, sign, verify
from models.detector import MachineDetector
from models.learning.learner import Learner
from models.learning.machine_replay import contexts_of
from models.records import HeadUpdate

KEY_FILE = "delta.key"


def own_key(data_dir: Path) -> Ed25519PrivateKey:
    """Give the key that signs this gateway's deltas; made on first use, readable by its user only.

    Raises
    ------
    LearnedFileError
        If the file holds no such key.
    """
    path = data_dir / KEY_FILE
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        pem = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        temporary = path.with_suffix(".tmp")
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise LearnedFileError(f"{path} holds no key ({error}); remove it for a new one") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise LearnedFileError(f"{path} holds no Ed25519 key; remove it for a new one")
    return key


def public_hex(key: Ed25519PrivateKey) -> str:
    """Give the public key as other gateways' configuration takes it."""
    return key.public_key().public_bytes_raw().hex()


def make_delta(settings: GatewaySettings, machine_id: str, path: Path) -> int:
    """Write what a machine has learned as a signed delta, also while its gateway runs.

    Returns
    -------
    int
        Size in bytes.
    """
    detector = _detector(settings, machine_id)
    folder = learned_file.learning_folder(settings, machine_id)
    with tempfile.TemporaryDirectory() as copied:
        # A copy: the running gateway is the only one that may write to the folder.
        copy = Path(copied) / "learning"
        if folder.exists():
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.tmp"))
        device = f"{settings.site.id}/{settings.gateway.id}"
        learner = _learner(settings, copy, detector)
        delta = learner.export(device, spec_id(detector), time.time_ns())
    data = sign(delta, own_key(settings.gateway.data_dir))
    path.write_bytes(data)
    return len(data)


def apply_delta(settings: GatewaySettings, machine_id: str, path: Path) -> HeadUpdate:
    """Apply another machine's delta if this machine's own gate accepts; the gateway is stopped.

    Raises
    ------
    LearnedFileError
        If its key is not trusted, it was changed, or base, specification or points differ.
    """
    own = own_key(settings.gateway.data_dir).public_key()
    trusted = [
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        for key in settings.learning.trusted_keys
    ]
    try:
        delta = verify(path.read_bytes(), [own, *trusted])
        detector = _detector(settings, machine_id)
        folder = learned_file.learning_folder(settings, machine_id)
        learner = _learner(settings, folder, detector)
        return learner.apply(delta, spec_id(detector), time.time_ns())
    except DeltaError as error:
        raise LearnedFileError(f"{path} is not applied: {error}") from error


def spec_id(detector: MachineDetector) -> str:
    """Name the features of all points of a machine together."""
    ids = "".join(f"{point}:{spec.spec_id};" for point, spec in sorted(detector.specs.items()))
    return hashlib.sha256(ids.encode()).hexdigest()[:16]


def _detector(settings: GatewaySettings, machine_id: str) -> MachineDetector:
    machine = learned_file.configured(settings, machine_id)
    store = Store(settings.gateway.data_dir)
    try:
        detector = learned_file.detector_of(machine, learned_file.plans_of(settings, store))
        saved = next(detector_states.good_states(store, machine_id), None)
    finally:
        store.close()
    if saved is not None:
        detector.restore(saved.state)
    if detector.model is None:
        raise LearnedFileError(f"machine {machine_id} has no baseline yet")
    return detector


def _learner(settings: GatewaySettings, folder: Path, detector: MachineDetector) -> Learner:
    model = detector.model
    assert model is not None  # noqa: S101
    return Learner(
        folder,
        detector.profile.machine,
        contexts_of(model),
        model.baseline_id,
        settings.learning.learner(),
        time.time_ns(),
    )
