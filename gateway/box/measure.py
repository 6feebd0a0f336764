"""What this machine carries: processor, memory and disk, measured in some 20 seconds.

The figures are CPU time. A gateway processes all channels in one thread: one core counts.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

import numpy as np
import psutil

from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.box.plant import Layout, Plant, Rows, fitted_state
from auscult.gateway.publishing.reporter import TRENDS_AT_ONCE
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.models.settings import DetectorSettings

Limit = Literal["processor", "memory", "disk"]

RATES_HZ: Final = (25_600, 6_400)
WINDOW_S: Final = 1.0
A_MACHINE: Final = 4
POINTS: Final = 32
"""Enough for full batches: from here on, the cost of a channel is nearly constant."""
CORE_SHARE: Final = 0.7
"""Of one core. The rest is for events, searches, training, and the connection to the broker."""
MEMORY_SHARE: Final = 0.5
"""Of the memory. The rest is for the system, and for training."""
DISK_SHARE: Final = 0.1
"""Of the messages that the disk can store: an outage and its end come on top."""
SLICE_S: Final = 4.0
"""Stream of one measurement."""
PLAY_S: Final = 3.0
"""Time for measurements of one rate; the least disturbed counts."""
BUSY: Final = 0.5
"""Load of a core from which caches and memory are shared too much for a figure that counts."""
LEAST_MB: Final = 0.1
"""Of a channel: memory that an earlier plant left free hides less than this."""
DISK_S: Final = 1.5
TREND_BYTES: Final = 2_100
"""A trend as it is stored, compressed (lab/results/performance.md)."""
QUICK: Final = DetectorSettings(baseline_windows=20, folds=2)
"""A baseline that takes a second; its size and its cost in use are the usual ones."""
BEARING: Final = Bearing("6205", bpfo=3.5848, bpfi=5.4152, bsf=2.3567, ftf=0.3983)
SPEED_RPM: Final = 1770.0
MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class Rate:
    """Channels at one sampling rate, by each limit; `cpu_us` is for a channel-second."""

    fs_hz: int
    cpu_us: float
    memory_mb: float
    by_processor: int
    by_memory: int
    by_disk: int

    @property
    def channels(self) -> int:
        """Return the channels that all limits allow."""
        return min(self.by_processor, self.by_memory, self.by_disk)

    @property
    def limit(self) -> Limit:
        """Return the part that limits."""
        parts: dict[Limit, int] = {
            "processor": self.by_processor,
            "memory": self.by_memory,
            "disk": self.by_disk,
        }
        return min(parts, key=lambda part: parts[part])


@dataclass(frozen=True, slots=True)
class Box:
    """A machine and what it carries."""

    system: str
    processor: str
    cores: int
    memory_mb: float
    base_mb: float
    stored_per_s: float
    emulated: bool
    rates: tuple[Rate, ...]
    took_s: float
    load: float
    """Mean number of running programs over the last minute, before the measurement."""

    def lines(self) -> list[str]:
        """Return the report, with a line for the sizing table in docs/deployment.md."""
        found = [
            f"{self.processor}, {self.cores} cores, {self.memory_mb / 1e3:.1f} GB ({self.system})",
            f"a gateway without channels: {self.base_mb:.0f} MB; disk: {self.stored_per_s:,.0f} "
            "messages/s",
        ]
        found += [
            f"{rate.fs_hz / 1e3:4g} kHz: {rate.channels:,} channels, limited by {rate.limit} "
            f"(processor {rate.by_processor:,} with {rate.cpu_us:.0f} µs a channel-second, "
            f"memory {rate.by_memory:,} with {rate.memory_mb:.2f} MB each, "
            f"disk {rate.by_disk:,})"
            for rate in self.rates
        ]
        found.append(
            f"With margin: {CORE_SHARE:.0%} of one core, {MEMORY_SHARE:.0%} of the memory, "
            f"{DISK_SHARE:.0%} of the disk; windows of {WINDOW_S:g} s, half overlap, "
            f"{A_MACHINE} points a machine, bearing configured. It took {self.took_s:.0f} s."
        )
        channels = " | ".join(f"{rate.channels:,}" for rate in self.rates)
        size = f"{self.cores} | {self.memory_mb / 1e3:.1f} GB"
        found.append(f"| {self.processor} | {size} | {channels} | {self.rates[0].limit} |")
        if self.load > BUSY * self.cores:
            found.append(
                f"Other programs use this machine (load {self.load:.1f}): repeat it when quiet."
            )
        if self.emulated:
            found.append("This processor is emulated: the figures do not count.")
        return found

    def to_json(self) -> str:
        """Return the report as `auscult bench` writes it."""
        machine = {"system": self.system, "processor": self.processor, "cores": self.cores}
        figures = [
            {
                "name": f"box_{name}_at_{rate.fs_hz}_hz",
                "value": value,
                "unit": unit,
                "reference": None,
                "ratio": None,
            }
            for rate in self.rates
            for name, value, unit in (
                ("channels", rate.channels, "channels"),
                ("cpu_us", rate.cpu_us, "us"),
                ("memory_mb", rate.memory_mb, "MB"),
            )
        ]
        return json.dumps(
            {
                "version": version("auscult"),
                "machine": machine,
                "figures": figures,
                "box": asdict(self),
            },
            indent=1,
        )


def measure() -> Box:
    """Measure this machine; it takes some 20 s, three times that on a slow one."""
    begun_s, load = time.monotonic(), os.getloadavg()[0]
    memory_mb = available_memory_mb()
    with tempfile.TemporaryDirectory() as folder:
        stored_per_s = _stored_per_s(Path(folder))
        measured = [_played(fs_hz, Path(folder)) for fs_hz in RATES_HZ]
    section = GatewaySection.model_fields
    trend_s = float(section["trend_interval_s"].default)
    spectra_s = float(section["spectrum_interval_s"].default)
    messages_per_s = 1 / trend_s + 2 / spectra_s
    base_mb = measured[0][2] + float(section["signal_memory_mb"].default)
    rates = tuple(
        Rate(
            fs_hz,
            cpu_s * 1e6,
            each_mb,
            round_down(CORE_SHARE / cpu_s),
            round_down((MEMORY_SHARE * memory_mb - base_mb) / each_mb),
            round_down(DISK_SHARE * stored_per_s / messages_per_s),
        )
        for fs_hz, (cpu_s, each_mb, _) in zip(RATES_HZ, measured, strict=True)
    )
    return Box(
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        _processor(),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_mb,
        base_mb,
        stored_per_s,
        is_emulated(platform.machine(), _cpu_info()),
        rates,
        time.monotonic() - begun_s,
        load,
    )


def round_down(channels: float) -> int:
    """Return the two significant digits: more would promise what a measurement can't keep.

    >>> round_down(1287.0), round_down(37.9), round_down(-3.0)
    (1200, 37, 0)
    """
    whole = max(0, int(channels))
    unit = int(10 ** max(0, len(str(whole)) - 2))
    return whole // unit * unit


def _played(fs_hz: int, folder: Path) -> tuple[float, float, float]:
    """CPU seconds of a channel-second, MB of a further channel, MB of a gateway without any."""
    spec = FeatureSpec.vibration(
        fs_hz, round(fs_hz * WINDOW_S), "g", nominal_speed_rpm=SPEED_RPM, bearings=(BEARING,)
    )
    n = spec.n_samples
    state = fitted_state(spec, QUICK, lambda hop: _signal(n, fs_hz, seed=hop))
    small = Layout(A_MACHINE, A_MACHINE, spec, _signal(8 * n, fs_hz, seed=10_000), state)
    machine = Plant(small, folder / f"machine-{fs_hz}", "box", signal_memory_mb=0)
    machine.warm_up()  # brings what all plants share
    before_mb = _rss_mb()
    plant = Plant(
        replace(small, points=POINTS), folder / f"plant-{fs_hz}", "box", signal_memory_mb=0
    )
    plant.warm_up()
    cpu_s = _least(lambda: plant.play(SLICE_S) / (POINTS * SLICE_S))
    each_mb = max((_rss_mb() - before_mb) / POINTS, LEAST_MB)
    plant.close()
    machine.close()
    return cpu_s, each_mb, before_mb


def _least(measure_once: Callable[[], float]) -> float:
    """Return the least of the measurements that fit into `PLAY_S`, at least two."""
    end_s = time.monotonic() + PLAY_S
    found = [measure_once(), measure_once()]
    while time.monotonic() < end_s:
        found.append(measure_once())
    return min(found)


def _signal(n: int, fs_hz: int, seed: int) -> Rows:
    """Return the shaft, gear and noise of a healthy machine in g, [shape=(A_MACHINE, n)]."""
    rng = np.random.default_rng(seed)
    turns = 2 * np.pi * SPEED_RPM / 60 * np.arange(n) / fs_hz
    tones = 0.1 * np.sin(turns) + 0.05 * np.sin(23 * turns)
    return (tones + 0.05 * rng.standard_normal((A_MACHINE, n))).astype(np.float32)


def _stored_per_s(folder: Path) -> float:
    """Trends that the database stores in a second, a few in a commit, with the disk's own speed."""
    store, payload, stored = Store(folder / "disk"), os.urandom(TREND_BYTES), 0
    store.write(lambda db: db.execute("CREATE TABLE speed (payload BLOB)")).result()

    def store_one(db: Database) -> None:
        db.execute("INSERT INTO speed VALUES (?)", (payload,))

    start_s = time.monotonic()
    while (took_s := time.monotonic() - start_s) < DISK_S:
        jobs = [store.write(store_one) for _ in range(TRENDS_AT_ONCE)]
        stored += len([job.result() for job in jobs])
    store.close()
    return stored / took_s


def available_memory_mb() -> float:
    """Return the memory of this machine, or of its container if that has less."""
    total = float(psutil.virtual_memory().total)
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():
            total = min(total, float(text))
    return total / MB


def is_emulated(architecture: str, cpu_info: str) -> bool:
    """Return whether an ARM program sees a processor of another kind: user-mode emulation.

    >>> is_emulated("aarch64", "vendor_id: GenuineIntel"), is_emulated("x86_64", "vendor_id")
    (True, False)
    """
    return architecture in ("aarch64", "armv7l") and "vendor_id" in cpu_info


def _cpu_info() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _processor() -> str:
    model = Path("/proc/device-tree/model")
    if model.exists():
        return model.read_text(encoding="ascii", errors="replace").strip("\0 \n")
    for line in _cpu_info().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.processor() or sys.platform


def _rss_mb() -> float:
    return psutil.Process().memory_info().rss / MB
