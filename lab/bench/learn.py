"""The cost of learning from labels: an update cycle, its parts, memory and sizes.

The cycle is what a technician's label sets off for one point with a full replay (512 windows):
places, training of the gate to its plateau, evaluation before and after, the checkpoint on disk;
and one in which the gate rejects the head.
Beside it, as references, what it replaces: training the whole autoencoder again on the same
windows, and the same steps in numpy.
"""

from __future__ import annotations

import os
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import psutil
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from auscult.contract.label import Label, Verdict
from auscult.models.baseline.calibration import Calibration
from auscult.models.learning.delta import sign
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.network import engines, numpy_engine
from auscult.models.network.architecture import Architecture
from auscult.models.network.autoencoder import Autoencoder
from auscult.models.network.guard import Model
from auscult.models.network.training import Adam
from auscult.models.records import ScoredWindow
from lab.bench.timing import Case, Figure, against, interleave

Float32 = NDArray[np.float32]

ARCH = Architecture()
COORDINATES = ARCH.width + ARCH.latent
CYCLES = 60
MORE_THAN_FIT = 10
"""Labels after which a head has too few places for the new conditions, and the gate rejects it."""
EVENT_WINDOWS = 16
POINT = "point"
BOARD_W = 4.0
"""Power of a whole Raspberry Pi 4 with one core busy: an update takes at most its CPU time times
this."""
RAPL = Path("/sys/class/powercap/intel-rapl:0/energy_uj")
"""Energy that an Intel or AMD processor has used; mostly readable by root only."""


def run() -> list[Figure]:
    """Measure everything; takes about half a minute."""
    return [*_cycle(), *_steps(), *_inference()]


def _cycle() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        machine = _Machine(Path(folder) / "machine")
        process = psutil.Process(os.getpid())
        machine.label()  # its buffers are there from the first on
        payload = max(e.checkpoint.size_bytes for e in machine.updater.checkpoints())
        key = Ed25519PrivateKey.from_private_bytes(bytes(32))
        delta = sign(machine.updater.export("bench", "spec", 0), key)
        resident = process.memory_info().rss
        machine.cpu_s = 0.0
        used_before_uj = _rapl_uj()
        refused = [machine.label() for _ in range(CYCLES)][MORE_THAN_FIT:]
        used_uj = _rapl_uj() - used_before_uj
        cpu_s = machine.cpu_s / CYCLES
        grown = (process.memory_info().rss - resident) / 2**20
        peak = _peak_mb(machine)
        alone = [1e3 * _write_alone(Path(folder)) for _ in range(CYCLES)]
        cycles = [_Machine(Path(folder) / str(number), number).label() for number in range(CYCLES)]
        base_ms = 1e3 * _base_training_s()
    median = float(np.median(cycles))
    return [
        Figure("update_cycle_ms", median, "ms", "base_training_ms", median / base_ms),
        Figure("update_cycle_p99_ms", float(np.percentile(cycles, 99)), "ms"),
        Figure("update_cycle_refused_ms", float(np.median(refused)), "ms"),
        Figure("update_cycle_refused_p99_ms", float(np.percentile(refused, 99)), "ms"),
        Figure("update_cpu_refused_ms", 1e3 * cpu_s, "ms"),
        Figure("update_energy_refused_mj", 1e3 * cpu_s * BOARD_W, "mJ"),
        *([Figure("update_rapl_refused_mj", used_uj / CYCLES / 1e3, "mJ")] if used_uj > 0 else []),
        Figure("checkpoint_write_ms", float(np.median(alone)), "ms"),
        Figure("base_training_ms", base_ms, "ms"),
        Figure("update_memory_peak_mb", peak, "MB"),
        Figure("memory_growth_over_updates_mb", grown, "MB"),
        Figure("checkpoint_bytes_per_point", payload, "bytes"),
        Figure("delta_bytes_per_point", len(delta), "bytes"),
    ]


