"""What a file holds: columns as it states them, and signals as they are understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Rejection


class FileError(Rejection):
    """A file that can't be used; one line: file, problem, remedy."""


class IncompleteError(FileError):
    """A file that ends too early: it is still written, or was cut."""


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers of one name in a file.

    Parameters
    ----------
    name : str
    values : np.ndarray [shape=(n,)]
        Numbers, or ``datetime64`` for times.
    unit : str
        As the file writes it, empty where it states none.
    fs_hz : float or None
        Rate that the file states for this column.
    t0_ns : int or None
        UTC time of the first value, ns since 1970.
    """

    name: str
    values: NDArray[Any]
    unit: str = ""
    fs_hz: float | None = None
    t0_ns: int | None = None


@dataclass(frozen=True, slots=True)
class FileContent:
    """All columns of a file, and its single numbers by name, such as a rate."""

    columns: tuple[Column, ...]
    scalars: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signal:
    """Consecutive samples of one channel.

    Parameters
    ----------
    name : str
    samples : np.ndarray [shape=(n,), dtype=float32]
        In `unit`, finite.
    fs_hz : float
        Sampling rate, Hz.
    unit : str
        A unit of `auscult.gateway.files.units`.
    t0_ns : int or None
        UTC time of the first sample, None where the file states none.
    """

    name: str
    samples: NDArray[np.float32]
    fs_hz: float
    unit: str
    t0_ns: int | None = None

    @property
    def duration_s(self) -> float:
        """Length, s."""
        return self.samples.size / self.fs_hz
