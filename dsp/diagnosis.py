"""Which bearing fault a recording shows, if any: one comb search over the evidence of many bands.

A fault rings some structure, but nobody knows which; its repetition rate is the same in every
band, on every sensor, and with the spectrum whitened or not. So the envelope spectra of several
bands, each taken in dB over its own noise floor, are averaged before the combs are searched: what
is common adds up, what is peculiar to a band fades. The height of a comb is judged against combs
at orders where no fault lies, in the same spectrum, so that no threshold depends on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.bearing import Bearing
from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.faults import (
    FIRST_LINE,
    WEIGHTS,
    comb_db,
    known_faults,
    mean_db,
    sideband_orders,
    whiten_db,
)
from auscult.dsp.settings import (
    ENVELOPE_TOP_HARMONICS,
    ENVELOPE_TOP_HZ,
    HARMONICS,
    SLIP,
    SPEED_TOLERANCE,
)

BANDS: Final = ((0.01, 1 / 6), (1 / 6, 1 / 3), (1 / 3, 0.48), (0.01, 0.48))
"""Demodulated bands as shares of the rate: thirds of the spectrum, and all of it."""

SEGMENT_REVOLUTIONS: Final = 20
"""Segments this long separate orders by 1/10 and still leave something to average."""

SEGMENT_S: Final = 1.0
"""Shortest segment where the recording allows."""

LINE_STEP: Final = 0.5
"""Step of the searched scales, in lines of the highest harmonic."""

SAME_LINES: Final = 1e-3
"""Spectra whose Δf differs by less than this share can be averaged line by line."""

NULL_RANGE: Final = 2.0
"""Fault-free combs are taken at orders from 1/2 to 2 × the fault's."""


@dataclass(frozen=True)
class WhiteEnvelope:
    """Squared-envelope spectrum in dB over its noise floor, averaged over bands and sensors.

    Parameters
    ----------
    decibel : np.ndarray [shape=(lines,), dtype=float32]
        0..20 dB.
    df_hz : float
    segments : int
        Segments averaged.
    """

    decibel: NDArray[np.float32]
    df_hz: float
    segments: int


@dataclass(frozen=True, slots=True)
class FaultMatch:
    """How well one fault of a bearing explains the envelope.

    Parameters
    ----------
    fault : str
        ``bpfo``, ``bpfi``, ``bsf`` or ``ftf``.
    order, frequency_hz : float
        Nominal order, and the frequency at which the comb was found.
    speed_scale : float
        Common scale of all fault orders (true over stated speed).
    evidence_db : float
        Height of the comb over the typical highest of equally long searches at orders without
        fault: > 0 is unusual, > 3 rare, > 6 clear.
    height_db : float
        Weighted mean height of the harmonics over the local noise floor.
    harmonics_db : tuple of float
        Height of harmonics 1–4, NaN-free; 0 where the spectrum ends before.
    sidebands_db : float
        Mean height of the sidebands of the first two harmonics.
    """

    fault: str
    order: float
    frequency_hz: float
    speed_scale: float
    evidence_db: float
    height_db: float
    harmonics_db: tuple[float, ...]
    sidebands_db: float


