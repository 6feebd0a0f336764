"""Data sets of recordings: a folder with ``manifest.csv`` and WAV or FLAC files, one row a channel.

The columns are those of `COLUMNS`, of which `REQUIRED` must be there. Commas, semicolons or tabs
separate them. A physical value is the sample in −1..1 times ``full_scale``, in ``unit``. A
``run_to_failure`` recording is bursts of ``burst_s`` laid end to end, one burst taken each
``interval_s``.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.contract.said import Rejection, Said
from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.settings import FS_RANGE_HZ
from auscult.dsp.units import SAMPLED, WAVEFORM_UNITS, SampledKind
from auscult.gateway.records import PointId

COLUMNS = (
    "recording", "machine", "point", "channel", "kind", "unit", "full_scale", "fs_hz",
    "speed_rpm", "load", "label", "fault", "order", "burst_s", "interval_s",
    "bpfo", "bpfi", "bsf", "ftf",
)  # fmt: skip
"""The columns of ``manifest.csv``; others are ignored."""

REQUIRED = ("recording", "label")
"""The columns that have no default."""
SEPARATORS = ",;\t"

FAULT_CLASSES = (
    "inner", "outer", "ball", "cage", "imbalance", "misalignment", "bent", "gear", "propeller",
    "bearing", "unspecified", "none",
)  # fmt: skip
"""The first word of ``fault``."""

MAX_CHANNELS = 1024
"""Of a WAV or FLAC file that can be opened by libsndfile."""
FS_TOLERANCE = 0.005
"""Share by which the manifest's rate may differ from the file's, whose header holds integers."""
_LEADING_NUMBER = re.compile(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(.*)")


class ManifestError(Rejection):
    """A manifest that can't be used; the message names file, row, column, value and remedy."""


class RecordingError(Rejection):
    """A recording that can't be read; the message names the file and what is wrong with it."""


class RecordingLabel(StrEnum):
    """What is known of the machine's health in a recording."""

    HEALTHY = "healthy"
    FAULTY = "faulty"
    RUN_TO_FAILURE = "run_to_failure"


@dataclass(frozen=True, slots=True)
class RecordedChannel:
    """One row of the manifest: a measuring point within a recording."""

    point: PointId
    index: int
    """Channel number within the file, from 0."""
    kind: SampledKind
    unit: str
    full_scale: float
    bearing: Bearing | None
    """Fault orders, None where the manifest gives none."""


@dataclass(frozen=True)
class Recording:
    """One file: channels of one machine taken together, and what was known about it then.

    ``state`` is the operating state: a number in the load column becomes ``load``, any other text
    there the tag ``load``. ``order`` sorts the recordings of one machine in time. ``burst_s`` and
    ``interval_s`` are given together, or neither.
    """

    path: Path
    machine: str
    channels: tuple[RecordedChannel, ...]
    fs_hz: float
    frames: int
    state: OperatingState
    label: RecordingLabel
    fault: str
    order: int
    burst_s: float | None = None
    interval_s: float | None = None
    first_frame: int = 0
    """Where in the file this recording begins; > 0 for a part of a file."""

    @property
    def fault_class(self) -> str:
        """Return the first word of ``fault``, one of `FAULT_CLASSES`."""
        return self.fault.split()[0]

    @property
    def duration_s(self) -> float:
        """Return the length of the samples in seconds (for bursts: laid end to end)."""
        return self.frames / self.fs_hz

    def split(self, share: float) -> tuple[Recording, Recording]:
        """Cut in two: the first `share` (0..1) of the frames, in whole bursts, and the rest."""
        step = 1 if self.burst_s is None else round(self.burst_s * self.fs_hz)
        frames = int(self.frames * share) // step * step
        return (
            replace(self, frames=frames),
            replace(self, frames=self.frames - frames, first_frame=self.first_frame + frames),
        )

    def read(self, start: int = 0, frames: int | None = None) -> NDArray[np.float32]:
        """Return the physical values of all channels, in the order of ``channels``.

        Parameters
        ----------
        start : int
            First frame, 0..frames.
        frames : int or None
            How many frames; None reads to the end. Fewer come back at the end of the file.

        Returns
        -------
        np.ndarray [shape=(c, n), dtype=float32]
            Each row in its channel's unit.

        Raises
        ------
        RecordingError
            If the file is missing, damaged or shorter than it was.
        """
        import soundfile

        try:
            samples, _ = soundfile.read(
                self.path, start=self.first_frame + start,
                frames=self.frames - start if frames is None else frames,
                dtype="float32", always_2d=True,
            )  # fmt: skip
        except (soundfile.SoundFileError, OSError, ValueError) as error:
            raise RecordingError(
                "recording_unreadable", path=str(self.path), detail=str(error)
            ) from error
        scale = np.array([channel.full_scale for channel in self.channels], np.float32)
        rows = samples.T[[channel.index for channel in self.channels]]
        return np.ascontiguousarray(rows * scale[:, None])


