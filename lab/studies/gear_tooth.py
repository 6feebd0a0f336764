"""What shows a broken tooth: ``python -m lab.studies.gear_tooth DATA/gearbox_gfd|simulated``.

Signs of mean turns against the healthy machine at the same load, for each point: AUC within each
load, mean of all loads. The set publishes no tooth counts: 32 and 80 teeth at a third of the stated
speed fit its lines and sidebands. Half of the healthy windows are the reference and not counted.
``simulated`` prints which damage of simulated gears is named as what.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.signal as ss
from rich.console import Console
from rich.table import Table

from auscult.dsp.gear_average import GearSigns, gear_signs
from auscult.dsp.shaft_speed import shaft_speed
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.models.decision.gear_diagnosis import gear_diagnosis

TEETH = {"32": (32, 1 / 3), "80": (80, 32 / 80 / 3)}
WINDOW_S = 4.0
FRAME, HOP, TURNS = 32, 8, range(1, 7)
SPEEDS_RPM, SEEDS, FS_HZ = (900.0, 1500.0, 2900.0), range(5), 12_800


def coherence_db(x: np.ndarray, fs_hz: float, shaft_hz: float) -> float:
    """Cyclic coherence at the first orders of a shaft, integrated over the carrier, over its floor.

    It needs no tooth counts: a damaged tooth modulates whatever it excites once a turn.
    """
    power = np.abs(ss.stft(x, fs_hz, nperseg=FRAME, noverlap=FRAME - HOP)[2][1:-1]) ** 2
    power = (power / power.mean(axis=1, keepdims=True) - 1) * np.hanning(power.shape[1])
    square = (np.abs(np.fft.rfft(power, axis=1)) ** 2).mean(axis=0)
    per_turn = shaft_hz * power.shape[1] * HOP / fs_hz
    heights = []
    for n in TURNS:
        at, wide = round(n * per_turn), max(round(per_turn / 4), 4)
        floor = np.median(square[max(at - wide, 1) : at + wide])
        heights.append(10 * np.log10(square[at - 1 : at + 2].max() / floor))
    return float(np.mean(heights))


def simulated() -> Table:
    """Return which damage is named as what, at a speed that wanders and is stated 1 % off."""

    def signs(pair: GearPair, seed: int, rpm: float) -> GearSigns | None:
        machine = healthy_pump([Sensor(noise_g=0.01)], seed=seed, more=[pair])
        rotation = Rotation.wandering(rpm, FS_HZ, 6, share=0.003, seed=seed)
        return gear_signs(machine.record(rotation).samples[0], FS_HZ, 21, rpm / 60 * 1.01)

    truths = {"healthy": GearPair()}
    truths |= {f"tooth {depth}": GearPair(tooth=depth) for depth in (0.1, 0.3, 0.8)}
    truths |= {f"wear {depth}": GearPair(wear=depth) for depth in (0.2, 0.4, 0.8)}
    said = ("gear.tooth", "gear.wear", "gear", "unclear")
    table = Table("truth", *said, title="Simulated gears")
    for truth, pair in truths.items():
        found = []
        for seed in SEEDS:
            for rpm in SPEEDS_RPM:
                healthy, now = signs(GearPair(), seed + 20, rpm), signs(pair, seed, rpm)
                if healthy is not None and now is not None:
                    named = gear_diagnosis(now, healthy, 21)
                    found.append(named.prescription or named.fault)
        table.add_row(truth, *(str(found.count(one) or "") for one in said))
    return table


Measured = tuple[np.ndarray, float, dict[str, GearSigns], dict[str, float]]
"""Samples, rate, signs of each gear, and more values."""


def signs_of(x: np.ndarray, fs_hz: float, healthy: dict[str, list[GearSigns]] | None,
             found: dict[str, GearSigns]) -> dict[str, float]:  # fmt: skip
    """Give all signs of a window; those that need a reference, against the healthy machine."""
    values: dict[str, float] = {}
    for name, one in found.items():
        values |= {
            f"{name}: FM4": one.fm4,
            f"{name}: residual": np.log(one.residual),
            f"{name}: sidebands": one.sidebands,
            f"{name}: envelope kurtosis": one.kurtosis,
            f"{name}: higher harmonics": one.higher,
            f"{name}: mesh": np.log(one.mesh),
        }
        if healthy is not None and healthy.get(name):
            values[f"{name}: NA4"] = float(
                np.median([one.m4 / max(h.residual**4, 1e-30) for h in healthy[name]])
            )
        carrier = one.mesh_hz
        low, high = (carrier - 60) / (fs_hz / 2), (carrier + 60) / (fs_hz / 2)
        narrow = ss.hilbert(ss.sosfiltfilt(ss.butter(4, (low, high), "band", output="sos"), x))
        amplitude, phase = np.abs(narrow), np.unwrap(np.angle(narrow))
        phase = phase - np.polyval(np.polyfit(np.arange(x.size), phase, 1), np.arange(x.size))
        for what, wave in (("amplitude", amplitude), ("phase", phase)):
            centred = wave - wave.mean()
            values[f"{name}: narrow {what}, spread"] = centred.std() / max(wave.mean(), 1e-9) \
                if what == "amplitude" else centred.std()  # fmt: skip
            values[f"{name}: narrow {what}, kurtosis"] = float(
                (centred**4).mean() / (centred**2).mean() ** 2
            )
    return values


def auc(healthy: list[float], faulty: list[float]) -> float:
    """Share of pairs in which the faulty one is higher."""
    pairs = np.subtract.outer(np.array(faulty), np.array(healthy))
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


def main(folder: str) -> None:
    """Print the AUC of each sign at each point, or the confusion of simulated gears."""
    if folder == "simulated":
        Console(width=100).print(simulated())
        return
    data = read_manifest(Path(folder))
    points = [c.point.point for c in data.recordings[0].channels]
    windows: dict[tuple[str, float, bool], list[Measured]] = defaultdict(list)
    for recording in data.recordings:
        rows, fs_hz = recording.read(), recording.fs_hz
        n = int(WINDOW_S * fs_hz)
        stated = (recording.state.speed_rpm or 0.0) / 60
        for start in range(0, rows.shape[1] - n + 1, n):
            cut = rows[:, start : start + n]
            known = shaft_speed([(x, fs_hz) for x in cut], stated)
            hz = stated if known is None else known.hz
            for point, x in zip(points, cut, strict=True):
                found = {
                    name: one
                    for name, (teeth, ratio) in TEETH.items()
                    if (one := gear_signs(x, fs_hz, teeth, hz * ratio)) is not None
                }
                key = point, recording.state.load or 0.0, recording.label is RecordingLabel.HEALTHY
                more = {
                    f"{name}: coherence": coherence_db(x, fs_hz, hz * ratio)
                    for name, (_, ratio) in TEETH.items()
                }
                windows[key].append((x, fs_hz, found, more))
    aucs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for point in points:
        for load in sorted({key[1] for key in windows}):
            sound, broken = windows[point, load, True], windows[point, load, False]
            half = len(sound) // 2
            reference = {n: [f[n] for _, _, f, _ in sound[:half] if n in f] for n in TEETH}
            signs = [[signs_of(x, fs, reference, f) | more for x, fs, f, more in part]
                    for part in (sound[half:], broken)]  # fmt: skip
            for sign in signs[0][0]:
                a, b = ([v[sign] for v in part if sign in v] for part in signs)
                aucs[point, sign].append(auc(a, b))
    table = Table("sign", *points, title="AUC, mean of all loads; 0 is as good as 1")
    for sign in dict.fromkeys(sign for _, sign in aucs):
        table.add_row(sign, *(f"{np.mean(aucs[point, sign]):.2f}" for point in points))
    Console(width=100).print(table)


if __name__ == "__main__":
    main(sys.argv[1])
