"""Proof of an event: all that its decision was made of, in one signed file.

While a machine is normal, its detector is copied now and then, and the windows since then are kept.
When an event opens, copy, windows, and decisions become a file. Whoever has it makes the decision
again: from the features of each window to the scores, p-values, evidence and condition, bit for bit
on the same architecture. A file is written only if this succeeds on the gateway itself.

Form: "AUSCPROOF1" | public key, 32 bytes | signature (Ed25519) of the rest, 64 bytes | `container`.
"""

from __future__ import annotations

import base64
import logging
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import TypeAdapter, ValidationError

from auscult.contract.event import Event
from auscult.contract.records import Condition, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.durable import write_durably
from auscult.host.supervised import give_way
from auscult.models.baseline.container import StateError, pack, unpack
from auscult.models.decision.limits import Limit
from auscult.models.detector import DetectorCopy, MachineDetector
from auscult.models.learning.stored_head import read_head
from auscult.models.name_plate import NamePlate
from auscult.models.records import Decision, MachineDecision, Observation
from auscult.models.settings import DetectorSettings

log = logging.getLogger(__name__)

MAGIC = b"AUSCPROOF1"
KEY, SIGNATURE = 32, 64
MAX_HOPS = 240
"""Hops between two copies of a detector: two minutes at the default hop."""
TOLERANCE = 1e-4
"""Largest relative difference of a number on another architecture or with other libraries: float32
through the network, then a tail in the logarithm."""
NICENESS = 10
"""Decisions have priority."""
KEPT = 200
"""Proofs that are kept; of each event the first decision only."""
MOST_WAITING = 20
"""Proofs that wait to be written, some 3 MB each; of further events there is none."""
EARLIER = "an earlier event"
FOLDER, SUFFIX = "proofs", ".proof"
_SPECS, _PLATE = TypeAdapter(dict[str, FeatureSpec]), TypeAdapter(NamePlate)
_SETTINGS, _LIMITS = TypeAdapter(DetectorSettings), TypeAdapter(dict[str, list[Limit]])
_STATE = TypeAdapter(OperatingState | None)


class ProofError(Exception):
    """A file proves nothing: it was changed, is no proof, or its decision can't be made again."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What a proof shows."""

    event_id: str
    machine: str
    condition: str
    windows: int
    key: str
    """Public key that signed it, hexadecimal."""
    version: str
    architecture: str
    ids: Mapping[str, str]
    worst_difference: float
    """Largest relative difference of a number made again; 0 = bit for bit."""


Numbers = list[tuple[str, str, float | None, float | None]]
"""Point ("" = the machine), condition, p-value, evidence."""


class ProofRecorder:
    """Keeps what a proof needs; the window loop owns it.

    Parameters
    ----------
    detector : MachineDetector
    write : callable
        Gets the id of an event, and a function that makes the file's content.
    """

    def __init__(
        self,
        detector: MachineDetector,
        write: Callable[[str, Callable[[], dict[str, Any]]], None],
    ) -> None:
        self._detector = detector
        self._write = write
        self._copy: DetectorCopy | None = None
        self._heads: dict[str, bytes] = {}
        self._hops: list[list[Observation]] = []
        self._normal = False
        self._missing = "no hop was normal since the gateway started"
        """Why there is no copy."""

    def restart(self, since: str) -> None:
        """Start again, since this happened: model, heads, limits or evidence changed."""
        self._discard(f"no hop was normal since {since}")

    def _discard(self, why: str) -> None:
        self._missing = why
        self._copy = None
        self._hops = []

    def keep_windows(self, observations: list[Observation]) -> None:
        """Keep the windows of a hop, before the detector decides on them."""
        if self._normal and (self._copy is None or len(self._hops) >= MAX_HOPS):
            self._copy = self._detector.snapshot()
            heads = self._detector.heads
            self._heads = {point: head.to_bytes() for point, head in heads.items()}
            self._hops = []
        elif len(self._hops) >= 2 * MAX_HOPS:
            # The event has its proof, or never had one.
            self._discard(f"no hop was normal in the last {len(self._hops)}")
        if self._copy is not None:
            self._hops.append(list(observations))

    def decided(self, decision: MachineDecision, opened: Event | None) -> None:
        """Follow the decision on these windows; `opened` is the event that it opened."""
        self._normal = decision.machine.condition is Condition.NORMAL and not any(
            points.reasons for points in decision.points.values()
        )
        if opened is None:
            return
        if self._copy is None:
            learning = self._detector.model is None
            why = "the machine has no baseline yet" if learning else self._missing
            log.info("event %s has no proof: %s", opened.event_id, why)
            self.restart(EARLIER)
            return
        copy, hops, heads = self._copy, self._hops, self._heads
        detector, numbers = self._detector, numbers_of(decision)
        limits = {point: list(some) for point, some in detector.limits.items()}
        self.restart(EARLIER)
        about = {
            "event_id": opened.event_id,
            "machine": opened.machine,
            "started_ns": decision.machine.t_ns,
            "condition": str(decision.machine.condition),
            "ids": asdict(opened.ids),
            "version": version("auscult"),
            "architecture": platform.machine(),
            "plate": _PLATE.dump_python(detector.name_plate, mode="json"),
            "specs": _SPECS.dump_python(dict(detector.specs), mode="json"),
            "settings": _SETTINGS.dump_python(detector.settings, mode="json"),
            "limits": _LIMITS.dump_python(limits, mode="json"),
            "decided": numbers,
        }
        self._write(opened.event_id, lambda: _content(about, copy.to_bytes(), heads, hops))


