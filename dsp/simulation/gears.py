"""Gears: mesh harmonics with sidebands, distributed wear, and a damaged tooth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import SensorPlace, bursts, path_gain


@dataclass(frozen=True, slots=True)
class GearPair:
    """A pair of gears in mesh, healthy, worn, or with a damaged tooth.

    Parameters
    ----------
    teeth, driven_teeth : int
        The driving gear sits on the shaft of the rotation.
    amplitude_g : float
        First mesh harmonic; the second and third have 0.5 and 0.25 of it.
    modulation : float
        Amplitude modulation once a turn of the driving gear by its eccentricity, 0..1.
    wear : float
        0 = none. Wear raises the higher mesh harmonics and the errors from tooth to tooth.
    tooth : float
        0 = none. Loss of stiffness of one tooth of the driving gear: the mesh loses amplitude and
        lags while this tooth carries, and its engagement strikes.
    at : int
    ring_hz : float
        Resonance that the damaged tooth excites.
    """

    teeth: int = 21
    driven_teeth: int = 37
    amplitude_g: float = 0.2
    modulation: float = 0.05
    wear: float = 0.0
    tooth: float = 0.0
    at: int = 2
    ring_hz: float = 1800.0

    @property
    def fault(self) -> str:
        """Return the code of the worse damage."""
        if self.tooth > self.wear:
            return "gear.tooth"
        return "gear.wear" if self.wear else ""

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        turn, driven = rotation.angle, rotation.angle * self.teeth / self.driven_teeth
        meshing = turn * self.teeth
        lag, strength = self._damaged(turn)
        errors = self._tooth_errors(turn, self.teeth, rng)
        errors = errors + self._tooth_errors(driven, self.driven_teeth, rng)
        am = 1 + self.modulation * np.cos(2 * np.pi * turn) + errors
        am = am * (1 + 0.5 * self.modulation * np.cos(2 * np.pi * driven + 1)) * strength
        heights = np.array([1.0, 0.5 + 0.5 * self.wear, 0.25 + 0.5 * self.wear])
        phases = rng.uniform(0, 2 * np.pi, heights.size)
        wave = sum(
            height * np.cos(2 * np.pi * n * (meshing - lag) + phase)
            for n, (height, phase) in enumerate(zip(heights, phases, strict=True), 1)
        )
        wave = self.amplitude_g * am * wave
        if self.tooth:
            turns = np.arange(np.ceil(turn[0]), turn[-1] + 1)
            times = rotation.crossings_s(turns)
            peaks = self.amplitude_g * self.tooth * (2 + 0.2 * rng.standard_normal(times.size))
            wave = wave + bursts(times, peaks, rotation, self.ring_hz, 0.08)
        return np.outer([path_gain(p.bearing, self.at) for p in places], wave)

    def _damaged(self, turn: Float64) -> tuple[Float64, Float64]:
        """Lag of the mesh in teeth, and its strength, while the damaged tooth carries."""
        near = (turn + 0.5) % 1 - 0.5
        carried = np.exp(-0.5 * (near * self.teeth / 0.6) ** 2)
        return 0.08 * self.tooth * carried, 1 - 0.5 * self.tooth * carried

    def _tooth_errors(self, turn: Float64, teeth: int, rng: Generator) -> Float64:
        """Return the amplitude error of each tooth, the same at every turn."""
        each = (0.02 + 0.25 * self.wear) * rng.standard_normal(teeth)
        return np.asarray(each[np.floor(turn * teeth).astype(int) % teeth])
