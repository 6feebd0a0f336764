"""Which sign of a damaged ball separates: ``python -m lab.studies.balls DATA_FOLDER...``.

Each recording gives narrow-band envelope spectra over orders. From them come four spectra: cyclic
coherence integrated over the carrier; the bands that an autogram chooses; the band that shows the
comb best; and the envelope of the whole signal, whitened by the healthy machine. In each, the comb
of a ball is compared with the same comb at orders where no part is: its score is in standard
deviations of these. Only a score above all recordings without a ball fault of the other rigs names.
Without a folder it prints how strong a simulated ball must be to be named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.signal import get_window

from auscult.dsp.bearing import Bearing
from auscult.dsp.simulation.bearings import BearingDefect, Friction
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.source import VibrationSource
from auscult.gateway.datasets.dataset import Recording, RecordingLabel, read_manifest
from auscult.gateway.machines.fault_search import FaultSearch
from auscult.gateway.machines.train_search import TrainSignals
from auscult.models.name_plate import PlacedBearing, Train

Float64 = NDArray[np.float64]

FRAME, HOP = 64, 16
BINS = 3
"""Frames of the short-time spectrum; neighbouring bins are joined, two of them overlap."""
TOP_ORDER = 16.0
REVOLUTIONS = 60.0
SPEED_SHARE = 0.07
SLIP = 0.01
CAP_DB = 20.0
NULL_COMBS = 60
TOP_BANDS = 3
AUTOGRAM_LAGS = 0.5
"""Share of a segment whose lags the autogram uses."""

Comb = Callable[[float, float], Float64]
"""Orders of lines by ball order and cage order."""

COMBS: Mapping[str, Comb] = {
    "2 × BSF, cage sidebands": lambda bsf, ftf: _sided([2 * bsf, 4 * bsf], ftf, 2),
    "odd BSF, cage sidebands": lambda bsf, ftf: _sided([bsf, 3 * bsf], ftf, 2),
    "2 × BSF alone": lambda bsf, ftf: np.array([2 * bsf, 4 * bsf, 6 * bsf]),
    "sidebands without carrier": lambda bsf, ftf: np.array(
        [2 * k * bsf + m * ftf for k in (1, 2) for m in (-2, -1, 1, 2)]
    ),
}


def _sided(carriers: Sequence[float], spacing: float, most: int) -> Float64:
    return np.array([c + m * spacing for c in carriers for m in range(-most, most + 1)])


@dataclass(frozen=True)
class Scores:
    """Score of each sign in one recording."""

    rig: str
    truth: str
    name: str
    values: Mapping[tuple[str, str], float]


def scored(folder: Path) -> Iterator[Scores]:
    """Score all recordings of known speed and bearing of a rig."""
    recordings = read_manifest(folder).recordings
    healthy = {
        r.state.speed_rpm: r
        for r in recordings
        if r.label is RecordingLabel.HEALTHY and r.state.speed_rpm
    }
    for recording in recordings:
        bearing = next((c.bearing for c in recording.channels if c.bearing is not None), None)
        speed_rpm = recording.state.speed_rpm
        if bearing is None or not speed_rpm or bearing.bsf is None:
            continue
        like = min(healthy, key=lambda rpm: abs(rpm - speed_rpm)) if healthy else None
        reference = healthy[like] if like is not None else None
        sound = recording.label is RecordingLabel.HEALTHY
        truth = "none" if sound else recording.fault_class
        values = _values(recording, reference, bearing, speed_rpm)
        yield Scores(folder.name, truth, recording.path.name, values)


def _values(
    recording: Recording, healthy: Recording | None, bearing: Bearing, speed_rpm: float
) -> dict[tuple[str, str], float]:
    shaft_hz, fs_hz = speed_rpm / 60, recording.fs_hz
    rows = _vibration(recording)
    before = _vibration(healthy) if healthy is not None else rows
    spectra: dict[str, list[Float64]] = {"coherence": [], "autogram": [], "whitened": []}
    each: list[Float64] = []
    per_order = 0.0
    for row, own in zip(rows, before, strict=False):
        squares, depth, per_order = _bands(row, fs_hz, shaft_hz)
        level = 10 * np.log10(depth.mean(axis=0) + 1e-30)
        spectra["coherence"].append(_over_floor(level, per_order))
        chosen = np.argsort(-_autogram(squares))[:TOP_BANDS]
        top = [_over_floor(10 * np.log10(depth[i] + 1e-30), per_order) for i in chosen]
        spectra["autogram"].append(np.mean(top, axis=0))
        each += [_over_floor(10 * np.log10(one + 1e-30), per_order) for one in depth]
        white, _, per_order = _whole(_whitened(row, own), fs_hz, shaft_hz)
        spectra["whitened"].append(_over_floor(white, per_order))
    found = {}
    bsf, ftf = bearing.bsf or 0.0, bearing.ftf or 0.4
    for comb, lines in COMBS.items():
        for name, many in spectra.items():
            found[name, comb] = _score(np.mean(many, axis=0), per_order, lines, bsf, ftf)
        best = [_score(one, per_order, lines, bsf, ftf) for one in each]
        found["best band", comb] = max(best)
    return found


def _vibration(recording: Recording) -> NDArray[np.float32]:
    keep = np.array([c.kind == "vibration" for c in recording.channels])
    return np.asarray(recording.read()[keep], np.float32)


def _bands(x: NDArray[np.float32], fs_hz: float, shaft_hz: float) -> tuple[Float64, Float64, float]:
    """Return the envelopes of narrow bands, and their squared modulation depths over orders."""
    window = get_window("hann", FRAME).astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(x, FRAME)[::HOP]
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    joined = np.stack([power[:, i : i + BINS].sum(axis=1) for i in range(1, FRAME // 2 - 2, 2)])
    return _spectra(joined, fs_hz / HOP, shaft_hz)


def _whole(x: NDArray[np.float32], fs_hz: float, shaft_hz: float) -> tuple[Float64, Float64, float]:
    _, depth, per_order = _bands_whole(x, fs_hz, shaft_hz)
    return 10 * np.log10(depth[0] + 1e-30), depth[0], per_order


def _bands_whole(
    x: NDArray[np.float32], fs_hz: float, shaft_hz: float
) -> tuple[Float64, Float64, float]:
    square = (x.astype(np.float64) ** 2)[: x.size // HOP * HOP].reshape(-1, HOP).sum(axis=1)
    return _spectra(square[None], fs_hz / HOP, shaft_hz)


def _spectra(envelopes: Float64, rate_hz: float, shaft_hz: float) -> tuple[Float64, Float64, float]:
    length = min(round(REVOLUTIONS / shaft_hz * rate_hz), envelopes.shape[1])
    starts = np.arange(0, envelopes.shape[1] - length + 1, max(length // 2, 1))
    taper = get_window("hann", length)
    top = min(int(TOP_ORDER * shaft_hz * length / rate_hz), length // 2)
    total = np.zeros((len(envelopes), top))
    for start in starts:
        part = envelopes[:, start : start + length]
        part = (part / np.maximum(part.mean(axis=1, keepdims=True), 1e-30) - 1) * taper
        total += (np.abs(np.fft.rfft(part, axis=1)[:, :top]) * 4 / length) ** 2
    return envelopes, total / len(starts), length / rate_hz * shaft_hz


def _autogram(envelopes: Float64) -> Float64:
    """Kurtosis of the unbiased autocorrelation of each squared envelope (Moshrefzadeh 2018)."""
    centred = envelopes - envelopes.mean(axis=1, keepdims=True)
    n = centred.shape[1]
    lags = int(AUTOGRAM_LAGS * n)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    unbiased = np.fft.irfft(power, axis=1)[:, 1:lags] / (n - np.arange(1, lags))
    above = np.maximum(unbiased - unbiased.min(axis=1, keepdims=True), 0)
    return np.asarray((above**4).mean(axis=1) / np.maximum((above**2).mean(axis=1) ** 2, 1e-60))


def _whitened(x: NDArray[np.float32], healthy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Divide by the amplitude spectrum of the healthy machine, smoothed over 1/200 of the rate."""

    def density(y: NDArray[np.float32]) -> Float64:
        power = np.abs(np.fft.rfft(y)) ** 2 / y.size
        width = max(power.size // 100, 3)
        return np.convolve(power, np.ones(width) / width, "same")

    own = density(healthy)
    at = np.linspace(0, 1, x.size // 2 + 1)
    gain = np.interp(at, np.linspace(0, 1, own.size), own)
    return np.fft.irfft(np.fft.rfft(x) / np.sqrt(gain + 1e-30), x.size).astype(np.float32)


def _over_floor(level: Float64, per_order: float) -> Float64:
    block = max(12, round(per_order / 2))
    count = max(1, level.size // block)
    median = np.median(level[: count * block].reshape(count, block), axis=1)
    centres = (np.arange(count) + 0.5) * block
    height = np.clip(level - np.interp(np.arange(level.size), centres, median), -3, CAP_DB)
    height[: max(2, round(0.15 * per_order))] = 0
    # Harmonics of the shaft belong to the shaft.
    for n in range(1, int(TOP_ORDER) + 1):
        at = round(n * per_order)
        height[max(at - 2, 0) : at + 3] = 0
    return height


def _score(height: Float64, per_order: float, lines: Comb, bsf: float, ftf: float) -> float:
    """Height of the comb in standard deviations of combs of other parts at the same speeds."""
    wide = np.maximum(np.maximum(height, np.roll(height, 1)), np.roll(height, -1))

    def best(order: float) -> float:
        orders = lines(order, ftf)
        orders = orders[(orders > 0.2) & (orders < TOP_ORDER * 0.9)]
        step = 0.5 / (orders.max() * per_order)
        scales = 1 + np.arange(-SPEED_SHARE, SPEED_SHARE, step)
        at = np.rint(scales[:, None] * orders * per_order).astype(int)
        return float(wide[np.minimum(at, wide.size - 1)].mean(axis=1).max())

    others = np.linspace(0.72, 1.38, NULL_COMBS)
    others = others[np.abs(others - 1) > 0.02 + SLIP]
    null = np.array([best(bsf * share) for share in others])
    return float((best(bsf) - null.mean()) / max(null.std(), 1e-9))


def auc(high: Sequence[float], low: Sequence[float]) -> float:
    """Probability that one of `high` exceeds one of `low`."""
    if not high or not low:
        return float("nan")
    a, b = np.array(high)[:, None], np.array(low)
    return float((a > b).mean() + 0.5 * (a == b).mean())


def table(found: Sequence[Scores]) -> Table:
    """AUC on each rig, and balls above all other recordings of the other rigs."""
    rigs = list(dict.fromkeys(one.rig for one in found if one.truth == "ball"))
    out = Table("spectrum", "comb", *(f"{rig}: AUC, named, wrong" for rig in rigs))
    for key in found[0].values:
        cells = []
        for rig in rigs:
            own = [one for one in found if one.rig == rig]
            ball = [one.values[key] for one in own if one.truth == "ball"]
            rest = [one.values[key] for one in own if one.truth != "ball"]
            limit = max(o.values[key] for o in found if o.rig != rig and o.truth != "ball")
            named, wrong = sum(v > limit for v in ball), sum(v > limit for v in rest)
            cells.append(f"{auc(ball, rest):.2f}, {named}/{len(ball)}, {wrong}")
        out.add_row(*key, *cells)
    return out


BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
FS_HZ, SECONDS, SPEEDS_RPM, SEEDS = 20_000.0, 4.0, (1180.0, 2870.0), range(60, 64)
OVER_NOISE = (2.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0)
NOISE_G, NOISE_HZ = 0.02, (500.0, 40_000.0)


def strength_needed() -> Table:
    """Named by the peak of an impact over the r.m.s. of the noise, against the healthy machine."""

    def signals(more: Sequence[VibrationSource], rpm: float, seed: int) -> TrainSignals:
        rotation = Rotation.wandering(rpm, FS_HZ, SECONDS, share=0.001, seed=seed)
        machine = healthy_pump(seed=seed, more=[Friction(NOISE_G, band_hz=NOISE_HZ)])
        x = machine.with_faults(*more).record(rotation).samples
        channels = {f"p{i}": (row, FS_HZ) for i, row in enumerate(x)}
        return TrainSignals(channels, rpm, True, Train())

    table = Table("peak over noise", "r/min", "ball", "bearing", "unclear", "wrong")
    for over in OVER_NOISE:
        for rpm in SPEEDS_RPM:
            named = []
            for seed in SEEDS:
                healthy = signals((), rpm, seed + 20).measured()
                now = signals((BearingDefect(BEARING, "bsf", over * NOISE_G),), rpm, seed)
                rows = tuple((x[None], fs) for x, fs in now.channels.values())
                placed = ((PlacedBearing(BEARING), tuple(range(len(rows)))),)
                search = FaultSearch(tuple(now.channels), rows, placed, rpm, now, healthy)
                best = max(search.run_all(), key=lambda d: (d.fault != "unclear", d.confidence))
                named.append(best.fault)
            known = [named.count(one) for one in ("ball", "bearing", "unclear")]
            counts = (*known, len(named) - sum(known))
            table.add_row(f"{over:g}", f"{rpm:g}", *(str(n or "") for n in counts))
    return table


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    folders = parser.parse_args(arguments).folders
    if not folders:
        Console().print(strength_needed())
        return
    found = [one for folder in folders for one in scored(folder)]
    Console(width=160).print(table(found))


if __name__ == "__main__":
    main(sys.argv[1:])
