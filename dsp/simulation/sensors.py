"""Sensors: noise, sensitivity, full scale, and the faults that make a sensor lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from auscult.dsp.simulation.source import SensorPlace

Float64 = NDArray[np.float64]


class SimulatedSensorFault(Protocol):
    """What a fault of a sensor makes of its signal."""

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        """Return the faulty signal, [shape=(n,)]."""
        ...


@dataclass(frozen=True, slots=True)
class WrongGain:
    """A wrong unit or sensitivity: the signal times `factor`, which may drift to `final`."""

    factor: float
    final: float | None = None

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        final = self.factor if self.final is None else self.final
        return np.asarray(x * np.linspace(self.factor, final, x.size))


@dataclass(frozen=True, slots=True)
class Clipping:
    """Saturation at ± `limit` (in the unit of the sensor)."""

    limit: float

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        return np.clip(x, -self.limit, self.limit)


@dataclass(frozen=True, slots=True)
class Dropout:
    """Intermittent contact: the signal is 0 in pieces of `length_s`, `share` of the time."""

    share: float = 0.1
    length_s: float = 0.05

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        length = max(1, round(self.length_s * fs_hz))
        pieces = -(-x.size // length)
        lost = rng.permutation(pieces) < round(self.share * pieces)
        return np.where(np.repeat(lost, length)[: x.size], 0.0, x)


@dataclass(frozen=True, slots=True)
class Hum:
    """Mains hum by a ground loop: the line frequency and its odd harmonics."""

    amplitude: float
    line_hz: float = 50.0

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        t = np.arange(x.size) / fs_hz
        hum = [np.cos(2 * np.pi * n * self.line_hz * t) / n**2 for n in (1, 3, 5)]
        return np.asarray(x + self.amplitude * np.sum(hum, axis=0))


@dataclass(frozen=True, slots=True)
class Stuck:
    """A broken cable or a hung converter: one value from a share of the record on."""

    after: float = 0.0

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        first = min(int(self.after * x.size), x.size - 1)
        out = x.copy()
        out[first:] = x[first]
        return out


@dataclass(frozen=True, slots=True)
class LooseMount:
    """A sensor on a loose mount: its own resonance rings at `hz`, and above it little passes."""

    hz: float = 1200.0
    damping: float = 0.05

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        spectrum = np.fft.rfft(x)
        r = np.fft.rfftfreq(x.size, 1 / fs_hz) / self.hz
        spectrum *= (1 + 2j * self.damping * r) / (1 - r**2 + 2j * self.damping * r)
        return np.fft.irfft(spectrum, x.size)


@dataclass(frozen=True, slots=True)
class CableBreak:
    """An open cable: the vibration is gone; the input picks up noise and a little hum.

    Parameters
    ----------
    after : float
        Share of the record before the break.
    pickup : float
        R.m.s. of what the open input picks up.
    """

    after: float = 0.0
    pickup: float = 0.002

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        first = int(self.after * x.size)
        t = np.arange(x.size) / fs_hz
        open_input = rng.standard_normal(x.size) + np.sqrt(2) * np.cos(2 * np.pi * 50 * t)
        return np.where(np.arange(x.size) < first, x, self.pickup / np.sqrt(2) * open_input)


@dataclass(frozen=True, slots=True)
class Aliasing:
    """A missing anti-alias filter: every `factor`-th sample, held, as a slow converter does."""

    factor: int = 4

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        return np.asarray(np.repeat(x[:: self.factor], self.factor)[: x.size])


@dataclass(frozen=True, slots=True)
class DeadBattery:
    """A battery that fails: the supply sags, the signal with it, and then nothing is left."""

    dead_after: float = 0.5

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        supply = 1 - np.arange(x.size) / max(1.0, self.dead_after * x.size)
        return np.where(supply > 0, x * np.sqrt(np.maximum(supply, 0)), 0.0)


@dataclass(frozen=True, slots=True)
class ClockDrift:
    """A sampling clock that is off by a share: every frequency is read wrong by as much."""

    share: float = 0.02

    def applied(self, x: Float64, fs_hz: float, rng: Generator) -> Float64:
        at = np.arange(x.size) * (1 + self.share) % max(1, x.size - 1)
        return np.asarray(np.interp(at, np.arange(x.size), x))


@dataclass(frozen=True, slots=True)
class Sensor:
    """An accelerometer.

    Parameters
    ----------
    place : SensorPlace
    noise_g : float
        R.m.s. of its own noise.
    full_scale_g : float or None
        With `bits`: the range of the converter; None = no rounding.
    bits : int
    faults : sequence of SimulatedSensorFault
        Applied in this order, before the converter.
    """

    place: SensorPlace = field(default_factory=SensorPlace)
    noise_g: float = 0.002
    full_scale_g: float | None = None
    bits: int = 16
    faults: Sequence[SimulatedSensorFault] = ()

    def measured(self, vibration: Float64, fs_hz: float, rng: Generator) -> NDArray[np.float32]:
        """Return samples in g, [shape=(n,), dtype=float32]."""
        x = vibration + self.noise_g * rng.standard_normal(vibration.size)
        for fault in self.faults:
            x = fault.applied(x, fs_hz, rng)
        if self.full_scale_g is not None:
            step = self.full_scale_g / 2 ** (self.bits - 1)
            x = np.clip(np.round(x / step) * step, -self.full_scale_g, self.full_scale_g - step)
        return x.astype(np.float32)
