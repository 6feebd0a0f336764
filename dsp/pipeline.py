"""The feature pipeline: from a batch of windows to one row of physical values a window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.block import SpectrumBlock
from auscult.dsp.cepstrum import Cepstrum
from auscult.dsp.envelope import Envelope
from auscult.dsp.faults import FaultLevels
from auscult.dsp.feature import LEVEL_FLOOR
from auscult.dsp.health import STEPS_16BIT, UNUSABLE, check
from auscult.dsp.mains import MainsLines
from auscult.dsp.moments import HIGH, LOW, M2, Moments
from auscult.dsp.orders import OrderLevels
from auscult.dsp.settings import MEASURED_TOLERANCE
from auscult.dsp.shaft import Shaft
from auscult.dsp.sound import Sound
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.spectrum import Bands, Overall, Shape, Smooth, hann

BLOCK_SAMPLES = 16 * 25_600
"""Samples of a block: few enough for the cache, and enough rows to fill the SIMD lanes of the FFT
and to spread the fixed cost of each numpy call."""

TIME_SAMPLES = 4 * 25_600
"""Samples whose time statistics are computed together: with their scratch they fit the cache."""

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
        `FeatureSpec.spec_id` of the spec that made them.
    values : np.ndarray [shape=(c, d), dtype=float32]
        Physical values, always finite; features with ``scale="log"`` are ≥ `LEVEL_FLOOR`. A window
        without signal (see `health.UNUSABLE`) has the values of silence.
    health : np.ndarray [shape=(c,), dtype=uint16]
        `SensorHealth` bits, 0 = no fault.
    """

    spec_id: str
    values: NDArray[np.float32]
    health: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.values)

    def vector(self, row: int) -> FeatureVector:
        """Return the features of one window."""
        return FeatureVector(self.values[row], self.spec_id)


