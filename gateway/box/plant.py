"""A simulated plant through the parts of a gateway, without sources and commands, to time them."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.message import NS_PER_S
from auscult.contract.topics import Topics
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.fault_search import FaultSearches
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.training import Trainer
from auscult.gateway.publishing.publisher import Listener, Publisher
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.clips import Clips, clip_seconds
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.network.architecture import Architecture
from auscult.models.records import Observation, ScoredWindow
from auscult.models.settings import DetectorSettings

Rows = NDArray[np.float32]

OVERLAP = 0.5
BLOCK_S = 0.25
HISTORY = 4000
"""Healthy windows that a machine's replay has seen: half an hour."""
WARM_S = 5.0
"""Stream before anything is timed: first states are published, validators built, caches filled."""
LAST_LOOK_S = 0.01
TRAINER_STOP_S = 1.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Machines of equal points.

    Parameters
    ----------
    points : int
        Of all machines.
    a_machine : int
        Points of a machine.
    spec : FeatureSpec
        Of every point, for windows with half overlap.
    signal : np.ndarray [shape=(a_machine, n)]
        Plays in a loop on every machine; n is a multiple of a window.
    state : bytes
        Of a detector with a baseline (`fitted_state`).
    """

    points: int
    a_machine: int
    spec: FeatureSpec
    signal: Rows
    state: bytes

    @property
    def names(self) -> tuple[str, ...]:
        """Return the points of each machine."""
        return point_names(self.a_machine)


def point_names(number: int) -> tuple[str, ...]:
    """Return the names of a machine's points."""
    return tuple(f"p{i}" for i in range(number))


def new_detector(
    spec: FeatureSpec, a_machine: int, settings: DetectorSettings, machine: str = "m0"
) -> MachineDetector:
    """Return the detector of a machine without a baseline."""
    return MachineDetector(
        NamePlate(machine), dict.fromkeys(point_names(a_machine), spec), settings
    )


def fitted_state(
    spec: FeatureSpec, settings: DetectorSettings, hop_signals: Callable[[int], Rows]
) -> bytes:
    """Fit a baseline to windows; `hop_signals` returns those of a hop [shape=(points, n)]."""
    pipeline, first = FeaturePipeline(spec), hop_signals(0)
    detector = new_detector(spec, len(first), settings)
    hop_ns = round(spec.n_samples / spec.fs_hz * (1 - OVERLAP) * NS_PER_S)
    for hop in range(2 * settings.baseline_windows):
        block = pipeline.extract(hop_signals(hop))
        detector.observe(
            [
                Observation(p, hop * hop_ns, block.values[i], None, int(block.health[i]))
                for i, p in enumerate(point_names(len(first)))
            ]
        )
        if detector.coverage.fraction >= 1:
            break
    detector.adopt(detector.fit_now().run())
    return detector.state()


