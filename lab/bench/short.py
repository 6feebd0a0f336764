"""`make bench`: a short set of ratios beside those stored for this kind of machine.

It reports and never fails: a figure counts as changed where it lies beyond three times the scatter
of the stored runs, and by more than 5 %. ``--store`` adds this run to them (`ratios.json`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.dsp.scales import MAD_TO_SIGMA
from lab.bench import THREAD_VARIABLES

STORED = Path(__file__).with_name("ratios.json")
RUNS_KEPT = 20
SCATTERS = 3.0
LEAST_CHANGE = 0.05
ROUNDS = 7
WINDOWS = (1_024, 4_096)
POINTS = 64
SLICE_S = 4.0
TWICE = "dsp_pipeline"
"""The same ratio as `dsp_over_lower_bound`."""

Ratios = dict[str, float]
Stored = dict[str, dict[str, list[float]]]


def main() -> None:
    """Measure, compare and print; with ``--store`` also store."""
    parser = argparse.ArgumentParser(description="A short set of ratios beside the stored ones.")
    parser.add_argument("--store", action="store_true", help="add this run to the stored ones")
    asked = parser.parse_args()
    for variable in THREAD_VARIABLES:  # read when numpy is imported
        os.environ.setdefault(variable, "1")
    from lab.bench.timing import machine, pin

    pin()
    about = machine()
    kind = f"{about['architecture']}, {about['processor']}, numpy {about['numpy']}"
    stored: Stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    known = stored.get(kind, {})
    measured = measure()
    print(f"{kind}; load {os.getloadavg()[0]:.1f}")
    print("\n".join(compared(measured, known)))
    if asked.store:
        stored[kind] = {
            n: [*known.get(n, []), round(v, 4)][-RUNS_KEPT:] for n, v in measured.items()
        }
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")


def compared(measured: Mapping[str, float], known: Mapping[str, Sequence[float]]) -> list[str]:
    """Return a line for each ratio: now, stored median with scatter, and what that means.

    >>> print("\\n".join(compared({"a": 2.0, "b": 1.0}, {"a": [1.0, 1.1, 0.9], "b": []})))
    a                                       2.00 | 1.00 ± 0.15 of 3 runs | slower
    b                                       1.00 | none stored           |
    """
    lines = []
    for name, now in measured.items():
        runs = sorted(known.get(name, ()))
        if not runs:
            lines.append(f"{name:38}{now:6.2f} | {'none stored':21} |")
            continue
        middle = _median(runs)
        scatter = MAD_TO_SIGMA * _median(sorted(abs(run - middle) for run in runs))
        beyond = abs(now - middle) > max(SCATTERS * scatter, LEAST_CHANGE * middle)
        word = "as before" if not beyond else "slower" if now > middle else "faster"
        before = f"{middle:.2f} ± {scatter:.2f} of {len(runs)} runs"
        lines.append(f"{name:38}{now:6.2f} | {before:21} | {word}")
    return lines


def measure() -> Ratios:
    """Measure the short set, in about a minute."""
    from lab.bench.dsp import headline, stream, window_figures

    figures = headline(ROUNDS) + stream(ROUNDS) + window_figures(WINDOWS, ROUNDS)
    ratios = {f.name: f.ratio for f in figures if f.ratio is not None and f.name != TWICE}
    return ratios | {
        "gateway_over_features_at_64": _gateway_ratio(),
        "import_over_numpy": _import_ratio(),
    }


def _gateway_ratio() -> float:
    """CPU of a gateway of 64 points without a broker over that of its features alone."""
    from auscult.dsp.pipeline import FeaturePipeline
    from auscult.gateway.box.plant import OVERLAP, Layout, Plant
    from lab.bench.gateway_worker import POINTS_A_MACHINE, SIGNAL_S, SPEC, trained_state
    from lab.bench.timing import Case, interleave
    from lab.bench.workload import FS_HZ, N, signals

    state = trained_state(single=False)
    signal = signals(POINTS_A_MACHINE, int(SIGNAL_S * FS_HZ), seed=10_000)
    x, pipeline = signals(16, N), FeaturePipeline(SPEC)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(POINTS, POINTS_A_MACHINE, SPEC, signal, state)
        plant = Plant(layout, Path(folder), "bench")
        plant.warm_up()
        for _ in range(ROUNDS):
            alone = interleave({"features": Case(lambda: pipeline.extract(x), 16)}, 3).of(
                "features"
            )
            windows = POINTS * (SLICE_S / (N / FS_HZ * (1 - OVERLAP)) - 1)
            ratios.append(plant.play(SLICE_S) / windows / alone)
        plant.close()
    return _median(sorted(ratios))


def _import_ratio() -> float:
    """CPU time of importing the gateway over that of numpy alone; the least of each counts."""

    def took_s(module: str) -> float:
        before = time.process_time() + _children_s()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        return time.process_time() + _children_s() - before

    modules = ("auscult.gateway.service", "numpy")
    gateway, numpy = (min(took_s(module) for _ in range(ROUNDS)) for module in modules)
    return gateway / numpy


def _children_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _median(values: Sequence[float]) -> float:
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


if __name__ == "__main__":
    main()