def segments(samples: NDArray[np.float32], fs_hz: float, shaft_hz: float) -> NDArray[np.float32]:
    """Cut a recording into half-overlapping segments of 20 revolutions and at least 1 s.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,)]
    fs_hz, shaft_hz : float

    Returns
    -------
    np.ndarray [shape=(segments, length)]
        A view; a shorter recording is one segment.
    """
    length = min(samples.size, int(max(SEGMENT_S, SEGMENT_REVOLUTIONS / shaft_hz) * fs_hz))
    cut: NDArray[np.float32] = np.lib.stride_tricks.sliding_window_view(samples, length)
    return cut[:: max(1, length // 2)]


def white_envelope(
    windows: NDArray[np.float32], fs_hz: float, top_hz: float = ENVELOPE_TOP_HZ
) -> WhiteEnvelope:
    """Average the whitened envelope spectra of all `BANDS`, plain and cepstrally pre-whitened.

    Parameters
    ----------
    windows : np.ndarray [shape=(w, n)]
        Windows of one sensor at one speed, for example from `segments`.
    fs_hz : float
    top_hz : float
        Highest modulation frequency.
    """
    top_hz = min(top_hz, min(high - low for low, high in BANDS) * fs_hz / 2)
    # half-overlapping Hann windows are nearly independent; the first counts full
    averages = 1 + 0.55 * (len(windows) - 1)
    heights = []
    df_hz = fs_hz / windows.shape[1]
    for low, high in BANDS:
        for prewhiten in (False, True):
            spectrum = envelope_spectrum(
                windows, fs_hz, "1", (low * fs_hz, high * fs_hz), top_hz=top_hz, prewhiten=prewhiten
            )
            heights.append(whiten_db(spectrum.values[None] ** 2, averages)[0])
    shortest = min(h.size for h in heights)
    decibel = np.stack([h[:shortest] for h in heights]).mean(axis=0, dtype=np.float32)
    return WhiteEnvelope(np.asarray(decibel), df_hz, len(windows))


def pool(envelopes: Sequence[WhiteEnvelope]) -> WhiteEnvelope:
    """Average the whitened envelopes of several sensors of one machine (equal Δf)."""
    lines = min(e.decibel.size for e in envelopes)
    decibel = np.stack([e.decibel[:lines] for e in envelopes]).mean(axis=0, dtype=np.float32)
    return WhiteEnvelope(
        np.asarray(decibel), envelopes[0].df_hz, sum(e.segments for e in envelopes)
    )


def match_bearing(
    envelope: WhiteEnvelope,
    bearing: Bearing,
    shaft_hz: float,
    tolerance: float = SPEED_TOLERANCE,
) -> tuple[FaultMatch, ...]:
    """Search the combs of all faults of a bearing with one common speed error.

    Parameters
    ----------
    envelope : WhiteEnvelope
    bearing : Bearing
    shaft_hz : float
        Stated shaft frequency.
    tolerance : float
        Its largest error, 0.06 = ± 6 %.

    Returns
    -------
    tuple of FaultMatch
        One for each fault the bearing states and the spectrum carries, best evidence first.
    """
    decibel = envelope.decibel[None]
    lines_per_order = shaft_hz / envelope.df_hz
    step = max(LINE_STEP / decibel.shape[1], 1e-4)
    reach = int(np.ceil((tolerance + SLIP) / step))
    scales = 1.0 + step * np.arange(-reach, reach + 1)
    carried = [
        (fault, order)
        for fault in known_faults(bearing)
        if (order := bearing.order(fault)) is not None
        and order * lines_per_order * (1 - tolerance) >= FIRST_LINE
        and order * lines_per_order * (1 + tolerance) < decibel.shape[1]
    ]
    if not carried:
        return ()
    heights, excess = [], []
    for fault, order in carried:
        base = lines_per_order * order * scales
        height = comb_db(decibel, base[None], WEIGHTS[fault])[0]
        typical = _typical_maximum(decibel, lines_per_order * order, WEIGHTS[fault], step, reach)
        heights.append(height)
        excess.append(height - np.float32(typical))
    best = int(np.max(excess, axis=0).argmax())
    slip = int(np.ceil(SLIP / step))
    near = slice(max(0, best - slip), best + slip + 1)
    matches = []
    for (fault, order), height, over in zip(carried, heights, excess, strict=True):
        at = near.start + int(over[near].argmax())
        base = lines_per_order * order * scales[at]
        lines = np.rint(base * np.arange(1, HARMONICS + 1)).astype(np.intp)
        sides = lines_per_order * scales[at] * sideband_orders(bearing, fault, order)
        matches.append(
            FaultMatch(
                fault=fault,
                order=order,
                frequency_hz=float(base * envelope.df_hz),
                speed_scale=float(scales[best]),
                evidence_db=float(over[at]),
                height_db=float(height[at]),
                harmonics_db=tuple(
                    float(decibel[0, k]) if k < decibel.shape[1] else 0.0 for k in lines
                ),
                sidebands_db=float(mean_db(decibel, sides[None])[0]),
            )
        )
    return tuple(sorted(matches, key=lambda m: -m.evidence_db))


def _typical_maximum(
    decibel: NDArray[np.float32],
    fundamental: float,
    weights: tuple[float, ...],
    step: float,
    reach: int,
) -> float:
    """Median of the highest comb in stretches as long as the search, where no fault lies."""
    span = np.log(NULL_RANGE)
    ratios = np.exp(np.arange(-span, span, step))
    ratios = ratios[np.abs(ratios - 1) > reach * step]
    ratios = ratios[
        (ratios * fundamental >= FIRST_LINE) & (ratios * fundamental < decibel.shape[1])
    ]
    if not ratios.size:
        return 0.0
    null = comb_db(decibel, (ratios * fundamental)[None], weights)[0]
    length = min(2 * reach + 1, null.size)
    starts = range(0, null.size - length + 1, max(1, length // 2))
    return float(np.median([null[a : a + length].max() for a in starts]))


def diagnose_bearing(
    channels: Sequence[NDArray[np.float32]],
    fs_hz: float,
    bearing: Bearing,
    speed_rpm: float,
    tolerance: float = SPEED_TOLERANCE,
) -> tuple[FaultMatch, ...]:
    """Match the faults of a bearing in recordings of one or more sensors of its machine.

    Parameters
    ----------
    channels : sequence of np.ndarray [shape=(n,)]
        Simultaneous recordings, a few seconds of steady speed.
    fs_hz : float
    bearing : Bearing
    speed_rpm : float
        Stated shaft speed in r/min.
    tolerance : float
        Its largest error.

    Returns
    -------
    tuple of FaultMatch
        Best evidence first; empty where the recordings can't carry the fault frequencies.
    """
    cut = [(segments(x, fs_hz, speed_rpm / 60), fs_hz) for x in channels]
    return diagnose_windows(cut, bearing, speed_rpm, tolerance)


def diagnose_windows(
    channels: Sequence[tuple[NDArray[np.float32], float]],
    bearing: Bearing,
    speed_rpm: float,
    tolerance: float = SPEED_TOLERANCE,
) -> tuple[FaultMatch, ...]:
    """Match the faults of a bearing in windows of one or more sensors of its machine.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(w, n)], fs_hz)
        Windows of each sensor with its rate; those that don't last as long as the first are left
        out, because their spectra have other lines.
    bearing : Bearing
    speed_rpm : float
        Stated shaft speed in r/min.
    tolerance : float
        Its largest error.

    Returns
    -------
    tuple of FaultMatch
        As `diagnose_bearing`.
    """
    shaft_hz = speed_rpm / 60
    orders = [order for f in known_faults(bearing) if (order := bearing.order(f)) is not None]
    reach = ENVELOPE_TOP_HARMONICS * (1 + tolerance) * shaft_hz
    top_hz = max([ENVELOPE_TOP_HZ, *(reach * o for o in orders)])
    envelopes = [white_envelope(x, fs_hz, top_hz) for x, fs_hz in channels]
    alike = [e for e in envelopes if abs(e.df_hz / envelopes[0].df_hz - 1) < SAME_LINES]
    return match_bearing(pool(alike), bearing, shaft_hz, tolerance)
