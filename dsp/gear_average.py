"""Gears: the mean vibration of one turn, and what remains of it without the regular mesh.

The angle of the gear follows from the phase of its own mesh, so that no tachometer is needed and a
speed that wanders does not smear the mean. Averaging over turns suppresses all that does not repeat
with this gear: other shafts, bearings, noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.tracking import finer

Float64 = NDArray[np.float64]

MESH_TOLERANCE: Final = 0.03
"""Search of the mesh around its stated frequency: less than the spacing of its sidebands for gears
of more than 16 teeth on both sides."""
MESH_HARMONICS: Final = 3
MESH_BAND_SHAFTS: Final = 0.6
"""Half width of the demodulated band in turns of the gear: its own sidebands stay out."""
POINTS_A_TOOTH: Final = 16
"""Samples of the mean turn per tooth: eight harmonics of the mesh."""
LEAST_TURNS: Final = 8
"""Fewer turns do not separate this gear from the others."""
OVERSAMPLING: Final = 4
EDGE_TURNS: Final = 1.0
"""Turns left out at both ends, where the demodulated phase is not reliable."""


@dataclass(frozen=True)
class GearSigns:
    """What the mean turn of a gear shows.

    Parameters
    ----------
    turns : int
        That were averaged.
    mesh_hz : float
        Found mesh frequency.
    mesh : float
        R.m.s. of the mesh harmonics, in the unit of the signal.
    higher : float
        R.m.s. of the second and higher harmonics over that of the first.
    sidebands : float
        R.m.s. of three sidebands on each side of each harmonic over that of the mesh.
    residual : float
        R.m.s. of the mean turn without mesh harmonics and first two shaft orders.
    fm4 : float
        Kurtosis of the difference signal, which also lacks the first sidebands; 3 for Gaussian
        noise, higher where one tooth sticks out (Stewart 1977).
    m4 : float
        Fourth moment of the residual. Over the fourth power of a healthy machine's residual it is
        NA4 (Zakrajsek, Townsend, Decker, NASA TM 105950, 1993).
    kurtosis : float
        Of the residual's squared envelope over one turn: how local it is.
    """

    turns: int
    mesh_hz: float
    mesh: float
    higher: float
    sidebands: float
    residual: float
    fm4: float
    m4: float
    kurtosis: float


def find_mesh_hz(samples: NDArray[np.float32], fs_hz: float, stated_hz: float) -> float | None:
    """Return the mesh frequency near the stated one; None where the signal can't carry it.

    The harmonics vote together, so that a sideband of one of them does not win.
    """
    n = samples.size
    size = sf.next_fast_len(4 * n, real=True)
    x = (samples - samples.mean()) * np.hanning(n)
    power = np.abs(sf.rfft(x, size)) ** 2
    step = fs_hz / size
    tried = stated_hz * (1 + np.arange(-MESH_TOLERANCE, MESH_TOLERANCE, step / stated_hz / 2))
    votes = np.zeros(tried.size)
    for harmonic in range(1, MESH_HARMONICS + 1):
        at = np.rint(harmonic * tried / step).astype(int)
        if at[-1] >= power.size:
            break
        votes += np.sqrt(power[at])
    return float(tried[votes.argmax()]) if votes.any() else None


def mesh_angle(
    samples: NDArray[np.float32], fs_hz: float, mesh_hz: float, teeth: int
) -> Float64 | None:
    """Return the gear's angle in revolutions, from the phase of its strongest mesh harmonic.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,)]
    fs_hz, mesh_hz : float
    teeth : int
        Of this gear.

    Returns
    -------
    np.ndarray [shape=(n,)] or None
        None where no harmonic lies below half the rate.
    """
    spectrum = np.fft.fft(samples - samples.mean())
    hz = np.fft.fftfreq(samples.size, 1 / fs_hz)
    band = MESH_BAND_SHAFTS * mesh_hz / teeth
    best, angle = 0.0, None
    for harmonic in range(1, MESH_HARMONICS + 1):
        if harmonic * mesh_hz + band >= fs_hz / 2:
            break
        near = np.abs(hz - harmonic * mesh_hz) <= band
        analytic = np.fft.ifft(np.where(near, spectrum, 0))
        level = float(np.median(np.abs(analytic)))
        if level > best:
            best = level
            angle = np.unwrap(np.angle(analytic)) / (2 * np.pi * harmonic * teeth)
    return angle


def synchronous_turns(
    samples: NDArray[np.float32], angle_rev: Float64, points: int
) -> NDArray[np.float64]:
    """Cut a signal into turns of equal angles, [shape=(turns, points)].

    Parameters
    ----------
    samples : np.ndarray [shape=(n,)]
    angle_rev : np.ndarray [shape=(n,)]
        Increasing on the whole.
    points : int
        Samples per turn.
    """
    angle = np.maximum.accumulate(angle_rev)
    first = np.ceil(angle[0] + EDGE_TURNS)
    turns = int(angle[-1] - EDGE_TURNS - first)
    if turns < 1:
        return np.empty((0, points))
    grid = first + np.arange(turns * points) / points
    fine = finer(samples, OVERSAMPLING)
    at = np.interp(grid, angle, np.arange(angle.size)) * OVERSAMPLING
    return np.asarray(np.interp(at, np.arange(fine.size), fine).reshape(turns, points))


def gear_signs(
    samples: NDArray[np.float32], fs_hz: float, teeth: int, shaft_hz: float
) -> GearSigns | None:
    """Average the turns of a gear and look at what remains without the regular mesh.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
    fs_hz : float
    teeth : int
        Of this gear.
    shaft_hz : float
        Stated speed of its shaft; the mesh may lie 3 % off.

    Returns
    -------
    GearSigns or None
        None where the signal has fewer than 8 turns or can't carry the mesh.

    References
    ----------
    McFadden, "Detecting fatigue cracks in gears by amplitude and phase demodulation of the meshing
    vibration", J. Vib. Acoust. 108 (1986).

    Examples
    --------
    >>> t = np.arange(40_000) / 10_000
    >>> x = np.sin(2 * np.pi * 20 * 25 * t) + 0.1 * np.random.default_rng(0).standard_normal(40_000)
    >>> signs = gear_signs(x.astype(np.float32), 10_000, teeth=20, shaft_hz=25)
    >>> round(signs.mesh_hz), round(signs.mesh, 2), signs.sidebands < 0.05
    (500, 0.71, True)
    """
    mesh_hz = find_mesh_hz(samples, fs_hz, teeth * shaft_hz)
    angle = None if mesh_hz is None else mesh_angle(samples, fs_hz, mesh_hz, teeth)
    if mesh_hz is None or angle is None:
        return None
    points = POINTS_A_TOOTH * teeth
    turns = synchronous_turns(samples, angle, points)
    if len(turns) < LEAST_TURNS:
        return None
    spectrum = np.fft.rfft(turns.mean(axis=0)) / points
    # The signal carries no more than this.
    carried = min(spectrum.size, int(fs_hz / 2 / (mesh_hz / teeth)))
    spectrum[carried:] = 0
    lines = np.arange(spectrum.size)
    is_mesh = (lines % teeth == 0) & (lines > 0)
    offset = np.minimum(lines % teeth, teeth - lines % teeth)
    beside = (offset >= 1) & (offset <= min(3, (teeth - 1) // 2)) & (lines > teeth / 2)
    regular = is_mesh | (lines <= 2)
    residual = np.fft.irfft(np.where(regular, 0, spectrum), points) * points
    first_sidebands = (offset == 1) & (lines > teeth / 2)
    difference = np.fft.irfft(np.where(regular | first_sidebands, 0, spectrum), points) * points
    power = 2 * np.abs(spectrum) ** 2
    mesh = float(np.sqrt(power[is_mesh].sum()))
    first = float(np.sqrt(power[teeth])) if teeth < carried else 0.0
    higher = float(np.sqrt(power[is_mesh & (lines > teeth)].sum()))
    return GearSigns(
        turns=len(turns),
        mesh_hz=mesh_hz,
        mesh=mesh,
        higher=higher / max(first, 1e-12),
        sidebands=float(np.sqrt(power[beside].sum())) / max(mesh, 1e-12),
        residual=float(np.sqrt((residual**2).mean())),
        fm4=_kurtosis(difference),
        m4=float((residual**4).mean()),
        kurtosis=_kurtosis(_envelope(residual)),
    )


def _envelope(x: Float64) -> Float64:
    """Return the magnitude of the analytic signal of one period."""
    spectrum = np.fft.fft(x)
    spectrum[1 : (x.size + 1) // 2] *= 2
    spectrum[x.size // 2 + 1 :] = 0
    return np.abs(np.fft.ifft(spectrum))


def _kurtosis(x: Float64) -> float:
    centred = x - x.mean()
    return float((centred**4).mean() / max(float((centred**2).mean()) ** 2, 1e-30))
