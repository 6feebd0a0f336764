"""Sound: log-mel bands, their fluctuation, A-weighting (IEC 61672-1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.block import SpectrumBlock
from auscult.dsp.feature import Feature
from auscult.dsp.mels import filled_mels, hz_to_mel, mel_matrix, mel_to_hz
from auscult.dsp.parameters import Parameters
from auscult.dsp.settings import FLUCTUATION_BANDS, MELS


def a_weighting_power(f_hz: ArrayLike) -> NDArray[np.float64]:
    """Return the power gain of A-weighting, 1 at 1 kHz (IEC 61672-1:2013, annex E, eq. E.6).

    >>> float(10 * np.log10(a_weighting_power(100.0))).__round__(1)
    -19.1
    """

    def gain(f2: NDArray[np.float64]) -> NDArray[np.float64]:
        poles = (f2 + 20.598997**2) * np.sqrt((f2 + 107.65265**2) * (f2 + 737.86223**2))
        return 12194.217**2 * f2**2 / (poles * (f2 + 12194.217**2))

    f = np.asarray(f_hz, np.float64)
    return (gain(f**2) / gain(np.asarray(1000.0**2))) ** 2


class LogMel:
    """Log-mel spectrograms of a batch: Hann frames of `frame` samples, half of them overlapping.

    Parameters
    ----------
    fs_hz : float
    frame : int
        Samples of a frame, a power of two; the hop is half of it.
    mels : int
    """

    def __init__(self, fs_hz: float, frame: int, mels: int = MELS) -> None:
        self.frame, self.hop, self.mels = frame, frame // 2, mels
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(frame) / frame)
        self._window = hann.astype(np.float32)
        self._matrix = np.ascontiguousarray(mel_matrix(fs_hz, frame, mels).T.astype(np.float32))
        edges = mel_to_hz(np.linspace(0.0, float(hz_to_mel(fs_hz / 2)), mels + 2))
        unit_peak = (edges[2:] - edges[:-2]) / 2
        self.mean_square = (unit_peak * 2 / (frame * np.sum(hann**2))).astype(np.float32)
        """Factor from `power` to the mean square of the signal through triangles of height 1."""

    def power(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the mel power of one channel.

        Parameters
        ----------
        x : np.ndarray [shape=(n,), dtype=float32]

        Returns
        -------
        np.ndarray [shape=(frames, mels), dtype=float32]
        """
        frames = np.lib.stride_tricks.sliding_window_view(x, self.frame)[:: self.hop]
        spectrum = sf.rfft(frames * self._window, axis=-1)
        power = np.abs(spectrum)
        np.square(power, out=power)
        return power @ self._matrix

    def decibel(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return 10·lg of `power`, floored at 1e-10, as ``librosa.power_to_db(…, top_db=None)``."""
        power = np.maximum(self.power(x), np.float32(1e-10))
        np.log10(power, out=power)
        power *= np.float32(10)
        return power


def fluctuation_db(power: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the standard deviation over frames of grouped mel levels, [shape=(16,)], dB."""
    grouped = power.reshape(len(power), FLUCTUATION_BANDS, -1).sum(axis=2)
    floor = 1e-12 * grouped.mean() + 1e-30
    level = 10 * np.log10(grouped + floor)
    deviation: NDArray[np.float32] = level.std(axis=0)
    return deviation


class Sound:
    """Mel bands, their fluctuation, and the A-weighted level of each row."""

    def __init__(self, spec: Parameters) -> None:
        self._mel = LogMel(spec.fs_hz, spec.mel_frame)
        self._filled = np.array(filled_mels(spec.fs_hz, spec.mel_frame), np.intp)
        f = np.arange(spec.n_fft // 2 + 1) * spec.df_hz
        weights = a_weighting_power(f)
        # A Hann lobe spreads a tone over three lines as 1 : 4 : 1; undo what the steep weights add.
        weights[1:-1] -= np.diff(weights, 2) / 6
        self._a_weights = (weights * spec.df_hz).astype(np.float32)
        self._values = np.empty((0, len(self._filled) + FLUCTUATION_BANDS), np.float32)
        self._a_squares = np.empty(0, np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if len(self._values) < c:
            self._values = np.empty((c, self._values.shape[1]), np.float32)
            self._a_squares = np.empty(c, np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """A-weighted mean square of a block."""
        np.matmul(spectra.power, self._a_weights, out=self._a_squares[rows])

    def time_block(self, samples: NDArray[np.float32], rows: slice) -> None:
        """Mel bands and their fluctuation of centred samples."""
        bands = len(self._filled)
        for x, row in zip(samples, self._values[rows], strict=True):
            power = self._mel.power(x)
            square = power.mean(axis=0) * self._mel.mean_square
            np.sqrt(square[self._filled], out=row[:bands])
            row[bands:] = fluctuation_db(power)

    def finish(self, c: int, mel: NDArray[np.float32], level: NDArray[np.float32]) -> None:
        """Write groups ``mel`` and ``level``."""
        mel[:] = self._values[:c]
        np.sqrt(self._a_squares[:c, None], out=level)


def mel_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the mel bands and their fluctuation."""
    for i in filled_mels(spec.fs_hz, spec.mel_frame):
        yield Feature(
            f"mel_{i:02d}",
            spec.value_unit,
            "mel",
            "log",
            f"√mean over frames of mel band {i} of {MELS} (Slaney scale and norm, power)",
            "Slaney, Auditory Toolbox, 1998; as librosa",
            "change of timbre",
        )
    for i in range(FLUCTUATION_BANDS):
        yield Feature(
            f"mel_fluctuation_{i:02d}",
            "dB",
            "mel",
            "log",
            f"standard deviation over frames of the level of mel bands {4 * i}–{4 * i + 3}",
            "as log-mel",
            "sound that comes and goes: knocks, rub, leaks",
        )


def level_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the A-weighted level."""
    yield Feature(
        "a_weighted_rms",
        spec.value_unit,
        "level",
        "log",
        "A-weighted r.m.s.; L_Aeq = 20 lg(value / 20 µPa) where the unit is Pa",
        "IEC 61672-1:2013",
        "loudness of the machine",
    )
