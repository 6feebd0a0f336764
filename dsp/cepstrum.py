"""Real cepstrum of a batch: a family of harmonics or sidebands becomes one peak."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.block import SpectrumBlock
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters
from auscult.dsp.settings import CEPSTRUM_RANGE_S
from auscult.dsp.shaft import Shaft
from auscult.dsp.spectrum import LN2


def quefrencies(spec: Parameters, lines: int) -> slice:
    """Return the range of quefrencies to search, in samples; all for a short window or low rate."""
    low = max(2, int(CEPSTRUM_RANGE_S[0] * spec.fs_hz))
    high = min(int(CEPSTRUM_RANGE_S[1] * spec.fs_hz), lines - 1)
    return slice(low, high) if high - low >= 4 else slice(2, lines - 1)


def _has_shaft(spec: Parameters) -> bool:
    return spec.kind == "vibration" and spec.carries_order(1.0, envelope=False)


class Cepstrum:
    """Largest cepstral value in 2–100 ms, and near one shaft revolution.

    The real cepstrum is the DCT-II of the logarithm of the smoothed density: the even extension of
    the density is the whole spectrum.
    """

    def __init__(self, spec: Parameters, lines: int) -> None:
        self._fs = spec.fs_hz
        self._range = quefrencies(spec, lines)
        self._has_shaft = _has_shaft(spec)
        keep = self._range.stop
        if self._has_shaft and spec.shaft_hz is not None:
            slowest = spec.fs_hz / (spec.shaft_hz * (1 - spec.speed_tolerance))
            keep = max(keep, min(int(slowest) + 2, lines))
        self._keep = keep
        self._scale = np.float32(LN2 / (2 * lines))
        self._values = np.empty((0, keep), np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if len(self._values) < c:
            self._values = np.empty((c, self._keep), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Cepstrum of a block up to the longest quefrency in use; overwrites ``log_smooth``."""
        cepstrum = sf.dct(spectra.log_smooth, type=2, axis=-1, overwrite_x=True)
        np.multiply(cepstrum[:, : self._keep], self._scale, out=self._values[rows])

    def finish(
        self,
        c: int,
        shafts: tuple[Shaft, ...],
        out: NDArray[np.float32],
    ) -> None:
        """Write group ``cepstrum``."""
        searched = self._values[:c, self._range]
        at = searched.argmax(axis=1)
        out[:, 0] = searched[np.arange(c), at]
        out[:, 1] = (at + self._range.start) / self._fs
        if self._has_shaft:
            for shaft in shafts:
                shortest = max(2, int(self._fs / (shaft.hz * (1 + shaft.tolerance))))
                longest = int(self._fs / (shaft.hz * (1 - shaft.tolerance))) + 2
                near = self._values[:c, shortest:longest][shaft.rows]
                out[shaft.rows, 2] = near.max(axis=1) if near.shape[1] else 0.0


def cepstrum_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the peaks of the cepstrum."""
    g = "cepstrum"
    source = "Randall, A history of cepstrum analysis, MSSP 97 (2017)"
    yield Feature(
        "cepstrum_peak",
        "1",
        g,
        "linear",
        "largest value at 2–100 ms of the real cepstrum: DCT-II of ln P, P summed as for the shape",
        source,
        "families of harmonics or sidebands: gears, looseness, bearings",
    )
    yield Feature(
        "cepstrum_quefrency_s",
        "s",
        g,
        "log",
        "quefrency of that value; 1/quefrency is the family's spacing in Hz",
        source,
        "the shaft or gear to which the family belongs",
        model=False,
    )
    if _has_shaft(spec):
        yield Feature(
            "cepstrum_shaft",
            "1",
            g,
            "linear",
            "largest value of the real cepstrum near one shaft revolution (speed tolerance)",
            source,
            "sidebands spaced at shaft speed: gear, eccentricity",
        )
