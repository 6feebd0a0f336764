"""Computed order tracking: samples at equal times become samples at equal shaft angles."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

OVERSAMPLING: Final = 4
"""Linear interpolation of a signal at four times its needed rate errs by less than 1 %."""
CARRIED: Final = 0.999
"""Highest order that is kept, as a share of that at half the rate when the shaft is fastest."""


def angle_from_speed(speed_rpm: NDArray[np.float64], fs_hz: float) -> NDArray[np.float64]:
    """Shaft angle in revolutions, by integrating the speed at each sample (trapezoid)."""
    hz = np.asarray(speed_rpm, np.float64) / 60
    steps = (hz[1:] + hz[:-1]) / (2 * fs_hz)
    return np.concatenate([[0.0], np.cumsum(steps)])


def finer(samples: NDArray[np.float32], factor: int) -> NDArray[np.float32]:
    """Sample a band-limited signal `factor` times as densely, [shape=(factor * n,)].

    >>> t = np.arange(40)
    >>> exact = np.sin(2 * np.pi * 3 / 40 * np.arange(160) / 4)
    >>> bool(np.allclose(finer(np.sin(2 * np.pi * 3 / 40 * t), 4), exact))
    True
    """
    spectrum = sf.rfft(samples)
    if samples.size % 2 == 0:
        spectrum[-1] *= 0.5  # the line at half the rate becomes two
    fine: NDArray[np.float32] = sf.irfft(spectrum, factor * samples.size) * factor
    return fine


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


def at_mean_speed(
    samples: NDArray[np.float32],
    fs_hz: float,
    times_s: NDArray[np.float64],
    speeds_rpm: NDArray[np.float64],
) -> tuple[NDArray[np.float32], float, float]:
    """Resample a signal so that its shaft turns steadily, as far as the rate carries it.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
    fs_hz : float
    times_s : np.ndarray [shape=(m,)]
        Times of the measured speeds after the first sample, increasing; between them the speed is
        interpolated, beyond them it is held.
    speeds_rpm : np.ndarray [shape=(m,)]
        > 0.

    Returns
    -------
    resampled : np.ndarray [shape=(k,), dtype=float32]
    fs_hz : float
        Its rate, at the mean speed.
    mean_rpm : float
    """
    times = np.arange(samples.size) / fs_hz
    angle = angle_from_speed(np.interp(times, times_s, speeds_rpm), fs_hz)
    mean_hz = float(angle[-1]) * fs_hz / (samples.size - 1)
    fastest_hz = float(np.diff(angle).max()) * fs_hz
    resampled, per_rev = order_track(samples, fs_hz, angle, CARRIED * fs_hz / 2 / fastest_hz)
    return resampled, per_rev * mean_hz, 60 * mean_hz
