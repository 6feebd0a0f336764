"""Everything learned of a machine in one file, between gateways and notebooks.

    magic | SHA-256 of the rest | zlib(named parts)

The parts are the detector's state (baseline and model), the kept older baselines, and the files of
learning: checkpoints, replay, waiting labels.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from auscult.contract.said import Rejection
from auscult.dsp.spec import FeatureSpec
from auscult.durable import write_durably
from auscult.inflate import InflateError, inflated
from auscult.models.learning.packing import pack, unpack
from auscult.models.name_plate import NamePlate

MAGIC = b"AUSCULT-LEARNED-1\n"
LARGEST = 256 * 2**20
"""Limit of an unpacked file: a damaged length must not exhaust the memory."""
STATE, BASELINE, LEARNING = "state", "baseline/", "learning/"
DETECTOR = "detector"


class LearnedFileError(Rejection):
    """What can't be exported or imported, and why."""


class DetectorOf(msgspec.Struct, frozen=True):
    """What makes the detector that a state belongs to."""

    name_plate: NamePlate
    specs: dict[str, FeatureSpec]
    false_alarms_per_year: float
    seed: int = 0


@dataclass(frozen=True, slots=True)
class LearnedFile:
    """Content of a file, checked against its hash."""

    parts: Mapping[str, bytes]
    about: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> LearnedFile:
        """Read a file; `LearnedFileError` if it is another kind of file or damaged."""
        return cls.from_bytes(path.read_bytes(), str(path))

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> LearnedFile:
        """Unpack the bytes of a file with this name; raises as `read`."""
        if not data.startswith(MAGIC):
            raise LearnedFileError("not_an_export", path=name)
        digest, body = data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
        if hashlib.sha256(body).digest() != digest:
            raise LearnedFileError("file_damaged", file=name)
        try:
            return cls(*unpack(inflated(body, LARGEST)))
        except InflateError as error:
            raise LearnedFileError("text", text=f"{name}: {error}; export it again") from error

    def to_bytes(self) -> bytes:
        """Pack it, the same bytes for the same content."""
        body = zlib.compress(pack(self.parts, self.about), 6)
        return MAGIC + hashlib.sha256(body).digest() + body

    def write(self, path: Path) -> int:
        """Write a file; returns its size in bytes."""
        data = self.to_bytes()
        write_durably(path, data)
        return len(data)

    @property
    def state(self) -> bytes:
        """Return the detector's state; `LearnedFileError` if the file holds none."""
        if STATE not in self.parts:
            raise LearnedFileError("state_not_one")
        return self.parts[STATE]

    def detector(self) -> DetectorOf:
        """Return what makes its detector; `LearnedFileError` if it does not say."""
        try:
            return msgspec.json.decode(self.about[DETECTOR], type=DetectorOf)
        except (KeyError, msgspec.ValidationError, msgspec.DecodeError) as error:
            raise LearnedFileError("file_without_detector") from error


def learning_parts(folder: Path) -> dict[str, bytes]:
    """Return the files of learning in a folder, as parts."""
    return {
        f"{LEARNING}{file.name}": file.read_bytes()
        for file in sorted(folder.glob("*"))
        if file.suffix != ".tmp"
    }


def unpack_learning(parts: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of learning into a folder, durably."""
    for name, part in parts.items():
        if name.startswith(LEARNING):
            # The name is foreign: only its last part is used.
            write_durably(folder / Path(name).name, part)
