"""Reads a file by its ending, and understands its columns as signals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.settings import FS_RANGE_HZ
from auscult.gateway.files.arrays import read_hdf5, read_npy, read_npz
from auscult.gateway.files.audio import read_audio
from auscult.gateway.files.bounds import check_size
from auscult.gateway.files.matlab import read_mat
from auscult.gateway.files.measurements import read_mdf, read_tdms, read_uff
from auscult.gateway.files.records import Column, FileContent, FileError, IncompleteError, Signal
from auscult.gateway.files.tables import read_csv, read_parquet
from auscult.gateway.files.units import known_unit, name_and_unit

FORMATS: dict[str, tuple[str, Callable[[Path], FileContent], str, str]] = {
    # ending: name, reader, package, extra
    ".wav": ("WAV", read_audio, "", ""),
    ".flac": ("FLAC", read_audio, "", ""),
    ".csv": ("CSV", read_csv, "", ""),
    ".txt": ("CSV", read_csv, "", ""),
    ".tsv": ("CSV", read_csv, "", ""),
    ".npy": ("NPY", read_npy, "", ""),
    ".npz": ("NPZ", read_npz, "", ""),
    ".mat": ("MAT", read_mat, "h5py", "files"),
    ".h5": ("HDF5", read_hdf5, "h5py", "files"),
    ".hdf5": ("HDF5", read_hdf5, "h5py", "files"),
    ".tdms": ("TDMS", read_tdms, "nptdms", "files"),
    ".uff": ("UFF 58", read_uff, "pyuff", "files"),
    ".unv": ("UFF 58", read_uff, "pyuff", "files"),
    ".uf": ("UFF 58", read_uff, "pyuff", "files"),
    ".mf4": ("MDF", read_mdf, "asammdf", "files"),
    ".mdf": ("MDF", read_mdf, "asammdf", "files"),
    ".dat": ("MDF", read_mdf, "asammdf", "files"),
    ".parquet": ("Parquet", read_parquet, "pyarrow", "files"),
}
"""Each ending with the format's name, its reader, and the package and extra that it needs."""

TIME_NAMES = ("time", "t", "timestamp", "zeit", "time_s", "t_s", "seconds", "datetime", "date")
RATE_NAMES = (
    "fs", "fs_hz", "fsamp", "f_s", "sf", "sr", "rate", "sampling_rate", "sample_rate", "samplerate",
    "samplingrate", "sampling_frequency", "samplingfrequency", "sampling frequency",
    "sampling rate", "sample rate", "abtastrate",
)  # fmt: skip
STEP_NAMES = ("dt", "delta_t", "timestep", "sampling_interval", "sample_interval")
LARGEST_STEP = 1.5
"""Largest step of a time column in mean steps: at twice the mean, a sample is missing."""
MIN_SAMPLES = 16


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a person knows of files that they do not state, or state otherwise.

    Parameters
    ----------
    unit : str
        Of all channels; empty = as stated.
    fs_hz : float or None
        Rate; None = as stated, by a time column or a number named like a rate.
    time : str
        Name of the time column; empty = found by its name.
    rate : str
        Name of the number that is the rate; empty = found by its name.
    """

    unit: str = ""
    fs_hz: float | None = None
    time: str = ""
    rate: str = ""


def format_of(path: Path) -> str:
    """Return the name of a file's format, empty where its ending is unknown."""
    return FORMATS[path.suffix.lower()][0] if path.suffix.lower() in FORMATS else ""


def read_content(path: Path) -> FileContent:
    """Read all that a file holds.

    Raises
    ------
    FileError
        If the format is unknown, its package is missing, or the file is damaged or too large.
    IncompleteError
        If the file ends too early.
    """
    known = FORMATS.get(path.suffix.lower())
    if known is None:
        raise FileError("file_format_unknown", path=str(path), endings=tuple(FORMATS))
    name, reader, package, extra = known
    if (size := path.stat().st_size) == 0:
        raise IncompleteError("file_incomplete", path=str(path))
    check_size(path, size)
    try:
        return reader(path)
    except FileError:
        raise
    except ModuleNotFoundError as error:
        missing = (error.name or package).partition(".")[0]
        raise FileError("package_missing", package=missing, extra=extra) from error
    except Exception as error:  # readers of ten packages fail in ways of their own
        detail = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise FileError("recording_damaged", path=str(path), format=name, detail=detail) from error


