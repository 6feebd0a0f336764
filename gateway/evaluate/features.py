"""From a data set to features: windows are cut and extracted once, for all detectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.settings import MIN_SAMPLES
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import SOUND_UNITS, VIBRATION_UNITS
from auscult.gateway.datasets.dataset import DataSet, RecordedChannel, Recording, RecordingLabel
from auscult.models.records import Observation

Float32 = NDArray[np.float32]

OVERLAP = 0.5
BATCH = 256
"""Windows extracted at a time."""
GAP_S = 60.0
"""Pause between the recordings of a machine, which follow one another in time."""
START_NS = 1_700_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A recording as windows in order of time.

    ``t_ns`` [shape=(n,)]; ``features`` and ``health`` map each point to [shape=(n, d)] and
    [shape=(n,)].
    """

    recording: Recording
    t_ns: NDArray[np.int64]
    features: dict[str, Float32]
    health: dict[str, NDArray[np.uint16]]

    def __len__(self) -> int:
        return len(self.t_ns)

    def hops(self, start: int = 0, stop: int | None = None) -> Iterator[list[Observation]]:
        """Return the observations of all points, window by window."""
        state = self.recording.state
        for i in range(start, len(self) if stop is None else stop):
            yield [
                Observation(point, int(self.t_ns[i]), x[i], state, int(self.health[point][i]))
                for point, x in self.features.items()
            ]


@dataclass(frozen=True, slots=True)
class MachineData:
    """Features of all recordings of one machine."""

    dataset: str
    machine: str
    specs: dict[str, FeatureSpec]
    stretches: tuple[Stretch, ...]

    def with_label(self, label: RecordingLabel) -> tuple[Stretch, ...]:
        """Return the recordings with this label, in order."""
        return tuple(s for s in self.stretches if s.recording.label is label)


def machine_data(
    data: DataSet, machine: str, window_s: float, advance: Callable[[], None]
) -> MachineData:
    """Extract the features of a machine's recordings; ``advance`` is called after each.

    A point with recordings at several rates is resampled to the lowest rate, because features
    depend on the rate. Recordings that are shorter than a window are left out.
    """
    recordings = data.of_machine(machine)
    specs = _specs(recordings, window_s)
    pipelines = {spec.spec_id: FeaturePipeline(spec) for spec in specs.values()}
    stretches = []
    t0_ns = START_NS
    for recording in recordings:
        stretch = _stretch(recording, specs, pipelines, t0_ns)
        advance()
        if stretch is not None:
            stretches.append(stretch)
            t0_ns = int(stretch.t_ns[-1] + (window_s + GAP_S) * 1e9)
    return MachineData(data.name, machine, specs, tuple(stretches))


def window_samples(recording: Recording, fs_hz: float, window_s: float) -> int:
    """Compute the samples of a window: ``window_s``, or the burst if that is shorter."""
    length_s = window_s if recording.burst_s is None else min(window_s, recording.burst_s)
    return max(MIN_SAMPLES, round(length_s * fs_hz))


def spec_of(
    channel: RecordedChannel, fs_hz: float, n_samples: int, nominal_speed_rpm: float | None
) -> FeatureSpec:
    """Return the feature set of a channel; an unknown unit counts as undeclared."""
    if channel.kind == "sound":
        unit = channel.unit if channel.unit in SOUND_UNITS else "as_delivered"
        return FeatureSpec.sound(fs_hz, n_samples, unit)
    unit = channel.unit if channel.unit in VIBRATION_UNITS else "as_delivered"
    bearings = (channel.bearing,) if channel.bearing is not None else ()
    return FeatureSpec.vibration(
        fs_hz, n_samples, unit, nominal_speed_rpm=nominal_speed_rpm, bearings=bearings
    )


def _specs(recordings: tuple[Recording, ...], window_s: float) -> dict[str, FeatureSpec]:
    """Return the feature set of each point, for all its recordings."""
    speeds = Counter(r.state.speed_rpm for r in recordings if r.state.speed_rpm is not None)
    nominal = float(np.median(list(speeds))) if speeds else None
    lowest: dict[str, tuple[float, Recording, RecordedChannel]] = {}
    for recording in recordings:
        for channel in recording.channels:
            known = lowest.get(channel.point.point)
            if known is None or recording.fs_hz < known[0]:
                lowest[channel.point.point] = (recording.fs_hz, recording, channel)
    return {
        point: spec_of(channel, fs_hz, window_samples(recording, fs_hz, window_s), nominal)
        for point, (fs_hz, recording, channel) in lowest.items()
    }


