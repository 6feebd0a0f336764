"""The numpy engine: the same signatures as the `.tflite` files, without a runtime.

It serves where LiteRT is not installed, cannot load its file or finds it damaged. In float32 and in
the order of `tensorflow_graph`, so that results differ by rounding alone (decision record 47).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import BETA1, BETA2, EPSILON, Architecture, split
from auscult.models.network.guard import Float32, Signatures

Parameters = dict[str, NDArray[np.float32]]


class NumpyEngine:
    """Signatures as functions.

    Parameters
    ----------
    signatures : mapping
        Inputs of each signature, with their shapes.
    functions : mapping
        Signature → function of its inputs that returns its outputs.
    """

    def __init__(
        self, signatures: Signatures, functions: dict[str, Callable[..., dict[str, Float32]]]
    ) -> None:
        self.signatures = signatures
        self._functions = functions

    def run(self, signature: str, inputs: dict[str, Float32]) -> dict[str, Float32]:
        """Run one signature on inputs that the guard has checked."""
        with np.errstate(all="ignore"):  # who calls looks for what is not finite
            outputs = self._functions[signature](**inputs)
        return {name: np.asarray(value, np.float32) for name, value in outputs.items()}


def inference(arch: Architecture, theta: Float32) -> NumpyEngine:
    """Return `infer` of the frozen base with these weights [shape=(base_size,)]."""
    rows = (-1, arch.width)
    weights = split(theta, arch.base_shapes)
    return NumpyEngine({"infer": {"x": rows, "mask": rows}}, {"infer": partial(_infer, weights)})


def training(arch: Architecture) -> NumpyEngine:
    """Return the training steps; all weights are their inputs."""
    rows, one = (-1, arch.width), dict.fromkeys(("lr", "ic1", "ic2"), (1,))
    base = dict.fromkeys(("theta", "m", "v"), (arch.base_size,))
    head = dict.fromkeys(("theta", "m", "v", "carry", "anchor", "importance"), (arch.head_size,))
    features = (-1, arch.head_width)
    data = {"x": rows, "target": rows, "mask": rows}
    return NumpyEngine(
        {
            "loss_base": {"theta": base["theta"], **data},
            "train_base": {**base, **data, **one, "weight_decay": (1,)},
            "head": {"theta": head["theta"], "features": features},
            "train_head": {
                **head, **one, "penalty": (1,),
                "features": features, "label": (-1,), "weight": (-1,),
            },
        },
        {
            "loss_base": partial(_loss_base, arch),
            "train_base": partial(_train_base, arch),
            "head": lambda theta, features: {"logit": _logit(theta, features)},
            "train_head": _train_head,
        },
    )  # fmt: skip


def _infer(p: Parameters, x: Float32, mask: Float32) -> dict[str, Float32]:
    masked = x * mask
    _, z, _, y = _forward(p, masked)
    return {"residual": (masked - y) * mask, "latent": z}


def _loss_base(
    arch: Architecture, theta: Float32, x: Float32, target: Float32, mask: Float32
) -> dict[str, Float32]:
    *_, y = _forward(split(theta, arch.base_shapes), x * mask)
    error = (y - target) * mask
    return {"loss": (error * error).sum() / mask.sum()}


def _train_base(
    arch: Architecture,
    theta: Float32,
    m: Float32,
    v: Float32,
    x: Float32,
    target: Float32,
    mask: Float32,
    weight_decay: Float32,
    **step: Float32,
) -> dict[str, Float32]:
    p = split(theta, arch.base_shapes)
    x = x * mask
    a, z, h, y = _forward(p, x)
    error, count = (y - target) * mask, mask.sum()
    gy = error * (np.float32(2) / count)
    gh = gy @ p["W4"] * (h > 0)
    gz = gy @ p["D"] + gh @ p["W3"]
    ga = gz @ p["W2"] * (a > 0)
    gradient = {
        "W1": ga.T @ x, "b1": ga.sum(0), "W2": gz.T @ a, "E": gz.T @ x, "c": gz.sum(0),
        "W3": gh.T @ z, "b3": gh.sum(0), "W4": gy.T @ h, "D": gy.T @ z, "d": gy.sum(0),
    }  # fmt: skip
    flat = np.concatenate([gradient[name].ravel() for name in arch.base_shapes])
    return {
        "loss": (error * error).sum() / count,
        **_adamw(theta, m, v, flat, weight_decay, **step),
    }


def _train_head(
    theta: Float32,
    m: Float32,
    v: Float32,
    carry: Float32,
    anchor: Float32,
    importance: Float32,
    penalty: Float32,
    features: Float32,
    label: Float32,
    weight: Float32,
    **step: Float32,
) -> dict[str, Float32]:
    logit = _logit(theta, features)
    away = np.exp(-np.abs(logit))
    softplus = np.maximum(logit, 0) + np.log1p(away)
    error = weight * (np.where(logit < 0, away, 1) / (1 + away) - label)
    gradient = carry + np.append(features.T @ error, error.sum())
    pulled = gradient + penalty * importance * (theta - anchor)
    return {
        "loss": (weight * (softplus - logit * label)).sum(),
        "gradient": gradient,
        **_adamw(theta, m, v, pulled, np.float32(0), **step),
    }


def _logit(theta: Float32, features: Float32) -> Float32:
    logit: Float32 = features @ theta[:-1] + theta[-1]
    return logit


def _forward(p: Parameters, x: Float32) -> tuple[Float32, Float32, Float32, Float32]:
    a = np.maximum(x @ p["W1"].T + p["b1"], 0)
    z = (x @ p["E"].T + p["c"]) + a @ p["W2"].T
    h = np.maximum(z @ p["W3"].T + p["b3"], 0)
    y = (z @ p["D"].T + p["d"]) + h @ p["W4"].T
    return a, z, h, y


def _adamw(
    theta: Float32,
    m: Float32,
    v: Float32,
    gradient: Float32,
    weight_decay: Float32 | np.float32,
    lr: Float32,
    ic1: Float32,
    ic2: Float32,
) -> dict[str, Float32]:
    m = BETA1 * m + (1 - BETA1) * gradient
    v = BETA2 * v + (1 - BETA2) * gradient * gradient
    move = (m * ic1) / (np.sqrt(v * ic2) + EPSILON) + weight_decay * theta
    return {"theta_next": theta - lr * move, "m_next": m, "v_next": v}
