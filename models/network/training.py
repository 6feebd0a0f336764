"""Training on the device: an engine computes the steps, Python keeps parameters and schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.models.network.architecture import BETA1, BETA2
from auscult.models.network.guard import Model

Float32 = NDArray[np.float32]
Stop = Literal["converged", "step limit", "not finite"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The numbers of the base training.

    Parameters
    ----------
    max_steps : int
        Limits the time: a step of 64 rows takes about a millisecond.
    batch : int
        Rows a step.
    lr : float
        Peak learning rate; it falls along half a cosine to 0 at `max_steps`.
    weight_decay : float
        Of AdamW.
    noise : float
        Standard deviation of the noise that is added to the input but not to the target, in robust
        standard deviations. It keeps the net from copying its input, which it would learn from a
        short baseline (denoising autoencoder, Vincent et al. 2008).
    held_back : float
        Share of the rows that are left out of the training and decide when it stops.
    check_every : int
        Steps between evaluations of the held-back rows.
    patience : int
        Evaluations without improvement until training stops.
    """

    max_steps: int = 1500
    batch: int = 64
    lr: float = 2e-3
    weight_decay: float = 1e-2
    noise: float = 0.3
    held_back: float = 0.1
    check_every: int = 50
    patience: int = 6


@dataclass(frozen=True, slots=True)
class TrainReport:
    """Result of a training: mean squared errors on the held-back rows, before and best."""

    steps: int
    loss_before: float
    loss_after: float
    stopped: Stop


class Adam:
    """Parameters, their two moments and the step count of one training.

    Parameters
    ----------
    model : Model
    signature : str
        It takes theta, m, v, lr, ic1, ic2 and returns theta_next, m_next, v_next, loss.
    theta : np.ndarray [shape=(size,), dtype=float32]
        Initial parameters; they are not modified.
    """

    def __init__(self, model: Model, signature: str, theta: Float32) -> None:
        self._model = model
        self._signature = signature
        self.theta = theta
        self.loss = np.inf
        self.steps = 0
        self._m = np.zeros_like(theta)
        self._v = np.zeros_like(theta)

    def step(self, lr: float, **inputs: ArrayLike) -> bool:
        """Take one step; False, with nothing changed, if its result is not finite."""
        t = self.steps + 1
        out = self._model(
            self._signature,
            theta=self.theta,
            m=self._m,
            v=self._v,
            lr=lr,
            # In float64: a float32 power in the graph would be too coarse.
            ic1=1 / (1 - BETA1**t),
            ic2=1 / (1 - BETA2**t),
            **inputs,
        )
        if not (np.isfinite(out["loss"]) and np.isfinite(out["theta_next"]).all()):
            return False
        self.theta, self._m, self._v = out["theta_next"], out["m_next"], out["v_next"]
        self.loss, self.steps = float(out["loss"]), t
        return True

    def accumulated_step(
        self, lr: float, batches: Sequence[Mapping[str, ArrayLike]], **common: ArrayLike
    ) -> bool:
        """Take one step with the sum of the gradients of all batches; returns as `step`.

        Parameters
        ----------
        lr : float
        batches : sequence of mapping
            Rows of each micro-batch, by input name; the signature must take ``carry`` and return
            ``gradient``. `loss` is then the sum over the batches.
        **common : array_like
            Inputs that all batches share.
        """
        carry = np.zeros_like(self.theta)
        loss = 0.0
        for rows in batches[:-1]:
            out = self._model(
                self._signature,
                theta=self.theta, m=self._m, v=self._v, lr=0.0, ic1=1.0, ic2=1.0,
                carry=carry, **common, **rows,
            )  # fmt: skip
            carry = out["gradient"]
            loss += float(out["loss"])
        if not np.isfinite(carry).all() or not self.step(lr, carry=carry, **common, **batches[-1]):
            return False
        self.loss += loss
        return True


def micro_batches(rows: Mapping[str, Float32], size: int) -> list[dict[str, Float32]]:
    """Cut named arrays of equal length into batches of at most ``size`` rows.

    >>> [len(batch["x"]) for batch in micro_batches({"x": np.zeros(5, np.float32)}, 2)]
    [2, 2, 1]
    """
    n = len(next(iter(rows.values())))
    return [
        {name: values[start : start + size] for name, values in rows.items()}
        for start in range(0, n, size)
    ]


def plateau(losses: Sequence[float], steps: int, share: float) -> bool:
    """Return whether the loss fell by less than this share in the last ``steps``.

    >>> plateau([1.0, 0.5, 0.499], 1, 0.01)
    True
    """
    if len(losses) <= steps:
        return False
    return losses[-1] > (1 - share) * losses[-1 - steps]


def train_base(
    model: Model,
    theta: Float32,
    x: Float32,
    mask: Float32,
    *,
    seed: int,
    schedule: Schedule,
    progress: Callable[[float], None] | None = None,
) -> tuple[Float32, TrainReport]:
    """Train from theta; return the weights with the least error on the held-back rows.

    Rows are in order of time. If the result of a step is not finite, training ends with the best
    weights before it.
    """
    rng = np.random.default_rng(seed)
    held_back = held_back_rows(len(x), schedule.held_back)
    x_held, mask_held = x[held_back], mask[held_back]

    def held_back_loss(theta: Float32) -> float:
        out = model("loss_base", theta=theta, x=x_held, target=x_held, mask=mask_held)
        return float(out["loss"])

    adam = Adam(model, "train_base", theta)
    before = best = held_back_loss(theta)
    checks_without_gain = 0
    stopped: Stop = "step limit"
    batches = _batches(np.flatnonzero(~held_back), schedule.batch, rng)
    for step, batch in zip(range(1, schedule.max_steps + 1), batches, strict=False):
        lr = schedule.lr * 0.5 * (1 + np.cos(np.pi * (step - 1) / schedule.max_steps))
        target, rows_mask = x[batch], mask[batch]
        noise = schedule.noise * rng.standard_normal(target.shape, np.float32)
        if not adam.step(
            lr,
            x=target + noise,
            target=target,
            mask=rows_mask,
            weight_decay=schedule.weight_decay,
        ):
            stopped = "not finite"
            break
        if step % schedule.check_every:
            continue
        loss = held_back_loss(adam.theta)
        checks_without_gain = 0 if loss < best else checks_without_gain + 1
        if loss < best:
            best, theta = loss, adam.theta
        if progress is not None:
            progress(step / schedule.max_steps)
        if checks_without_gain == schedule.patience:
            stopped = "converged"
            break
    return theta, TrainReport(adam.steps, before, best, stopped)


def held_back_rows(n: int, share: float) -> NDArray[np.bool_]:
    """Pick a share of n rows as five runs spread over time [shape=(n,), dtype=bool].

    Neighbouring windows overlap: single rows drawn at random would resemble the training rows.

    >>> np.flatnonzero(held_back_rows(100, 0.1))
    array([16, 17, 33, 34, 49, 50, 65, 66, 82, 83])
    """
    held_back = np.zeros(n, bool)
    run = max(1, round(n * share / 5))
    for start in np.linspace(0, n - run, 5 + 2)[1:-1].round().astype(int):
        held_back[start : start + run] = True
    return held_back


def _batches(
    rows: NDArray[np.intp], size: int, rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Yield batches without end, in a new random order in each round."""
    while True:
        order = rng.permutation(rows)
        for start in range(0, max(1, len(order) - size + 1), size):
            yield order[start : start + size]
