"""A process of the gateway's benchmark: a plant of many points, first fast, then in real time."""

from __future__ import annotations

import gc
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from auscult.dsp.pipeline import FeaturePipeline
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.bearing_search import BearingSearches
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.training import Trainer
from auscult.gateway.messages.broker import BrokerSettings
from auscult.gateway.messages.link import Link
from auscult.gateway.messages.message import NS_PER_S
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing.publisher import Listener, Publisher
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.settings.gateway import GatewaySection, PointSettings
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.storage.outbox import Lane, Outbox, Outgoing, unpacked
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.clips import Clips, clip_seconds
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.network.architecture import Architecture
from auscult.models.records import Observation, ScoredWindow
from auscult.models.settings import DetectorSettings
from tests.bench.timing import pin
from tests.bench.workload import FS_HZ, N, signals, spec_of

POINTS_A_MACHINE = 4
BLOCK_S = 0.25
BASELINE_WINDOWS = 60
HISTORY = 4000
"""Healthy windows that a machine's replay has seen: half an hour."""
WARM_S = 5.0
"""Stream before anything is timed: first states are published, validators built, caches filled."""
HEARTBEAT_S = 5.0
"""Every point publishes its state at least this often."""
SIGNAL_S = 8
"""Length of the signal that plays in a loop; long enough to average over its seconds."""
SPEC = spec_of()
SETTINGS = DetectorSettings(baseline_windows=BASELINE_WINDOWS)
SECOND_NS = 1_000_000_000
ARCH = Architecture()


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


def names(single: bool) -> tuple[str, ...]:
    """Points of each machine."""
    return tuple(f"p{i}" for i in range(1 if single else POINTS_A_MACHINE))


