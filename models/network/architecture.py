"""The architecture of the autoencoder, shared by builder, runtime and tests.

    a = relu(W1 x + b1)              x   input, absent features are 0        (width)
    z = W2 a + E x + c               z   latent                              (latent)
    h = relu(W3 z + b3)              h   last hidden layer                   (hidden)
    y = W4 h + D z + d               y   reconstruction                      (width)

E and D are linear paths beside the hidden layers. With W2 = W4 = 0, as in the shipped weights, the
net is a linear autoencoder, whose optimum is principal component analysis. So a short baseline
gives at least a PCA; with more data the hidden layers add curvature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-7
"""Adam's usual constants (Kingma & Ba 2015); the artefacts contain them."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of the layers, and the layout of the parameters in one flat vector.

    Parameters
    ----------
    width : int
        Input slots; a feature takes one slot, unused slots are masked.
    hidden, latent : int
        Units of each hidden layer and of the bottleneck.
    head_width : int
        Inputs of the head.
    """

    width: int = 128
    hidden: int = 64
    latent: int = 16
    head_width: int = 64

    @property
    def base_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of each base parameter, in the order of the flat vector."""
        n, h, k = self.width, self.hidden, self.latent
        return {
            "W1": (h, n),
            "b1": (h,),
            "W2": (k, h),
            "E": (k, n),
            "c": (k,),
            "W3": (h, k),
            "b3": (h,),
            "W4": (n, h),
            "D": (n, k),
            "d": (n,),
        }

    @property
    def base_size(self) -> int:
        """Return the number of base parameters."""
        return size_of(self.base_shapes)

    @property
    def head_size(self) -> int:
        """Return the number of head parameters: a weight for each input, and the bias last."""
        return self.head_width + 1


def size_of(shapes: dict[str, tuple[int, ...]]) -> int:
    """Count the numbers in a flat vector of these shapes.

    >>> size_of({"w": (3, 2), "b": (3,)})
    9
    """
    return sum(math.prod(shape) for shape in shapes.values())


def split(theta: NDArray[T], shapes: dict[str, tuple[int, ...]]) -> dict[str, NDArray[T]]:
    """Cut a flat vector into its named arrays (views).

    >>> split(np.arange(3.0), {"w": (1, 2), "b": (1,)})["w"]
    array([[0., 1.]])
    """
    parts = {}
    start = 0
    for name, shape in shapes.items():
        stop = start + math.prod(shape)
        parts[name] = theta[start:stop].reshape(shape)
        start = stop
    return parts
