"""What every source of vibration has in common: places, tones, bursts and bands of noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.simulation.rotation import Rotation

Float64 = NDArray[np.float64]
Direction = Literal["axial", "horizontal", "vertical"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("axial", "horizontal", "vertical")

PATH_DB: Final = 9.0
"""Attenuation from a bearing to its neighbour."""


@dataclass(frozen=True, slots=True)
class SensorPlace:
    """Where a sensor sits: the bearing 1 to 4 along the train, and its direction."""

    bearing: int = 2
    direction: Direction = "horizontal"


@runtime_checkable
class VibrationSource(Protocol):
    """A cause of vibration.

    ``fault`` is the stable code of the fault that it simulates, empty for healthy machinery.
    """

    @property
    def fault(self) -> str:
        """Return the code of the fault, empty where the source is healthy."""
        ...

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        """Return the vibration at each place in g before the housing, [shape=(places, n)]."""
        ...


@dataclass(frozen=True, slots=True)
class Tone:
    """A line that follows the shaft.

    Parameters
    ----------
    order : float
    amplitude_g : float
        Peak, at the reference speed.
    phase_deg : float
        Phase of the cosine at angle 0.
    """

    order: float
    amplitude_g: float
    phase_deg: float = 0.0

    def at(self, rotation: Rotation, turn_deg: float = 0.0) -> Float64:
        """Return the samples of the tone, shifted by `turn_deg`, [shape=(n,)]."""
        turns = self.order * rotation.angle + (self.phase_deg + turn_deg) / 360
        return np.asarray(self.amplitude_g * np.cos(2 * np.pi * turns))


def path_gain(bearing: int, at: int) -> float:
    """Return the gain from a source at one bearing to a sensor at another."""
    return float(10 ** (-PATH_DB * abs(bearing - at) / 20))


def radial_turn_deg(direction: Direction) -> float:
    """Phase of a rotating force: the vertical sensor lags the horizontal one by 90 degrees."""
    return -90.0 if direction == "vertical" else 0.0


def bursts(
    times_s: Float64,
    peaks: Float64,
    rotation: Rotation,
    ring_hz: float,
    damping: float,
) -> Float64:
    """Sum decaying oscillations that start at `times_s`, [shape=(n,)].

    Starts lie between samples too, so that no rate of impacts is rounded to the sampling rate.
    """
    out = np.zeros(rotation.n)
    if not times_s.size:
        return out
    decay = 2 * np.pi * ring_hz * damping
    length = int(7 / decay * rotation.fs_hz) + 2
    start = (times_s - rotation.start_s) * rotation.fs_hz
    first = np.ceil(start).astype(int)
    index = first[:, None] + np.arange(length)
    t = (index - start[:, None]) / rotation.fs_hz
    ring = peaks[:, None] * np.exp(-decay * t) * np.sin(2 * np.pi * ring_hz * t)
    inside = (index >= 0) & (index < rotation.n)
    np.add.at(out, index[inside], ring[inside])
    return out


def band_noise(rng: Generator, n: int, fs_hz: float, band_hz: tuple[float, float]) -> Float64:
    """Gaussian noise of r.m.s. 1 within a band, [shape=(n,)]; 0 where the rate can't carry it."""
    spectrum = sf.rfft(rng.standard_normal(n))
    hz = np.fft.rfftfreq(n, 1 / fs_hz)
    spectrum[(hz < band_hz[0]) | (hz > band_hz[1])] = 0
    noise = sf.irfft(spectrum, n)
    return np.asarray(noise / (noise.std() or 1.0))
