"""Faults of shafts and couplings: orders 1×, 2×, 3× with direction and phase.

Forces of an imbalance grow with the square of speed. Those of a bent or misaligned shaft come from
a constant deflection and depend on speed only through the housing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from auscult.dsp.simulation.rotation import Float64, Rotation
from auscult.dsp.simulation.source import (
    Direction,
    SensorPlace,
    Tone,
    bursts,
    path_gain,
    radial_turn_deg,
)


def _shaft_of(bearing: int) -> tuple[int, int]:
    """Return both bearings of the shaft that a bearing carries."""
    return (1, 2) if bearing <= 2 else (3, 4)


def _off_shaft(bearing: int, shaft: int) -> float:
    """Gain from a whole shaft (given by one of its bearings) to a bearing of the train."""
    return max(path_gain(bearing, own) for own in _shaft_of(shaft))


@dataclass(frozen=True, slots=True)
class Imbalance:
    """Residual or faulty imbalance of a shaft: 1×, radial.

    Parameters
    ----------
    amplitude_g : float
        Horizontal 1× at `at_rpm` before the housing.
    at_rpm : float
        Speed at which it has this amplitude; the force grows with the square of speed.
    shaft : int
        A bearing of the shaft.
    couple : bool
        Opposite phases at both bearings (couple imbalance) instead of equal ones (static).
    overhung : bool
        The mass sits outside both bearings: axial as much as radial, and in phase.
    phase_deg : float
    fault : str
        Empty for the residual imbalance that every rotor has.
    """

    amplitude_g: float
    at_rpm: float = 1500.0
    shaft: int = 2
    couple: bool = False
    overhung: bool = False
    phase_deg: float = 0.0
    fault: str = "imbalance"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        growth = (rotation.hz * 60 / self.at_rpm) ** 2
        axial = 0.9 if self.overhung else 0.1
        gains: dict[Direction, float] = {"axial": axial, "horizontal": 1.0, "vertical": 0.8}
        rows = []
        for place in places:
            turn = radial_turn_deg(place.direction) + self.phase_deg
            own = place.bearing in _shaft_of(self.shaft)
            if self.couple and own and place.bearing != self.shaft:
                turn += 180
            gain = gains[place.direction] * _off_shaft(place.bearing, self.shaft)
            rows.append(growth * Tone(1, self.amplitude_g * gain).at(rotation, turn))
        return np.array(rows)


@dataclass(frozen=True, slots=True)
class ParallelMisalignment:
    """Offset between coupled shafts: radial 2× above 1×, opposite phases across the coupling."""

    amplitude_g: float
    fault: str = "misalignment.parallel"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        gains: dict[Direction, float] = {"axial": 0.2, "horizontal": 1.0, "vertical": 0.9}
        tones = (
            Tone(1, 0.45 * self.amplitude_g, 20),
            Tone(2, self.amplitude_g),
            Tone(3, 0.3 * self.amplitude_g, 70),
        )
        return _across_coupling(rotation, places, tones, gains)


@dataclass(frozen=True, slots=True)
class AngularMisalignment:
    """Angle between coupled shafts: axial 1× and 2×, opposite phases across the coupling."""

    amplitude_g: float
    fault: str = "misalignment.angular"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        gains: dict[Direction, float] = {"axial": 1.0, "horizontal": 0.35, "vertical": 0.3}
        tones = (
            Tone(1, self.amplitude_g),
            Tone(2, 0.7 * self.amplitude_g, 40),
            Tone(3, 0.25 * self.amplitude_g, 80),
        )
        return _across_coupling(rotation, places, tones, gains)


def _across_coupling(
    rotation: Rotation,
    places: Sequence[SensorPlace],
    tones: Sequence[Tone],
    gains: dict[Direction, float],
) -> Float64:
    rows = []
    for place in places:
        turn = 180.0 if place.bearing >= 3 else 0.0
        near = 2 if place.bearing <= 2 else 3
        gain = gains[place.direction] * path_gain(place.bearing, near)
        rows.append(gain * sum(tone.at(rotation, turn) for tone in tones))
    return np.array(rows)


@dataclass(frozen=True, slots=True)
class BentShaft:
    """Bow of a shaft: axial 1× in opposite phases at its bearings, some 2×.

    Parameters
    ----------
    amplitude_g : float
        Axial 1× before the housing; the force does not depend on speed.
    shaft : int
        A bearing of the shaft.
    """

    amplitude_g: float
    shaft: int = 2
    fault: str = "bent_shaft"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        inner = _shaft_of(self.shaft)[0]
        rows = []
        for place in places:
            gain = _off_shaft(place.bearing, self.shaft)
            if place.direction == "axial":
                turn = 0.0 if place.bearing == inner else 180.0
                tones = [Tone(1, self.amplitude_g), Tone(2, 0.35 * self.amplitude_g, 30)]
            else:
                turn = radial_turn_deg(place.direction)
                tones = [Tone(1, 0.6 * self.amplitude_g), Tone(2, 0.2 * self.amplitude_g, 30)]
            rows.append(gain * sum(tone.at(rotation, turn) for tone in tones))
        return np.array(rows)


@dataclass(frozen=True, slots=True)
class Looseness:
    """Loose fit or foot: a truncated vibration with many harmonics, half orders where severe.

    Parameters
    ----------
    amplitude_g : float
        1×, vertical, where a foot lifts.
    bearing : int
    half_orders : bool
    """

    amplitude_g: float
    bearing: int = 2
    half_orders: bool = True
    fault: str = "looseness"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        gains: dict[Direction, float] = {"axial": 0.3, "horizontal": 0.6, "vertical": 1.0}
        step = 0.5 if self.half_orders else 1.0
        orders = np.arange(step, 8.01, step)
        whole = np.isclose(orders % 1, 0)
        heights = np.where(whole, 1.0, 0.35) / np.maximum(orders, 1) ** 0.6
        phases = rng.uniform(0, 360, orders.size)
        tones = [Tone(*one) for one in zip(orders, self.amplitude_g * heights, phases, strict=True)]
        wave = sum(tone.at(rotation) for tone in tones)
        return np.array(
            [gains[p.direction] * path_gain(p.bearing, self.bearing) * wave for p in places]
        )


@dataclass(frozen=True, slots=True)
class Rub:
    """Rotor touches stator once a turn: a truncated wave, half orders, and a ringing contact."""

    amplitude_g: float
    bearing: int = 2
    ring_hz: float = 2500.0
    fault: str = "rub"

    def vibration(
        self, rotation: Rotation, places: Sequence[SensorPlace], rng: Generator
    ) -> Float64:
        contact = np.maximum(np.cos(2 * np.pi * rotation.angle) - 0.5, 0) * 2
        every_other = 1 + 0.3 * np.cos(np.pi * rotation.angle)
        turns = np.arange(np.ceil(rotation.angle[0]), rotation.angle[-1] + 1)
        turns = turns + 0.02 * rng.standard_normal(turns.size)
        times = rotation.crossings_s(np.sort(turns))
        peaks = self.amplitude_g * rng.uniform(0.5, 1.5, times.size)
        wave = self.amplitude_g * contact * every_other
        wave = wave + bursts(times, peaks, rotation, self.ring_hz, 0.1)
        return np.array([path_gain(p.bearing, self.bearing) * wave for p in places])
