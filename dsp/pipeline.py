"""The feature pipeline: a batch of windows in, one row of physical values a window out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.fft as sf
from numpy.typing import ArrayLike, NDArray

from dsp import health as sensor
from dsp.cepstrum import Cepstrum
from dsp.design import MEASURED_TOLERANCE
from dsp.envelope import Envelope
from dsp.faults import FaultLevels
from dsp.feature import LEVEL_FLOOR
from dsp.moments import HIGH, LOW, MEAN, Moments
from dsp.orders import Orders
from dsp.sound import LogMel, a_weighting_power, filled_mels, fluctuation_db
from dsp.spec import FeatureSpec
from dsp.spectrum import FLOOR, Bands, Overall, Shape, hann
from dsp.work import Work

BLOCK_SAMPLES = 16 * 12_800
"""Samples worked on at a time: few enough for the cache, enough rows to fill the FFT's lanes and
to spread the fixed cost of each numpy call."""

MIN_ROWS = 4
"""pocketfft transforms this many float32 rows at once in its SIMD lanes."""


@dataclass(frozen=True)
class FeatureVector:
    """Features of one window: values float32 (d,), in the order of the spec with `spec_id`."""

    values: NDArray[np.float32]
    spec_id: str


@dataclass(frozen=True)
class FeatureBlock:
    """Features of a batch of windows.

    Parameters
    ----------
    spec_id : str
        `FeatureSpec.spec_id` of what made them.
    values : np.ndarray [shape=(c, d), dtype=float32]
        Physical values, always finite; log-like features ≥ `LEVEL_FLOOR`. A window without
        signal (see `health.UNUSABLE`) has the values of silence.
    health : np.ndarray [shape=(c,), dtype=uint16]
        `SensorHealth` bits, 0 = nothing wrong.
    """

    spec_id: str
    values: NDArray[np.float32]
    health: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.values)

    def vector(self, row: int) -> FeatureVector:
        """Features of one window."""
        return FeatureVector(self.values[row], self.spec_id)

    def sensor_health(self, row: int) -> sensor.SensorHealth:
        """Health of one window's sensor."""
        return sensor.SensorHealth(int(self.health[row]))


