"""Resonances of the housing, in each direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.simulation.source import Direction

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode of vibration.

    Parameters
    ----------
    hz : float
        Natural frequency.
    damping : float
        Damping ratio, > 0: the response at resonance is ``1 / (2 · damping)``.
    share : float
        Share of the force that this mode takes, 0..1. With 1, vibration below the mode falls with
        the square of frequency (stiffness line) and follows the force above (mass line); across
        the mode the phase turns by 180 degrees.
    """

    hz: float
    damping: float = 0.05
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Housing:
    """Transfer from forces to the vibration at a sensor; 1 in directions without modes.

    Examples
    --------
    >>> housing = Housing({"horizontal": (Mode(100, 0.05, share=1.0),)})
    >>> response = housing.transfer("horizontal", np.array([10.0, 100.0, 5000.0]))
    >>> [round(float(abs(h)), 2) for h in response]
    [0.01, 10.0, 1.0]
    """

    modes: Mapping[Direction, tuple[Mode, ...]] = field(default_factory=dict)

    def transfer(self, direction: Direction, hz: NDArray[Any]) -> NDArray[np.complex128]:
        """Return the acceleration over force at each frequency, [shape=hz.shape]."""
        modes = self.modes.get(direction, ())
        response = np.full(hz.shape, 1 - sum(mode.share for mode in modes), np.complex128)
        for mode in modes:
            r = hz / mode.hz
            response += mode.share * r**2 / (r**2 - 1 - 2j * mode.damping * r)
        return response

    def passed(self, direction: Direction, force: Float64, fs_hz: float) -> Float64:
        """Vibration that a force makes, [shape=(n,)]; before the first sample all is at rest."""
        if not self.modes.get(direction):
            return force
        n = force.size
        size = sf.next_fast_len(2 * n, real=True)
        transfer = self.transfer(direction, np.fft.rfftfreq(size, 1 / fs_hz))
        return np.asarray(sf.irfft(sf.rfft(force, size) * transfer, size)[:n])
