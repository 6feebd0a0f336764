"""The weights of a shipped artefact: a linear autoencoder, before any training.

They are computed, not trained, so that a rebuild on any machine gives the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import Architecture, split

SEEDS = {"vibration": 1, "sound": 2}
"""The kinds differ in the random directions of their hidden layers."""

GRID = 2.0**-20
"""Grid to which the weights are rounded: the last bit of a cosine may differ between CPUs."""


def shipped_weights(arch: Architecture, kind: str) -> NDArray[np.float32]:
    """Return the flat weights [shape=(base_size,)].

    E and D are the lowest cosines over the slots (orthonormal, D = Eᵀ), because neighbouring slots
    hold neighbouring bands, which rise and fall together. W1 and W3 are uniform random (He et al.
    2015). W2, W4 and all biases are 0, so that the hidden layers have no effect before training.
    """
    rng = np.random.default_rng(SEEDS[kind])
    theta = np.zeros(arch.base_size)
    parts = split(theta, arch.base_shapes)
    slot = np.arange(arch.width) + 0.5
    order = np.arange(arch.latent)[:, None]
    cosines = np.cos(np.pi * order * slot / arch.width) * np.sqrt(2 / arch.width)
    cosines[0] /= np.sqrt(2)
    parts["E"][:] = cosines
    parts["D"][:] = cosines.T
    for name in ("W1", "W3"):
        limit = np.sqrt(6 / parts[name].shape[1])
        parts[name][:] = rng.uniform(-limit, limit, parts[name].shape)
    return (np.round(theta / GRID) * GRID).astype(np.float32)
