"""How the shaft turns: speed and angle at each sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.tracking import angle_from_speed

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Rotation:
    """Speed and angle of a shaft at each sample.

    Parameters
    ----------
    fs_hz : float
    hz : np.ndarray [shape=(n,)]
        Shaft frequency, > 0.
    angle : np.ndarray [shape=(n,)]
        Angle in revolutions.
    start_s : float
        Time of the first sample.
    """

    fs_hz: float
    hz: Float64
    angle: Float64
    start_s: float = 0.0

    @classmethod
    def steady(cls, speed_rpm: float, fs_hz: float, seconds: float, start_s: float = 0.0) -> Self:
        """Constant speed; the angle is 0 at time 0, so that consecutive pieces fit together."""
        n = round(seconds * fs_hz)
        hz = speed_rpm / 60
        return cls(fs_hz, np.full(n, hz), hz * (start_s + np.arange(n) / fs_hz), start_s)

    @classmethod
    def ramp(cls, from_rpm: float, to_rpm: float, fs_hz: float, seconds: float) -> Self:
        """Return the speed that changes linearly: a start-up or coast-down."""
        return cls._at(np.linspace(from_rpm, to_rpm, round(seconds * fs_hz)), fs_hz)

    @classmethod
    def wandering(
        cls, speed_rpm: float, fs_hz: float, seconds: float, share: float = 0.01, seed: int = 0
    ) -> Self:
        """Return the speed that wanders around its mean within ± `share`, slower than 0.5 Hz."""
        n = round(seconds * fs_hz)
        rng = np.random.default_rng(seed)
        t = np.arange(n) / fs_hz
        waves = [np.sin(2 * np.pi * (rng.uniform(0.05, 0.5) * t + rng.uniform())) for _ in range(4)]
        return cls._at(speed_rpm * (1 + share * np.mean(waves, axis=0)), fs_hz)

    @classmethod
    def _at(cls, speed_rpm: Float64, fs_hz: float) -> Self:
        return cls(fs_hz, speed_rpm / 60, angle_from_speed(speed_rpm, fs_hz))

    @property
    def n(self) -> int:
        """Return the number of samples."""
        return self.hz.size

    @property
    def times_s(self) -> Float64:
        """Return the time of each sample, [shape=(n,)]."""
        return self.start_s + np.arange(self.n) / self.fs_hz

    @property
    def speed_rpm(self) -> float:
        """Mean speed."""
        return float(self.hz.mean()) * 60

    def with_lead(self, n: int) -> Rotation:
        """Return the rotation that began `n` samples earlier at the first speed."""
        lead = np.arange(-n, 0) / self.fs_hz
        return Rotation(
            self.fs_hz,
            np.concatenate([np.full(n, self.hz[0]), self.hz]),
            np.concatenate([self.angle[0] + self.hz[0] * lead, self.angle]),
            self.start_s - n / self.fs_hz,
        )

    def crossings_s(self, angles: Float64) -> Float64:
        """Return when the shaft reaches increasing `angles`, of those within the record."""
        inside = angles[(angles >= self.angle[0]) & (angles <= self.angle[-1])]
        return np.asarray(np.interp(inside, self.angle, self.times_s))

    def tacho_s(self, pulses_per_rev: int = 1) -> Float64:
        """Return the times of the pulses of a tachometer."""
        first = np.ceil(self.angle[0] * pulses_per_rev)
        pulses = np.arange(first, np.floor(self.angle[-1] * pulses_per_rev) + 1)
        return self.crossings_s(pulses / pulses_per_rev)
