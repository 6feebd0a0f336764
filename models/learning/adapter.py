"""The adapter of heads stored by version 0.2: a low-rank correction of the whitened residual.

    r' = r − (h A) B

r are the first 128 whitened coordinates of a window, h its last hidden layer, A and B of rank 4.
No adapter is trained any more (docs/decisions/0007); a stored one keeps its effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import Architecture

Float32 = NDArray[np.float32]

ARCH = Architecture()


@dataclass(frozen=True, slots=True)
class Adapter:
    """A [shape=(64, r)] and B [shape=(r, 128)], float16; r is 4, or 0 for no adapter."""

    a: NDArray[np.float16]
    b: NDArray[np.float16]

    @classmethod
    def none(cls) -> Adapter:
        """Return the adapter that changes nothing."""
        a, b = np.zeros((ARCH.hidden, 0), np.float16), np.zeros((0, ARCH.width), np.float16)
        return cls(a, b)

    @property
    def is_none(self) -> bool:
        """True if it changes nothing."""
        return len(self.b) == 0

    def distance(self, other: Adapter) -> float:
        """Frobenius norm of the difference of the two corrections' products A B."""
        mine, theirs = (x.a.astype(np.float32) @ x.b.astype(np.float32) for x in (self, other))
        return float(np.linalg.norm(mine - theirs))

    def gain(self, positions: Float32, hidden: Float32) -> NDArray[np.float64]:
        """Logarithm of the remaining share of the squared distance [shape=(n,)], ≤ 0."""
        moved = positions.copy()
        moved[:, : ARCH.width] -= (hidden @ self.a.astype(np.float32)) @ self.b.astype(np.float32)
        left = np.einsum("ij,ij->i", moved, moved)
        whole = np.einsum("ij,ij->i", positions, positions)
        ratio = np.maximum(left, 1e-9) / np.maximum(whole, 1e-9)
        gain: NDArray[np.float64] = np.minimum(0.0, np.log(ratio.astype(np.float64)))
        return gain
