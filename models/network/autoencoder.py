"""The autoencoder on the device: trained in the healthy period, then frozen.

One instance serves all points of one kind on one machine; rows of several points and windows go
through it together. A feature has a fixed slot. A slot without a feature is masked: it adds
nothing to the loss or the residual.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.units import SampledKind
from auscult.models.network import engines
from auscult.models.network.architecture import Architecture
from auscult.models.network.errors import ModelError
from auscult.models.network.shipped_weights import shipped_weights
from auscult.models.network.training import Schedule, TrainReport, train_base

Float32 = NDArray[np.float32]

SCHEDULE = Schedule()
MIN_ROWS = 10
"""Fewest rows for training and for the decision when to stop."""

CLIP = 10.0
"""Robust standard deviations at which `soft_clip` saturates."""


def soft_clip(z: NDArray[np.floating]) -> Float32:
    """Limit robust z-scores to ±`CLIP`, smoothly: ``CLIP · tanh(z / CLIP)``.

    It is nearly linear within ±4 and strictly rising, which keeps order and sign of a departure.
    Without it a feature that hardly varies on a healthy machine would dominate all others.

    >>> [round(float(v), 2) for v in soft_clip(np.array([1.0, -4.0, 1e6]))]
    [1.0, -3.8, 10.0]
    """
    limited = np.asarray(z, np.float32) / np.float32(CLIP)
    np.tanh(limited, out=limited)
    limited *= np.float32(CLIP)
    return limited


@dataclass(frozen=True, slots=True)
class Inference:
    """Output of the autoencoder for b windows.

    ``residual`` [shape=(b, width)] is input minus reconstruction, 0 where masked; ``latent``
    [shape=(b, latent)]. Both float32.
    """

    residual: Float32
    latent: Float32


class Autoencoder:
    """The base with its weights; make it with `shipped` or `with_weights`."""

    def __init__(self, kind: SampledKind, theta: Float32) -> None:
        self.architecture = Architecture()
        self._kind = kind
        self.set_weights(theta)

    @classmethod
    def shipped(cls, kind: SampledKind) -> Autoencoder:
        """Return the base before any training."""
        return cls(kind, shipped_weights(Architecture(), kind))

    @classmethod
    def with_weights(cls, kind: SampledKind, theta: Float32) -> Autoencoder:
        """Return the base with weights from `weights`.

        Raises
        ------
        ModelError
            If the length is wrong or a value is not finite.
        """
        return cls(kind, theta)

    @property
    def width(self) -> int:
        """Input slots."""
        return self.architecture.width

    @property
    def latent(self) -> int:
        """Return the size of the latent."""
        return self.architecture.latent

    @property
    def weights_id(self) -> str:
        """Return SHA-256 of the weights."""
        return hashlib.sha256(self.weights().astype("<f4").tobytes()).hexdigest()

    def weights(self) -> Float32:
        """Copy the base parameters, as one flat vector [shape=(base_size,)]."""
        return self._theta.copy()

    def set_weights(self, theta: Float32) -> None:
        """Replace the weights by those from `weights`.

        Raises
        ------
        ModelError
            If the length is wrong or a value is not finite; the weights are then unchanged.
        """
        self._model = engines.inference(self._kind, theta)
        self._theta = np.array(theta, np.float32)

    def infer(self, x: Float32, mask: Float32) -> Inference:
        """Return the residual and latent of windows.

        Parameters
        ----------
        x : np.ndarray [shape=(b, width), dtype=float32]
            Robust z-scores after `soft_clip`; b is 1..4096.
        mask : np.ndarray [shape=(b, width), dtype=float32]
            1 where the feature is present, else 0.
        """
        out = self._model("infer", x=x, mask=mask)
        return Inference(out["residual"], out["latent"])

    def fit(
        self,
        x: Float32,
        mask: Float32,
        *,
        seed: int,
        progress: Callable[[float], None] | None = None,
        schedule: Schedule = SCHEDULE,
    ) -> TrainReport:
        """Train the whole base on healthy windows; the same seed and rows give the same bits.

        It keeps the weights with the least error on the held-back tenth. If the result of a step
        is not finite, training ends with the best weights before it.

        Parameters
        ----------
        x, mask : np.ndarray [shape=(n, width), dtype=float32]
            As for `infer`, rows in order of time, n ≥ `MIN_ROWS`.
        seed : int
            For the order of rows and the noise.
        progress : callable, optional
            Called with 0..1.
        """
        x, mask = np.asarray(x, np.float32), np.asarray(mask, np.float32)
        if x.ndim != 2 or x.shape != mask.shape or x.shape[1] != self.width or len(x) < MIN_ROWS:
            raise ModelError(
                f"training rows of shape {x.shape} and {mask.shape}, must be equal and "
                f"(n ≥ {MIN_ROWS}, {self.width})"
            )
        theta, report = train_base(
            engines.training(),
            self._theta,
            x,
            mask,
            seed=seed,
            schedule=schedule,
            progress=progress,
        )
        self.set_weights(theta)
        if progress is not None:
            progress(1.0)
        return report
