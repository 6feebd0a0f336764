"""Sound of a machine through air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

Float64 = NDArray[np.float64]

SPEED_M_S: Final = 343.0
IMPEDANCE: Final = 413.0
"""ρc of air at 20 °C, Pa·s/m."""
G: Final = 9.80665


@dataclass(frozen=True, slots=True)
class Microphone:
    """A microphone beside a machine, whose housing radiates like a piston.

    Parameters
    ----------
    distance_m : float
        From the housing, > 0: the pressure falls with it, and arrives later.
    area_m2 : float
        Radiating area; the surface of an equal half sphere sets where the far field begins.
    coincidence_hz : float
        Below it, radiation falls by 20 dB a decade.
    ambient_pa : float
        R.m.s. of other machines' noise, pink from 20 Hz.
    noise_pa : float
        R.m.s. of its own noise.
    """

    distance_m: float = 1.0
    area_m2: float = 0.1
    coincidence_hz: float = 500.0
    ambient_pa: float = 0.02
    noise_pa: float = 0.0005

    def measured(self, vibration_g: Float64, fs_hz: float, rng: Generator) -> NDArray[np.float32]:
        """Sound pressure in Pa, [shape=(n,), dtype=float32]; `vibration_g` is the housing's."""
        n = vibration_g.size
        hz = np.fft.rfftfreq(n, 1 / fs_hz)
        safe = np.maximum(hz, 10.0)
        velocity = sf.rfft(vibration_g * G) / (2j * np.pi * safe)
        near_m = np.sqrt(self.area_m2 / (2 * np.pi))
        spread = near_m / max(near_m, self.distance_m)
        radiated = safe / np.hypot(safe, self.coincidence_hz)
        delay = np.exp(-2j * np.pi * hz * self.distance_m / SPEED_M_S)
        pressure = sf.irfft(velocity * IMPEDANCE * spread * radiated * delay, n)
        pressure += self.ambient_pa * _pink(n, fs_hz, rng)
        pressure += self.noise_pa * rng.standard_normal(n)
        return pressure.astype(np.float32)


def _pink(n: int, fs_hz: float, rng: Generator) -> Float64:
    """Return the noise with equal power in each octave from 20 Hz on, r.m.s. 1."""
    hz = np.fft.rfftfreq(n, 1 / fs_hz)
    spectrum = sf.rfft(rng.standard_normal(n)) / np.sqrt(np.maximum(hz, 20.0))
    spectrum[hz < 20] = 0
    noise = sf.irfft(spectrum, n)
    return np.asarray(noise / (noise.std() or 1.0))
