"""Small data sets of recordings for tests, as real FLAC files."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import soundfile

from auscult.gateway.datasets.dataset import COLUMNS

FS_HZ = 2000
FULL_SCALE = 20.0


def shaft_noise(seconds: float, seed: int, level: float = 1.0, channels: int = 2) -> np.ndarray:
    """A turning machine [shape=(n, channels)], in g: shaft orders and noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * FS_HZ)) / FS_HZ
    tone = np.sin(2 * np.pi * 25 * t + rng.uniform(0, 6)) + 0.3 * np.sin(2 * np.pi * 50 * t)
    return 0.5 * tone[:, None] + level * 0.2 * rng.standard_normal((t.size, channels))


def impacts(seconds: float, seed: int) -> np.ndarray:
    """The same machine with a fault: a ring-down eight times a revolution."""
    signal = shaft_noise(seconds, seed)
    kernel = np.exp(-np.arange(60) / 8) * np.sin(2 * np.pi * 600 * np.arange(60) / FS_HZ)
    train = np.zeros(len(signal))
    train[:: FS_HZ // 200] = 4.0
    return signal + np.convolve(train, kernel)[: len(signal), None]


def write_data_set(
    folder: Path,
    recordings: Mapping[str, np.ndarray],
    *,
    labels: Mapping[str, str] | None = None,
    fs_hz: Mapping[str, int] | None = None,
    machine: str = "pump",
    points: tuple[str, ...] = ("de", "nde"),
    burst_s: float | None = None,
    interval_s: float | None = None,
) -> Path:
    """Write FLAC files and `manifest.csv`; a recording called ``faulty…`` is faulty."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for order, (name, signal) in enumerate(recordings.items()):
        rate = (fs_hz or {}).get(name, FS_HZ)
        soundfile.write(folder / f"{name}.flac", signal / FULL_SCALE, rate, subtype="PCM_16")
        label = (labels or {}).get(name) or ("faulty" if name.startswith("faulty") else "healthy")
        rows += [
            {
                "recording": f"{name}.flac", "machine": machine, "point": point, "channel": channel,
                "kind": "vibration", "unit": "g", "full_scale": FULL_SCALE, "fs_hz": rate,
                "speed_rpm": 1500, "label": label, "order": order,
                "fault": "none" if label == "healthy" else "outer",
                "burst_s": burst_s or "", "interval_s": interval_s or "",
            }
            for channel, point in enumerate(points)
        ]  # fmt: skip
    with (folder / "manifest.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return folder / "manifest.csv"
