"""A flexible rotor with unbalance: its 1× passes critical speeds, with their turn of phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.signal import cont2discrete, lfilter

from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import SensorPlace, radial_turn_deg
from auscult.dsp.units import STANDARD_GRAVITY_M_S2


@dataclass(frozen=True, slots=True)
class CriticalMode:
    """A lateral mode of a rotor.

    Parameters
    ----------
    rpm : float
        Undamped critical speed.
    damping : float
        Share of the critical damping; the amplification factor is 1 / (2 × damping).
    unbalance_um : float
        Eccentricity of the mass in this mode.
    """

    rpm: float
    damping: float
    unbalance_um: float = 10.0


@dataclass(frozen=True, slots=True)
class FlexibleRotor:
    """A Jeffcott rotor with one or more modes, driven by its unbalance, in exact time steps.

    Each mode obeys x″ + 2ζω x′ + ω² x = e d²(−cos θ)/dt², θ being the shaft's angle: a fast run-up
    shows less amplitude at a later speed than a slow one. The force is linear within a sample.

    References
    ----------
    Jeffcott, "The lateral vibration of loaded shafts", Phil. Mag. 37 (1919) 304–314. Lewis,
    "Vibration during acceleration through a critical speed", Trans. ASME 54 (1932) 253–261.
    """

    modes: Sequence[CriticalMode]
    fault: str = ""

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        """Return the acceleration of the bearing in g, [shape=(places, n)]."""
        step_s = 1 / rotation.fs_hz
        speed = 2 * np.pi * rotation.hz
        growth = np.gradient(speed, step_s)
        rows = []
        for place in places:
            angle = 2 * np.pi * rotation.angle + np.deg2rad(radial_turn_deg(place.direction))
            force = speed**2 * np.cos(angle) + growth * np.sin(angle)
            row = np.zeros(rotation.n)
            for mode in self.modes:
                natural = 2 * np.pi * mode.rpm / 60
                # the second derivative of the response, from its transfer function
                mass = np.array([1.0, 2 * mode.damping * natural, natural**2])
                num, den, _ = cont2discrete((np.array([1.0, 0.0, 0.0]), mass), step_s, "foh")
                row += 1e-6 * mode.unbalance_um * lfilter(num.ravel(), den, force)
            rows.append(row / STANDARD_GRAVITY_M_S2)
        return np.array(rows)
