"""The records of the data's way inside the gateway: `SampleBlock → Window → … → Event`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.contract.said import Said


class PointId(NamedTuple):
    """A measuring point: where on which machine a sensor sits. Prints as ``machine/point``.

    A tuple, because it is hashed several times for each block.
    """

    machine: str
    point: str

    def __str__(self) -> str:
        return f"{self.machine}/{self.point}"


class SampleBlock(NamedTuple):
    """Consecutive samples of one point as a source delivered them.

    A tuple, because one is made for each packet of each channel: a frozen dataclass takes four
    times as long.

    Parameters
    ----------
    point : PointId
    fs_hz : float
        Sampling rate in Hz, 200..200 000.
    t0_ns : int
        UTC time of the first sample, ns since 1970.
    sequence : int
        Counts blocks of this point; a jump is a loss, a repeat a duplicate.
    samples : np.ndarray [shape=(n,), dtype=float32]
        In `unit`.
    unit : str
        Declared physical unit, of `WAVEFORM_UNITS`.
    gap : bool
        The source knows that samples are missing before this block.
    clipped : bool
        The source knows that the converter was at full scale within it.
    state : OperatingState or None
        Operating state that the source read with the samples.
    """

    point: PointId
    fs_hz: float
    t0_ns: int
    sequence: int
    samples: NDArray[np.float32]
    unit: str
    gap: bool = False
    clipped: bool = False
    state: OperatingState | None = None


TRUTH = {
    **dict.fromkeys(("on", "true", "open", "yes", "running"), 1.0),
    **dict.fromkeys(("off", "false", "closed", "no", "stopped"), 0.0),
}
"""Words that devices and historians write for a truth value, in lower case."""
MOST_VALUE = 1e15
"""Largest value that can be a measurement, in any unit. Statistics hold float32, where squares of
it and their sums stay finite; a register read in the wrong word order is often beyond it."""


class PointValue(NamedTuple):
    """One overall value of a point, such as a velocity r.m.s. or a temperature.

    Parameters
    ----------
    point : PointId
    t_ns : int
        UTC time of the measurement, ns since 1970.
    value : float
        Finite, in `unit`.
    unit : str
        Declared physical unit.
    measured : bool
        The sensor sent the time; False: it is the time of arrival.
    uncertain : bool
        The source marks the value as uncertain, for example by its OPC UA quality.
    """

    point: PointId
    t_ns: int
    value: float
    unit: str
    measured: bool = True
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive samples of one point that are processed together.

    Parameters
    ----------
    point : PointId
    fs_hz, unit : float, str
    t0_ns : int
        UTC time of the first sample.
    parts : tuple of np.ndarray [dtype=float32]
        The samples in order. Overlapping windows share parts, so that each sample is stored once.
    state : OperatingState or None
    clipped : bool
        The source reports that the converter was at full scale.
    """

    point: PointId
    fs_hz: float
    unit: str
    t0_ns: int
    parts: tuple[NDArray[np.float32], ...]
    state: OperatingState | None = None
    clipped: bool = False

    @property
    def samples(self) -> NDArray[np.float32]:
        """Return all samples [shape=(n,)], a copy."""
        return np.concatenate(self.parts)


@dataclass(frozen=True, slots=True)
class SourceFault:
    """A source can't deliver a point's samples from `t_ns` on; `said` says why and what to do.

    It ends with the point's next block.
    """

    point: PointId
    t_ns: int
    said: Said
