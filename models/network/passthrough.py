"""The network of overall values: none. A single number has nothing to reconstruct.

It has the interface of the autoencoder, so that values share score, calibration, evidence and
labels with waveforms: the residual is the z-score itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.units import PointKind
from auscult.models.network.autoencoder import Autoencoder, Inference

Float32 = NDArray[np.float32]

WIDTH = 16
"""Distinct quantities of a machine."""


class Network(Protocol):
    """What a model needs of its network."""

    @property
    def width(self) -> int:
        """Input slots."""

    @property
    def latent(self) -> int:
        """Return the size of the latent."""

    @property
    def weights_id(self) -> str:
        """Return SHA-256 of the weights."""

    def weights(self) -> Float32:
        """Copy the parameters, as one flat vector."""

    def infer(self, x: Float32, mask: Float32) -> Inference:
        """Return the residual and latent of windows [shape=(b, width)]."""


class Passthrough:
    """The network without layers."""

    width = WIDTH
    latent = 0
    weights_id = ""

    def weights(self) -> Float32:
        """Return no parameters."""
        return np.zeros(0, np.float32)

    def infer(self, x: Float32, mask: Float32) -> Inference:
        """Return the input as residual."""
        return Inference(
            np.asarray(x * mask, np.float32),
            np.zeros((len(x), 0), np.float32),
        )


def shipped_network(kind: PointKind) -> Network:
    """Return the network that a fit of this kind starts from."""
    return Passthrough() if kind == "value" else Autoencoder.shipped(kind)


def network_with_weights(kind: PointKind, theta: Float32) -> Network:
    """Return a network with weights from `Network.weights`.

    Raises
    ------
    ModelError
        If the length is wrong or a value is not finite.
    """
    return Passthrough() if kind == "value" else Autoencoder.with_weights(kind, theta)


Trained = Callable[[list[NDArray[np.bool_]]], Network]
"""Trains a network on some of the rows of each point."""
