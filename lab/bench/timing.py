"""Timing on a shared machine: cases are interleaved in short slices, results are ratios.

Absolute times move by half with the neighbours' load; the ratio of two cases that took turns within
milliseconds of each other does not. So every figure comes with its reference from the same run.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

import numpy as np
import psutil

SLICE_S = 0.010
"""Length of a slice: long against the clock's resolution, short against the scheduler's."""

RETRIES = 6
"""Times a slice is repeated when the kernel took the core away in the middle of it."""

LOOK_S = 0.5
"""Time over which cores are compared before one is taken."""

BEST_QUARTER = 25.0
"""Percentile over the rounds: the least disturbed quarter of the slices."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure, as it goes into the JSON of `auscult bench`.

    ``ratio`` is ``value`` over ``reference``'s value in the same run where `reference` is named;
    for figures that are themselves ratios, ``unit`` is ``x`` and ``ratio`` repeats the value.
    """

    name: str
    value: float
    unit: str
    reference: str | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A call to time, and the units of work that it does."""

    call: Callable[[], object]
    units: float = 1.0


@dataclass(frozen=True, slots=True)
class Timings:
    """CPU seconds per unit, of each case in each round."""

    seconds: Mapping[str, tuple[float, ...]]

    def of(self, name: str) -> float:
        """Typical undisturbed CPU seconds a unit."""
        return float(np.percentile(self.seconds[name], BEST_QUARTER))

    def ratio(self, name: str, reference: str) -> float:
        """Return the time of one case over that of another: the median of the rounds' ratios."""
        pairs = zip(self.seconds[name], self.seconds[reference], strict=True)
        return float(np.median([a / b for a, b in pairs]))


def interleave(
    cases: Mapping[str, Case], rounds: int = 15, slice_s: float = SLICE_S, warm_up: int = 2
) -> Timings:
    """Time all cases in turn, `rounds` times, in CPU seconds of this process.

    Parameters
    ----------
    cases : mapping of str to Case
    rounds : int
    slice_s : float
        Each case runs about this long a round.
    warm_up : int
        Calls before anything is timed.

    Returns
    -------
    Timings
    """
    loops = {}
    for name, case in cases.items():
        for _ in range(warm_up):
            case.call()
        loops[name] = max(1, ceil(slice_s / max(min(_once(case) for _ in range(3)), 1e-9)))
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            case.call()  # its own caches warm
            seconds[name].append(_slice(case, loops[name]))
    return Timings({name: tuple(values) for name, values in seconds.items()})


def _once(case: Case) -> float:
    start = time.perf_counter()
    case.call()
    return time.perf_counter() - start


def _slice(case: Case, loops: int) -> float:
    """CPU seconds a unit of one slice, repeated while the kernel pre-empted it."""
    elapsed = 0.0
    for _ in range(RETRIES):
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        start = time.process_time()
        for _ in range(loops):
            case.call()
        elapsed = time.process_time() - start
        if resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw == switches:
            break
    return elapsed / (loops * case.units)


def pin() -> None:
    """Keep this process on one core, the idlest it may use, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        busy = psutil.cpu_percent(LOOK_S, percpu=True)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0), key=busy.__getitem__)})


def against(timings: Timings, name: str, case: str, reference: str) -> Figure:
    """Figure of a case's time in µs a unit beside its reference."""
    return Figure(name, timings.of(case) * 1e6, "us", reference, timings.ratio(case, reference))


def times(name: str, value: float, reference: str | None) -> Figure:
    """Figure that is a ratio by itself: how many times the reference."""
    return Figure(name, value, "x", reference, value)


def machine() -> dict[str, str | int]:
    """Describe this machine, for the report."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith(("model name", "Model")):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def write(path: Path, version: str, figures: Sequence[Figure]) -> None:
    """Write the JSON of `auscult bench` (DESIGN.md, section 6)."""
    report = {"version": version, "machine": machine(), "figures": [asdict(f) for f in figures]}
    path.write_text(json.dumps(report, indent=1) + "\n")
