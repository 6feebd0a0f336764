"""The pipeline beside tsfel, tsfresh and librosa (extra ``bench``), where they are installed."""

from __future__ import annotations

import importlib
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft as sf
from numpy.typing import NDArray

from auscult.dsp.block import SpectrumBlock
from auscult.dsp.moments import M2, Moments
from auscult.dsp.pipeline import TIME_SAMPLES, FeaturePipeline
from auscult.dsp.sound import LogMel
from auscult.dsp.spectrum import Shape, Smooth, hann
from lab.bench.timing import Case, Figure, against, interleave, times
from lab.bench.workload import CHANNELS, FS_HZ, N, Rows, signals, spec_of

MEL_FS_HZ = 16_000
MEL_FRAME = 1024
MELS = 64
TIME_ROWS = TIME_SAMPLES // N

TSFEL_OVERLAP = (
    "Absolute energy", "Average power", "Max", "Mean", "Min", "Peak to peak distance",
    "Root mean square", "Kurtosis", "Skewness", "Spectral centroid", "Spectral spread",
    "Spectral roll-off", "Spectral entropy",
)  # fmt: skip
"""The features of tsfel that Auscult has too."""


def tsfel_and_tsfresh(rounds: int) -> list[Figure]:
    """Time them against the full feature set of Auscult, and against the same features alone."""
    block = signals(CHANNELS, N)
    x = block.astype(np.float64)
    pipeline = FeaturePipeline(spec_of())
    cases = {
        "pipeline": Case(lambda: pipeline.extract(block), CHANNELS),
        "statistics and shape": Case(_time_and_shape(block), CHANNELS),
        "statistics": Case(_statistics(block), CHANNELS),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, peer in (("tsfel overlap", _tsfel), ("tsfresh minimal", _tsfresh)):
            try:
                cases[name] = Case(peer(x), CHANNELS)
            except ImportError:
                continue
        timings = interleave(cases, max(5, rounds // 3))
    like = {"tsfel overlap": "statistics and shape", "tsfresh minimal": "statistics"}
    return [
        times(f"dsp_{name.replace(' ', '_')}_over_{label}", timings.ratio(name, ours), ours)
        for name, same in like.items()
        if name in cases
        for label, ours in (("same_features", same), ("full_set", "pipeline"))
    ]


def _statistics(x: Rows) -> Callable[[], object]:
    """Only the statistics of the time signal, as tsfresh's minimal set."""
    moments, out = Moments(N), np.empty((len(x), 10), np.float32)
    moments.reserve(len(x), TIME_ROWS)

    def call() -> None:
        for first in range(0, len(x), TIME_ROWS):
            rows = slice(first, first + TIME_ROWS)
            moments.block(x[rows], x[0], rows)
        moments.finish(len(x), out)

    return call


def _time_and_shape(x: Rows) -> Callable[[], object]:
    """Only statistics and the shape of the spectrum, as the chosen features of tsfel."""
    spec = spec_of()
    moments, smooth = Moments(N), Smooth(spec)
    shape, window = Shape(spec, smooth.lines), hann(N).astype(np.float32)
    moments.reserve(len(x), TIME_ROWS)
    smooth.reserve(len(x))
    shape.reserve(len(x))
    windowed, out = np.empty_like(x), np.empty((len(x), 15), np.float32)

    def call() -> None:
        for first in range(0, len(x), TIME_ROWS):
            rows = slice(first, first + TIME_ROWS)
            np.multiply(moments.block(x[rows], x[0], rows), window, out=windowed[rows])
        spectrum = sf.rfft(windowed, axis=-1)
        power = np.square(np.abs(spectrum))
        summed, logs = smooth.block(power, moments.sums[M2])
        shape.block(SpectrumBlock(spectrum, power, summed, logs), slice(0, len(x)))
        moments.finish(len(x), out[:, :10])
        shape.finish(len(x), out[:, 10:])

    return call


def _tsfel(x: NDArray[np.float64]) -> Callable[[], object]:
    import tsfel

    every = tsfel.get_features_by_domain()
    chosen: dict[str, Any] = {}
    for domain, found in every.items():
        kept = {name: what for name, what in found.items() if name in TSFEL_OVERLAP}
        if kept:
            chosen[domain] = kept

    def call() -> object:
        return [tsfel.time_series_features_extractor(chosen, c, fs=FS_HZ, verbose=0) for c in x]

    return call


def _tsfresh(x: NDArray[np.float64]) -> Callable[[], object]:
    pandas = importlib.import_module("pandas")
    from tsfresh import extract_features
    from tsfresh.feature_extraction import MinimalFCParameters

    frame = pandas.DataFrame({"id": np.repeat(np.arange(len(x)), x.shape[1]), "x": x.ravel()})
    settings = MinimalFCParameters()

    def call() -> object:
        return extract_features(
            frame,
            column_id="id",
            default_fc_parameters=settings,
            n_jobs=0,
            disable_progressbar=True,
        )

    return call


def librosa_mel(rounds: int) -> list[Figure]:
    """Time log-mel against librosa with cached filters, and as it is called by default."""
    try:
        import librosa
    except ImportError:
        return []
    x = signals(CHANNELS, MEL_FS_HZ, MEL_FS_HZ)
    ours = LogMel(MEL_FS_HZ, MEL_FRAME, MELS)
    filters = librosa.filters.mel(sr=MEL_FS_HZ, n_fft=MEL_FRAME, n_mels=MELS)
    each = itertools.cycle(range(CHANNELS))

    def cached() -> object:
        spectrum = librosa.stft(
            x[next(each)], n_fft=MEL_FRAME, hop_length=MEL_FRAME // 2, center=False
        )
        return librosa.power_to_db(filters @ (np.abs(spectrum) ** 2), amin=1e-10, top_db=None)

    def default() -> object:
        power = librosa.feature.melspectrogram(
            y=x[next(each)],
            sr=MEL_FS_HZ,
            n_fft=MEL_FRAME,
            hop_length=MEL_FRAME // 2,
            n_mels=MELS,
            center=False,
        )
        return librosa.power_to_db(power)

    timings = interleave(
        {
            "log-mel": Case(lambda: [ours.decibel(row) for row in x], CHANNELS),
            "librosa, cached filters": Case(cached),
            "librosa": Case(default),
        },
        rounds,
    )
    return [
        against(timings, "log_mel", "log-mel", "librosa"),
        times(
            "librosa_cached_over_log_mel",
            timings.ratio("librosa, cached filters", "log-mel"),
            "librosa with cached filters",
        ),
        times("librosa_over_log_mel", timings.ratio("librosa", "log-mel"), "librosa"),
    ]
