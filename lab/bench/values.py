"""What overall values cost a gateway: CPU time and memory at 10,000 values a minute.

``python -m lab.bench.values`` runs a real gateway with a real Mosquitto in this process: 125
machines of 8 transmitters learn, as fast as it takes their values. Then each transmitter sends a
value every 6 s for a minute, which is decided, stored and published.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from auscult.gateway.records import PointId, PointValue
from auscult.gateway.service import GatewayService
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.memory import share_one_arena
from lab.bench.timing import Figure
from tests.conftest import Mosquitto
from tests.waiting import wait_until

MACHINES, POINTS = 125, 8
VALUES = 10
"""Of each point, measured."""
BASELINE = 60
INTERVAL_S = 6


def figures(folder: Path) -> list[Figure]:
    """Measure in a folder of its own."""
    share_one_arena()  # as the gateway's program
    broker = Mosquitto(folder)
    broker.start()
    points = [
        {"id": f"p{i}", "kind": "value", "quantity": "temperature", "unit": "°C",
         "interval_s": INTERVAL_S} for i in range(POINTS)
    ]  # fmt: skip
    settings = GatewaySettings.model_validate(
        {
            "mqtt": {"host": "127.0.0.1", "port": broker.port},
            "gateway": {"data_dir": folder / "gateway"},
            "detector": {"baseline_windows": BASELINE},
            "machines": [{"id": f"m{i}", "points": points} for i in range(MACHINES)],
        }
    )
    gateway, stop = GatewayService(settings), threading.Event()
    thread = threading.Thread(target=gateway.run, args=(stop,))
    thread.start()
    rng = np.random.default_rng(0)
    t_ns = time.time_ns() - 300 * INTERVAL_S * 10**9

    def feed(rounds: int, pause_s: float = 0.0) -> None:
        nonlocal t_ns
        for _ in range(rounds):
            next_s = time.monotonic() + pause_s
            t_ns += INTERVAL_S * 10**9
            for machine in range(MACHINES):
                values = 60 + rng.standard_normal(POINTS)
                gateway.inlet.put(
                    [
                        PointValue(PointId(f"m{machine}", f"p{i}"), t_ns, value, "°C")
                        for i, value in enumerate(values.tolist())
                    ],
                    wait=True,
                )
            time.sleep(max(0.0, next_s - time.monotonic()))
        wait_until(decided, timeout_s=1800.0, what="all decided")

    def decided() -> bool:
        newest = all(one.stream_ns == t_ns for one in gateway.machines.values())
        return newest and gateway.outbox.pending == 0

    def ready() -> bool:
        return all(one.detector.model is not None for one in gateway.machines.values())

    try:
        feed(BASELINE + 5)
        wait_until(ready, timeout_s=1800.0, what="baselines")
        feed(1)
        begun_s, cpu_s = time.monotonic(), time.process_time()
        feed(VALUES, INTERVAL_S)
        spent_s, passed_s = time.process_time() - cpu_s, time.monotonic() - begun_s
        memory_mb = psutil.Process().memory_info().rss / 1e6
    finally:
        stop.set()
        thread.join(20)
        broker.stop()
    return [
        Figure("value_cpu_ms", 1000 * spent_s / (VALUES * MACHINES * POINTS), "ms"),
        Figure("values_10000_a_minute_core_share", spent_s / passed_s, "of a core"),
        Figure("values_1000_points_memory_mb", memory_mb, "MB"),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        measured = figures(Path(name))
    json.dump([dataclasses.asdict(one) for one in measured], sys.stdout, indent=1)
