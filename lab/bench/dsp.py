"""`auscult bench dsp`: the feature pipeline beside its lower bound, float64 twin and peers."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from auscult.dsp.pipeline import FeaturePipeline
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.windows.assembler import WindowAssembler, WindowPlan
from lab.bench.peers import librosa_mel, tsfel_and_tsfresh
from lab.bench.timing import Case, Figure, Timings, against, interleave, pin, times
from lab.bench.workload import CHANNELS, FS_HZ, FULL_SCALE_G, N, lower_bound, signals, spec_of
from lab.oracle.features import Oracle

PACKET = 2_560
"""100 ms of int16 samples of all channels, interleaved, as a data logger sends them."""

STREAM_S = 4


def run(*, rounds: int = 21, peers: bool = True, growth: bool = True) -> list[Figure]:
    """Measure all figures of the pipeline.

    Parameters
    ----------
    rounds : int
        Rounds of the interleaved timing.
    peers : bool
        Also time tsfel, tsfresh and librosa (extra ``bench``) where installed.
    growth : bool
        Also time 1–512 channels, windows of 1024–65536, and 1–4 processes.

    Returns
    -------
    list of Figure
        Times are CPU µs a channel-second of signal; ratios are medians over the rounds.
    """
    pin_state = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    memory = _memory()
    pin()
    figures = headline(rounds)
    figures += stream(rounds)
    figures += _bad_windows(rounds)
    figures += memory
    if peers:
        figures += tsfel_and_tsfresh(rounds)
        figures += librosa_mel(rounds)
    if growth:
        figures += _growth(max(5, rounds // 3))
    if pin_state is not None:
        os.sched_setaffinity(0, pin_state)
    if growth:
        figures += _processes()
    return figures


def headline(rounds: int) -> list[Figure]:
    """Time the pipeline beside its lower bound and its float64 twin."""
    x = signals(CHANNELS, N)
    steps = np.round(x / FULL_SCALE_G * 32768).astype(np.int16)
    pipeline, oracle = FeaturePipeline(spec_of()), Oracle(spec_of())
    each = itertools.cycle(range(CHANNELS))
    timings = interleave(
        {
            "lower bound": Case(lower_bound(x), CHANNELS),
            "pipeline": Case(lambda: pipeline.extract(x), CHANNELS),
            "float64 per channel": Case(lambda: oracle.extract(x[next(each)])),
            "batch 4": Case(lambda: pipeline.extract(x[:4]), 4),
            "batch 1": Case(lambda: pipeline.extract(x[:1])),
            "int16": Case(lambda: pipeline.extract(steps), CHANNELS),
        },
        rounds,
    )

    def over(name: str, case: str, reference: str) -> Figure:
        return times(name, timings.ratio(case, reference), reference)

    return [
        Figure("dsp_lower_bound", timings.of("lower bound") * 1e6, "us"),
        against(timings, "dsp_pipeline", "pipeline", "lower bound"),
        over("dsp_over_lower_bound", "pipeline", "lower bound"),
        over("dsp_float64_per_channel_over_pipeline", "float64 per channel", "pipeline"),
        over("dsp_batch_4_over_batch_16", "batch 4", "pipeline"),
        over("dsp_batch_1_over_batch_16", "batch 1", "pipeline"),
        over("dsp_int16_over_float32", "int16", "pipeline"),
        Figure("dsp_channels_per_core", 1 / timings.of("pipeline"), "channels"),
    ]


def stream(rounds: int) -> list[Figure]:
    """Return packets of all channels to features, against the bare pipeline on the same windows."""
    x = signals(CHANNELS, STREAM_S * N)
    raw = np.round(x / FULL_SCALE_G * 32768).astype("<i2")
    packets = [
        np.ascontiguousarray(raw[:, a : a + PACKET].T).tobytes()
        for a in range(0, raw.shape[1], PACKET)
    ]
    points = [PointId("bench", f"c{i:02d}") for i in range(CHANNELS)]
    plan = WindowPlan(FS_HZ, N / FS_HZ, 0.5, "g")
    pipeline = FeaturePipeline(spec_of())
    windows = [x[:, a : a + N].copy() for a in range(0, x.shape[1] - N + 1, N // 2)]
    step = np.float32(FULL_SCALE_G / 32768)
    period_ns = round(PACKET / FS_HZ * 1e9)
    batch = np.empty((CHANNELS, N), np.float32)

    def stream() -> int:
        assembler = WindowAssembler(dict.fromkeys(points, plan))
        done = 0
        for sequence, packet in enumerate(packets):
            rows = np.frombuffer(packet, "<i2").reshape(-1, CHANNELS).T.astype(np.float32)
            rows *= step
            t0_ns = sequence * period_ns
            for point, samples in zip(points, rows, strict=True):
                assembler.push(SampleBlock(point, FS_HZ, t0_ns, sequence, samples, "g"))
            full = assembler.drain()
            for window, row in zip(full, batch, strict=False):
                np.concatenate(window.parts, out=row)
            done += len(pipeline.extract(batch[: len(full)]))
        return done

    def bare() -> int:
        return sum(len(pipeline.extract(w)) for w in windows)

    if stream() != bare():
        raise RuntimeError("the stream gave another number of windows than the bare pipeline")
    timings = interleave(
        {"stream": Case(stream, CHANNELS * STREAM_S), "bare": Case(bare, CHANNELS * STREAM_S)},
        rounds,
    )
    return [times("dsp_stream_over_bare", timings.ratio("stream", "bare"), "bare pipeline")]


def _bad_windows(rounds: int) -> list[Figure]:
    """Cost of a bad row in a block of 16, beside that of a good one."""
    good = signals(CHANNELS, N)
    pipeline = FeaturePipeline(spec_of())
    cases = {"good": Case(lambda: pipeline.extract(good), CHANNELS)}
    ramp = np.linspace(-1e-41, 1e-41, N)
    values = {"nan": np.nan, "zero": 0.0, "constant": 1.0, "denormal": ramp}
    for name, value in values.items():
        bad = np.broadcast_to(np.asarray(value, np.float32), good.shape).copy()
        cases[name] = Case(lambda bad=bad: pipeline.extract(bad), CHANNELS)  # type: ignore[misc]
    timings = interleave(cases, rounds)
    worst = max(values, key=lambda name: timings.ratio(name, "good"))
    return [times(f"dsp_worst_bad_window_{worst}", timings.ratio(worst, "good"), "good windows")]


def _growth(rounds: int) -> list[Figure]:
    """Cost of a channel-second over its lower bound, by channels and by window."""
    figures = []
    x = signals(CHANNELS, N)
    pipeline = FeaturePipeline(spec_of())
    cases = {"bound": Case(lower_bound(x), CHANNELS)}
    for channels in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        rows = np.resize(x, (channels, N))
        cases[str(channels)] = Case(lambda rows=rows: pipeline.extract(rows), channels)  # type: ignore[misc]
    timings = interleave(cases, rounds)
    figures += _named(timings, "dsp_channels", "bound", CHANNELS_UNIT)
    return figures + window_figures((1024, 2048, 4096, 8192, 16384, 32768, 65536), rounds)


def window_figures(lengths: Sequence[int], rounds: int) -> list[Figure]:
    """Cost of 16 channels over the lower bound, for windows of these lengths."""
    figures = []
    for n in lengths:
        window = signals(CHANNELS, n)
        one = FeaturePipeline(spec_of(n))
        pair = interleave(
            {
                "bound": Case(lower_bound(window), CHANNELS * n / FS_HZ),
                str(n): Case(
                    lambda one=one, window=window: one.extract(window),  # type: ignore[misc]
                    CHANNELS * n / FS_HZ,
                ),
            },
            rounds,
        )
        figures += _named(pair, "dsp_window", "bound", "samples")
    return figures


CHANNELS_UNIT = "channels"


def _named(timings: Timings, prefix: str, reference: str, what: str) -> list[Figure]:
    return [
        against(timings, f"{prefix}_{name}_{what}", name, reference)
        for name in timings.seconds
        if name != reference
    ]


WORKER = """
import sys, time
import numpy as np
from auscult.dsp.pipeline import FeaturePipeline
from lab.bench.workload import CHANNELS, N, signals, spec_of
pipeline, x = FeaturePipeline(spec_of()), signals(CHANNELS, N)
for _ in range(5):
    pipeline.extract(x)
