"""The artefacts' mathematics in plain numpy, written independently of the TensorFlow builder.

It is the reference of the tests, in float64, and shows what each signature computes. The gateway
does not use it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import BETA1, BETA2, EPSILON, Architecture, split

Array = NDArray[np.float64]


class Adam(NamedTuple):
    """Parameters and Adam's two moments, each a flat vector of one length."""

    theta: Array
    m: Array
    v: Array


class Activations(NamedTuple):
    """Activations of a forward pass; rows are windows."""

    a: Array
    latent: Array
    hidden: Array
    output: Array


def forward(arch: Architecture, theta: Array, x: Array) -> Activations:
    """Reconstruct x [shape=(b, width)] from the base parameters theta [shape=(base_size,)]."""
    p = split(theta, arch.base_shapes)
    a = np.maximum(x @ p["W1"].T + p["b1"], 0)
    z = a @ p["W2"].T + x @ p["E"].T + p["c"]
    h = np.maximum(z @ p["W3"].T + p["b3"], 0)
    return Activations(a, z, h, h @ p["W4"].T + z @ p["D"].T + p["d"])


def infer(arch: Architecture, theta: Array, x: Array, mask: Array) -> tuple[Array, Array]:
    """Residual (0 where the mask is 0) and latent."""
    act = forward(arch, theta, x * mask)
    return (x - act.output) * mask, act.latent


def base_gradient(
    arch: Architecture, theta: Array, x: Array, target: Array, mask: Array
) -> tuple[float, Array]:
    """Masked mean squared error of the reconstruction, and its gradient in theta.

    ``loss = Σ mask (y − target)² / Σ mask``; x may be a noisy copy of target (denoising).
    """
    p = split(theta, arch.base_shapes)
    x = x * mask
    act = forward(arch, theta, x)
    error = (act.output - target) * mask
    count = mask.sum()
    gy = 2 * error / count
    gz_from_hidden = (gy @ p["W4"]) * (act.hidden > 0)
    gz = gy @ p["D"] + gz_from_hidden @ p["W3"]
    ga = (gz @ p["W2"]) * (act.a > 0)
    gradient = {
        "W1": ga.T @ x,
        "b1": ga.sum(0),
        "W2": gz.T @ act.a,
        "E": gz.T @ x,
        "c": gz.sum(0),
        "W3": gz_from_hidden.T @ act.latent,
        "b3": gz_from_hidden.sum(0),
        "W4": gy.T @ act.hidden,
        "D": gy.T @ act.latent,
        "d": gy.sum(0),
    }
    flat = np.concatenate([gradient[name].ravel() for name in arch.base_shapes])
    return float((error**2).sum() / count), flat


def adamw(state: Adam, gradient: Array, step: int, lr: float, weight_decay: float) -> Adam:
    """One step of AdamW (Loshchilov & Hutter 2019); steps count from 1."""
    m = BETA1 * state.m + (1 - BETA1) * gradient
    v = BETA2 * state.v + (1 - BETA2) * gradient**2
    m_hat, v_hat = m / (1 - BETA1**step), v / (1 - BETA2**step)
    move = m_hat / (np.sqrt(v_hat) + EPSILON) + weight_decay * state.theta
    return Adam(state.theta - lr * move, m, v)


def head_logit(head: Array, features: Array) -> Array:
    """``features · w + bias`` [shape=(b,)]; head is [w…, bias]."""
    return np.asarray(features @ head[:-1] + head[-1])


def head_gradient(head: Array, features: Array, label: Array, weight: Array) -> tuple[float, Array]:
    """Weighted logistic loss ``Σ weight · bce`` and its gradient; label in 0..1."""
    logit = head_logit(head, features)
    bce = np.maximum(logit, 0) - logit * label + np.log1p(np.exp(-np.abs(logit)))
    error = weight * (1 / (1 + np.exp(-logit)) - label)
    return float((weight * bce).sum()), np.append(features.T @ error, error.sum())


def anchor_gradient(theta: Array, anchor: Array, importance: Array, penalty: float) -> Array:
    """Gradient of ``½ penalty Σ importance (theta − anchor)²`` (EWC, Kirkpatrick et al. 2017)."""
    return penalty * importance * (theta - anchor)