class ProofFiles:
    """Writes proofs into a folder, each verified first, one after the other beside the window loop.

    A decision is made again from two minutes of hops, some 0.1 s: machines that enter events
    together would otherwise hold up the verdicts on all others.

    Parameters
    ----------
    folder : Path
    key : callable
        Gives the key that signs.
    """

    def __init__(self, folder: Path, key: Callable[[], Ed25519PrivateKey]) -> None:
        self._folder = folder
        self._key = key
        self._pool = ThreadPoolExecutor(1, "proof", initializer=give_way, initargs=(NICENESS,))
        self._waiting = BoundedSemaphore(MOST_WAITING)

    def write(self, event_id: str, content: Callable[[], dict[str, Any]]) -> None:
        """Write the proof of an event beside the window loop; a failure is logged."""
        if not self._waiting.acquire(blocking=False):
            log.warning("event %s has no proof: %d others wait", event_id, MOST_WAITING)
            return
        self._pool.submit(self._write, event_id, content)

    def close(self) -> None:
        """Give up the proofs that wait: the end of the program must not wait for them."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _write(self, event_id: str, content: Callable[[], dict[str, Any]]) -> None:
        try:
            made = content()
            data = signed(pack(made["meta"], made["arrays"]), self._key())
            _check_exact(verify(data))
            self._folder.mkdir(mode=0o700, exist_ok=True)
            before = sorted(self._folder.glob(f"*{SUFFIX}"), key=_written_ns)
            path = self._folder / f"{event_id}{SUFFIX}"
            write_durably(path, data)
            if before:  # the newest also by a clock that was set back
                written_ns = max(_written_ns(path), _written_ns(before[-1]) + 1)
                os.utime(path, ns=(written_ns, written_ns))
            for old in before[: -(KEPT - 1)]:
                old.unlink()
        except Exception as error:
            log.warning("event %s has no proof: %s", event_id, error)
        finally:
            self._waiting.release()


def _written_ns(path: Path) -> int:
    return path.stat().st_mtime_ns


def signed(body: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the content of a proof file."""
    return MAGIC + key.public_key().public_bytes_raw() + key.sign(MAGIC + body) + body


