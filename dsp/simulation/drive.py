"""Drives: magnetic forces of a motor, its current, and belts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.random import Generator

from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import SensorPlace, Tone, path_gain


@dataclass(frozen=True, slots=True)
class Magnetic:
    """Magnetic forces of an induction motor: twice the line frequency, rotor bars.

    Parameters
    ----------
    amplitude_g : float
        At twice the line frequency; a loose core or an uneven gap raises it.
    line_hz : float
    pole_pairs : int
        The slip is the share by which the shaft is slower than ``line_hz / pole_pairs``.
    bars : float
        Amplitude of 1× sidebands at the pole-pass frequency in g: cracked rotor bars.
    fault : str
        Empty for the forces of a healthy motor.
    """

    amplitude_g: float
    line_hz: float = 50.0
    pole_pairs: int = 2
    bars: float = 0.0
    fault: str = ""

    def pole_pass_hz(self, shaft_hz: float) -> float:
        """Return the slip frequency times the number of poles."""
        return 2 * self.pole_pairs * (self.line_hz / self.pole_pairs - shaft_hz)

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        t = rotation.times_s
        wave = self.amplitude_g * np.cos(4 * pi * self.line_hz * t)
        if self.bars:
            passing = self.pole_pass_hz(rotation.speed_rpm / 60)
            am = 2 * np.cos(2 * pi * passing * t)
            wave = wave + am * Tone(1, self.bars).at(rotation)
        return np.outer([path_gain(p.bearing, 1) for p in places], wave)


def motor_current(
    rotation: Rotation,
    *,
    amplitude_a: float = 10.0,
    line_hz: float = 50.0,
    pole_pairs: int = 2,
    bars_db: float = -60.0,
    eccentricity_db: float = -60.0,
    noise_a: float = 0.01,
    seed: int = 0,
) -> Float64:
    """Return the current of one phase of an induction motor, A, [shape=(n,)].

    Parameters
    ----------
    rotation : Rotation
    amplitude_a : float
        Of the line frequency.
    bars_db : float
        Sidebands at ``line ± 2 × slip × line`` below the line: −60 dB healthy, −45 dB and above
        broken rotor bars.
    eccentricity_db : float
        Sidebands at ``line ± shaft``.
    """
    t = rotation.times_s
    slip = 1 - rotation.speed_rpm / 60 * pole_pairs / line_hz
    bars, eccentric = 10 ** (bars_db / 20), 10 ** (eccentricity_db / 20)
    wave = np.cos(2 * pi * line_hz * t)
    for sign in (-1, 1):
        wave += bars * np.cos(2 * pi * line_hz * (1 + sign * 2 * slip) * t)
        wave += eccentric * np.cos(2 * pi * (line_hz * t + sign * rotation.angle))
    wave += 0.02 * np.cos(2 * pi * 5 * line_hz * t) + 0.015 * np.cos(2 * pi * 7 * line_hz * t)
    noise = noise_a * np.random.default_rng(seed).standard_normal(rotation.n)
    return np.asarray(amplitude_a * wave + noise)


@dataclass(frozen=True, slots=True)
class Belt:
    """A worn or mismatched belt: its frequency and multiples, the second one leads.

    Parameters
    ----------
    amplitude_g : float
        Of the second multiple, in the direction of the belt's tension (horizontal).
    pulley_mm, length_mm : float
        Pitch diameter of the pulley on the shaft, and length of the belt.
    """

    amplitude_g: float
    pulley_mm: float = 200.0
    length_mm: float = 2000.0
    at: int = 2
    fault: str = "belt"

    @property
    def order(self) -> float:
        """Return the belt frequency in orders of the shaft."""
        return pi * self.pulley_mm / self.length_mm

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        tones = [
            Tone(n * self.order, self.amplitude_g * height, 40 * n)
            for n, height in enumerate((0.6, 1.0, 0.4, 0.3), 1)
        ]
        wave = sum(tone.at(rotation) for tone in tones)
        rows = []
        for place in places:
            along = 1.0 if place.direction == "horizontal" else 0.3
            rows.append(along * path_gain(place.bearing, self.at) * wave)
        return np.array(rows)