print("ready", flush=True)
sys.stdin.readline()
stop, done, start = time.monotonic() + 2.0, 0, time.process_time()
while time.monotonic() < stop:
    pipeline.extract(x)
    done += CHANNELS
print(done / (time.process_time() - start), flush=True)
"""


def _processes() -> list[Figure]:
    """Return channel-seconds of 1 to 4 processes side by side, each a second of its own CPU time.

    By CPU time, because other jobs on the machine take their share of the clock's.
    """
    figures: list[Figure] = []
    first = 0.0
    for count in (1, 2, 3, 4):
        if count > (os.cpu_count() or 1):
            break
        workers = [_python(WORKER) for _ in range(count)]
        for worker in workers:
            _line(worker)
        for worker in workers:
            if worker.stdin is not None:
                worker.stdin.write("\n")
                worker.stdin.flush()
        rate = sum(float(_line(worker)) for worker in workers)
        for worker in workers:
            worker.communicate()
        first = first or rate
        name = f"dsp_processes_{count}"
        figures.append(Figure(name, rate, "channel-s/CPU-s", "dsp_processes_1", rate / first))
    return figures


MEMORY = """
import resource, sys
import numpy as np
from auscult.dsp.pipeline import FeaturePipeline
from auscult.gateway.windows.assembler import WindowAssembler, WindowPlan
from lab.bench.workload import FS_HZ, N, signals, spec_of
PACKET = 2_560
from auscult.gateway.records import PointId, SampleBlock
channels = int(sys.argv[1])
points = [PointId("bench", str(i)) for i in range(channels)]
assembler = WindowAssembler(dict.fromkeys(points, WindowPlan(FS_HZ, N / FS_HZ, 0.5, "g")))
pipeline = FeaturePipeline(spec_of())
ROWS = 32
batch = np.empty((ROWS, N), np.float32)
x = signals(1, PACKET)[0]
def packet(sequence):
    for point in points:
        assembler.push(SampleBlock(point, FS_HZ, sequence * 10**8, sequence, x.copy(), "g"))
    windows = assembler.drain()
    for first in range(0, len(windows), ROWS):
        together = windows[first : first + ROWS]
        for window, row in zip(together, batch, strict=False):
            np.concatenate(window.parts, out=row)
        pipeline.extract(batch[: len(together)])
for sequence in range(3 * N // PACKET):
    packet(sequence)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _memory() -> list[Figure]:
    """Peak memory of a process that assembles and computes 64 channels, and of each further one."""

    def peak_mb(channels: int) -> float:
        worker = _python(MEMORY, str(channels))
        out, _ = worker.communicate()
        return float(out)

    small, large = peak_mb(64), peak_mb(256)
    return [
        Figure("dsp_memory_64_channels", small, "MB"),
        Figure("dsp_memory_per_channel", (large - small) / 192, "MB"),
    ]


def _python(code: str, *args: str) -> subprocess.Popen[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(  # our own code
        [sys.executable, "-c", code, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def _line(worker: subprocess.Popen[str]) -> str:
    return worker.stdout.readline().strip() if worker.stdout is not None else ""
