"""What overall values cost: CPU time of a gateway for each value, and for 2,000 points a minute.

``python -m lab.bench.values`` runs a real gateway with a real Mosquitto in this process: one
machine of 20 transmitters learns, then each value is decided, stored and published. The share of a
core is that of 2,000 points with a value a minute: machines do not depend on each other.
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

from auscult.gateway.records import PointId, PointValue
from auscult.gateway.service import GatewayService
from auscult.gateway.settings.gateway import GatewaySettings
from lab.bench.timing import Figure
from tests.conftest import Mosquitto
from tests.waiting import wait_until

POINTS = 20
VALUES = 100
"""Of each point, measured."""
BASELINE = 60
PLANT_POINTS = 2000
INTERVAL_S = 60


def figures(folder: Path) -> list[Figure]:
    """Measure in a folder of its own."""
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
            "machines": [{"id": "m", "points": points}],
        }
    )
    gateway, stop = GatewayService(settings), threading.Event()
    thread = threading.Thread(target=gateway.run, args=(stop,))
    thread.start()
    rng = np.random.default_rng(0)
    start_ns = time.time_ns() - 300 * INTERVAL_S * 10**9
    minute = 0

    def feed(minutes: int) -> None:
        nonlocal minute
        for _ in range(minutes):
            for i in range(POINTS):
                t_ns = start_ns + minute * INTERVAL_S * 10**9 + i * 10**9
                value = 60 + float(rng.standard_normal())
                item = PointValue(PointId("m", f"p{i}"), t_ns, value, "°C")
                gateway.inlet.put([item], wait=True)
            minute += 1
            time.sleep(0.02)

    try:
        feed(BASELINE + 5)
        wait_until(lambda: gateway.machines["m"].detector.model is not None, what="a baseline")
        time.sleep(2.0)
        begun_s, cpu_s = time.monotonic(), time.process_time()
        time.sleep(5.0)
        idle = (time.process_time() - cpu_s) / (time.monotonic() - begun_s)
        begun_s, cpu_s = time.monotonic(), time.process_time()
        feed(VALUES)
        wait_until(lambda: gateway.outbox.pending == 0, what="all sent")
        spent_s = time.process_time() - cpu_s - idle * (time.monotonic() - begun_s)
    finally:
        stop.set()
        thread.join(20)
        broker.stop()
    per_value_s = spent_s / (VALUES * POINTS)
    share = per_value_s * PLANT_POINTS / INTERVAL_S
    return [
        Figure("value_cpu_ms", 1000 * per_value_s, "ms"),
        Figure("values_2000_points_core_share", share, "of a core"),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        measured = figures(Path(name))
    json.dump([dataclasses.asdict(one) for one in measured], sys.stdout, indent=1)
