"""The shipped `.tflite` files with their manifests; writes trained weights into them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import Architecture
from auscult.models.network.errors import ModelError

ARTEFACTS = Path(__file__).parent / "artefacts"
TRAINING = "training"
"""The artefact with the training steps; it holds no weights."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a `.tflite` file: origin, hash, and where its weights are.

    Parameters
    ----------
    kind : str
        ``vibration``, ``sound`` or ``training``.
    sha256, size_bytes : str, int
        Of the whole file.
    tensorflow : str
        Version that built it.
    architecture : Architecture
    parameters : mapping
        Name of a base parameter → byte offset of its float32 values, C order; empty for
        ``training``.
    operators : mapping
        TFLite builtin operator → highest version used.
    """

    kind: str
    sha256: str
    size_bytes: int
    tensorflow: str
    architecture: Architecture
    parameters: Mapping[str, int]
    operators: Mapping[str, int]

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read what `to_json` wrote; a `ModelError` if it is damaged."""
        try:
            fields: dict[str, Any] = json.loads(text)
            good = fields.pop(SEAL) == _seal(fields)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"{DAMAGED} ({error})") from error
        if not good:
            raise ModelError(f"{DAMAGED} (its hash is wrong)")
        return cls(**{**fields, "architecture": Architecture(**fields["architecture"])})

    def to_json(self) -> str:
        """Write as indented JSON with its hash."""
        fields = asdict(self)
        return json.dumps({**fields, SEAL: _seal(fields)}, indent=2) + "\n"

    def weights(self, data: bytes) -> dict[str, NDArray[np.float32]]:
        """Read the base parameters out of the file's bytes (copies)."""
        shapes = self.architecture.base_shapes
        return {
            name: np.frombuffer(data, "<f4", math.prod(shapes[name]), offset)
            .astype(np.float32)
            .reshape(shapes[name])
            for name, offset in self.parameters.items()
        }


SEAL = "manifest_sha256"
"""The hash of a manifest's other fields: a wrong offset would give wrong weights."""
DAMAGED = "the manifest of a shipped network is damaged: install the software again"


def _seal(fields: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def load(kind: str) -> tuple[bytes, Manifest]:
    """Read a shipped artefact's bytes and manifest; a `ModelError` if one of them is damaged."""
    path = ARTEFACTS / f"{kind}.tflite"
    # A byte that is no text becomes a mark, and the hash is then wrong.
    text = path.with_suffix(".json").read_text(encoding="utf-8", errors="replace")
    data, manifest = path.read_bytes(), Manifest.from_json(text)
    verify(data, manifest.sha256)
    return data, manifest


MAGIC = b"TFL3"


def verify(data: bytes, sha256: str) -> None:
    """Raise `ModelError` unless data is the `.tflite` file with this hash."""
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        raise ModelError(
            f"model file has sha256 {digest[:12]}…, expected {sha256[:12]}…: "
            "it is damaged or another version; restore it"
        )
    if len(data) < 64 or data[4:8] != MAGIC:
        raise ModelError(f"the {len(data)} bytes do not begin as a .tflite file")


def bake(
    data: bytes, offsets: Mapping[str, int], weights: Mapping[str, NDArray[np.float32]]
) -> bytes:
    """Replace the constants of a `.tflite` file by these weights."""
    baked = bytearray(data)
    for name, offset in offsets.items():
        raw = np.ascontiguousarray(weights[name], "<f4").tobytes()
        baked[offset : offset + len(raw)] = raw
    return bytes(baked)
