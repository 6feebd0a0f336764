"""A simulated machine: sources, housing and sensors become a recording with its ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.simulation.bearings import Friction
from auscult.dsp.simulation.housing import Housing, Mode
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.dsp.simulation.shaft import Imbalance, ParallelMisalignment
from auscult.dsp.simulation.sound import Microphone
from auscult.dsp.simulation.source import DIRECTIONS, SensorPlace, VibrationSource

LEAD_S: Final = 0.5
"""The machine runs before the record begins, so that its housing has settled."""

HOUSING: Final = Housing(
    {
        "axial": (Mode(85.0, 0.06, 0.3), Mode(1900.0, 0.04, 0.2)),
        "horizontal": (Mode(62.0, 0.05, 0.5), Mode(1450.0, 0.04, 0.2)),
        "vertical": (Mode(118.0, 0.05, 0.4), Mode(1700.0, 0.04, 0.2)),
    }
)
"""A bearing housing on a steel frame: softer horizontally than vertically."""


@dataclass(frozen=True)
class SimulatedRecording:
    """What the sensors measured, and what was true.

    Parameters
    ----------
    samples : np.ndarray [shape=(sensors, n), dtype=float32]
        In g; a microphone's in Pa.
    rotation : Rotation
        True speed and angle.
    faults : tuple of str
        Codes of the faults, without those of sensors.
    """

    samples: NDArray[np.float32]
    rotation: Rotation
    faults: tuple[str, ...]


@dataclass(frozen=True)
class SimulatedMachine:
    """A machine whose vibration can be recorded.

    Parameters
    ----------
    sources : sequence of VibrationSource
    sensors : sequence of Sensor
        Accelerometers, in the order of the channels.
    microphones : sequence of Microphone
        Further channels, after the accelerometers.
    housing : Housing
    seed : int
        Equal seeds give equal samples. Each source and sensor has random numbers of its own, so
        that an added one does not change the others.

    Examples
    --------
    >>> exact = Sensor(noise_g=0)
    >>> machine = SimulatedMachine([Imbalance(0.5, at_rpm=1500)], [exact], housing=Housing())
    >>> record = machine.record(Rotation.steady(3000, fs_hz=2000, seconds=1))
    >>> float(record.samples.max().round(3)), record.faults  # twice the speed, four times the force
    (2.0, ('imbalance',))
    """

    sources: Sequence[VibrationSource]
    sensors: Sequence[Sensor] = (Sensor(),)
    microphones: Sequence[Microphone] = ()
    housing: Housing = HOUSING
    seed: int = 0

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the codes of the faults that the machine has."""
        return tuple(dict.fromkeys(source.fault for source in self.sources if source.fault))

    def record(self, rotation: Rotation) -> SimulatedRecording:
        """Record all sensors over a rotation."""
        lead = round(LEAD_S * rotation.fs_hz)
        running = rotation.with_lead(lead)
        places = [sensor.place for sensor in self.sensors]
        if self.microphones:
            places += [SensorPlace(2, direction) for direction in DIRECTIONS]
        force = np.zeros((len(places), running.n))
        for i, source in enumerate(self.sources):
            force += source.vibration(running, places, np.random.default_rng((self.seed, 0, i)))
        vibration = [
            self.housing.passed(place.direction, row, rotation.fs_hz)
            for place, row in zip(places, force, strict=True)
        ]
        count = len(self.sensors)
        measured = [
            sensor.measured(row[lead:], rotation.fs_hz, np.random.default_rng((self.seed, 1, i)))
            for i, (sensor, row) in enumerate(zip(self.sensors, vibration[:count], strict=True))
        ]
        measured += [
            microphone.measured(
                np.sum(vibration[count:], axis=0),
                rotation.fs_hz,
                np.random.default_rng((self.seed, 2, i)),
            )[lead:]
            for i, microphone in enumerate(self.microphones)
        ]
        return SimulatedRecording(np.array(measured, np.float32), rotation, self.faults)

    def with_faults(self, *faults: VibrationSource) -> SimulatedMachine:
        """Return the same machine with further sources."""
        return replace(self, sources=(*self.sources, *faults))


def triaxial(*bearings: int, noise_g: float = 0.002) -> tuple[Sensor, ...]:
    """Return the sensors in all three directions at each of `bearings`."""
    return tuple(Sensor(SensorPlace(b, d), noise_g) for b in bearings for d in DIRECTIONS)


def healthy_pump(
    sensors: Sequence[Sensor] = (Sensor(),), seed: int = 0, more: Sequence[VibrationSource] = ()
) -> SimulatedMachine:
    """Return a motor and a pump in usual health: some imbalance, some misalignment, friction.

    The amplitudes vary by seed, as those of machines do.
    """
    rng = np.random.default_rng((seed, 3))
    sources: list[VibrationSource] = [
        Imbalance(0.03 * rng.uniform(0.5, 1.5), shaft=s, phase_deg=rng.uniform(0, 360), fault="")
        for s in (2, 3)
    ]
    sources.append(replace(ParallelMisalignment(0.012 * rng.uniform(0.5, 1.5)), fault=""))
    sources += [Friction(0.01, at=at) for at in (1, 2, 3, 4)]
    return SimulatedMachine((*sources, *more), sensors, seed=seed)