class FeaturePipeline:
    """Computes the features of a `FeatureSpec`, many windows at a time.

    Holds its plans and scratch memory, so keep one for each spec and thread.

    Parameters
    ----------
    spec : FeatureSpec

    Examples
    --------
    >>> spec = FeatureSpec.vibration(25600, 25600, "g")
    >>> t = np.arange(25600) / 25600
    >>> tone = np.sin(2 * np.pi * 159.155 * t)[None].astype(np.float32)
    >>> block = FeaturePipeline(spec).extract(tone)
    >>> block.values.shape == (1, len(spec)), int(block.health[0])
    (True, 0)
    >>> round(float(block.values[0, spec.index["velocity_rms_mm_s"]]), 2)  # 9.80665 / √2 · 1000 / ω
    6.93
    """

    def __init__(self, spec: FeatureSpec) -> None:
        self.spec = spec
        n, lines = spec.n_samples, spec.n_fft // 2 + 1
        window = hann(spec.n_fft)
        scale = np.sqrt(2 / (spec.fs_hz * float(np.sum(window**2))))
        self._window = (window * scale).astype(np.float32)
        self._floor = np.float32(FLOOR * 2 / spec.fs_hz)
        self._raw_scale = self._unit_per_step()
        self._ones = np.ones(n, np.float32)
        self._moments = Moments(n)
        self._overall = Overall(spec) if spec.columns("overall").stop else None
        edges = np.concatenate([spec.band_edges_hz, spec.octaves[1]])
        self._bands = Bands(edges, spec)
        self._shape = Shape(spec, self._bands)
        self._envelope = Envelope(spec, float(scale))
        faults = spec.faults_carried()
        self._faults = FaultLevels(spec.bearings, faults, self._envelope.top) if faults else None
        self._cepstrum = Cepstrum(spec)
        self._orders = Orders(spec) if spec.shaft_hz is not None else None
        self._sound = _Sound(spec, lines) if spec.kind == "sound" else None
        self._silence = np.array(
            [LEVEL_FLOOR if f.scale == "log" else 0.0 for f in spec.features], np.float32
        )
        self._level = self._silence > 0
        rng = np.random.default_rng(0)
        self._surrogate = rng.standard_normal(n).astype(np.float32)
        self._block = max(MIN_ROWS, BLOCK_SAMPLES // n)
        self._arrays = self._allocate(0)

    def _unit_per_step(self) -> dict[str, np.float32]:
        """Return the unit per raw step of each input type."""
        gain = 1.0 / self.spec.sensitivity.volts_per_unit if self.spec.sensitivity else 1.0
        full_scale = self.spec.full_scale if self.spec.full_scale is not None else 1.0
        return {"float32": np.float32(gain), "int16": np.float32(gain * full_scale / 32768)}

    def _allocate(self, block: int) -> tuple[NDArray[np.float32], ...]:
        n, lines = self.spec.n_samples, self.spec.n_fft // 2 + 1
        return tuple(np.empty((block, k), np.float32) for k in (n, n, lines, lines))

    def _reserve(self, c: int) -> None:
        block = min(c, self._block)
        if len(self._arrays[0]) < block:
            self._arrays = self._allocate(block)
        self._moments.reserve(c)
        self._bands.reserve(c)
        self._shape.reserve(c)
        self._cepstrum.reserve(c)
        self._envelope.reserve(c, block)
        for stage in (self._overall, self._orders, self._sound):
            if stage is not None:
                stage.reserve(c)

    def extract(
        self, samples: NDArray[np.generic], speed_rpm: ArrayLike | None = None
    ) -> FeatureBlock:
        """Features of a batch of windows.

        Parameters
        ----------
        samples : np.ndarray [shape=(c, n_samples), dtype=float32 or int16]
            In the spec's unit (float32) or in converter steps (int16). NaN and infinity are
            flagged, not refused.
        speed_rpm : array_like [shape=(c,)] or float or None
            Measured shaft speed of each window in r/min; None or NaN = the nominal one.

        Returns
        -------
        FeatureBlock

        Raises
        ------
        ValueError
            If shape or dtype don't fit the spec.
        """
        spec = self.spec
        if samples.ndim != 2 or samples.shape[1] != spec.n_samples:
            raise ValueError(
                f"samples of shape {samples.shape} don't fit windows of {spec.n_samples} samples; "
                f"give (channels, {spec.n_samples})"
            )
        if samples.dtype.name not in self._raw_scale:
            raise ValueError(f"samples are {samples.dtype}; give float32 or int16")
        c = len(samples)
        out = np.empty((c, len(spec)), np.float32)
        health = np.zeros(c, np.uint16)
        if c:
            self._reserve(c)
            for i in range(0, c, self._block):
                rows = slice(i, min(i + self._block, c))
                health[rows] = self._block_of(samples[rows], rows)
            self._finish(c, speed_rpm, out)
            np.maximum(out, LEVEL_FLOOR, out=out, where=self._level)
            out[(health & int(sensor.UNUSABLE)) != 0] = self._silence
        return FeatureBlock(spec.spec_id, out, health)

    def _block_of(self, raw: NDArray[np.generic], rows: slice) -> NDArray[np.uint16]:
        b = len(raw)
        x, y, power, log_power = (a[:b] for a in self._arrays)
        scale = self._raw_scale[raw.dtype.name]
        np.multiply(raw, scale, out=x, dtype=np.float32, casting="unsafe")
        sums = self._moments.sums[:, rows]
        x.max(axis=1, out=sums[HIGH])
        x.min(axis=1, out=sums[LOW])
        high, low = sums[HIGH].copy(), sums[LOW].copy()
        with np.errstate(invalid="ignore", over="ignore"):
            sane = (np.maximum(high, -low) <= sensor.LARGEST) & (high - low > sensor.SMALLEST)
            sane &= high - low > 1e-6 * np.maximum(np.abs(high), np.abs(low))
        for i in np.flatnonzero(~sane):
            x[i] = self._surrogate
            sums[HIGH, i], sums[LOW, i] = self._surrogate.max(), self._surrogate.min()
        mean = np.matmul(x, self._ones, out=sums[MEAN])
        mean *= np.float32(1 / self.spec.n_samples)
        np.subtract(x, mean[:, None], out=x)
        work = Work(x, y, np.empty(0, np.complex64), power, log_power)
        self._moments.block(work, rows)
        variance = sums[4] / np.float32(self.spec.n_samples)
        flags = sensor.check(
            raw, high, low, mean, np.sqrt(variance), self._full_scale(), float(scale)
        )
        n_fft = self.spec.n_fft
        windowed = y[:, :n_fft]
        np.multiply(x[:, :n_fft], self._window, out=windowed)
        work.spectrum = sf.rfft(windowed, axis=-1)
        np.abs(work.spectrum, out=power)
        np.square(power, out=power)
        power[:, :: power.shape[1] - 1] *= np.float32(0.5)
        np.maximum(power, (self._floor * variance)[:, None], out=log_power)
        np.log2(log_power, out=log_power)
        if self._overall is not None:
            self._overall.block(work, rows)
        self._bands.block(work, rows)
        self._shape.block(work, rows)
        self._envelope.block(work, rows)
        self._cepstrum.block(work, rows)
        if self._orders is not None:
            self._orders.block(power, rows)
        if self._sound is not None:
            self._sound.block(work, rows)
        return flags

    def _full_scale(self) -> float | None:
        spec = self.spec
        if spec.full_scale is None:
            return None
        gain = 1.0 / spec.sensitivity.volts_per_unit if spec.sensitivity else 1.0
        return spec.full_scale * gain

    def _finish(self, c: int, speed_rpm: ArrayLike | None, out: NDArray[np.float32]) -> None:
        spec = self.spec
        self._moments.finish(c, out[:, spec.columns("time")])
        if self._overall is not None:
            self._overall.finish(c, out[:, spec.columns("overall")])
        self._shape.finish(c, out[:, spec.columns("shape")])
        levels = self._bands.levels(c)
        split = len(spec.band_edges_hz)
        if spec.kind == "vibration":
            out[:, spec.columns("band")] = levels[:, :split]
            out[:, spec.columns("third_octave")] = levels[:, split:]
        else:
            out[:, spec.columns("octave")] = levels[:, split:]
        self._envelope.finish(c, out[:, spec.columns("envelope")])
        shaft_hz, tolerance = self._shaft(c, speed_rpm)
        if self._faults is not None:
            self._faults.finish(
                self._envelope.squares[:c],
                shaft_hz / spec.df_hz,
                tolerance,
                out[:, spec.columns("bearing")],
            )
        self._cepstrum.finish(c, shaft_hz, tolerance, out[:, spec.columns("cepstrum")])
        if self._orders is not None:
            self._orders.finish(
                c, shaft_hz, tolerance, out[:, spec.columns("order")], out[:, spec.columns("gear")]
            )
        if self._sound is not None:
            self._sound.finish(c, out[:, spec.columns("mel")], out[:, spec.columns("level")])

    def _shaft(self, c: int, speed_rpm: ArrayLike | None) -> tuple[NDArray[np.float64], float]:
        """Shaft frequency of each row, and how far it may be off."""
        nominal = self.spec.shaft_hz if self.spec.shaft_hz is not None else 1.0
        if speed_rpm is None:
            return np.full(c, nominal), self.spec.speed_tolerance
        shaft = np.broadcast_to(np.asarray(speed_rpm, np.float64) / 60, (c,))
        known = np.isfinite(shaft) & (shaft > 0)
        tolerance = MEASURED_TOLERANCE if known.all() else self.spec.speed_tolerance
        return np.where(known, shaft, nominal), tolerance


class _Sound:
    """Mel bands, their fluctuation, and the A-weighted level."""

    def __init__(self, spec: FeatureSpec, lines: int) -> None:
        self._mel = LogMel(spec.fs_hz, spec.mel_frame)
        self._filled = np.array(filled_mels(spec.fs_hz, spec.mel_frame), np.intp)
        f = np.arange(lines) * spec.df_hz
        self._a_weights = (a_weighting_power(f) * spec.df_hz).astype(np.float32)
        self._width = spec.columns("mel").stop - spec.columns("mel").start
        self._values = np.empty((0, self._width), np.float32)
        self._level = np.empty(0, np.float32)

    def reserve(self, c: int) -> None:
        if len(self._level) < c:
            self._values = np.empty((c, self._width), np.float32)
            self._level = np.empty(c, np.float32)

    def block(self, work: Work, rows: slice) -> None:
        np.matmul(work.power, self._a_weights, out=self._level[rows])
        for i, x in enumerate(work.x):
            power = self._mel.power(x)
            row = self._values[rows.start + i]
            square = power.mean(axis=0) * self._mel.mean_square
            row[: len(self._filled)] = np.sqrt(square[self._filled])
            row[len(self._filled) :] = fluctuation_db(power)

    def finish(self, c: int, mel: NDArray[np.float32], level: NDArray[np.float32]) -> None:
        mel[:] = self._values[:c]
        np.sqrt(self._level[:c, None], out=level)