def _stretch(
    recording: Recording,
    specs: dict[str, FeatureSpec],
    pipelines: dict[str, FeaturePipeline],
    t0_ns: int,
) -> Stretch | None:
    points = [channel.point.point for channel in recording.channels]
    features: dict[str, list[Float32]] = {point: [] for point in points}
    health: dict[str, list[NDArray[np.uint16]]] = {point: [] for point in points}
    offsets_s: list[NDArray[np.float64]] = []
    for windows, offset_s in _blocks(recording, [specs[point] for point in points]):
        for point, x in zip(points, windows, strict=True):
            pipeline = pipelines[specs[point].spec_id]
            block = pipeline.extract(np.ascontiguousarray(x), recording.state.speed_rpm)
            features[point].append(block.values)
            health[point].append(block.health)
        offsets_s.append(offset_s)
    if not offsets_s:
        return None
    t_ns = t0_ns + np.round(np.concatenate(offsets_s) * 1e9).astype(np.int64)
    return Stretch(
        recording,
        t_ns,
        {point: np.concatenate(blocks) for point, blocks in features.items()},
        {point: np.concatenate(blocks) for point, blocks in health.items()},
    )


def _blocks(
    recording: Recording, specs: list[FeatureSpec]
) -> Iterator[tuple[list[Float32], NDArray[np.float64]]]:
    """Give some windows of all channels at a time, and their start times in s.

    A file is read piece by piece where it is neither resampled nor made of bursts, so it may be
    larger than the memory.
    """
    n = specs[0].n_samples
    hop = max(1, round(n * (1 - OVERLAP)))
    whole = recording.burst_s is not None or any(
        (spec.fs_hz, spec.n_samples) != (recording.fs_hz, n) for spec in specs
    )
    if not whole:
        last = (recording.frames - n) // hop + 1
        for first in range(0, last, BATCH):
            count = min(BATCH, last - first)
            samples = recording.read(first * hop, (count - 1) * hop + n)
            windows = [np.lib.stride_tricks.sliding_window_view(x, n)[::hop] for x in samples]
            yield windows, np.arange(first, first + count) * hop / recording.fs_hz
        return
    cuts = [
        cut(at_rate(x, recording.fs_hz, spec.fs_hz), recording, spec)
        for x, spec in zip(recording.read(), specs, strict=True)
    ]
    shortest = min((offset_s for _, offset_s in cuts), key=len)
    for first in range(0, len(shortest), BATCH):
        piece = slice(first, min(first + BATCH, len(shortest)))
        yield [windows[piece] for windows, _ in cuts], shortest[piece]


def at_rate(x: Float32, fs_hz: float, wanted_hz: float) -> Float32:
    """Resample to a lower rate (polyphase filter); the same array at the same rate."""
    if fs_hz == wanted_hz:
        return x
    up, down = round(wanted_hz), round(fs_hz)
    common = gcd(up, down)
    resampled: Float32 = resample_poly(x, up // common, down // common).astype(np.float32)
    return resampled


def cut(
    x: Float32, recording: Recording, spec: FeatureSpec, overlap: float = OVERLAP
) -> tuple[Float32, NDArray[np.float64]]:
    """Windows [shape=(c, n)] that overlap within each burst, and their start times in s."""
    n = spec.n_samples
    hop = max(1, round(n * (1 - overlap)))
    if recording.burst_s is None or recording.interval_s is None:
        if len(x) < n:
            return np.empty((0, n), np.float32), np.empty(0)
        windows = np.lib.stride_tricks.sliding_window_view(x, n)[::hop]
        return windows, np.arange(len(windows)) * hop / spec.fs_hz
    burst = round(recording.burst_s * spec.fs_hz)
    bursts = x[: len(x) // burst * burst].reshape(-1, burst)
    inside = np.lib.stride_tricks.sliding_window_view(bursts, n, axis=1)[:, ::hop]
    start = np.arange(inside.shape[1]) * hop / spec.fs_hz
    times = np.arange(len(bursts))[:, None] * recording.interval_s + start
    return inside.reshape(-1, n), times.ravel()
