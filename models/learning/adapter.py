"""The adapter: a low-rank correction of the whitened residual, from the base's last hidden layer.

    r' = r − (h A) B

r are the first 128 whitened coordinates of a window, h its last hidden layer, A and B of rank 4.
A place marks one more healthy region. The adapter moves all residuals of a condition: it works for
conditions that differ in the hidden layer, and needs no place. It is trained in the runtime
(`train_adapter`) over the frozen base: the target moves false alarms by their mean, and healthy
windows and confirmed faults not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.models.learning.replay import RowClass, Rows
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.network.architecture import Architecture, split
from auscult.models.network.runtime import Model
from auscult.models.network.training import Adam, micro_batches, plateau

Float32 = NDArray[np.float32]

ARCH = Architecture()
SEED = 0
"""Of A's start, which must differ from unit to unit."""


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


def new_adapter(
    before: Adapter, rows: Rows, model: Model, settings: LearningSettings = SETTINGS
) -> Adapter:
    """Train an adapter on the rows of a replay, from the one before or a start of no effect.

    Parameters
    ----------
    before : Adapter
        Where training starts, and what the anchor pulls towards.
    rows : Rows
        Of all classes.
    model : Model
        With the signature ``train_adapter``.
    """
    if rows.stored.positions.shape[1] < ARCH.width:
        return Adapter.none()  # an overall value has no network to adapt
    labelled = rows.of(RowClass.HEALTHY, RowClass.FALSE_ALARM, RowClass.CONFIRMED_FAULT)
    if not (labelled.info["class"] == RowClass.FALSE_ALARM).any():
        return Adapter.none()
    start = _start() if before.is_none else _flat(before)
    residual = np.ascontiguousarray(labelled.positions[:, : ARCH.width])
    inputs = {
        "residual": residual,
        "target": residual - _wanted_correction(labelled),
        "hidden": labelled.hidden,
        "mask": np.ones_like(residual),
        "weight": _balanced(labelled),
    }
    adam = Adam(model, "train_adapter", start)
    losses: list[float] = []
    while adam.steps < settings.max_steps:
        finite = adam.accumulated_step(
            settings.adapter_lr,
            micro_batches(inputs, settings.micro_batch),
            anchor=start,
            importance=np.full_like(start, settings.importance_floor),
            penalty=settings.anchor,
        )
        losses.append(adam.loss)
        if not finite or plateau(losses, settings.plateau_steps, settings.adapter_plateau):
            break
    parts = split(adam.theta, ARCH.adapter_shapes)
    return Adapter(parts["A"].astype(np.float16), parts["B"].astype(np.float16))


def _start() -> Float32:
    """Make A random and B zero: no effect yet, but a gradient (Hu et al. 2022, LoRA)."""
    theta = np.zeros(ARCH.adapter_size, np.float32)
    a = split(theta, ARCH.adapter_shapes)["A"]
    a[:] = np.random.default_rng(SEED).standard_normal(a.shape) / np.sqrt(ARCH.hidden)
    return theta


def _flat(adapter: Adapter) -> Float32:
    return np.concatenate([adapter.a.ravel(), adapter.b.ravel()]).astype(np.float32)


def _wanted_correction(rows: Rows) -> Float32:
    """Target: false alarms move by the mean of their event, all else stays [shape=(n, 128)]."""
    wanted = np.zeros((len(rows), ARCH.width), np.float32)
    is_false = rows.info["class"] == RowClass.FALSE_ALARM
    for event in np.unique(rows.info["group"][is_false]):
        mine = is_false & (rows.info["group"] == event)
        wanted[mine] = rows.where(mine).positions[:, : ARCH.width].mean(0)
    return wanted


def _balanced(rows: Rows) -> Float32:
    """Weights that sum to 1, the same for each class present."""
    classes, of_class, size = np.unique(rows.info["class"], return_inverse=True, return_counts=True)
    return np.asarray(1 / size[of_class] / len(classes), np.float32)
