"""Shaft orders and gear mesh in the power spectrum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.block import SpectrumBlock
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters
from auscult.dsp.shaft import Shaft

LOBE = 2
"""Lines on each side of a tone to which the Hann window spreads its power."""

SHAFT_ORDERS = (1.0, 2.0, 3.0)

GEAR_LINES = (0, -2, -1, 1, 2)
"""Mesh and sidebands, in orders from the mesh."""

FASTEST = 1.25
"""Highest measured speed, as a share of the nominal speed, whose orders are kept."""


@dataclass(frozen=True)
class OrderPlan:
    """Lines of the orders and meshes of one speed, for each scale of the search; 0 = none.

    ``orders`` is [shape=(s, orders)]; ``meshes`` has one [shape=(s', 5)] for each gear: the mesh
    and its four sidebands.
    """

    orders: NDArray[np.intp]
    meshes: tuple[NDArray[np.intp], ...]


@lru_cache(maxsize=256)
def order_plan(
    orders: tuple[float, ...], teeth: tuple[int, ...], shaft: float, tolerance: float, keep: int
) -> OrderPlan:
    """Plan the search in `keep` lines for a shaft frequency of `shaft` lines."""

    def lines(found: NDArray[np.float64]) -> NDArray[np.intp]:
        # From scale to scale, the highest order moves by one line.
        top = float(found.max()) * shaft
        reach = int(np.ceil(tolerance * top))
        scales = 1.0 + np.arange(-reach, reach + 1) / max(top, 1.0)
        k = np.rint(shaft * scales[:, None] * found).astype(np.intp)
        return np.where(k < keep, k, 0)

    mesh = [lines(z + np.array(GEAR_LINES)) for z in teeth]
    return OrderPlan(lines(np.array(orders)), tuple(mesh))


class OrderLevels:
    """R.m.s. at 1×, 2×, 3× and at gear mesh with its sidebands."""

    def __init__(self, spec: Parameters) -> None:
        self._orders = tuple(o for o in SHAFT_ORDERS if spec.carries_order(o, envelope=False))
        self._teeth = tuple(z for z in spec.gear_teeth if spec.carries_order(z, envelope=False))
        self._df = np.float32(spec.df_hz)
        top = max([*self._orders, *(z + 2 for z in self._teeth)])
        reach = FASTEST * top * (spec.shaft_hz or 0.0) * (1 + spec.speed_tolerance) / spec.df_hz
        self._keep = min(int(reach) + 2 * LOBE + 2, spec.n_fft // 2 + 1)
        self._power = np.empty((0, self._keep), np.float32)
        self._tones = np.zeros((0, self._keep), np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if len(self._power) < c:
            self._power = np.empty((c, self._keep), np.float32)
            self._tones = np.zeros((c, self._keep), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Keep the low lines of the density."""
        self._power[rows] = spectra.power[:, : self._keep]

    def finish(
        self,
        shafts: tuple[Shaft, ...],
        order_out: NDArray[np.float32],
        gear_out: NDArray[np.float32],
    ) -> None:
        """Write groups ``order`` and ``gear``."""
        tones = self._sum_tones(len(order_out))
        for shaft in shafts:
            rows = shaft.rows
            plan = order_plan(self._orders, self._teeth, shaft.lines, shaft.tolerance, self._keep)
            found = tones[rows]
            each = np.arange(len(found))
            at = found.take(plan.orders, axis=1)
            best = at.sum(axis=2).argmax(axis=1)
            order_out[rows] = np.sqrt(at[each, best] * self._df)
            strongest: NDArray[np.float32] | None = None
            for mesh in plan.meshes:
                at = found.take(mesh, axis=1)
                peak = at[each, at[:, :, 0].argmax(axis=1)]
                if strongest is not None:
                    peak = np.where(peak[:, :1] > strongest[:, :1], peak, strongest)
                strongest = peak
            if strongest is not None:
                level = strongest[:, 0]
                sidebands = np.add.reduce(strongest[:, 1:], axis=1)
                gear_out[rows, 0] = np.sqrt(level * self._df)
                gear_out[rows, 1] = np.sqrt(sidebands / np.maximum(level, np.float32(1e-30)))

    def _sum_tones(self, c: int) -> NDArray[np.float32]:
        """Return the power of the five lines around each line, (c, keep); 0 at the ends."""
        power, tones = self._power[:c], self._tones[:c]
        pairs = power[:, 1:] + power[:, :-1]
        fives = np.add(pairs[:, 2:-1], pairs[:, :-3], out=tones[:, LOBE:-LOBE])
        fives += power[:, 2 * LOBE :]
        return tones


def order_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the first orders of the shaft."""
    shows = {1: "imbalance", 2: "misalignment, bent shaft", 3: "misalignment, looseness"}
    for order, fault in shows.items():
        if spec.carries_order(order, envelope=False):
            yield Feature(
                f"order_{order}x",
                spec.value_unit,
                "order",
                "log",
                f"r.m.s. of the line at {order} × shaft speed (five lines, Hann)",
                "ISO 13373-3",
                fault,
            )


def gear_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the lines of the point's gears."""
    if not any(spec.carries_order(z, envelope=False) for z in spec.gear_teeth):
        return
    yield Feature(
        "gear_mesh_level",
        spec.value_unit,
        "gear",
        "log",
        "r.m.s. of the line at teeth × shaft speed; the largest of the point's gears",
        "ISO 13373-3; AGMA 6000-B96",
        "tooth wear, overload, misaligned gears",
    )
    yield Feature(
        "gear_mesh_sidebands",
        "1",
        "gear",
        "log",
        "r.m.s. of the lines at mesh ± 1 and ± 2 × shaft speed over that of the mesh",
        "Randall, Vibration-based Condition Monitoring, Wiley 2021, ch. 2",
        "broken or cracked tooth, eccentric gear",
    )
