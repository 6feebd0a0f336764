"""Infers operating states from the signal, for machines without speed, load or tags.

Windows are split in two along the direction in which they differ most, and each part again, as
long as a gap separates the two sides (principal direction divisive partitioning, Boley 1998).
Noise and slow change leave no such gap: then all windows are one state.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.scales import MAD_TO_SIGMA

Float64 = NDArray[np.float64]

GAP_SIGMA: Final = 6.0
"""Narrowest gap between two states, in σ of the change from window to window. Noise leaves gaps of
0.1 σ in the middle of its range, and so does drift, however far it goes. The net represents states
with narrower gaps in its latent, at less cost than a split (docs/results.md)."""
DIRECTIONS: Final = 3
"""Principal directions in which a gap is searched."""
MOST: Final = 16
"""Most states inferred: more are a continuum."""
CLIP_SIGMA: Final = 5.0
"""Limit of a feature's part in the choice of state, so that a fault does not decide it."""


def infer_states(x: NDArray[np.floating], smallest: int) -> NDArray[np.intp]:
    """Group windows into operating states.

    Parameters
    ----------
    x : np.ndarray [shape=(n, d)]
        Features of consecutive windows in model units.
    smallest : int
        Fewest windows of a state.

    Returns
    -------
    np.ndarray [shape=(n,)]
        State of each window, numbered from 0 in order of appearance; all 0 without a gap.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((90, 20)) + np.repeat([0, 8, 0], 30)[:, None]
    >>> infer_states(x, 10)[[0, 29, 30, 59, 60, 89]].tolist()
    [0, 0, 1, 1, 0, 0]
    """
    n = len(x)
    state = np.zeros(n, np.intp)
    if n < 2 * smallest:
        return state
    z = _in_noise_units(np.asarray(x, np.float64))
    due, found = [np.arange(n)], 1
    while due and found < MOST:
        rows = due.pop(0)
        side = _gap(z[rows], smallest)
        if side is None:
            continue
        state[rows[side]] = found
        found += 1
        due += [rows[~side], rows[side]]
    _, first, index = np.unique(state, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[index], np.intp)


def nearest_state(
    x: NDArray[np.float32], location: NDArray[np.float32], spread: NDArray[np.float32]
) -> NDArray[np.intp]:
    """Return the state of each window: the nearest to its features.

    Parameters
    ----------
    x : np.ndarray [shape=(n, d)]
    location, spread : np.ndarray [shape=(n, states, d)]
        Scaling of the window's point in each state.
    """
    z = np.abs(x[:, None] - location) / spread
    distance = (np.minimum(z, CLIP_SIGMA) ** 2).sum(axis=2)
    return np.asarray(distance.argmin(axis=1), np.intp)


def _in_noise_units(x: Float64) -> Float64:
    """Return features in units of their change from window to window, since states last longer."""
    step = np.abs(np.diff(x, axis=0))
    noise = MAD_TO_SIGMA * np.median(step, axis=0) / np.sqrt(2)
    varies = noise > 1e-9
    z: Float64 = (x[:, varies] - np.median(x[:, varies], axis=0)) / noise[varies]
    return z


def _gap(z: Float64, smallest: int) -> NDArray[np.bool_] | None:
    """Return the side of each row across the clearest gap, None without a gap."""
    if len(z) < 2 * smallest or not z.shape[1]:
        return None
    centred = z - z.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    widest, side = GAP_SIGMA, None
    for direction in directions[:DIRECTIONS]:
        along = centred @ direction
        gap, threshold = _widest_gap(along, smallest)
        if gap > widest:
            widest, side = gap, along > threshold
    return side


def _widest_gap(y: Float64, smallest: int) -> tuple[float, float]:
    """Return the widest gap in consecutive values, in σ of their noise, and its middle."""
    noise = MAD_TO_SIGMA * float(np.median(np.abs(np.diff(y)))) / np.sqrt(2)
    u = np.sort(y)[smallest - 1 : len(y) - smallest + 1]
    gaps = np.diff(u)
    at = int(gaps.argmax())
    return float(gaps[at]) / max(noise, 1e-9), float((u[at] + u[at + 1]) / 2)
