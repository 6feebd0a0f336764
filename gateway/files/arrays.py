"""Files of named arrays: NumPy and HDF5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.files.bounds import check_size, check_zip
from auscult.gateway.files.records import Column, FileContent, FileError

MAX_CHANNELS = 1024
"""An array with more rows and columns than this is an image or a table of something else."""
RATE_ATTRIBUTES = (
    "fs", "fs_hz", "sampling_rate", "sample_rate", "samplerate", "sampling_frequency",
)  # fmt: skip


def read_npy(path: Path) -> FileContent:
    """Read a ``.npy`` file: one channel, or one channel for each row or column."""
    return content_of({path.stem: np.load(path, allow_pickle=False)})


def read_npz(path: Path) -> FileContent:
    """Read a ``.npz`` file: its arrays by name."""
    check_zip(path)
    with np.load(path, allow_pickle=False) as archive:
        return content_of({name: archive[name] for name in archive.files})


def read_hdf5(path: Path) -> FileContent:
    """Read HDF5: each data set of numbers; its attributes may state unit, rate and step.

    Links are not followed. A data set whose numbers lie in other files could name any file of this
    computer.

    Raises
    ------
    FileError
        If a data set has external storage or is virtual.
    """
    import h5py

    arrays: dict[str, NDArray[Any]] = {}
    units: dict[str, str] = {}
    rates: dict[str, float] = {}
    size = 0

    def visit(name: str, item: Any) -> None:
        nonlocal size
        if not isinstance(item, h5py.Dataset) or "#refs#" in name or item.dtype.kind not in "iuf":
            return
        if item.external or item.is_virtual:
            raise FileError("file_refers", path=str(path), channel=name)
        size += item.nbytes
        check_size(path, size)
        arrays[name] = item[()]
        attributes = {key.lower(): value for key, value in item.attrs.items()}
        units[name] = _text(attributes.get("unit", attributes.get("units", "")))
        stated = [attributes[n] for n in RATE_ATTRIBUTES if n in attributes]
        if stated:
            rates[name] = float(np.ravel(stated[0])[0])
        elif "dt" in attributes:
            rates[name] = 1 / float(np.ravel(attributes["dt"])[0])

    with h5py.File(path, "r") as file:
        file.visititems(visit)
        top = {k.lower(): v for k, v in file.attrs.items() if np.isscalar(v) and is_number(v)}
    return content_of({**top, **arrays}, units, rates)


def content_of(
    arrays: Mapping[str, Any],
    units: Mapping[str, str] | None = None,
    rates: Mapping[str, float] | None = None,
) -> FileContent:
    """Sort arrays into columns and single numbers; a matrix is one column for each channel."""
    columns: list[Column] = []
    scalars: dict[str, float] = {}
    for name, given in arrays.items():
        values = np.asarray(given)
        if values.dtype.kind not in "iufM":
            continue
        values = np.squeeze(values)
        if values.ndim == 0:
            if values.dtype.kind != "M":
                scalars[name] = float(values)
            continue
        unit, rate = (units or {}).get(name, ""), (rates or {}).get(name)
        for label, row in _channels(name, values):
            columns.append(Column(label, row, unit, rate))
    return FileContent(tuple(columns), scalars)


def _channels(name: str, values: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    if values.ndim == 1:
        yield name, values
        return
    if values.ndim != 2 or min(values.shape) > MAX_CHANNELS:
        return
    rows = values if values.shape[0] < values.shape[1] else values.T
    for number, row in enumerate(rows, start=1):
        yield f"{name}.{number}", row


def is_number(value: Any) -> bool:
    """Return whether a value is a number, of Python or numpy."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(np.ravel(value)[0]) if isinstance(value, np.ndarray) and value.size else str(value)
