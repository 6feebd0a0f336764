"""Hours of stream, as fast as one core can, to find growth of memory or files.

    python -m lab.bench.soak [--points 64] [--hours 1]

prints, every few minutes of stream, what an operator would see grow over weeks: resident memory,
open files, threads, the database and its write-ahead log, messages that wait. At the end it prints
the slopes of memory and files with their 95 % confidence, without the first quarter, in which
caches fill. An hour of 64 points takes four minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
from pathlib import Path

from lab.bench import THREAD_VARIABLES

SAMPLES = 12


def main() -> None:
    """Play the hours in a separate process, and print the samples."""
    parser = argparse.ArgumentParser(description="Hours of stream at once: does anything grow?")
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--hours", type=float, default=1.0)
    asked = parser.parse_args()
    for variable in THREAD_VARIABLES:  # read when numpy is imported, in the process
        os.environ.setdefault(variable, "1")
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        pool.apply(soak, (asked.points, asked.hours * 3600))


def soak(points: int, stream_s: float) -> None:
    """Play this length of stream, and sample `SAMPLES` times."""
    # imported here: what the process must not import is hidden first
    import gc

    import psutil

    from auscult.gateway.box.plant import BLOCK_S
    from lab.bench.gateway import mosquitto
    from lab.bench.gateway_worker import Load, plant_of, trained_state
    from lab.bench.timing import pin

    pin()
    process = psutil.Process()
    every = max(1, round(stream_s / BLOCK_S / SAMPLES))
    print("stream/min  RSS/MB  files  threads  database/MB  log/MB  waiting")
    with tempfile.TemporaryDirectory() as folder, mosquitto(Path(folder)) as port:
        data = Path(folder) / "data"
        plant = plant_of(
            Load(points, stream_s, 0, port, trained_state(single=points == 1)), data, "soak"
        )
        gc.collect()
        gc.freeze()  # as `auscult.gateway.service.run` does

        samples: list[tuple[float, float, float]] = []

        def look(number: int) -> None:
            if number % every:
                return
            hours = number * BLOCK_S / 3600
            samples.append((hours, process.memory_info().rss / 1e6, float(process.num_fds())))
            log = data / "gateway.db-wal"
            print(
                f"{number * BLOCK_S / 60:10.1f}  {process.memory_info().rss / 1e6:6.1f}"
                f"  {process.num_fds():5}  {process.num_threads():7}"
                f"  {(data / 'gateway.db').stat().st_size / 1e6:11.1f}"
                f"  {log.stat().st_size / 1e6:6.1f}  {plant.pending:7}",
                flush=True,
            )

        plant.play(stream_s, 0, look)
        plant.close()
    _print_slopes(samples)


def _print_slopes(samples: list[tuple[float, float, float]]) -> None:
    from scipy.stats import linregress, t

    hours, memory, files = zip(*samples[len(samples) // 4 :], strict=True)
    for name, values in (("memory, MB", memory), ("files", files)):
        line = linregress(hours, values)
        half = float(t.ppf(0.975, len(hours) - 2)) * line.stderr
        constant = len(set(values)) == 1
        flat = "not distinguishable from 0" if constant or abs(line.slope) <= half else "it changes"
        print(
            f"{name} per hour of stream: {line.slope:+.3f} ± {0 if constant else half:.3f} ({flat})"
        )


if __name__ == "__main__":
    main()
