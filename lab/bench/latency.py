"""From a window's last sample to its decision, while four machines enter an event in one hop.

    python -m lab.bench.latency [--points 256] [--seconds 24] [--cores 1]

A plant plays in real time on one core, or on all that the process may use (`--cores 0`). Every few
seconds four more machines vibrate three times as strongly from one block on: their events open, and
evidence, alarms, spectra and searches follow.

Two latencies are measured. *Subscriber*: elapsed time until a client of the broker has the
decision; it counts only on a quiet machine. *Own CPU*: the process's CPU time until it publishes
the decision; on one core that is the elapsed time without that of other programs, so a busy machine
does not decide it. For the same reason a hop begins when the one before is processed. The table
lists how long each stage held the window loop.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from lab.bench import THREAD_VARIABLES

MACHINES_AT_ONCE = 4
EVERY_S = 3.0
SETTLE_S = 4.0
"""Real time before latencies count and machines change."""
STRONGER = 3.0
"""Of the vibration in an event."""

Slices = dict[str, list[tuple[float, float]]]
"""Of each stage: CPU ms of the loop's thread, and of the whole process meanwhile."""


def main() -> None:
    """Play the plant, and print latencies and stages."""
    parser = argparse.ArgumentParser(description="Latency while machines enter events.")
    parser.add_argument("--points", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=24.0)
    parser.add_argument(
        "--cores", type=int, choices=(0, 1), default=1, help="1, or 0 for all of this machine"
    )
    asked = parser.parse_args()
    for variable in THREAD_VARIABLES:  # read when numpy is imported, in the process
        os.environ.setdefault(variable, "1")
    from lab.bench.gateway import mosquitto
    from lab.bench.gateway_worker import Load, trained_state
    from lab.bench.listener import Listener

    with tempfile.TemporaryDirectory() as folder, mosquitto(Path(folder)) as port:
        state = trained_state(single=asked.points == 1)
        load = Load(asked.points, 0.0, asked.seconds, port, state)
        with Listener(port) as listener, multiprocessing.get_context("spawn").Pool(1) as pool:
            began_ns, own, stages, events = pool.apply(play, (load, asked.cores == 1))
            time.sleep(0.5)
        starts_ms = began_ns / 1e6 + SETTLE_S * 1e3
        arrived = [((at - late - starts_ms) / 1e3, late) for at, late in listener.received]
    print(f"{asked.points} points, {events} events, load {os.getloadavg()[0]:.1f}")
    for name, late_ms in (("subscriber", arrived), ("own CPU", own)):
        late_ms = [(into_s, ms) for into_s, ms in late_ms if into_s > 0]
        print(_line(name, [ms for _, ms in late_ms]))
        for wave in range(int(late_ms[-1][0] / EVERY_S) + 1):
            some = [ms for into_s, ms in late_ms if into_s // EVERY_S == wave]
            print(_line(f"  {(wave + 1) * MACHINES_AT_ONCE} departing", some))
    print(f"{'stage':16}{'times':>8}{'sum':>8}{'median':>8}{'p99':>8}{'longest':>9}   process, ms")
    for name, slices in sorted(stages.items()):
        thread, process = np.array(slices).T
        p50, p99, most = np.percentile(thread, (50, 99, 100))
        line = f"{name:16}{len(slices):8}{thread.sum():8.0f}{p50:8.2f}{p99:8.2f}{most:9.2f}"
        print(f"{line}{process.max():10.2f}")


def _line(name: str, late_ms: list[float]) -> str:
    p50, p99, most = np.percentile(late_ms, (50, 99, 100))
    return f"{name:14} p50 {p50:6.1f}  p99 {p99:6.1f}  longest {most:6.1f} ms of {len(late_ms)}"


def play(load: Any, one_core: bool) -> tuple[int, list[tuple[float, float]], Slices, int]:
    """Play in this process."""
    from auscult.contract.message import Message
    from auscult.contract.payloads import EventMessage, PointStateMessage
    from auscult.gateway.box.plant import BLOCK_S
    from auscult.memory import share_one_arena
    from lab.bench.gateway_worker import plant_of
    from lab.bench.timing import pin
    from lab.bench.workload import FS_HZ, N

    if one_core:
        pin()
    share_one_arena()  # as `auscult.gateway.service.run` does
    stages = _watched()
    put_s: dict[int, float] = {}
    own: list[tuple[float, float]] = []
    opened: set[str] = set()

    def on_message(message: Message) -> None:
        if isinstance(message, EventMessage):
            opened.add(message.event_id)
        if isinstance(message, PointStateMessage):
            end_s = message.window_ms / 1e3 + N / FS_HZ - plant.began_ns / 1e9
            put = put_s.get(round(end_s / BLOCK_S) - 1)
            if put is not None:
                own.append((end_s - SETTLE_S, (time.process_time() - put) * 1e3))

    with tempfile.TemporaryDirectory() as folder:
        plant = plant_of(load, Path(folder), "real_time", [on_message])
        gc.collect()
        gc.freeze()  # as `auscult.gateway.service.run` does
        plant.warm_up()
        for slices in stages.values():
            slices.clear()
        opened.clear()
        waiting = iter(plant.machine_ids)

        def on_put(number: int) -> None:
            plant.wait_for_windows()
            put_s[number] = time.process_time()
            into_s = number * BLOCK_S - SETTLE_S
            if into_s >= 0 and into_s % EVERY_S == 0:
                plant.strengthen(_some(waiting), STRONGER)

        plant.play(load.real_time_s, 1, on_put)
        began_ns = plant.began_ns
        plant.close()
    return began_ns, own, dict(stages), len(opened)


def _some(machines: Iterator[str]) -> list[str]:
    return [machine for machine, _ in zip(machines, range(MACHINES_AT_ONCE), strict=False)]


def _watched() -> Slices:
    """Time the stages of the window loop from now on."""
    from auscult.gateway.loop import WindowLoop
    from auscult.gateway.machines.fault_search import FaultSearches
    from auscult.gateway.machines.machine import MonitoredMachine
    from auscult.gateway.publishing.reporter import Reporter
    from auscult.gateway.windows.assembler import WindowAssembler
    from auscult.gateway.windows.observed import Observer

    slices: Slices = defaultdict(list)
    for owner, name in (
        (WindowAssembler, "push"),
        (Observer, "observe"),
        (MonitoredMachine, "process"),
        (Reporter, "report"),
        (Reporter, "send_trends"),
        (Reporter, "send_spectra"),
        (FaultSearches, "begin"),
        (FaultSearches, "note_healthy"),
        (FaultSearches, "collect"),
        (WindowLoop, "_tick"),
    ):
        setattr(owner, name, _timed(getattr(owner, name), slices, f"{name.strip('_')}"))
    return slices


def _timed(call: Callable[..., Any], slices: Slices, name: str) -> Callable[..., Any]:
    @wraps(call)
    def timed(*args: Any, **kwargs: Any) -> Any:
        thread, process = time.thread_time(), time.process_time()
        try:
            return call(*args, **kwargs)
        finally:
            slices[name].append(
                ((time.thread_time() - thread) * 1e3, (time.process_time() - process) * 1e3)
            )

    return timed


if __name__ == "__main__":
    main()
