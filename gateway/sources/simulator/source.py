"""A simulated machine as a source: it learns, runs, and fails, without any sensor."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import NS_PER_S
from auscult.contract.records import OperatingState
from auscult.contract.said import Said
from auscult.dsp.bearing import Bearing
from auscult.dsp.simulation.ageing import AgeingFault
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.cycle import LEAST_HZ, Cycle
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.heat import BearingHeat
from auscult.dsp.simulation.machine import SimulatedMachine, healthy_pump
from auscult.dsp.simulation.sensors import (
    Aliasing,
    CableBreak,
    Clipping,
    DeadBattery,
    Dropout,
    Hum,
    LooseMount,
    Sensor,
    SimulatedSensorFault,
    Stuck,
    WrongGain,
)
from auscult.dsp.simulation.shaft import BentShaft, Imbalance, Looseness, ParallelMisalignment
from auscult.dsp.simulation.sound import Microphone
from auscult.dsp.simulation.source import SensorPlace
from auscult.dsp.simulation.source import VibrationSource as Cause
from auscult.gateway.records import PointId, PointValue, SampleBlock
from auscult.gateway.sources.contract import (
    Source,
    SourceContext,
    SourceError,
    SourceKind,
    SourceProblem,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet, Item
from auscult.gateway.sources.simulator.settings import SimulatorSource
from auscult.gateway.sources.support.stream_clock import StreamClock

BEARING: Final = Bearing.from_geometry(9, 7.94, 38.5, 0, name="6205")
PIECE_S: Final = 2.0
BLOCK_S: Final = 0.25
FADE_S: Final = 0.05
"""Consecutive pieces overlap by this, so that noise has no step between them."""
G: Final = 9.80665
TACHO_NOISE_V: Final = 0.05

FAULTS: Final[dict[str, Cause | None]] = {
    # amplitudes at the end of the growth, in g
    "none": None,
    "imbalance": Imbalance(0.6),
    "misalignment": ParallelMisalignment(0.4),
    "bent": BentShaft(0.5),
    "looseness": Looseness(0.8),
    "inner": BearingDefect(BEARING, "bpfi", 3.0),
    "outer": BearingDefect(BEARING, "bpfo", 3.0),
    "ball": BearingDefect(BEARING, "bsf", 3.0),
    "gear": GearPair(tooth=1.0),
    "lubrication": Friction(0.01, rise_db=30.0),
}
HOT_K: Final = 12.0
"""Rise of a dry bearing's temperature at the end of the growth."""
SENSOR_FAULTS: Final[dict[str, tuple[SimulatedSensorFault, ...]]] = {
    "none": (),
    "loose_mount": (LooseMount(),),
    "cable_break": (CableBreak(),),
    "contact": (Dropout(),),
    "sensitivity": (WrongGain(9.80665),),
    "saturation": (Clipping(0.05),),
    "hum": (Hum(0.2),),
    "aliasing": (Aliasing(),),
    "drifting_gain": (WrongGain(2.0),),
    "stuck": (Stuck(),),
    "battery": (DeadBattery(0.5),),
}


