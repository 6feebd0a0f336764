"""Shaft orders and gear mesh in the power spectrum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dsp.spec import FeatureSpec

LOBE = 2
"""Lines on each side of a tone that Hann spreads its power to."""

GEAR_SIDEBANDS = np.array([-2, -1, 1, 2])


class Orders:
    """R.m.s. at 1×, 2×, 3× and at gear mesh with its sidebands."""

    def __init__(self, spec: FeatureSpec) -> None:
        self.orders = np.array(
            [o for o in (1.0, 2.0, 3.0) if spec.carries_order(o, envelope=False)]
        )
        self.teeth = tuple(z for z in spec.gear_teeth if spec.carries_order(z, envelope=False))
        self._df = spec.df_hz
        self._lines = spec.n_fft // 2 + 1
        top = max([*self.orders, *(z + 2 for z in self.teeth)], default=0.0)
        shaft = spec.shaft_hz or 0.0
        reach = int(1.25 * top * shaft * (1 + spec.speed_tolerance) / spec.df_hz) + 2 * LOBE + 2
        self._keep = min(reach, self._lines) if top else 0
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
        sums = np.concatenate(
            [np.zeros((c, 1)), self._power[:c].cumsum(axis=1, dtype=np.float64)], 1
        )
        step = 1.0 / self._keep
        reach = int(np.ceil(tolerance / step))
        scales = 1.0 + step * np.arange(-reach, reach + 1)
        lines_per_order = shaft_hz / self._df
        if self.orders.size:
            at = self._tone(sums, lines_per_order[:, None, None] * scales[:, None] * self.orders)
            best = at.sum(axis=2).argmax(axis=1)
            order_out[:] = np.sqrt(at[np.arange(c), best] * self._df)
        if self.teeth and gear_out.shape[1]:
            gear_out[:] = 0.0
            for z in self.teeth:
                mesh = self._tone(sums, lines_per_order[:, None] * scales * z)
                best = mesh.argmax(axis=1)
                level = np.sqrt(mesh[np.arange(c), best] * self._df)
                shaft = lines_per_order * scales[best]
                side = self._tone(sums, shaft[:, None] * (z + GEAR_SIDEBANDS)).sum(axis=1)
                ratio = np.sqrt(side * self._df) / np.maximum(level, 1e-30)
                stronger = level > gear_out[:, 0]
                gear_out[stronger, 0] = level[stronger]
                gear_out[stronger, 1] = ratio[stronger]

    def _tone(self, sums: NDArray[np.float64], lines: NDArray[np.float64]) -> NDArray[np.float64]:
        """Power of the lobe around each (fractional) line, same shape as `lines`."""
        k = np.rint(lines).astype(np.intp)
        low = np.clip(k - LOBE, 0, self._keep)
        high = np.clip(k + LOBE + 1, 0, self._keep)
        rows = np.arange(len(sums)).reshape(-1, *([1] * (lines.ndim - 1)))
        power: NDArray[np.float64] = sums[rows, high] - sums[rows, low]
        return np.maximum(power, 0.0)
