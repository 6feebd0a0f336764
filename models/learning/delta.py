"""Deltas: what one machine has learned from labels, signed, for another machine of the same base.

A delta holds places, reported faults and gate weights, never signals or single windows. It is
applied only if its signature is by a trusted key, if base and specification are the very same, and
if the receiving machine's own gate accepts it.

    magic | public key (32) | Ed25519 signature (64) | zlib(JSON line | arrays)
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Metrics
from auscult.contract.said import Rejection

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

MAGIC = b"AUSCULT-DELTA-2\n"
OLDER = b"AUSCULT-DELTA-1\n"
"""Of versions before 0.3: positions and weights only."""
KEY_BYTES, SIGNATURE_BYTES = 32, 64
MAX_BYTES = 1 << 20
"""Largest content after decompression: a hundred times a large machine's delta."""
OLDER_ARRAYS = ("places", "faults", "weights")
ARRAYS = (*OLDER_ARRAYS, "reports")


class DeltaError(Rejection):
    """A delta that must not be applied, and why."""


@dataclass(frozen=True, slots=True)
class PointDelta:
    """What was learned of one point.

    ``places`` and ``faults`` [shape=(k, m), dtype=float16] are known-normal and confirmed-fault
    places in whitened coordinates; ``weights`` [shape=(65,), dtype=float16] the gate's difference
    from the shipped start; ``reports`` [shape=(r, m), dtype=float16] mean positions of reported
    faults. A place has no z-scores: those of another machine of the type differ too much.
    """

    places: NDArray[np.float16]
    faults: NDArray[np.float16]
    weights: NDArray[np.float16]
    reports: NDArray[np.float16]

    @property
    def arrays(self) -> dict[str, NDArray[np.floating]]:
        """Return all arrays by name."""
        return {name: getattr(self, name) for name in ARRAYS}


@dataclass(frozen=True, slots=True)
class DeltaAbout:
    """Where a delta comes from, and what it changed there.

    ``base_id`` and ``spec_id`` name the frozen model and the features it belongs to;
    ``data_sha256`` is of the replay it was learned on, ``labels`` the number of labels behind it.
    """

    device: str
    machine: str
    base_id: str
    spec_id: str
    checkpoint_id: str
    created_ns: int
    labels: int
    data_sha256: str
    before: Metrics | None
    after: Metrics | None


@dataclass(frozen=True, slots=True)
class Delta:
    """A checkpoint's difference from the shipped start, by point."""

    about: DeltaAbout
    points: Mapping[str, PointDelta]

    @property
    def delta_id(self) -> str:
        """Hash of the content, without the signature."""
        return hashlib.sha256(_body(self)).hexdigest()[:12]


def sign(delta: Delta, key: Ed25519PrivateKey) -> bytes:
    """Pack and sign a delta; the same delta and key give the same bytes."""
    body = zlib.compress(_body(delta), 9)
    public = key.public_key().public_bytes_raw()
    return MAGIC + public + key.sign(MAGIC + body) + body


def verify(data: bytes, trusted: Collection[Ed25519PublicKey]) -> Delta:
    """Unpack a delta if a trusted key signed it.

    Raises
    ------
    DeltaError
        If it is no delta, the key is not trusted, or a bit was changed. The content is read only
        after the signature is verified.
    """
    from cryptography.exceptions import InvalidSignature  # learning itself does without it

    start = len(MAGIC) + KEY_BYTES + SIGNATURE_BYTES
    if not data.startswith((MAGIC, OLDER)) or len(data) <= start:
        raise DeltaError("delta_not_a_delta", bytes=len(data))
    magic, public = data[: len(MAGIC)], data[len(MAGIC) : len(MAGIC) + KEY_BYTES]
    signature, body = data[len(MAGIC) + KEY_BYTES : start], data[start:]
    key = next((k for k in trusted if k.public_bytes_raw() == public), None)
    if key is None:
        raise DeltaError("delta_key_untrusted", key=public.hex()[:12])
    try:
        key.verify(signature, magic + body)
    except InvalidSignature:
        raise DeltaError("delta_changed") from None
    try:
        return _delta(_decompressed(body), older=magic == OLDER)
    except DeltaError:
        raise
    except (ValueError, KeyError, TypeError, EOFError, zlib.error) as error:
        raise DeltaError("delta_unreadable", cause=str(error)) from error


def _body(delta: Delta) -> bytes:
    header = {"about": asdict(delta.about), "points": list(delta.points)}
    buffer = io.BytesIO(json.dumps(header, separators=(",", ":")).encode() + b"\n")
    buffer.seek(0, io.SEEK_END)
    for point in delta.points.values():
        for array in point.arrays.values():
            np.save(buffer, np.asarray(array, np.float16), allow_pickle=False)
    return buffer.getvalue()


def _decompressed(body: bytes) -> bytes:
    inflate = zlib.decompressobj()
    content = inflate.decompress(body, MAX_BYTES)
    if inflate.unconsumed_tail:
        raise DeltaError("delta_too_large", bytes=len(content), limit=MAX_BYTES)
    return content


def _delta(content: bytes, *, older: bool) -> Delta:
    header, arrays = content.split(b"\n", 1)
    fields = json.loads(header)
    about = fields["about"]
    for name in ("before", "after"):
        about[name] = Metrics(**about[name]) if about[name] else None
    buffer = io.BytesIO(arrays)
    points = {}
    for point in fields["points"]:
        names = OLDER_ARRAYS if older else ARRAYS
        own = [np.load(buffer, allow_pickle=False) for _ in names]
        places, faults, weights, *more = own
        points[point] = PointDelta(places, faults, weights, more[0] if more else faults[:0])
    return Delta(DeltaAbout(**about), points)
