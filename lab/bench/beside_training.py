"""The effect of training on latency, from the last sample to the decision.

One process on one core plays a plant in real time; a trainer of the gateway's own kind, with real
jobs, works and rests in turn. Latency is the process's own CPU time from a window's last sample to
its decision: on one core that is the elapsed time without that of other programs. So a busy machine
does not decide the result, but the time of training, and each wait for the interpreter, counts.
"""

from __future__ import annotations

import gc
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from auscult.contract.message import Message
from auscult.contract.payloads import PointStateMessage
from auscult.gateway.box.plant import BLOCK_S, new_detector, point_names
from auscult.gateway.machines.training import Trainer
from auscult.models.baseline.fit import FitJob
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.budget import Budget
from auscult.models.records import Observation
from lab.bench.gateway_worker import (
    BASELINE_WINDOWS,
    POINTS_A_MACHINE,
    SECOND_NS,
    SETTINGS,
    SPEC,
    Load,
    plant_of,
)
from lab.bench.timing import Figure, pin
from lab.bench.workload import FS_HZ, N

POINTS = 16
TURN_S = 5.0
TURNS = 48
HEARTBEAT_S = 0.1
"""Less than a hop: every decision is published."""
SETTLE_S = 0.3
"""Time left out after each change: the current slice ends, caches fill."""


def figures(port: int, state: bytes) -> list[Figure]:
    """Measure p50 and p99 with training over without; takes four minutes.

    Of each turn by itself, compared with the turn that follows, and the median of those: an event
    (its spectra take 10 ms a machine) that falls into one turn does not decide.
    """
    load = Load(POINTS, 0.0, TURNS * TURN_S, port, state, HEARTBEAT_S)
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        received, slices = pool.apply(play_in_turns, (load,))
    turns: list[list[float]] = [[] for _ in range(TURNS)]
    for at_s, late_ms in received:
        turn, into_s = divmod(at_s, TURN_S)
        if turn < TURNS and into_s > SETTLE_S:
            turns[int(turn)].append(late_ms)
    found = [Figure("training_slices_per_s", slices / (TURNS / 2 * TURN_S), "slices/s")]
    for percent in (50, 99):
        late = [float(np.percentile(turn, percent)) for turn in turns]
        with_, without = late[1::2], late[2::2]
        ratio = float(np.median([a / b for a, b in zip(with_, without, strict=False)]))
        name, reference = f"latency_p{percent}_ms_with_training", f"latency_p{percent}_ms_without"
        found += [
            Figure(reference, float(np.median(without)), "ms"),
            Figure(name, float(np.median(with_)), "ms", reference, ratio),
        ]
    return found


def play_in_turns(load: Load) -> tuple[list[tuple[float, float]], int]:
    """Play in this process, on one core; return the received windows and the number of slices.

    A received window is (s since the start, latency in ms of the process's CPU time).
    """
    pin()
    budget = _Turns()
    trainer: Trainer[MachineModel] = Trainer(budget)
    ended = threading.Event()
    put_s: dict[int, float] = {}
    received: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:

        def on_message(message: Message) -> None:
            if isinstance(message, PointStateMessage):
                end_s = message.window_ms / 1e3 + N / FS_HZ - plant.began_ns / 1e9
                cpu_s = time.process_time() - put_s[round(end_s / BLOCK_S) - 1]
                received.append((time.time() - budget.began_s, cpu_s * 1e3))

        plant = plant_of(load, Path(folder), "real_time", [on_message])
        feeder = threading.Thread(target=_keep_busy, args=(trainer, ended))
        gc.collect()
        gc.freeze()  # as `auscult.gateway.service.run` does
        trainer.start()
        feeder.start()
        budget.began_s = time.time()
        plant.play(load.real_time_s, 1, lambda number: put_s.update({number: time.process_time()}))
        ended.set()
        trainer.stop(10)
        feeder.join()
        plant.close()
    return received, budget.slices


class _Turns(Budget):
    """Allows training in every second turn."""

    began_s = float("inf")
    slices = 0

    def wait(self, stopped: Callable[[], bool] = lambda: False) -> None:
        self.slices += 1
        while not stopped() and not _works((time.time() - self.began_s) // TURN_S):
            time.sleep(0.02)


def _works(turn: float) -> bool:
    return turn > 0 and turn % 2 == 1


def _keep_busy(trainer: Trainer[MachineModel], ended: threading.Event) -> None:
    """Submit the training of a baseline repeatedly."""
    job = _job()
    while not ended.wait(0.02):
        if trainer.progress("bench") is None:
            trainer.collect()
            trainer.submit("bench", job)


def _job() -> FitJob:
    rng = np.random.default_rng(0)
    detector, points = new_detector(SPEC, POINTS_A_MACHINE, SETTINGS), point_names(POINTS_A_MACHINE)
    for hop in range(2 * BASELINE_WINDOWS):
        features = np.exp(0.1 * rng.standard_normal((len(points), len(SPEC)))).astype(np.float32)
        detector.observe(
            [Observation(p, hop * SECOND_NS // 2, x) for p, x in zip(points, features, strict=True)]
        )
    return detector.fit_now()
