"""What training costs the windows: latency from last sample to verdict, with it and without.

One process on one core plays a plant in real time; a trainer of the gateway's own kind, with real
jobs, works and rests in turn, so that neighbours' load meets both alike.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gateway.bench import bare
from gateway.bench.gateway_worker import BASELINE_WINDOWS, SECOND_NS, SPEC, Load, Plant, collecting
from gateway.bench.listener import Listener
from gateway.bench.timing import Figure, pin
from gateway.learning.training import Trainer
from models.commissioning import TrainingJob
from models.learning.budget import Budget
from models.machine_model import MachineModel
from models.records import Observation

POINTS = 16
TURN_S = 5.0
TURNS = 12
HEARTBEAT_S = 0.1
"""Less than a hop: every verdict is published."""
SETTLE_MS = 300.0
"""After the turn changes: the slice in hand ends, caches fill."""


def figures(port: int, state: bytes) -> list[Figure]:
    """Measure p50 and p99 with training over without; takes a minute."""
    load = Load(POINTS, 0.0, TURNS * TURN_S, port, state, HEARTBEAT_S)
    with Listener(port) as listener:
        context = multiprocessing.get_context("spawn")
        with context.Pool(1, initializer=bare.without_extras) as pool:
            began_ms, slices = pool.apply(play_in_turns, (load,))
    turns: tuple[list[float], list[float]] = ([], [])
    for at_ms, late_ms in listener.heard:
        turn, into_s = divmod((at_ms - began_ms) / 1e3, TURN_S)
        if 0 < turn < TURNS and into_s * 1e3 > SETTLE_MS:
            turns[_works(turn)].append(late_ms)
    found = [Figure("training_slices_per_s", slices / (TURNS / 2 * TURN_S), "slices/s")]
    for percent in (50, 99):
        without, with_ = (float(np.percentile(late, percent)) for late in turns)
        name, reference = f"latency_p{percent}_ms_with_training", f"latency_p{percent}_ms_without"
        found += [
            Figure(reference, without, "ms"),
            Figure(name, with_, "ms", reference, with_ / without),
        ]
    return found


def play_in_turns(load: Load) -> tuple[float, int]:
    """Play in this process, on one core; gives the time of its start in ms, and slices trained."""
    pin()
    budget = _Turns()
    trainer: Trainer[MachineModel] = Trainer(budget)
    ended = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        plant = Plant(load, Path(folder), "real_time")
        feeder = threading.Thread(target=_keep_busy, args=(trainer, ended))
        trainer.start()
        feeder.start()
        budget.began_s = time.time()
        plant.play(load.real_time_s, pace=1)
        ended.set()
        trainer.stop(10)
        feeder.join()
        plant.close()
    return budget.began_s * 1e3, budget.slices


class _Turns(Budget):
    """Lets training work every second turn."""

    began_s = float("inf")
    slices = 0

    def wait(self, stopped: Callable[[], bool] = lambda: False) -> None:
        self.slices += 1
        while not stopped() and not _works((time.time() - self.began_s) // TURN_S):
            time.sleep(0.02)


def _works(turn: float) -> bool:
    return turn > 0 and turn % 2 == 1


def _keep_busy(trainer: Trainer[MachineModel], ended: threading.Event) -> None:
    """Submit the training of a baseline again and again."""
    job = _job()
    while not ended.wait(0.02):
        if trainer.progress("bench") is None:
            trainer.collect()
            trainer.submit("bench", job)


def _job() -> TrainingJob:
    rng = np.random.default_rng(0)
    detector, points = collecting("bench", single=False)
    for hop in range(2 * BASELINE_WINDOWS):
        features = np.exp(0.1 * rng.standard_normal((len(points), len(SPEC)))).astype(np.float32)
        detector.observe(
            [Observation(p, hop * SECOND_NS // 2, x) for p, x in zip(points, features, strict=True)]
        )
    return detector.train_now()
