"""Pumps and fans: blade pass, turbulence, cavitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import SensorPlace, Tone, band_noise, path_gain


@dataclass(frozen=True, slots=True)
class BladePass:
    """Pressure pulses of blades or vanes: harmonics of the blade count with 1× sidebands.

    Parameters
    ----------
    blades : int
    amplitude_g : float
        At the reference speed; the pulses grow with the square of speed.
    modulation : float
        Of the pulses once a turn: a damaged blade or an eccentric wheel.
    at_rpm : float
    at : int
    fault : str
        Empty for the pulses of a healthy wheel.
    """

    blades: int
    amplitude_g: float
    modulation: float = 0.05
    at_rpm: float = 1500.0
    at: int = 3
    fault: str = ""

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        growth = (rotation.hz * 60 / self.at_rpm) ** 2
        am = 1 + self.modulation * np.cos(2 * np.pi * rotation.angle)
        first, second = Tone(self.blades, self.amplitude_g), Tone(2 * self.blades, 0.3, 50)
        wave = growth * am * (first.at(rotation) + self.amplitude_g * second.at(rotation))
        return np.outer([path_gain(p.bearing, self.at) for p in places], wave)


@dataclass(frozen=True, slots=True)
class Turbulence:
    """Random vibration of flow below 1×, down to a fifth of it."""

    noise_g: float
    at: int = 3
    fault: str = "turbulence"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        shaft_hz = rotation.speed_rpm / 60
        wave = band_noise(rng, rotation.n, rotation.fs_hz, (0.2 * shaft_hz, 0.9 * shaft_hz))
        return np.outer([self.noise_g * path_gain(p.bearing, self.at) for p in places], wave)


@dataclass(frozen=True, slots=True)
class Cavitation:
    """Collapsing bubbles: broad-band noise, modulated by the blades, with random bursts.

    Parameters
    ----------
    noise_g : float
        R.m.s. within `band_hz`.
    blades : int
        Of the impeller, which modulates the noise.
    band_hz : (float, float)
    """

    noise_g: float
    blades: int = 6
    band_hz: tuple[float, float] = (3000.0, 20_000.0)
    at: int = 3
    fault: str = "cavitation"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        n, fs_hz = rotation.n, rotation.fs_hz
        noise = band_noise(rng, n, fs_hz, self.band_hz)
        slow = np.exp(0.4 * band_noise(rng, n, fs_hz, (20.0, 300.0)))
        am = slow * (1 + 0.2 * np.cos(2 * np.pi * self.blades * rotation.angle))
        wave = noise * am
        wave *= self.noise_g / (wave.std() or 1.0)
        return np.outer([path_gain(p.bearing, self.at) for p in places], wave)