def trained_state(*, single: bool) -> bytes:
    """Fit the baseline of a machine, for all machines of a load."""
    detector, points = collecting("m0", single=single)
    pipeline = FeaturePipeline(SPEC)
    for hop in range(2 * BASELINE_WINDOWS):
        block = pipeline.extract(signals(len(points), N, seed=hop))
        detector.observe(
            [
                Observation(p, hop * SECOND_NS // 2, block.values[i], None, int(block.health[i]))
                for i, p in enumerate(points)
            ]
        )
        if (job := detector.fit_due()) is not None:
            detector.adopt(job.run())
            break
    return detector.state()


def measure(load: Load) -> Measured:
    """Run a load in this process, on one core."""
    pin()
    with tempfile.TemporaryDirectory() as folder:
        plant = Plant(load, Path(folder), "real_time")
        gc.collect()
        gc.freeze()  # as `auscult.gateway.service.run` does
        plant.warm_up()
        share = plant.play(load.real_time_s, pace=1) / load.real_time_s
        # Not ru_maxrss: a child inherits its parent's peak.
        rss_mb, began_ns = psutil.Process().memory_info().rss / 1e6, plant.began_ns
        plant.close()
    with tempfile.TemporaryDirectory() as folder:
        plant = Plant(load, Path(folder), "fast")
        plant.warm_up()
        cpu_s = plant.play(load.stream_s, pace=0)
        plant.close()
    return Measured(load.stream_s, cpu_s, share, rss_mb, began_ns)


class Plant:
    """The parts of a gateway, without sources and commands."""

    def __init__(
        self, load: Load, folder: Path, name: str, listeners: Sequence[Listener] = ()
    ) -> None:
        points = names(load.points == 1)
        self._ids = [
            PointId(f"m{m}", point) for m in range(load.points // len(points)) for point in points
        ]
        plans = {point: _plan() for point in self._ids}
        topics = Topics("bench", name)
        self._store = Store(folder)
        self._link = Link(
            BrokerSettings(port=load.port), f"bench-gateway-{name}-{load.points}",
            on_connected=self._connected,
        )  # fmt: skip
        self._states = RetainedStates(self._link)
        self._outbox = Outbox(self._store, self._link, 10**9)
        self.publisher = Publisher(self._states, self._outbox, listeners)
        self.began_ns = 0
        # Not validated: a benchmark may receive every decision, a broker should not.
        section = GatewaySection(data_dir=folder).model_copy(
            update={
                "heartbeat_s": load.heartbeat_s,
                "spectrum_interval_s": load.spectrum_interval_s,
            }
        )
        self._pipeline = Pipeline(
            plans, clip_seconds(section, plans), section.signal_memory_mb * 1e6
        )
        clips = Clips(section, plans, self._pipeline, self._store)
        reporter = Reporter(section, topics, plans, self.publisher, self._pipeline)
        machines = {}
        for machine in dict.fromkeys(point.machine for point in self._ids):
            detector = _detector(machine, points)
            learned = _detector("m0", points)
            learned.restore(load.state)  # each machine a model of its own, as in a plant
            assert learned.model is not None
            detector.adopt(learned.model)
            if machines:  # all have seen the same
                shutil.copytree(folder / "m0", folder / machine)
            learning = MachineLearning(folder / machine, machine)
            machines[machine] = MonitoredMachine(
                detector,
                learning,
                None,
                dict.fromkeys(points, 0.5),
                round(section.trend_interval_s * NS_PER_S),
            )
            if len(machines) == 1:
                _remember_healthy(learning, points, learned.model.kinds[0].state_names[0])
        self._searches = BearingSearches(plans, self._pipeline)
        self._inlet = Inlet()
        self._trainer: Trainer[MachineModel] = Trainer()
        self._loop = WindowLoop(
            self._inlet, self._pipeline, machines, reporter, self._trainer, self._store,
            self._searches, clips, lambda _: None, sources_wait=False, keep_baselines=1,
        )  # fmt: skip
        self._topics = topics
        # The machine of the baseline, with new noise; without a break at any second, because
        # windows across a break would be events.
        self._signals = signals(len(points), int(SIGNAL_S * FS_HZ), seed=10_000)
        self._link.start()
        self._link.wait_connected(5)
        self._outbox.start()

    def warm_up(self) -> None:
        """Do what a gateway does once: publish first states, measure each healthy machine."""
        self.play(WARM_S, pace=0)
        for machine in {point.machine for point in self._ids}:
            self._searches.note_healthy(machine)
            self._searches.collect(wait=True)

    def play(
        self, seconds: float, pace: float, on_put: Callable[[int], None] = lambda _: None
    ) -> float:
        """Play so much stream; returns the CPU seconds that it took.

        `on_put` gets the number of each block of all points before it is put.
        """
        already = self._pipeline.windows_total
        stop = threading.Event()
        loop = threading.Thread(target=self._loop.run, args=(stop,))
        before_s = time.process_time()
        loop.start()
        self.began_ns, start_s = time.time_ns(), time.monotonic()
        for number in range(round(seconds / BLOCK_S)):
            if pace:
                time.sleep(max(0.0, start_s + (number + 1) * BLOCK_S - time.monotonic()))
            on_put(number)
            self._inlet.put(self._blocks(number, self.began_ns), wait=True)
        expected = already + len(self._ids) * int(seconds / (N / FS_HZ / 2) - 1)
        while self._pipeline.windows_total < expected:
            time.sleep(0.01)
        cpu_s = time.process_time() - before_s
        stop.set()
        loop.join()
        return cpu_s

    @property
    def pending(self) -> int:
        """Messages that the broker has not received."""
        return self._outbox.pending

    def away(self) -> None:
        """Disconnect from the broker."""
        self._link.stop()

    def waiting(self) -> list[Outgoing]:
        """Messages in the outbox, in the order of sending."""
        self._store.write(lambda _: None).result()  # what was written before is there
        rows = self._store.read("SELECT message_id, topic, payload, lane FROM outbox ORDER BY id")
        return [
            Outgoing(name, topic, unpacked(payload), Lane(lane))
            for name, topic, payload, lane in rows
        ]

    def close(self) -> None:
        self._link.stop()
        self._outbox.stop()
        self._store.close()

    def _connected(self) -> None:
        self._states.connected()
        self._outbox.connected()

    def _blocks(self, number: int, start_ns: int) -> Sequence[SampleBlock]:
        size = int(BLOCK_S * FS_HZ)
        at = number * size % self._signals.shape[1]
        t0_ns = start_ns + round(number * BLOCK_S * SECOND_NS)
        return [
            SampleBlock(
                point, FS_HZ, t0_ns, number,
                self._signals[i % len(self._signals), at : at + size], "g",
            )
            for i, point in enumerate(self._ids)
        ]  # fmt: skip


def _remember_healthy(learning: MachineLearning, points: Sequence[str], state: str) -> None:
    """Fill the replays, as they are after half an hour."""
    assert learning.updater is not None
    position = np.zeros(ARCH.width + ARCH.latent, np.float32)
    hidden = np.zeros(ARCH.hidden, np.float32)
    for t_ns in range(HISTORY):
        learning.updater.remember(
            [ScoredWindow(p, t_ns, position, hidden, 0.0, state, seen=True) for p in points], None
        )
    learning.save()


def _plan() -> PointPlan:
    settings = PointSettings(id="p", kind="vibration", unit="g", fs_hz=FS_HZ)
    window = WindowPlan(FS_HZ, N / FS_HZ, 0.5, "g")
    return PointPlan(settings, np.float32(1), window, SPEC)


def collecting(machine: str, *, single: bool) -> tuple[MachineDetector, tuple[str, ...]]:
    """Return a new machine."""
    points = names(single)
    return _detector(machine, points), points


def _detector(machine: str, points: Sequence[str]) -> MachineDetector:
    return MachineDetector(NamePlate(machine), dict.fromkeys(points, SPEC), SETTINGS)
