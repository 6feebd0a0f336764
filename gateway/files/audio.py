"""WAV and FLAC."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import soundfile

from auscult.gateway.files.bounds import check_size
from auscult.gateway.files.records import Column, FileContent, IncompleteError

SAMPLE_BYTES = 4
STREAMED = (0, 0xFFFFFFFF)
"""Lengths in a WAV header that a program writes when it does not know the length yet."""


def read_audio(path: Path) -> FileContent:
    """Read WAV or FLAC: channels 1, 2, … in digital full scale (−1..1).

    Raises
    ------
    IncompleteError
        If the header announces more than the file holds.
    """
    _check_length(path)
    with soundfile.SoundFile(os.fsencode(path)) as file:  # a name may be no UTF-8
        rate, frames = float(file.samplerate), file.frames
        check_size(path, frames * file.channels * SAMPLE_BYTES)
        samples = file.read(dtype="float32", always_2d=True)
    if len(samples) < frames:
        raise IncompleteError("file_incomplete", path=str(path))
    return FileContent(
        tuple(Column(str(i + 1), samples[:, i], "FS", rate) for i in range(samples.shape[1]))
    )


def _check_length(path: Path) -> None:
    """Compare the lengths in a WAV header with the file: libsndfile reads what is there."""
    with path.open("rb") as file:
        head = file.read(12)
        size = path.stat().st_size
        if len(head) < 12 or not head.startswith(b"RIFF"):
            return
        at = 12
        while at + 8 <= size:
            file.seek(at)
            name, length = struct.unpack("<4sI", file.read(8))
            if name == b"data":
                if length not in STREAMED and at + 8 + length > size:
                    raise IncompleteError("file_incomplete", path=str(path))
                return
            at += 8 + length + length % 2
    raise IncompleteError("file_incomplete", path=str(path))
