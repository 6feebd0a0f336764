"""A simple, slow pipeline as reference: one window at a time, float64, steps as in a textbook.

Tests compare the pipeline with it, and the benchmark times it as what a careful engineer would
write by hand: moments without library calls, a periodogram, the velocity by an inverse transform,
the envelope by a full-rate Hilbert transform. It shares the pipeline's design numbers, no code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.cepstrum import quefrencies
from auscult.dsp.envelope import HANN_SQUARED_ENBW
from auscult.dsp.faults import (
    DOUBT_DB,
    FLOOR_BLOCK,
    LINE_CAP_DB,
    SCALE_LINES,
    WEIGHTS,
    sideband_orders,
)
from auscult.dsp.feature import LEVEL_FLOOR
from auscult.dsp.orders import GEAR_LINES, LOBE, SHAFT_ORDERS
from auscult.dsp.settings import ENVELOPE_LOWEST_LINE, HARMONICS, ROLLOFF, SLIP
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.spectrum import ACCELERATION_TOP_HZ, FLOOR, ROLLOFF_LINES
from auscult.dsp.units import ACCELERATION_M_S2

Vector = NDArray[np.float64]


class Oracle:
    """Vibration features of one window, in float64.

    Parameters
    ----------
    spec : FeatureSpec
        Of kind ``vibration``.
    """

    def __init__(self, spec: FeatureSpec) -> None:
        self.spec = spec
        n = spec.n_fft
        self._window = np.hanning(n + 1)[:-1]
        self._f = np.arange(n // 2 + 1) * spec.df_hz
        self._density = 2 / (spec.fs_hz * np.sum(self._window**2))
        edges = np.concatenate([spec.band_edges_hz, spec.octaves[1]])
        self._bands = [_band(low, high, self._f.size) for low, high in edges / spec.df_hz]
        low, high = spec.demodulation_band_hz
        self._analytic = 2.0 * ((self._f >= low) & (self._f <= high))
        self._top = int(spec.envelope_top_hz / spec.df_hz)
        edges = spec.envelope_edges_hz / spec.df_hz
        self._modulation = [_band(low, high, self._top + 1) for low, high in edges]

    def extract(self, samples: NDArray[np.float32], speed_rpm: float | None = None) -> Vector:
        """Return the features of one window [shape=(n,)] in the order of the spec."""
        spec = self.spec
        x = samples.astype(np.float64)
        x -= x.mean()
        spectrum = np.fft.rfft(x[: spec.n_fft] * self._window)
        power = (spectrum.real**2 + spectrum.imag**2) * self._density
        power[0] /= 2
        power[-1] /= 2
        smooth, logs = self._smooth(power, float(np.mean(x * x)))
        levels = [np.sqrt(power[k : k + w.size] @ w * spec.df_hz) for k, w in self._bands]
        squares = self._squared_envelope(spectrum)
        shaft = (spec.shaft_hz if speed_rpm is None else speed_rpm / 60) or 0.0
        parts = [self._time(samples.astype(np.float64), x)]
        if "velocity_rms_mm_s" in spec.index:
            parts.append(self._overall(spectrum, power))
        parts += [self._shape(smooth, logs), np.array(levels)]
        parts.append(
            np.array(
                [
                    (squares[k : k + w.size] @ w / 2 / HANN_SQUARED_ENBW) ** 0.25
                    for k, w in self._modulation
                ]
            )
        )
        parts.append(self._faults(squares, shaft / spec.df_hz))
        parts.append(self._cepstrum(logs, shaft))
        parts.append(self._orders(power, shaft / spec.df_hz))
        values = np.concatenate(parts)
        floors = [LEVEL_FLOOR if f.scale == "log" else -np.inf for f in spec.features]
        return np.maximum(values, floors)

    def _time(self, raw: Vector, x: Vector) -> Vector:
        square, magnitude = x * x, np.abs(x)
        m2 = square.mean()
        rms, peak, mean_abs = np.sqrt(m2), magnitude.max(), magnitude.mean()
        return np.array(
            [
                raw.mean(),
                rms,
                peak,
                raw.max() - raw.min(),
                peak / rms,
                (square * square).mean() / m2**2,
                (square * x).mean() / m2**1.5,
                rms / mean_abs,
                peak / mean_abs,
                peak / np.sqrt(magnitude).mean() ** 2,
            ]
        )

    def _overall(self, spectrum: NDArray[np.complex128], power: Vector) -> Vector:
        """Velocity and displacement through the time signal, acceleration from the density."""
        spec, f = self.spec, self._f
        severity = (f >= spec.severity_low_hz) & (f <= 1000)
        wide = (f >= spec.severity_low_hz) & (f <= ACCELERATION_TOP_HZ)
        omega = 2j * np.pi * f
        if spec.value_unit in ACCELERATION_M_S2:
            to_m_s2: NDArray[Any] = ACCELERATION_M_S2[spec.value_unit] * np.ones(f.size)
        else:
            to_m_s2 = omega * 1e-3
        acceleration = spectrum * to_m_s2
        velocity = np.zeros_like(spectrum)
        velocity[severity] = acceleration[severity] / omega[severity]
        displacement = np.zeros_like(spectrum)
        displacement[severity] = velocity[severity] / omega[severity]
        window = np.mean(self._window**2)
        rms = [
            np.sqrt(np.mean(np.fft.irfft(s, spec.n_fft) ** 2) / window)
            for s in (velocity, displacement)
        ]
        a_rms = np.sqrt(np.sum((power * np.abs(to_m_s2) ** 2)[wide]) * spec.df_hz)
        return np.array([1e3 * rms[0], 1e6 * rms[1], a_rms])

    def _smooth(self, power: Vector, variance: float) -> tuple[Vector, Vector]:
        g = self.spec.smoothing
        lines = self.spec.n_fft // 2 // g
        smooth = power[: lines * g].reshape(lines, g).copy()
        smooth[:, 0] = np.maximum(smooth[:, 0], FLOOR * g * 2 * variance / self.spec.fs_hz)
        summed: Vector = smooth.sum(axis=1)
        return summed, np.log(summed)

    def _shape(self, smooth: Vector, logs: Vector) -> Vector:
        spec, lines = self.spec, smooth.size
        hz = spec.smoothing * spec.df_hz
        f = (np.arange(lines) * spec.smoothing + (spec.smoothing - 1) / 2) * spec.df_hz
        total = smooth.sum()
        centroid = f @ smooth / total
        spread = np.sqrt((f - centroid) ** 2 @ smooth / total)
        entropy = (np.log(total) - smooth @ logs / total) / np.log(lines)
        flatness = np.exp(logs.mean()) / smooth.mean()
        edges = np.append(np.arange(0, lines, ROLLOFF_LINES), lines)
        below = np.concatenate([[0.0], np.cumsum(smooth)])[edges]
        rolloff = np.interp(ROLLOFF * total, below, edges * hz)
        return np.array([centroid, spread, entropy, flatness, rolloff])

    def _squared_envelope(self, spectrum: NDArray[np.complex128]) -> Vector:
        """Squared amplitudes of the squared envelope's lines, DC 0."""
        n = self.spec.n_fft
        full = np.zeros(n, np.complex128)
        full[: self._f.size] = spectrum * self._analytic
        analytic = np.fft.ifft(full)
        envelope = np.fft.rfft(analytic.real**2 + analytic.imag**2)[: self._top + 1]
        squares: Vector = (2 * np.abs(envelope) / np.sum(self._window**2)) ** 2
        squares[0] = 0.0
        return squares

    def _faults(self, squares: Vector, shaft: float) -> Vector:
        found = self.spec.faults_carried()
        values = np.zeros((len(found), 3))
        if not found:
            return values.ravel()
        decibel = self._whiten(squares)
        for bearing in self.spec.bearings:
            each = self._bearing(bearing, found, squares, decibel, shaft)
            for i, fault in enumerate(found):
                if fault in each and each[fault][1] > values[i, 1]:
                    values[i] = each[fault]
        return values.ravel()

    def _bearing(
        self,
        bearing: Bearing,
        wanted: tuple[str, ...],
        squares: Vector,
        decibel: Vector,
        shaft: float,
    ) -> dict[str, Vector]:
        orders: dict[str, float] = {}
        orders |= {f: o for f in FAULTS if f in wanted and (o := bearing.order(f)) is not None}
        highest = min(float(self._top), max(orders.values()) * HARMONICS * shaft)
        step = SCALE_LINES / max(highest, 1.0)
        reach = int(np.ceil((self.spec.speed_tolerance + SLIP) / step))
        scales = 1.0 + step * np.arange(-reach, reach + 1)
        harmonics = np.arange(1, HARMONICS + 1)
        heights = {}
        for fault, order in orders.items():
            weights = np.array(WEIGHTS[fault])
            lines = self._in_reach(np.outer(scales * shaft, order * harmonics))
            seen = weights * (lines > 0)
            total = np.maximum(seen.sum(axis=1), weights.max())
            heights[fault] = (decibel[lines] * seen).sum(axis=1) / total
        doubt = DOUBT_DB * np.abs(np.arange(-reach, reach + 1)) / reach
        best = int(np.argmax(np.max(list(heights.values()), axis=0) - doubt))
        near = np.abs(np.arange(scales.size) - best) <= int(np.ceil(SLIP / step))
        result = {}
        for fault, order in orders.items():
            at = int(np.argmax(np.where(near, heights[fault] - doubt, -np.inf)))
            lines = self._in_reach(scales[at] * shaft * order * harmonics)
            sides = self._in_reach(scales[at] * shaft * sideband_orders(bearing, fault, order))
            level = (squares[lines].sum() / 2) ** 0.25
            decibels = np.array([heights[fault][at], decibel[sides].mean()])
            result[fault] = np.array([level, *10 ** (decibels / 20)])
        return result

    def _in_reach(self, lines: Vector) -> NDArray[np.intp]:
        k = np.rint(lines).astype(np.intp)
        return np.where((k >= ENVELOPE_LOWEST_LINE) & (k <= self._top), k, 0)

    def _whiten(self, squares: Vector) -> Vector:
        first = int(np.ceil(ENVELOPE_LOWEST_LINE))
        logs = 10 * np.log10(squares + 1e-36)
        logs[:first] = logs[first : 2 * first]
        blocks = -(-logs.size // FLOOR_BLOCK)
        floor = np.empty_like(logs)
        for b in range(blocks):
            around = logs[max(0, b - 1) * FLOOR_BLOCK : (b + 2) * FLOOR_BLOCK]
            floor[b * FLOOR_BLOCK : (b + 1) * FLOOR_BLOCK] = around.mean()
        floor -= 10 / np.log(10) * float(digamma(1.0))
        height: Vector = np.clip(logs - floor, 0, LINE_CAP_DB)
        height[:first] = 0.0
        return height

    def _cepstrum(self, logs: Vector, shaft_hz: float) -> Vector:
        fs, lines = self.spec.fs_hz, logs.size
        turn = np.exp(-0.5j * np.pi * np.arange(2 * lines) / lines)
        mirrored = np.concatenate([logs, logs[::-1]])
        cepstrum = (np.fft.fft(mirrored) * turn).real[:lines] / (2 * lines)
        searched = quefrencies(self.spec, lines)
        peak = searched.start + int(np.argmax(cepstrum[searched]))
        values = [cepstrum[peak], peak / fs]
        if "cepstrum_shaft" in self.spec.index:
            tolerance = self.spec.speed_tolerance
            a = max(2, int(fs / (shaft_hz * (1 + tolerance))))
            b = int(fs / (shaft_hz * (1 - tolerance))) + 2
            near = cepstrum[a:b]
            values.append(near.max() if near.size else 0.0)
        return np.array(values)

    def _orders(self, power: Vector, shaft: float) -> Vector:
        """Return the tones at 1×, 2×, 3× and at gear mesh, at the strongest scale of the search."""
        spec = self.spec
        below = np.concatenate([[0.0], np.cumsum(power)]) * spec.df_hz
        values: list[float] = []
        carried = np.array([o for o in SHAFT_ORDERS if spec.carries_order(o, envelope=False)])
        if carried.size:
            tones = self._tones(below, shaft, carried)
            values += list(np.sqrt(tones[tones.sum(axis=1).argmax()]))
        meshes = []
        for z in spec.gear_teeth:
            if spec.carries_order(z, envelope=False):
                tones = self._tones(below, shaft, z + np.array(GEAR_LINES, np.float64))
                mesh, *sides = tones[tones[:, 0].argmax()]
                meshes.append((np.sqrt(mesh), np.sqrt(sum(sides) / max(mesh, 1e-30))))
        return np.array(values + list(max(meshes, default=())))

    def _tones(self, below: Vector, shaft: float, orders: Vector) -> Vector:
        """Power of each order at each scale of the search, (scales, orders)."""
        top = float(orders.max()) * shaft
        reach = int(np.ceil(self.spec.speed_tolerance * top))
        scales = 1.0 + np.arange(-reach, reach + 1) / max(top, 1.0)
        k = np.rint(shaft * np.outer(scales, orders)).astype(np.intp)
        power: Vector = below[k + LOBE + 1] - below[k - LOBE]
        return power


def _band(low: float, high: float, lines: int) -> tuple[int, Vector]:
    """First line of a band and the share of it and its followers inside; edges in lines."""
    k = np.arange(lines)
    share = np.clip(np.minimum(k + 0.5, high) - np.maximum(k - 0.5, low), 0, 1)
    if high >= lines - 1:
        share[-1] = 1.0
    inside = np.flatnonzero(share)
    if not inside.size:
        return 0, np.zeros(0)
    return int(inside[0]), share[inside[0] : inside[-1] + 1]
