"""Computed order tracking: samples at equal times become samples at equal shaft angles."""

from __future__ import annotations

from typing import Final

import numpy as np
import scipy.fft as sf
from numpy.typing import NDArray

OVERSAMPLING: Final = 4
"""Linear interpolation of a signal at four times its needed rate errs by less than 1 %."""


def angle_from_tacho(
    pulse_times_s: NDArray[np.float64], times_s: NDArray[np.float64], pulses_per_rev: int = 1
) -> NDArray[np.float64]:
    """Shaft angle in revolutions at given times, from the times of tacho pulses.

    Parameters
    ----------
    pulse_times_s : np.ndarray [shape=(p,)]
        Increasing times of the pulses, at least two.
    times_s : np.ndarray [shape=(n,)]
    pulses_per_rev : int

    Returns
    -------
    np.ndarray [shape=(n,), dtype=float64]
        NaN outside the pulses.
    """
    if pulse_times_s.size < 2 or (np.diff(pulse_times_s) <= 0).any():
        raise ValueError("tacho needs at least two pulses at increasing times")
    revolutions = np.arange(pulse_times_s.size) / pulses_per_rev
    return np.interp(times_s, pulse_times_s, revolutions, left=np.nan, right=np.nan)


def angle_from_speed(speed_rpm: NDArray[np.float64], fs_hz: float) -> NDArray[np.float64]:
    """Shaft angle in revolutions, by integrating the speed at each sample (trapezoid)."""
    hz = np.asarray(speed_rpm, np.float64) / 60
    steps = (hz[1:] + hz[:-1]) / (2 * fs_hz)
    return np.concatenate([[0.0], np.cumsum(steps)])


def order_track(
    samples: NDArray[np.float32],
    fs_hz: float,
    angle_rev: NDArray[np.float64],
    max_order: float,
) -> tuple[NDArray[np.float32], float]:
    """Resample a signal at equal shaft angles, so that orders stay lines while speed changes.

    Orders above `max_order` are removed first, at the frequency where they lie when the shaft is
    slowest; what then is left can't fold down. The signal is interpolated at a higher rate.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
    fs_hz : float
    angle_rev : np.ndarray [shape=(n,)]
        Shaft angle at each sample in revolutions, increasing; NaN where unknown.
    max_order : float
        Highest order to keep.

    Returns
    -------
    resampled : np.ndarray [shape=(m,), dtype=float32]
    samples_per_rev : float
        Its rate: 2.56 × `max_order`.

    Raises
    ------
    ValueError
        If the shaft turns backwards or the rate can't carry `max_order` at its fastest.

    References
    ----------
    Fyfe and Munck, "Analysis of computed order tracking", MSSP 11 (1997) 187–205.
    """
    known = np.isfinite(angle_rev)
    angle = angle_rev[known]
    step = np.diff(angle)
    if angle.size < 2 or (step <= 0).any():
        raise ValueError("the shaft angle must increase from sample to sample")
    fastest_hz = float(step.max()) * fs_hz
    if max_order * fastest_hz > fs_hz / 2:
        raise ValueError(
            f"order {max_order:g} lies at {max_order * fastest_hz:g} Hz when the shaft is fastest, "
            f"above half the rate ({fs_hz / 2:g} Hz); lower max_order"
        )
    per_rev = 2.56 * max_order
    # per_rev/2 = 1.28 max_order is the folding order; what lies above it at the slowest speed goes
    cutoff_hz = max(1.28 * max_order * float(step.min()) * fs_hz, max_order * fastest_hz)
    x = np.asarray(samples, np.float64)[known]
    spectrum = sf.rfft(x)
    spectrum[int(cutoff_hz * x.size / fs_hz) + 1 :] = 0
    fine = sf.irfft(spectrum, OVERSAMPLING * x.size) * OVERSAMPLING
    fine_angle = np.interp(
        np.arange(fine.size) / OVERSAMPLING, np.arange(angle.size), angle, right=angle[-1]
    )
    wanted = np.arange(angle[0], angle[-1], 1 / per_rev)
    return np.interp(wanted, fine_angle, fine).astype(np.float32), per_rev
