"""Writes recordings as a data set: a WAV file each, and the manifest."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

from auscult.gateway.datasets.dataset import COLUMNS
from auscult.gateway.files.records import FileError, Signal

LARGEST_WAV = 2**31
"""Bytes beyond which a file is written as RF64."""


@dataclass(frozen=True, slots=True)
class WrittenRecording:
    """A recording to be written: signals of one rate, and the file's columns of the manifest.

    ``points`` names the point of a signal where it differs from the signal's name; ``columns``
    holds further cells of a signal's rows, such as its bearing orders.
    """

    name: str
    signals: Sequence[Signal]
    cells: Mapping[str, object]
    points: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def write_data_set(
    folder: Path,
    recordings: Iterable[WrittenRecording],
    left_out: list[FileError] | None = None,
) -> int:
    """Write a data set; returns how many recordings it has.

    Samples keep their values: they are stored as float32 over a power of two.

    Parameters
    ----------
    folder : path
    recordings : iterable of WrittenRecording
    left_out : list, optional
        Gets the error of each recording that can't be written, which is left out.

    Raises
    ------
    FileError
        If the signals of one recording differ in rate or length, without `left_out`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    count = 0
    for recording in recordings:
        try:
            rows += _write(folder, recording)
            count += 1
        except FileError as error:
            if left_out is None:
                raise
            left_out.append(error)
    with (folder / "manifest.csv").open("w", newline="", encoding="utf-8") as text:
        writer = csv.DictWriter(text, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return count


def _write(folder: Path, recording: WrittenRecording) -> list[dict[str, object]]:
    first = recording.signals[0]
    for signal in recording.signals:
        if (signal.fs_hz, signal.samples.size) != (first.fs_hz, first.samples.size):
            raise FileError("file_channels_differ", path=recording.name, channel=signal.name)
    file = f"{recording.name}.wav"
    # a power of two: dividing by it changes no bit of the mantissa
    scales = [_power_of_two(signal.samples) for signal in recording.signals]
    samples = np.stack(
        [s.samples / np.float32(f) for s, f in zip(recording.signals, scales, strict=True)]
    )
    form = "RF64" if samples.nbytes > LARGEST_WAV else "WAV"
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples.T, round(first.fs_hz), subtype="FLOAT", format=form)
    return [
        {
            "recording": file,
            "channel": index,
            "point": recording.points.get(signal.name, signal.name),
            "kind": "sound" if signal.unit == "Pa" else "vibration",
            "unit": signal.unit,
            "full_scale": f"{scale:g}",
            "fs_hz": f"{first.fs_hz:.10g}",
            **recording.cells,
            **recording.columns.get(signal.name, {}),
        }
        for index, (signal, scale) in enumerate(zip(recording.signals, scales, strict=True))
    ]


def _power_of_two(samples: np.ndarray) -> float:
    peak = float(np.abs(samples[np.isfinite(samples)]).max(initial=0.0))
    return 2.0 ** math.ceil(math.log2(peak)) if peak > 0 else 1.0