class Plant:
    """The parts of a gateway that process a layout.

    Parameters
    ----------
    layout : Layout
    folder : Path
        For the database and what machines learn.
    name : str
        Of the gateway, in topics.
    broker : BrokerSettings or None
        None = messages stay in the outbox.
    heartbeat_s, spectrum_interval_s, signal_memory_mb : float, optional
        As in the settings, without their limits: a benchmark may receive every decision.
    listeners : sequence of callable
        Get each message.
    """

    def __init__(
        self,
        layout: Layout,
        folder: Path,
        name: str,
        broker: BrokerSettings | None = None,
        *,
        heartbeat_s: float | None = None,
        spectrum_interval_s: float | None = None,
        signal_memory_mb: float | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        points, self._layout = layout.names, layout
        spec = layout.spec
        self._ids = [
            PointId(f"m{m}", point) for m in range(layout.points // len(points)) for point in points
        ]
        plans = dict.fromkeys(self._ids, _plan(spec))
        topics = Topics("bench", name)
        self._store = Store(folder)
        self._link = Link(
            broker or BrokerSettings(), f"bench-gateway-{name}-{layout.points}",
            on_connected=self._connected,
        )  # fmt: skip
        self._states = RetainedStates(self._link)
        self._outbox = Outbox(self._store, self._link, 10**9)
        publisher = Publisher(self._states, self._outbox, listeners)
        self.began_ns = 0
        self._expected = 0
        section = GatewaySection(data_dir=folder)
        asked = {
            "heartbeat_s": heartbeat_s,
            "spectrum_interval_s": spectrum_interval_s,
            "signal_memory_mb": signal_memory_mb,
        }
        section = section.model_copy(update={n: v for n, v in asked.items() if v is not None})
        self._pipeline = Pipeline(
            plans, clip_seconds(section, plans), section.signal_memory_mb * 1e6
        )
        clips = Clips(section, plans, self._pipeline, self._store)
        reporter = Reporter(section, topics, plans, publisher, self._pipeline)
        machines: dict[str, MonitoredMachine] = {}
        for machine in dict.fromkeys(point.machine for point in self._ids):
            machines[machine] = self._machine(machine, folder, section, known=bool(machines))
        self._machines = tuple(machines.values())
        self._searches = FaultSearches(plans, self._pipeline)
        self._inlet = Inlet()
        self._trainer: Trainer[MachineModel] = Trainer()
        self._trainer.start()
        self._loop = WindowLoop(
            self._inlet, self._pipeline, machines, reporter, self._trainer, self._store,
            self._searches, clips, lambda _: None, sources_wait=False,
        )  # fmt: skip
        if broker is not None:
            self._link.start()
            self._link.wait_connected(5)
        self._outbox.start()

    def _machine(
        self, machine: str, folder: Path, section: GatewaySection, *, known: bool
    ) -> MonitoredMachine:
        """Make a machine with a model of its own, as in a plant; all have the same history."""
        layout, settings = self._layout, DetectorSettings()
        detector = new_detector(layout.spec, layout.a_machine, settings, machine)
        learned = new_detector(layout.spec, layout.a_machine, settings)
        learned.restore(layout.state)
        if (model := learned.model) is None:
            raise ValueError("the state of the layout holds no baseline")
        detector.adopt(model)
        if known:
            shutil.copytree(folder / "m0", folder / machine)
        learning = MachineLearning(folder / machine, machine)
        points = tuple(
            PointSettings(id=name, kind="vibration", unit="g", fs_hz=layout.spec.fs_hz)
            for name in layout.names
        )
        monitored = MonitoredMachine(
            MachineSettings(id=machine, points=points, running_from_signal=False),
            detector,
            learning,
            None,
            dict.fromkeys(layout.names, 0.5),
            round(section.trend_interval_s * NS_PER_S),
        )
        if not known:
            _remember_healthy(monitored, layout.names, model.kinds[0].state_names[0])
        return monitored

    def warm_up(self) -> None:
        """Do what a gateway does once: publish first states, measure each healthy machine."""
        self.play(WARM_S)
        for machine in self.machine_ids:
            self._searches.measure_healthy(machine)
            self._searches.collect(wait=True)

    def play(
        self,
        seconds: float,
        pace: float = 0.0,
        on_put: Callable[[int], None] = lambda _: None,
    ) -> float:
        """Play so much stream; returns the CPU seconds that it took.

        Parameters
        ----------
        seconds : float
        pace : float
            0 = as fast as possible, 1 = in real time.
        on_put : callable
            Gets the number of each block of all points before it is put.
        """
        for machine in self._machines:
            machine.restart_silence_timers()  # it was silent between two plays
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
            self._expected = already + self._windows_in((number + 1) * BLOCK_S)
        self.wait_for_windows()
        cpu_s = time.process_time() - before_s
        stop.set()
        loop.join()
        return cpu_s

    def wait_for_windows(self) -> None:
        """Wait until all windows of what was put are processed."""
        while self._pipeline.windows_total < self._expected:
            time.sleep(LAST_LOOK_S)

    def _windows_in(self, seconds: float) -> int:
        spec = self._layout.spec
        hop_s = spec.n_samples / spec.fs_hz * (1 - OVERLAP)
        return len(self._ids) * max(0, int(seconds / hop_s - 1))

    @property
    def machine_ids(self) -> tuple[str, ...]:
        """Return all machines."""
        return tuple(dict.fromkeys(point.machine for point in self._ids))

    def close(self) -> None:
        """Stop all threads."""
        self._trainer.stop(TRAINER_STOP_S)
        self._searches.stop()
        self._link.stop()
        self._outbox.stop()
        self._store.close()

    def _connected(self) -> None:
        self._states.connected()
        self._outbox.connected()

    def _blocks(self, number: int, start_ns: int) -> Sequence[SampleBlock]:
        signal, fs_hz = self._layout.signal, self._layout.spec.fs_hz
        size = int(BLOCK_S * fs_hz)
        at = number * size % signal.shape[1]
        t0_ns = start_ns + round(number * BLOCK_S * NS_PER_S)
        rows = signal[:, at : at + size]
        return [
            SampleBlock(point, fs_hz, t0_ns, number, rows[i % len(rows)], "g")
            for i, point in enumerate(self._ids)
        ]


def _remember_healthy(machine: MonitoredMachine, points: Sequence[str], state: str) -> None:
    """Fill the replays, as they are after half an hour."""
    if (updater := machine.head_updater) is None:
        raise ValueError(f"machine {machine.id} has no baseline")
    architecture = Architecture()
    position = np.zeros(architecture.width + architecture.latent, np.float32)
    for t_ns in range(HISTORY):
        updater.remember(
            [ScoredWindow(p, t_ns, position, 0.0, state, seen=True) for p in points], None
        )
    machine.learning.save()


def _plan(spec: FeatureSpec) -> PointPlan:
    settings = PointSettings(id="p", kind="vibration", unit="g", fs_hz=spec.fs_hz)
    window = WindowPlan(spec.fs_hz, spec.n_samples / spec.fs_hz, OVERLAP, "g")
    return PointPlan(settings, np.float32(1), window, spec)
