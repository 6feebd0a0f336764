"""A process of the gateway's benchmark: a plant of many points, first fast, then in real time."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import psutil

from auscult.gateway.box.plant import Layout, Plant, fitted_state
from auscult.gateway.publishing.publisher import Listener
from auscult.gateway.records import SampleBlock
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage.outbox_rows import unpacked
from auscult.gateway.storage.outgoing import Lane, Outgoing
from auscult.link.broker import BrokerSettings
from auscult.memory import share_one_arena
from auscult.models.settings import DetectorSettings
from lab.bench.timing import pin
from lab.bench.workload import FS_HZ, N, signals, spec_of

POINTS_A_MACHINE = 4
BASELINE_WINDOWS = 60
HEARTBEAT_S = 5.0
"""Every point publishes its state at least this often."""
SIGNAL_S = 8
"""Length of the signal that plays in a loop; long enough to average over its seconds."""
SPEC = spec_of()
SETTINGS = DetectorSettings(baseline_windows=BASELINE_WINDOWS)
SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Load:
    """A load: number of points, seconds of stream as fast as possible and in real time."""

    points: int
    stream_s: float
    real_time_s: float
    port: int
    state: bytes
    heartbeat_s: float = HEARTBEAT_S
    spectrum_interval_s: float = float(GatewaySection.model_fields["spectrum_interval_s"].default)


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures that the process measured of itself."""

    stream_s: float
    cpu_s: float
    real_time_cpu_share: float
    rss_mb: float
    began_ns: int
    """When the stream in real time began."""


def a_machine(*, single: bool) -> int:
    """Return the points of each machine."""
    return 1 if single else POINTS_A_MACHINE


def trained_state(*, single: bool) -> bytes:
    """Fit the baseline of a machine, for all machines of a load."""
    points = a_machine(single=single)
    return fitted_state(SPEC, SETTINGS, lambda hop: signals(points, N, seed=hop))


class BenchPlant(Plant):
    """A plant whose machines may become stronger, and whose outbox can be read."""

    _strength: Mapping[str, np.float32] = MappingProxyType({})

    def strengthen(self, machines: Sequence[str], times: float) -> None:
        """Let these machines vibrate so many times as strongly, from the next block on."""
        self._strength = {**self._strength, **dict.fromkeys(machines, np.float32(times))}

    @property
    def pending(self) -> int:
        """Return the messages that the broker has not received."""
        return self._outbox.pending

    def away(self) -> None:
        """Disconnect from the broker."""
        self._link.stop()

    def waiting(self) -> list[Outgoing]:
        """Return the messages in the outbox, in the order of sending."""
        self._store.write(lambda _: None).result()  # what was written before is there
        rows = self._store.read("SELECT message_id, topic, payload, lane FROM outbox ORDER BY id")
        return [
            Outgoing(name, topic, unpacked(payload), Lane(lane))
            for name, topic, payload, lane in rows
        ]

    def _blocks(self, number: int, start_ns: int) -> list[SampleBlock]:
        strength = self._strength
        return [
            block._replace(samples=block.samples * strength[block.point.machine])
            if block.point.machine in strength
            else block
            for block in super()._blocks(number, start_ns)
        ]


def plant_of(load: Load, folder: Path, name: str, listeners: Sequence[Listener] = ()) -> BenchPlant:
    """Build the plant of a load.

    It plays the machine of the baseline, with new noise; without a break at any second, because
    windows across a break would be events.
    """
    points = a_machine(single=load.points == 1)
    signal = signals(points, int(SIGNAL_S * FS_HZ), seed=10_000)
    return BenchPlant(
        Layout(load.points, points, SPEC, signal, load.state),
        folder,
        name,
        BrokerSettings(port=load.port),
        heartbeat_s=load.heartbeat_s,
        spectrum_interval_s=load.spectrum_interval_s,
        listeners=listeners,
    )


def measure(load: Load) -> Measured:
    """Run a load in this process, on one core."""
    pin()
    share_one_arena()  # as `auscult.gateway.service.run` does
    with tempfile.TemporaryDirectory() as folder:
        plant = plant_of(load, Path(folder), "real_time")
        gc.collect()
        gc.freeze()  # as `auscult.gateway.service.run` does
        plant.warm_up()
        share = plant.play(load.real_time_s, pace=1) / load.real_time_s
        # Not ru_maxrss: a child inherits its parent's peak.
        rss_mb, began_ns = psutil.Process().memory_info().rss / 1e6, plant.began_ns
        plant.close()
    with tempfile.TemporaryDirectory() as folder:
        plant = plant_of(load, Path(folder), "fast")
        plant.warm_up()
        cpu_s = plant.play(load.stream_s)
        plant.close()
    return Measured(load.stream_s, cpu_s, share, rss_mb, began_ns)