class SimulatedSource(Source):
    """A `Source` that simulates one machine in pieces of `PIECE_S`.

    The machine's fault begins after ``healthy_s`` and grows for ``growth_s``; faults of sensors
    begin then too. The operating state holds the true speed, or the tachometer gives it.
    """

    def __init__(self, settings: SimulatorSource, context: SourceContext) -> None:
        self._settings = settings
        rows = [
            (one, context.point(PointId(settings.machine, one.point))) for one in settings.points
        ]
        sampled = [(one, plate) for one, plate in rows if plate.kind != "value"]
        self._sensors = [one for one, _ in sampled]
        self._plates = [plate for _, plate in sampled]
        self._points = [PointId(settings.machine, plate.id) for plate in self._plates]
        self._values = [
            (PointId(settings.machine, plate.id), plate)
            for _, plate in rows
            if plate.kind == "value"
        ]
        self._heat = BearingHeat.varied(settings.seed)
        self._tacho = None if settings.tacho is None else PointId(settings.machine, settings.tacho)
        self._pulses = context.machines[settings.machine].tacho
        rates = {plate.fs_hz for plate in self._plates}
        rates |= {self._pulses.fs_hz} if self._pulses is not None and self._tacho else set()
        if len(rates) > 1:
            raise SourceError("simulator_rates", rates=tuple(f"{r:g} Hz" for r in sorted(rates)))
        self._fs_hz = rates.pop() if rates else 1 / BLOCK_S
        self._earliest_ns = context.stream_end_ns
        earlier = context.earlier
        self._clock: StreamClock | None = None
        if isinstance(earlier, SimulatedSource):
            self._clock = earlier._clock
        self._cycle = Cycle(
            settings.speed_rpm, settings.run_s or inf, settings.coast_s, settings.rest_s,
            settings.start_s,
        )  # fmt: skip
        self._feed = Feed(self.name)
        self._ended = False

    @property
    def name(self) -> str:
        return f"simulator:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return Said("source_ended") if self._ended else self._feed.status

    @property
    def clocks(self) -> Mapping[PointId, str]:
        return dict.fromkeys([*self._points, *(point for point, _ in self._values)], self.name)

    @property
    def waits(self) -> bool:
        return self._settings.pace == 0

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        own = self._settings
        clock, self._clock = self._clock, None
        skip_ns = clock.resumes(self._earliest_ns) if clock is not None else 0
        if clock is None:
            span_ns = round((own.length_s or own.healthy_s) * NS_PER_S)
            clock = StreamClock.begin(
                own.pace, span_ns, self._earliest_ns, time.time_ns(), time.monotonic()
            )
        self._clock = clock
        first = int(skip_ns / (PIECE_S * NS_PER_S))
        for end_ns, blocks in self._play(clock.start_ns, first):
            if end_ns - clock.start_ns <= skip_ns:
                continue
            if stop.wait(max(0.0, clock.due_s(end_ns - clock.start_ns) - time.monotonic())):
                return
            if not self._feed.deliver(inlet, blocks, wait=own.pace != 1.0) and stop.is_set():
                return
            self._earliest_ns = end_ns
        self._ended = True

    def _play(self, start_ns: int, number: int = 0) -> Iterator[tuple[int, list[Item]]]:
        tail = np.empty((len(self._points), 0), np.float32)
        gap = True
        own = self._settings
        step = max(1, round(BLOCK_S * self._fs_hz))
        played = number * round(PIECE_S * self._fs_hz)
        while own.length_s is None or number * PIECE_S < own.length_s:
            samples, tail = self.piece(number, tail)
            number += 1
            for first in range(0, samples.shape[1], step):
                part = samples[:, first : first + step]
                t0_ns = start_ns + round(played / self._fs_hz * NS_PER_S)
                times_s = (played + np.arange(part.shape[1])) / self._fs_hz
                played += part.shape[1]
                blocks: list[Item] = [*self._tacho_blocks(times_s, t0_ns, gap=gap)]
                state = None
                if own.speed_known and self._tacho is None:
                    state = OperatingState(round(60 * float(self._cycle.hz(times_s).mean()), 6))
                blocks += [
                    self._feed.block(
                        point, self._fs_hz, t0_ns, row, plate.unit, gap=gap, state=state
                    )
                    for point, plate, row in zip(self._points, self._plates, part, strict=True)
                ]
                blocks += self._values_within(times_s[0], played / self._fs_hz, start_ns)
                gap = False
                yield start_ns + round(played / self._fs_hz * NS_PER_S), blocks

    def _tacho_blocks(
        self, times_s: NDArray[np.float64], t0_ns: int, *, gap: bool
    ) -> list[SampleBlock]:
        """Return the pulses of the tachometer: 5 V for a tenth of the way between two marks."""
        if self._tacho is None or self._pulses is None:
            return []
        turned = self._cycle.angle(times_s) * self._pulses.pulses_per_rev
        rng = np.random.default_rng((self._settings.seed, round(times_s[0] * self._fs_hz)))
        volts = 5.0 * (turned % 1 < 0.1) + TACHO_NOISE_V * rng.standard_normal(turned.size)
        samples = volts.astype(np.float32)
        unit = self._pulses.unit
        return [self._feed.block(self._tacho, self._fs_hz, t0_ns, samples, unit, gap=gap)]

    def _values_within(self, from_s: float, to_s: float, start_ns: int) -> Iterator[PointValue]:
        """Yield the values of a stretch of time: a bearing's temperature, or the machine's load."""
        for point, plate in self._values:
            interval_s = plate.interval_s or PIECE_S
            for number in range(ceil(from_s / interval_s), ceil(to_s / interval_s)):
                at_s = number * interval_s
                rng = np.random.default_rng((self._settings.seed, number))
                if plate.quantity == "temperature":
                    value = self._heat.temperature_c(at_s, rng) + self._hotter_k(at_s)
                else:
                    value = self._heat.load(at_s)
                yield PointValue(point, start_ns + round(at_s * NS_PER_S), value, plate.unit)

    def piece(
        self, number: int, tail: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Simulate piece `number`, faded in over the tail of the one before; returns its tail too.

        Parameters
        ----------
        number : int
        tail : np.ndarray [shape=(points, n), dtype=float32]
            Of the piece before; empty at the start.

        Returns
        -------
        (np.ndarray [shape=(points, PIECE_S × rate)], np.ndarray)
            In the units of the points.
        """
        count = round(PIECE_S * self._fs_hz)
        if not self._points:
            return np.empty((0, count), np.float32), tail
        start_s = number * PIECE_S
        rotation = self._cycle.rotation(self._fs_hz, PIECE_S + FADE_S, start_s)
        machine = self._machine(number, start_s)
        if rotation.hz.max() <= LEAST_HZ:
            machine = replace(machine, sources=())
        record = machine.record(rotation)
        # sensors come before microphones in a record
        order = [i for i, p in enumerate(self._plates) if p.kind != "sound"]
        order += [i for i, p in enumerate(self._plates) if p.kind == "sound"]
        samples = np.empty_like(record.samples)
        samples[order] = record.samples
        for row, plate in enumerate(self._plates):
            if plate.unit == "m/s2":
                samples[row] *= G
        if tail.shape[1]:
            fade = np.linspace(0, 1, tail.shape[1], dtype=np.float32)
            head = samples[:, : tail.shape[1]]
            head *= fade
            head += tail * (1 - fade)
        return samples[:, :count], samples[:, count:].copy()

    def _machine(self, number: int, at_s: float) -> SimulatedMachine:
        own = self._settings
        failed = self._grown(at_s) is not None
        sensors = [
            Sensor(
                SensorPlace(one.bearing, one.direction),
                faults=SENSOR_FAULTS[one.sensor_fault] if failed else (),
            )
            for one, plate in zip(self._sensors, self._plates, strict=True)
            if plate.kind != "sound"
        ]
        microphones = [Microphone() for plate in self._plates if plate.kind == "sound"]
        machine = healthy_pump(sensors, own.seed, self._causes(at_s))
        if own.run_s is not None:
            causes = [
                replace(one, at_rpm=own.speed_rpm) if isinstance(one, Friction) else one
                for one in machine.sources
            ]
            machine = replace(machine, sources=causes)
        # other noise in each piece, but the same machine
        seed = int(np.random.SeedSequence((own.seed, number)).generate_state(1)[0])
        return replace(machine, microphones=microphones, seed=seed)

    def _causes(self, at_s: float) -> Sequence[Cause]:
        cause, grown = FAULTS[self._settings.fault], self._grown(at_s)
        if cause is None or grown is None:
            return ()
        if isinstance(cause, GearPair):
            return (replace(cause, tooth=grown),)
        if isinstance(cause, Friction):
            return (replace(cause, rise_db=cause.rise_db * grown),)
        return (AgeingFault(onset=0.0).aged(cause, grown),)  # type: ignore[type-var]

    def _grown(self, at_s: float) -> float | None:
        """Return how far the fault has grown, 0..1; None before it begins and once repaired."""
        own = self._settings
        age_s = at_s - own.healthy_s
        if age_s < 0 or (own.repaired_s is not None and age_s >= own.repaired_s):
            return None
        return min(1.0, age_s / own.growth_s)

    def _hotter_k(self, at_s: float) -> float:
        dry = self._settings.fault == "lubrication"
        return HOT_K * (self._grown(at_s) or 0.0) if dry else 0.0


class SimulatorKind(SourceKind[SimulatorSource]):
    """Simulated machines."""

    settings = SimulatorSource

    def open(self, settings: SimulatorSource, context: SourceContext) -> SimulatedSource:
        return SimulatedSource(settings, context)

    def forbidden(self, settings: SimulatorSource, recordings_dir: Path) -> SourceProblem | None:
        """Allow it: it reaches nothing."""
        del settings, recordings_dir
        return None


KIND = SimulatorKind()