def verify(data: bytes, key: str = "") -> Proven:
    """Check the signature of a proof, and make its decision again.

    Parameters
    ----------
    data : bytes
    key : str
        Public key of the gateway, hexadecimal; empty = the one in the file.

    Raises
    ------
    ProofError
    """
    start = len(MAGIC) + KEY + SIGNATURE
    public, body = data[len(MAGIC) : len(MAGIC) + KEY], data[start:]
    if data[: len(MAGIC)] != MAGIC or len(data) <= start:
        raise ProofError("this is no proof of an event")
    if key and public.hex() != key.lower():
        raise ProofError(f"it is signed by {public.hex()}, not by the key that was given")
    try:
        signature = data[len(MAGIC) + KEY : start]
        Ed25519PublicKey.from_public_bytes(public).verify(signature, MAGIC + body)
    except (InvalidSignature, ValueError):
        raise ProofError("its signature is wrong: it was changed") from None
    try:
        meta, arrays = unpack(body)
        found = _decided_again(meta, arrays)
        stated = [tuple(entry) for entry in meta["decided"]]
        difference = _difference(stated, found)
        return Proven(
            event_id=meta["event_id"],
            machine=meta["machine"],
            condition=meta["condition"],
            windows=sum(len(hop) for hop in meta["hops"]),
            key=public.hex(),
            version=meta["version"],
            architecture=meta["architecture"],
            ids=meta["ids"],
            worst_difference=difference,
        )
    except (StateError, ValidationError, KeyError, ValueError, TypeError) as error:
        raise ProofError(f"its decision can't be made again: {error}") from error


def _check_exact(proven: Proven) -> None:
    if proven.worst_difference:
        raise ProofError(f"numbers differ by up to {proven.worst_difference:.1e}")


def numbers_of(decision: MachineDecision) -> Numbers:
    """Return the numbers that are compared."""

    def numbers(point: str, one: Decision) -> tuple[str, str, float | None, float | None]:
        p_value, evidence = one.p_value, one.evidence
        return (
            point,
            str(one.condition),
            None if p_value is None else float(p_value),
            None if evidence is None else float(evidence),
        )

    points = sorted(decision.points.items())
    return [numbers("", decision.machine), *(numbers(point, one) for point, one in points)]


def _content(
    about: dict[str, Any],
    state: bytes,
    heads: Mapping[str, bytes],
    hops: Sequence[Sequence[Observation]],
) -> dict[str, Any]:
    arrays: dict[str, Any] = {"state": np.frombuffer(state, np.uint8)}
    windows: list[list[Any]] = []
    for number, hop in enumerate(hops):
        windows.append([])
        for one in hop:
            windows[-1].append([one.point, one.t_ns, _STATE.dump_python(one.state), one.health])
            arrays[f"{number}/{one.point}"] = one.features
    encoded = {point: base64.b64encode(head).decode() for point, head in heads.items()}
    return {"meta": about | {"hops": windows, "heads": encoded}, "arrays": arrays}


def _decided_again(meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> Numbers:
    specs = _SPECS.validate_python(meta["specs"])
    detector = MachineDetector(
        _PLATE.validate_python(meta["plate"]),
        specs,
        _SETTINGS.validate_python(meta["settings"]),
        limits=_LIMITS.validate_python(meta["limits"]),
    )
    detector.restore(arrays["state"].tobytes())
    heads = {point: base64.b64decode(head) for point, head in meta["heads"].items()}
    detector.set_heads({point: read_head(head) for point, head in heads.items()})
    decision: MachineDecision | None = None
    for number, hop in enumerate(meta["hops"]):
        decision = detector.observe(
            [
                Observation(
                    point, t_ns, arrays[f"{number}/{point}"], _STATE.validate_python(state), health
                )
                for point, t_ns, state, health in hop
            ]
        )
    if decision is None:
        raise ProofError("it holds no windows")
    return numbers_of(decision)


def _difference(stated: Sequence[Any], found: Numbers) -> float:
    """Return the largest relative difference.

    Raises
    ------
    ProofError
        If points or conditions differ.
    """
    if [entry[:2] for entry in stated] != [entry[:2] for entry in found]:
        raise ProofError(f"made again, the decision is {found[0][1]}, not {stated[0][1]}")
    worst = 0.0
    for (_, _, *before), (_, _, *now) in zip(stated, found, strict=True):
        for a, b in zip(before, now, strict=True):
            if (a is None) != (b is None):
                raise ProofError("made again, a number is missing")
            if a is not None and b is not None and a != b:
                difference = abs(a - b) / max(abs(a), abs(b))
                if not difference <= 2:  # infinity, or no number
                    raise ProofError(f"made again, a number is {b:g}, not {a:g}")
                worst = max(worst, difference)
    return worst