@dataclass(frozen=True)
class DataSet:
    """All recordings of one folder, in the order of the manifest (runs in their ``order``)."""

    name: str
    folder: Path
    recordings: tuple[Recording, ...]

    @cached_property
    def machines(self) -> tuple[str, ...]:
        """Return the names of the machines, in order of appearance."""
        return tuple(dict.fromkeys(recording.machine for recording in self.recordings))

    def of_machine(self, machine: str) -> tuple[Recording, ...]:
        """Give the recordings of one machine, sorted by ``order`` (ties as in the manifest)."""
        mine = [recording for recording in self.recordings if recording.machine == machine]
        return tuple(sorted(mine, key=lambda recording: recording.order))


def read_manifest(path: Path | str, *, lenient: bool = False) -> DataSet:
    """Read and check a data set.

    Parameters
    ----------
    path : path
        ``manifest.csv`` or the folder that holds it.
    lenient : bool
        A file that can't be opened becomes a recording without frames, whose ``read`` says why,
        and the others stay usable.

    Returns
    -------
    DataSet
        Named after its folder.

    Raises
    ------
    ManifestError
        If the manifest is missing, a column is missing, or a row says something impossible or
        something that its file contradicts. One line, with the remedy.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "manifest.csv"
    try:
        with path.open(newline="", encoding="utf-8-sig") as text:
            first = text.readline()
            separator = max(SEPARATORS, key=first.count)
            text.seek(0)
            reader = csv.DictReader(text, delimiter=separator)
            header = [name.strip() for name in reader.fieldnames or []]
            reader.fieldnames = header
            rows = [_row(path, number, row) for number, row in enumerate(reader, start=2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ManifestError("manifest_unreadable", path=str(path), detail=str(error)) from error
    if missing := [column for column in REQUIRED if column not in header]:
        raise ManifestError(
            "manifest_no_column", path=str(path), column=missing[0], columns=REQUIRED
        )
    if not rows:
        raise ManifestError("manifest_empty", path=str(path))
    files: dict[str, list[_Row]] = {}
    for row in rows:
        files.setdefault(row.text("recording"), []).append(row)
    recordings = tuple(
        _recording(path.parent, name, group, lenient) for name, group in files.items()
    )
    return DataSet(path.resolve().parent.name, path.parent, recordings)


def _row(path: Path, number: int, cells: dict[Any, Any]) -> _Row:
    """Take a line's cells; a column that the header does not have gets its default.

    A line with more cells than the header is rejected: it would lose some silently.
    """
    if None in cells:
        raise ManifestError("manifest_cells", path=str(path), row=number)
    defaults = {
        "machine": path.resolve().parent.name,
        "channel": "0",
        "point": f"p{cells.get('channel') or 0}",
        "kind": "vibration",
        "unit": "as_delivered",
        "full_scale": "1",
    }
    given = {key: str(cells.get(key, defaults.get(key, "")) or "").strip() for key in COLUMNS}
    return _Row(path, number, given)


@dataclass(frozen=True, slots=True)
class _Row:
    """A manifest row with its place, so that its errors name the line."""

    path: Path
    number: int
    values: dict[str, str]

    def error(self, column: str, problem: Said) -> ManifestError:
        return ManifestError(
            "manifest_row",
            path=str(self.path),
            row=self.number,
            column=column,
            value=self.values[column],
            problem=problem,
        )

    def text(self, column: str) -> str:
        if not self.values[column]:
            raise self.error(column, Said("empty"))
        return self.values[column]

    def one_of(self, column: str, choices: Sequence[str]) -> str:
        if self.values[column] not in choices:
            raise self.error(column, Said("value_one_of", {"expected": tuple(choices)}))
        return self.values[column]

    def number_of(self, column: str, low: float, high: float) -> float:
        number = self.optional_number(column, low, high)
        if number is None:
            raise self.error(column, Said("empty"))
        return number

    def optional_number(self, column: str, low: float, high: float) -> float | None:
        if not self.values[column]:
            return None
        try:
            number = float(self.values[column])
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise self.error(column, Said("number_between", {"low": low, "high": high}))
        return number


def _recording(folder: Path, name: str, rows: list[_Row], lenient: bool) -> Recording:
    """Return all rows of one file; what belongs to the file must agree between them."""
    first = rows[0]
    file_columns = ("machine", "fs_hz", "speed_rpm", "load", "label", "fault", "order", "burst_s",
                    "interval_s")  # fmt: skip
    for row in rows[1:]:
        for column in file_columns:
            if row.values[column] != first.values[column]:
                there = {"row": str(first.number), "value": first.values[column]}
                raise row.error(column, Said("manifest_disagrees", there))
    path = folder / name
    stated = first.optional_number("fs_hz", *FS_RANGE_HZ)
    rate, channel_count, frames = _header(path, first, stated, lenient)
    fs_hz = rate if stated is None else stated
    if abs(rate - fs_hz) > FS_TOLERANCE * fs_hz:
        raise first.error("fs_hz", Said("manifest_rate", {"fs_hz": rate}))
    burst_s = first.optional_number("burst_s", 1e-3, 1e6)
    interval_s = first.optional_number("interval_s", 1e-3, 1e9)
    if (burst_s is None) != (interval_s is None):
        raise first.error("interval_s", Said("bursts_incomplete"))
    label = RecordingLabel(first.one_of("label", [str(label) for label in RecordingLabel]))
    fault = first.values["fault"] or ("none" if label is RecordingLabel.HEALTHY else "unspecified")
    if fault.split()[0] not in FAULT_CLASSES:
        raise first.error("fault", Said("first_word_of", {"choices": tuple(FAULT_CLASSES)}))
    channels = tuple(_channel(row, channel_count) for row in rows)
    for value, what in ((len({c.index for c in channels}), "channel"),
                        (len({c.point for c in channels}), "point")):  # fmt: skip
        if value != len(channels):
            raise first.error(what, Said("manifest_doubled", {"recording": name}))
    return Recording(
        path=path,
        machine=first.text("machine"),
        channels=channels,
        fs_hz=fs_hz,
        frames=frames,
        state=_state(first),
        label=label,
        fault=fault,
        order=int(first.optional_number("order", 0, 1e9) or 0),
        burst_s=burst_s,
        interval_s=interval_s,
    )


def _header(path: Path, row: _Row, fs_hz: float | None, lenient: bool) -> tuple[float, int, int]:
    """Rate, channels and frames of a file."""
    import soundfile

    try:
        info = soundfile.info(path)
    except (soundfile.SoundFileError, OSError) as error:
        if lenient:
            return fs_hz or FS_RANGE_HZ[0], MAX_CHANNELS, 0
        raise row.error("recording", Said("not_audio", {"detail": str(error)})) from error
    return info.samplerate, info.channels, info.frames


def _channel(row: _Row, channels: int) -> RecordedChannel:
    orders = [row.optional_number(name, 1e-3, 999) for name in FAULTS]
    kind = row.one_of("kind", SAMPLED)
    return RecordedChannel(
        point=PointId(row.text("machine"), row.text("point")),
        index=int(row.number_of("channel", 0, channels - 1)),
        kind=cast(SampledKind, kind),
        unit=row.one_of("unit", WAVEFORM_UNITS),
        full_scale=row.number_of("full_scale", 1e-12, 1e12),
        bearing=None if all(order is None for order in orders) else Bearing("manifest", *orders),
    )


def _state(row: _Row) -> OperatingState:
    speed_rpm = row.optional_number("speed_rpm", 1e-3, 1e6)
    load = row.values["load"]
    match = _LEADING_NUMBER.fullmatch(load)
    if match:
        return OperatingState(speed_rpm, float(match[1]))
    return OperatingState(speed_rpm, None, {"load": load} if load else {})