class _Machine:
    """One point with a full replay: baseline, unseen conditions, and faults."""

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)
        calibration = Calibration.fit(np.log(_distances(self._windows(500))))
        context = PointContext(COORDINATES, calibration, calibration)
        self.updater = HeadUpdater(folder, "bench", {POINT: context}, "baseline")
        self._numbers: Iterator[int] = count()
        self.cpu_s = 0.0
        settings = self.updater.settings
        self._show(self._windows(settings.healthy_rows), None)
        for _ in range(settings.fault_rows // EVENT_WINDOWS):
            self.label(Verdict.CONFIRMED_FAULT)
        for _ in range(settings.false_alarm_rows // EVENT_WINDOWS - 1):
            self.label()
        for i in range(settings.open_rows // EVENT_WINDOWS):
            self._show(self._windows(EVENT_WINDOWS, self._shift()), f"open-{i}")

    def label(self, verdict: Verdict = Verdict.FALSE_ALARM) -> float:
        """Label an event in a new condition; return the time in ms."""
        label = self.label_of_new_event(verdict)
        start, cpu = time.perf_counter(), time.process_time()
        self.updater.learn(label)
        self.cpu_s += time.process_time() - cpu
        return 1e3 * (time.perf_counter() - start)

    def label_of_new_event(self, verdict: Verdict = Verdict.FALSE_ALARM) -> Label:
        """Show an event in a new condition, store it, and return a label of it."""
        event = f"event-{next(self._numbers)}"
        self._show(self._windows(EVENT_WINDOWS, self._shift()), event)
        self.updater.save()
        return Label(
            label_id=event,
            event_id=event,
            machine="bench",
            verdict=verdict,
            actor="bench",
            created_ms=0,
        )

    def _shift(self) -> NDArray[np.float64]:
        return 1.5 * self._rng.standard_normal(COORDINATES)

    def _windows(self, n: int, shift: NDArray[np.float64] | float = 0.0) -> Float32:
        v = self._rng.standard_normal((n, COORDINATES)) + shift
        scaled: Float32 = (v / np.sqrt(COORDINATES)).astype(np.float32)
        return scaled

    def _show(self, positions: Float32, event: str | None) -> None:
        for position, score in zip(positions, np.log(_distances(positions)), strict=True):
            window = ScoredWindow(POINT, 0, position, float(score), "", seen=True)
            self.updater.remember([window], event)


def _rapl_uj() -> int:
    """Energy used since the start of the processor; 0 where the counter can't be read."""
    try:
        return int(RAPL.read_text())
    except OSError:
        return 0


def _peak_mb(machine: _Machine) -> float:
    """Peak memory of Python and numpy during an update, over that before it."""
    label = machine.label_of_new_event()
    tracemalloc.start()
    machine.updater.learn(label)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def _distances(positions: Float32) -> NDArray[np.float64]:
    squared: NDArray[np.float64] = (positions.astype(np.float64) ** 2).sum(1)
    return squared


def _write_alone(folder: Path) -> float:
    """Return the seconds to write a file of a checkpoint's size, which is part of each cycle."""
    start = time.perf_counter()
    with (folder / "alone").open("wb") as file:
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - start


def _base_training_s() -> float:
    x, mask = _rows(512)
    start = time.perf_counter()
    Autoencoder.shipped("vibration").fit(x, mask, seed=0)
    return time.perf_counter() - start


def _steps() -> list[Figure]:
    rng = np.random.default_rng(1)
    features = rng.standard_normal((512, ARCH.head_width)).astype(np.float32)
    label = (rng.random(512) < 0.5).astype(np.float32)
    weight = np.full(512, 1 / 512, np.float32)
    head = np.zeros(ARCH.head_size, np.float32)
    x, mask = _rows(64)
    theta = Autoencoder.shipped("vibration").weights()

    def head_step(model: Model) -> object:
        return Adam(model, "train_head", head).step(
            0.05, carry=head, anchor=head, importance=head, penalty=0.1,
            features=features, label=label, weight=weight,
        )  # fmt: skip

    def base_step(model: Model) -> object:
        adam = Adam(model, "train_base", theta)
        return adam.step(1e-3, x=x, target=x, mask=mask, weight_decay=0.01)

    litert, numpy = engines.training(), Model(numpy_engine.training(ARCH))
    timings = interleave(
        {
            "head": Case(lambda: head_step(litert)),
            "head_numpy": Case(lambda: head_step(numpy)),
            "base": Case(lambda: base_step(litert)),
            "base_numpy": Case(lambda: base_step(numpy)),
        }
    )
    return [
        against(timings, "train_head_step_512_us", "head", "head_numpy"),
        against(timings, "train_base_step_64_us", "base", "base_numpy"),
    ]


def _inference() -> list[Figure]:
    theta = Autoencoder.shipped("vibration").weights()
    litert = engines.inference("vibration", theta)
    numpy = Model(numpy_engine.inference(ARCH, theta))
    x, mask = _rows(16)
    timings = interleave(
        {
            "litert": Case(lambda: litert("infer", x=x, mask=mask), 16),
            "numpy": Case(lambda: numpy("infer", x=x, mask=mask), 16),
        }
    )
    return [against(timings, "infer_block_16_us_per_window", "litert", "numpy")]


def _rows(n: int) -> tuple[Float32, Float32]:
    x = np.random.default_rng(2).standard_normal((n, ARCH.width)).astype(np.float32)
    return x, np.ones_like(x)
