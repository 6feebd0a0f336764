"""Damaged rolling bearings: impacts with slip, modulated by the load zone; poor lubrication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from auscult.dsp.bearing import Bearing
from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import SensorPlace, band_noise, bursts, path_gain

FAULT_CODES: Final = {
    "bpfo": "bearing.outer",
    "bpfi": "bearing.inner",
    "bsf": "bearing.ball",
    "ftf": "bearing.cage",
}


def load_zone(angle: Float64, extent: float = 0.35) -> Float64:
    """Load on a rolling element at an angle from the load's direction (Stribeck), 0..1.

    Parameters
    ----------
    angle : np.ndarray
        In revolutions.
    extent : float
        Load distribution factor: below 0.5 with clearance, 0.5 without; beyond it, preload.
    """
    above = 1 - (1 - np.cos(2 * np.pi * angle)) / (2 * extent)
    return np.asarray(np.maximum(above, 0) ** 1.5)


@dataclass(frozen=True, slots=True)
class BearingDefect:
    """A spall that rolling elements strike.

    Parameters
    ----------
    bearing : Bearing
        Its order of the damaged part must be known.
    part : {"bpfo", "bpfi", "bsf", "ftf"}
    amplitude_g : float
        Peak of an impact in the middle of the load zone.
    at : int
        Which bearing of the train.
    ring_hz, damping : float
        Resonance that an impact excites, and its damping ratio.
    slip : float
        Standard deviation of the angle between two impacts, as a share. Deviations add up, so
        that high harmonics smear (Antoni and Randall 2002).
    mean_slip : float
        Share by which the mean rate differs from the kinematic one.
    """

    bearing: Bearing
    part: Literal["bpfo", "bpfi", "bsf", "ftf"]
    amplitude_g: float
    at: int = 2
    ring_hz: float = 3500.0
    damping: float = 0.05
    slip: float = 0.01
    mean_slip: float = 0.0

    @property
    def fault(self) -> str:
        """Return the code of the damaged part."""
        return FAULT_CODES[self.part]

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        order = self.bearing.order(self.part)
        if order is None:
            raise ValueError(f"bearing {self.bearing.name!r} states no {self.part}")
        struck = order * (2 if self.part == "bsf" else 1) * (1 + self.mean_slip)
        turns = np.ptp(rotation.angle)
        steps = 1 + self.slip * rng.standard_normal(int(turns * struck * 1.1) + 10)
        angles = rotation.angle[0] + (rng.uniform() + np.cumsum(steps)) / struck
        times = rotation.crossings_s(angles)
        peaks = self._loads(angles[: times.size], rng)
        wave = bursts(times, self.amplitude_g * peaks, rotation, self.ring_hz, self.damping)
        gains = [path_gain(p.bearing, self.at) * (0.6 if p.direction == "axial" else 1.0)
                 for p in places]  # fmt: skip
        return np.outer(gains, wave)

    def _loads(self, angles: Float64, rng: Generator) -> Float64:
        """Share of the load on the spall at each impact."""
        scatter = 1 + 0.1 * rng.standard_normal(angles.size)
        if self.part == "bpfo":
            return scatter
        if self.part == "bpfi":
            return load_zone(angles) * scatter
        cage = load_zone(angles * (self.bearing.ftf or 0.4), 0.5)
        if self.part == "ftf":
            return (0.3 + cage) * scatter
        # A ball strikes the outer race, then the inner one, which transmits less.
        races = np.where(np.arange(angles.size) % 2 == 0, 1.0, 0.7)
        return cage * races * scatter


@dataclass(frozen=True, slots=True)
class Friction:
    """Noise of rolling contacts, which rises as lubricant fails.

    Parameters
    ----------
    noise_g : float
        R.m.s. of a well lubricated bearing, within `band_hz`.
    rise_db : float
        Over it: about 8 dB ask for grease, 12 and 16 dB show beginning failure, 35 dB catastrophe
        (UE Systems' stages of ultrasound).
    at : int
    band_hz : (float, float)
    at_rpm : float, optional
        Speed at which it has this level; it rises with the speed. None: the same at any speed.
    """

    noise_g: float
    rise_db: float = 0.0
    at: int = 2
    band_hz: tuple[float, float] = (4000.0, 40_000.0)
    at_rpm: float | None = None

    @property
    def fault(self) -> str:
        """Return the poor lubrication from the first stage on."""
        return "lubrication" if self.rise_db >= 8 else ""

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        wave = band_noise(rng, rotation.n, rotation.fs_hz, self.band_hz)
        level = self.noise_g * 10 ** (self.rise_db / 20)
        if self.at_rpm is not None:
            wave = wave * rotation.hz * 60 / self.at_rpm
        return np.outer([level * path_gain(p.bearing, self.at) for p in places], wave)