def read_signals(path: Path, meaning: Meaning = Meaning()) -> tuple[Signal, ...]:
    """Read a file's channels as signals.

    Raises
    ------
    FileError
        As `read_content`; or if no rate is stated, the unit is unknown, or no channel is left.
    """
    content = read_content(path)
    time = _time_column(path, content, meaning)
    signals = []
    for column in content.columns:
        if column is time or column.values.dtype.kind == "M" or column.values.size < MIN_SAMPLES:
            continue
        signals.append(_signal(path, column, content, time, meaning))
    if not signals:
        raise FileError("file_no_signal", path=str(path), samples=MIN_SAMPLES)
    return tuple(signals)


def _signal(
    path: Path, column: Column, content: FileContent, time: Column | None, meaning: Meaning
) -> Signal:
    fs_hz, t0_ns = meaning.fs_hz or column.fs_hz, column.t0_ns
    if time is not None and time.values.size == column.values.size:
        stated_hz, start_ns = _of_times(path, time, uniform=fs_hz is None)
        fs_hz, t0_ns = fs_hz or stated_hz, start_ns if t0_ns is None else t0_ns
    fs_hz = fs_hz or _stated_rate(path, content, meaning)
    if fs_hz is None:
        raise FileError("file_no_rate", path=str(path))
    if not FS_RANGE_HZ[0] <= fs_hz <= FS_RANGE_HZ[1]:
        low, high = FS_RANGE_HZ
        raise FileError("file_rate", path=str(path), fs_hz=fs_hz, low=low, high=high)
    written = meaning.unit or column.unit or name_and_unit(column.name)[1]
    unit = known_unit(written)
    if unit is None:
        raise FileError("file_unit", path=str(path), channel=column.name, unit=written)
    with np.errstate(invalid="ignore", over="ignore"):  # checked below
        samples = np.ascontiguousarray(column.values, np.float32) * np.float32(unit[1])
    if not np.isfinite(samples).all():
        bad = int((~np.isfinite(samples)).sum())
        raise FileError("file_not_finite", path=str(path), channel=column.name, count=bad)
    return Signal(column.name, samples, _rounded(fs_hz), unit[0], t0_ns)


def _time_column(path: Path, content: FileContent, meaning: Meaning) -> Column | None:
    if meaning.time:
        for column in content.columns:
            if column.name == meaning.time:
                return column
        names = tuple(column.name for column in content.columns)
        raise FileError("file_no_column", path=str(path), column=meaning.time, columns=names)
    for column in content.columns:
        plain = name_and_unit(column.name)[0].lower().rpartition("/")[2].rpartition(".")[2]
        if column.values.dtype.kind == "M" or plain in TIME_NAMES:
            return column
    return None


def _of_times(path: Path, time: Column, *, uniform: bool) -> tuple[float, int | None]:
    """Rate from a column of times, and the UTC time of the first one where it has a date."""
    values = time.values
    if values.dtype.kind == "M":
        ns = values.astype("datetime64[ns]").astype("int64")
        seconds, t0_ns = (ns - ns[0]) / 1e9, int(ns[0])
    else:
        seconds, t0_ns = values.astype(float) * _seconds_per(time.unit), None
        if 1e8 < seconds[0] < 1e10:  # since 1970
            t0_ns = round(float(seconds[0]) * 1e9)
    steps = np.diff(seconds)
    step = float(seconds[-1] - seconds[0]) / steps.size
    if uniform and not _even(steps, step):
        raise FileError("file_times_uneven", path=str(path), column=time.name)
    return (1 / step if step > 0 else math.nan), t0_ns


def _even(steps: NDArray[np.float64], step: float) -> bool:
    """Return whether no sample is missing; times with few digits may repeat."""
    if not step > 0 or steps.min() < 0:
        return False
    resolution = steps[steps > 0].min() if steps.min() == 0 else 0.0
    return bool(steps.max() <= max(LARGEST_STEP * step, step + resolution))


def _seconds_per(unit: str) -> float:
    return {"ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0}.get(unit.lower(), 1.0)


def _stated_rate(path: Path, content: FileContent, meaning: Meaning) -> float | None:
    if meaning.rate:
        if meaning.rate not in content.scalars:
            names = tuple(content.scalars)
            raise FileError("file_no_column", path=str(path), column=meaning.rate, columns=names)
        return content.scalars[meaning.rate]
    for name, value in content.scalars.items():
        plain = name.lower().rpartition("/")[2].rpartition(".")[2]
        if plain in RATE_NAMES and value > 0:
            return value
        if plain in STEP_NAMES and value > 0:
            return 1 / value
    return None


def _rounded(fs_hz: float) -> float:
    """Undo the rounding of times: 25599.99 Hz is 25600 Hz."""
    whole = round(fs_hz)
    return float(whole) if abs(fs_hz - whole) <= 1e-4 * whole else fs_hz
