"""Shaft orders and gear mesh in the power spectrum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dsp.spec import FeatureSpec

LOBE = 2
"""Lines on each side of a tone that Hann spreads its power to."""

GEAR_SIDEBANDS = np.array([-2, -1, 1, 2])
FASTEST = 1.25
"""Measured speeds up to this share of the nominal one keep their orders in reach."""


class Orders:
    """R.m.s. at 1×, 2×, 3× and at gear mesh with its sidebands."""

    def __init__(self, spec: FeatureSpec) -> None:
        orders = [o for o in (1.0, 2.0, 3.0) if spec.carries_order(o, envelope=False)]
        self._orders = np.array(orders)
        self._teeth = tuple(z for z in spec.gear_teeth if spec.carries_order(z, envelope=False))
        self._df = spec.df_hz
        top = max([*orders, *(z + 2 for z in self._teeth)], default=0.0)
        reach = FASTEST * top * (spec.shaft_hz or 0.0) * (1 + spec.speed_tolerance) / spec.df_hz
        self._keep = min(int(reach) + 2 * LOBE + 2, spec.n_fft // 2 + 1) if top else 0
        self._power = np.empty((0, self._keep), np.float32)

    def reserve(self, c: int) -> None:
        """Make room for c rows."""
        if len(self._power) < c:
            self._power = np.empty((c, self._keep), np.float32)

    def block(self, power: NDArray[np.float32], rows: slice) -> None:
        """Keep the low lines of the density."""
        if self._keep:
            self._power[rows] = power[:, : self._keep]

    def finish(
        self,
        c: int,
        shaft_hz: NDArray[np.float64],
        tolerance: float,
        order_out: NDArray[np.float32],
        gear_out: NDArray[np.float32],
    ) -> None:
        """Write groups ``order`` and ``gear``."""
        if not self._keep:
            return
        tones = self._tones(self._power[:c])
        shaft = shaft_hz / self._df
        rows = np.arange(c)
        if self._orders.size:
            scales = self._scales(tolerance, self._orders.max() * shaft.max())
            at = self._at(tones, shaft[:, None, None] * scales[:, None] * self._orders)
            best = at.sum(axis=2).argmax(axis=1)
            order_out[:] = np.sqrt(at[rows, best] * self._df)
        if not gear_out.shape[1]:
            return
        gear_out[:] = 0.0
        for z in self._teeth:
            scales = self._scales(tolerance, z * shaft.max())
            mesh = self._at(tones, shaft[:, None] * scales * z)
            best = mesh.argmax(axis=1)
            power = mesh[rows, best]
            lines = (shaft * scales[best])[:, None] * (z + GEAR_SIDEBANDS)
            sidebands = self._at(tones, lines).sum(axis=1)
            level = np.sqrt(power * self._df)
            stronger = level > gear_out[:, 0]
            ratio = np.sqrt(sidebands / np.maximum(power, np.float32(1e-30)))
            gear_out[stronger] = np.stack([level, ratio], axis=1)[stronger]

    def _tones(self, power: NDArray[np.float32]) -> NDArray[np.float32]:
        """Power of the lobe around each line, (c, keep)."""
        tones = power.copy()
        for offset in range(1, LOBE + 1):
            tones[:, offset:] += power[:, :-offset]
            tones[:, :-offset] += power[:, offset:]
        return tones

    def _scales(self, tolerance: float, top: float) -> NDArray[np.float64]:
        """Speed scales to search, one line of the highest order apart, (s,)."""
        reach = int(np.ceil(tolerance * top))
        scales: NDArray[np.float64] = 1.0 + np.arange(-reach, reach + 1) / max(top, 1.0)
        return scales

    def _at(self, tones: NDArray[np.float32], lines: NDArray[np.float64]) -> NDArray[np.float32]:
        """Tone power at each (fractional) line, same shape as `lines`; 0 beyond reach."""
        k = np.rint(lines).astype(np.intp)
        seen = k < self._keep
        rows = np.arange(len(tones)).reshape(-1, *([1] * (lines.ndim - 1)))
        found: NDArray[np.float32] = tones[rows, np.where(seen, k, 0)] * seen
        return found