class FeaturePipeline:
    """Computes the features of a `FeatureSpec`, many windows at a time.

    It holds plans and scratch memory: keep one pipeline for each spec and thread.

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
        self._gain = 1.0 / spec.sensitivity.volts_per_unit if spec.sensitivity else 1.0
        self._time_rows = max(1, TIME_SAMPLES // n)
        self._moments = Moments(n)
        self._mains = MainsLines(spec.fs_hz, spec.n_fft)
        self._hums = np.empty(0, np.uint16)
        self._smooth = Smooth(spec)
        self._shape = Shape(spec, self._smooth.lines)
        self._cepstrum = Cepstrum(spec, self._smooth.lines)
        self._bands = Bands(np.concatenate([spec.band_edges_hz, spec.octaves[1]]), spec)
        self._envelope = Envelope(spec, float(scale))
        faults = spec.faults_carried()
        self._faults = FaultLevels(spec.bearings, faults, self._envelope.top) if faults else None
        groups = {f.group for f in spec.features}
        self._columns = {g: spec.columns(g) for g in (*groups, "order", "gear", "envelope")}
        self._overall = Overall(spec) if "overall" in groups else None
        self._orders = OrderLevels(spec) if "order" in groups else None
        self._sound = Sound(spec) if spec.kind == "sound" else None
        self._silence = np.array(
            [LEVEL_FLOOR if f.scale == "log" else 0.0 for f in spec.features], np.float32
        )
        self._lowest = np.where(self._silence > 0, self._silence, np.float32(-np.inf))
        self._substitute = np.random.default_rng(0).standard_normal(n).astype(np.float32)
        self._block = max(MIN_ROWS, BLOCK_SAMPLES // n)
        self._reserved = 0
        self._physical_rows = np.empty((0, n), np.float32)
        self._windowed = np.empty((0, spec.n_fft), np.float32)
        self._power = np.empty((0, lines), np.float32)

    def _reserve(self, c: int) -> None:
        if c <= self._reserved:
            return
        self._reserved = c
        block = min(c, self._block)
        if len(self._power) < block:
            self._windowed = np.empty((block, self.spec.n_fft), np.float32)
            self._power = np.empty((block, self._power.shape[1]), np.float32)
        self._smooth.reserve(block)
        self._hums = np.empty(c, np.uint16)
        self._envelope.reserve(c, block)
        self._moments.reserve(c, min(c, self._time_rows))
        stages = (self._overall, self._bands, self._shape, self._cepstrum)
        for stage in (*stages, self._orders, self._sound):
            if stage is not None:
                stage.reserve(c)

    def extract(
        self, samples: NDArray[np.float32 | np.int16], speed_rpm: ArrayLike | None = None
    ) -> FeatureBlock:
        """Return the features of a batch of windows.

        Parameters
        ----------
        samples : np.ndarray [shape=(c, n_samples), dtype=float32 or int16]
            In the spec's unit (float32) or in converter steps (int16). Windows with NaN or
            infinity are accepted and flagged.
        speed_rpm : array_like [shape=(c,)] or float or None
            Measured shaft speed of each window in r/min; None or NaN = the nominal one.

        Returns
        -------
        FeatureBlock

        Raises
        ------
        ValueError
            If shape or dtype do not fit the spec.
        """
        spec = self.spec
        if samples.ndim != 2 or samples.shape[1] != spec.n_samples:
            raise ValueError(
                f"samples of shape {samples.shape} do not fit windows of {spec.n_samples} samples; "
                f"pass (channels, {spec.n_samples})"
            )
        if samples.dtype not in (np.float32, np.int16):
            raise ValueError(f"samples are {samples.dtype}; pass float32 or int16")
        c = len(samples)
        out = np.empty((c, len(spec)), np.float32)
        if not c:
            return FeatureBlock(spec.spec_id, out, np.zeros(0, np.uint16))
        self._reserve(c)
        self._moments.unusable[:c] = 0
        for first in range(0, c, self._block):
            rows = slice(first, min(first + self._block, c))
            self._block_of(self._physical(samples[rows]), rows)
        self._finish(c, speed_rpm, out)
        np.maximum(out, self._lowest, out=out)
        health = self._health(samples, out)
        if health.any():
            out[(health & UNUSABLE) != 0] = self._silence
        return FeatureBlock(spec.spec_id, out, health)

    def _physical(self, raw: NDArray[np.float32 | np.int16]) -> NDArray[np.float32]:
        """Convert samples to the features' unit."""
        gain = self._gain
        if raw.dtype == np.int16:
            gain *= (self.spec.full_scale or 1.0) / STEPS_16BIT
        elif gain == 1.0:
            return raw.astype(np.float32, copy=False)
        if len(self._physical_rows) < len(raw):
            self._physical_rows = np.empty(raw.shape, np.float32)
        x = self._physical_rows[: len(raw)]
        np.copyto(x, raw)
        np.multiply(x, np.float32(gain), out=x)
        return x

    def _block_of(self, signal: NDArray[np.float32], rows: slice) -> None:
        """Run the stages on one block of rows."""
        b, n_fft = len(signal), self.spec.n_fft
        windowed, power = self._windowed[:b], self._power[:b]
        for first in range(0, b, self._time_rows):
            part = slice(first, min(first + self._time_rows, b))
            at = slice(rows.start + part.start, rows.start + part.stop)
            x = self._moments.block(signal[part], self._substitute, at)
            if self._sound is not None:
                self._sound.time_block(x, at)
            np.multiply(x[:, :n_fft], self._window, out=windowed[part])
        spectrum = sf.rfft(windowed, axis=-1)
        np.abs(spectrum, out=power)
        np.square(power, out=power)
        power[:, :: power.shape[1] - 1] *= np.float32(0.5)
        self._hums[rows] = self._mains.found(power)
        smooth, log_smooth = self._smooth.block(power, self._moments.sums[M2, rows])
        spectra = SpectrumBlock(spectrum, power, smooth, log_smooth)
        if self._overall is not None:
            self._overall.block(spectra, rows)
        self._bands.block(spectra, rows)
        self._envelope.block(spectra, rows)
        if self._orders is not None:
            self._orders.block(spectra, rows)
        self._shape.block(spectra, rows)
        self._cepstrum.block(spectra, rows)
        if self._sound is not None:
            self._sound.block(spectra, rows)

    def _health(
        self, samples: NDArray[np.float32 | np.int16], out: NDArray[np.float32]
    ) -> NDArray[np.uint16]:
        """Return the sensor flags of each window."""
        c, index, moments = len(samples), self.spec.index, self._moments
        full_scale = self.spec.full_scale
        if full_scale is not None:
            full_scale *= self._gain
        extreme = np.maximum(moments.sums[HIGH, :c], -moments.sums[LOW, :c])
        mean, rms = out[:, index["mean"]], out[:, index["rms"]]
        flags = check(
            samples, moments.coarse[:c], moments.unusable[:c], extreme, mean, rms, full_scale
        )
        flags |= np.where(flags & UNUSABLE, np.uint16(0), self._hums[:c])
        return flags

    def _finish(self, c: int, speed_rpm: ArrayLike | None, out: NDArray[np.float32]) -> None:
        spec, columns = self.spec, self._columns
        shaft = self._shaft(c, speed_rpm)
        self._moments.finish(c, out[:, columns["time"]])
        if self._overall is not None:
            self._overall.finish(c, out[:, columns["overall"]])
        self._shape.finish(c, out[:, columns["shape"]])
        levels, split = self._bands.levels(c), len(spec.band_edges_hz)
        for group, found in (
            ("band", levels[:, :split]),
            ("third_octave", levels[:, split:]),
            ("octave", levels[:, split:]),
        ):
            if group in columns:
                out[:, columns[group]] = found
        self._envelope.finish(c, out[:, columns["envelope"]])
        if self._faults is not None:
            self._faults.finish(self._envelope.squares[:c], shaft, out[:, columns["bearing"]])
        self._cepstrum.finish(c, shaft, out[:, columns["cepstrum"]])
        if self._orders is not None:
            self._orders.finish(shaft, out[:, columns["order"]], out[:, columns["gear"]])
        if self._sound is not None:
            self._sound.finish(c, out[:, columns["mel"]], out[:, columns["level"]])

    def _shaft(self, c: int, speed_rpm: ArrayLike | None) -> tuple[Shaft, ...]:
        """Group the rows by shaft speed."""
        spec = self.spec
        nominal = spec.shaft_hz if spec.shaft_hz is not None else 1.0
        if speed_rpm is None:
            return (Shaft(slice(0, c), nominal, spec.df_hz, spec.speed_tolerance),)
        stated = np.asarray(speed_rpm, np.float64) / 60
        if stated.shape != (c,):
            stated = np.broadcast_to(stated, (c,))
        # Beyond the band there is nothing to find, and the lines of such a shaft fill the memory.
        stated = np.where(stated < spec.fs_hz / 2, stated, np.nan)
        first = float(stated[0])
        if (stated == first).all() or not (stated > 0).any():
            # The usual case: all rows of a batch at one speed, or at none.
            if 0 < first < np.inf:
                return (Shaft(slice(0, c), first, spec.df_hz, MEASURED_TOLERANCE),)
            return (Shaft(slice(0, c), nominal, spec.df_hz, spec.speed_tolerance),)
        known = np.isfinite(stated) & (stated > 0)
        speeds = np.where(known, stated, nominal)
        shafts = []
        for measured, tolerance in ((True, MEASURED_TOLERANCE), (False, spec.speed_tolerance)):
            for hz in np.unique(speeds[known == measured]):
                rows = np.flatnonzero((speeds == hz) & (known == measured))
                shafts.append(Shaft(rows, float(hz), spec.df_hz, tolerance))
        return tuple(shafts)
