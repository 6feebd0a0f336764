"""The gateway end to end on one core: from samples to decisions over a real broker.

Each number of points runs in a process of its own, held on one core: first as fast as it can (CPU
time for each second of stream), then in real time (from a window's last sample to its decision at
a subscriber). All windows close at the same moment, which is the worst case.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from auscult.dsp.pipeline import FeaturePipeline
from lab.bench import beside_training, outage
from lab.bench.gateway_worker import SECOND_NS, Load, Measured, measure, trained_state
from lab.bench.listener import Listener
from lab.bench.timing import Case, Figure, interleave
from lab.bench.workload import FS_HZ, N, lower_bound, signals, spec_of

POINTS = (1, 4, 16, 64, 256, 512)
HEADLINE = 256
STREAM_S = 20.0
"""Length of the stream played as fast as possible, at `HEADLINE` points; inverse to them."""
REAL_TIME_S = 12.0
SETTLE_S = 3.0
"""Real time before latencies count: caches fill, first states are published."""
DSP_ROWS = 16


class NoBrokerError(RuntimeError):
    """Mosquitto is not installed; the message says how to install it."""


def run() -> list[Figure]:
    """Measure all numbers of points.

    Raises
    ------
    NoBrokerError
        If Mosquitto is not installed.
    """
    dsp = _dsp_channels_per_core()
    states = {True: trained_state(single=True), False: trained_state(single=False)}
    figures = [Figure("dsp_channels_per_core", dsp, "channels")]
    with tempfile.TemporaryDirectory() as folder, mosquitto(Path(folder)) as port:
        for points in POINTS:
            stream_s = STREAM_S * min(HEADLINE / points, 10.0)
            load = Load(points, stream_s, REAL_TIME_S, port, states[points == 1])
            figures += _figures(points, *_measured(load), dsp)
        figures += beside_training.figures(port, states[False])
        figures += outage.figures(port, states[False])
    return figures


def _figures(points: int, measured: Measured, late_ms: list[float], dsp: float) -> list[Figure]:
    channels = points * measured.stream_s / measured.cpu_s
    headline = ["channels_per_core"] if points == HEADLINE else []
    figures = [
        *(
            Figure(name, channels, "channels", "dsp_channels_per_core", channels / dsp)
            for name in (*headline, f"channels_per_core_at_{points}")
        ),
        Figure(f"rss_mb_at_{points}", measured.rss_mb, "MB"),
        Figure(f"core_share_at_{points}", measured.real_time_cpu_share, "of a core"),
    ]
    if late_ms:
        for percent in (50, 99):
            value = float(np.percentile(late_ms, percent))
            figures.append(Figure(f"latency_p{percent}_ms_at_{points}", value, "ms"))
    return figures


def _dsp_channels_per_core() -> float:
    """Return the channels per core of the features alone, beside the lower bound."""
    x = signals(DSP_ROWS, N)
    pipeline = FeaturePipeline(spec_of())
    cases = {
        "features": Case(lambda: pipeline.extract(x), DSP_ROWS),
        "bound": Case(lower_bound(x), DSP_ROWS),
    }
    hops_per_s = FS_HZ / (N // 2)
    return 1 / (interleave(cases).of("features") * hops_per_s)


def _measured(load: Load) -> tuple[Measured, list[float]]:
    """Run a load in a separate process, and subscribe to it."""
    with Listener(load.port) as listener:
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            measured = pool.apply(measure, (load,))
    return measured, listener.late_ms(measured.began_ns + int(SETTLE_S * SECOND_NS))


@contextlib.contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """Run a Mosquitto on a free port; yield the port."""
    executable = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if executable is None:
        raise NoBrokerError("mosquitto is missing: install the system package 'mosquitto'")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    config = folder / "mosquitto.conf"
    config.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nlog_type error\n"
    )
    process = subprocess.Popen(
        [executable, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait()
