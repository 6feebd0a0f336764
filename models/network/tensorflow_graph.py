"""The artefacts' signatures as TensorFlow functions, with gradients written by hand.

Only the builder imports this module. Every operator is a TFLite builtin of a version that
tflite-runtime 2.13 supports; the gradient tape would add operators that only TensorFlow has. The
signatures keep no state: weights and moments are inputs and outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from auscult.models.network.architecture import BETA1, BETA2, EPSILON, Architecture, split

Tensor = Any
Parameters = dict[str, Tensor]


class InferenceGraph(tf.Module):  # type: ignore[misc]
    """Inference of the frozen base, with constants as weights."""

    def __init__(self, arch: Architecture, constants: NDArray[np.float32]) -> None:
        super().__init__()
        self.constants = split(constants, arch.base_shapes)
        rows = [_rows("x", arch.width), _rows("mask", arch.width)]
        self.functions: dict[str, Any] = {"infer": tf.function(self.infer, rows)}

    def infer(self, x: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Return the residual and latent of the frozen base."""
        constants = {name: tf.constant(value) for name, value in self.constants.items()}
        masked = x * mask
        _, z, _, y = _forward(constants, masked)
        return {"residual": (masked - y) * mask, "latent": z}


class Training(tf.Module):  # type: ignore[misc]
    """All training steps; the weights are inputs, so one file serves all machines."""

    def __init__(self, arch: Architecture) -> None:
        super().__init__()
        self.arch = arch
        base, head = arch.base_size, arch.head_size
        x, mask = _rows("x", arch.width), _rows("mask", arch.width)
        target, weight = _rows("target", arch.width), _rows("weight")
        features = _rows("features", arch.head_width)
        step = [_vector(name, 1) for name in ("lr", "ic1", "ic2")]
        self.functions: dict[str, Any] = {
            "loss_base": tf.function(self.loss_base, [_vector("theta", base), x, target, mask]),
            "train_base": tf.function(
                self.train_base,
                [*_adam_inputs(base), x, target, mask, *step, _vector("weight_decay", 1)],
            ),
            "head": tf.function(self.head, [_vector("theta", head), features]),
            "train_head": tf.function(
                self.train_head,
                [
                    *_adam_inputs(head),
                    _vector("carry", head),
                    *_anchor_inputs(head),
                    features,
                    _rows("label"),
                    weight,
                    *step,
                ],
            ),
        }

    def loss_base(
        self, theta: Tensor, x: Tensor, target: Tensor, mask: Tensor
    ) -> dict[str, Tensor]:
        """Return the masked mean squared error, without a step."""
        *_, y = _forward(_split(theta, self.arch.base_shapes), x * mask)
        error = (y - target) * mask
        return {"loss": tf.reduce_sum(error * error) / tf.reduce_sum(mask)}

    def train_base(
        self,
        theta: Tensor,
        m: Tensor,
        v: Tensor,
        x: Tensor,
        target: Tensor,
        mask: Tensor,
        lr: Tensor,
        ic1: Tensor,
        ic2: Tensor,
        weight_decay: Tensor,
    ) -> dict[str, Tensor]:
        """Return one AdamW step of the whole base."""
        p = _split(theta, self.arch.base_shapes)
        x = x * mask
        a, z, h, y = _forward(p, x)
        error = (y - target) * mask
        count = tf.reduce_sum(mask)
        gy = error * (2.0 / count)
        gh = tf.matmul(gy, p["W4"]) * tf.cast(h > 0, tf.float32)
        gz = tf.matmul(gy, p["D"]) + tf.matmul(gh, p["W3"])
        ga = tf.matmul(gz, p["W2"]) * tf.cast(a > 0, tf.float32)
        gradient = _flatten(
            {
                "W1": tf.matmul(ga, x, transpose_a=True),
                "b1": tf.reduce_sum(ga, 0),
                "W2": tf.matmul(gz, a, transpose_a=True),
                "E": tf.matmul(gz, x, transpose_a=True),
                "c": tf.reduce_sum(gz, 0),
                "W3": tf.matmul(gh, z, transpose_a=True),
                "b3": tf.reduce_sum(gh, 0),
                "W4": tf.matmul(gy, h, transpose_a=True),
                "D": tf.matmul(gy, z, transpose_a=True),
                "d": tf.reduce_sum(gy, 0),
            },
            self.arch.base_shapes,
        )
        loss = tf.reduce_sum(error * error) / count
        return {"loss": loss, **_adamw(theta, m, v, gradient, lr, ic1, ic2, weight_decay)}

    def head(self, theta: Tensor, features: Tensor) -> dict[str, Tensor]:
        """Return the logit of the head for each row."""
        return {"logit": self._logit(theta, features)}

    def train_head(
        self,
        theta: Tensor,
        m: Tensor,
        v: Tensor,
        carry: Tensor,
        anchor: Tensor,
        importance: Tensor,
        penalty: Tensor,
        features: Tensor,
        label: Tensor,
        weight: Tensor,
        lr: Tensor,
        ic1: Tensor,
        ic2: Tensor,
    ) -> dict[str, Tensor]:
        """Take one Adam step of the head over this micro-batch and the gradient carried so far."""
        logit = self._logit(theta, features)
        softplus = tf.maximum(logit, 0.0) + tf.math.log(1.0 + tf.exp(-tf.abs(logit)))
        error = weight * (tf.sigmoid(logit) - label)
        gradient = carry + tf.concat(
            [tf.reduce_sum(features * error[:, None], 0), tf.reduce_sum(error, keepdims=True)], 0
        )
        return {
            "loss": tf.reduce_sum(weight * (softplus - logit * label)),
            "gradient": gradient,
            **_anchored_adam(theta, m, v, gradient, anchor, importance, penalty, lr, ic1, ic2),
        }

    def _logit(self, theta: Tensor, features: Tensor) -> Tensor:
        n = self.arch.head_width
        return tf.reduce_sum(features * theta[:n], 1) + theta[n:]


def _forward(p: Parameters, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    a = tf.nn.relu(tf.matmul(x, p["W1"], transpose_b=True) + p["b1"])
    z = (tf.matmul(x, p["E"], transpose_b=True) + p["c"]) + tf.matmul(a, p["W2"], transpose_b=True)
    h = tf.nn.relu(tf.matmul(z, p["W3"], transpose_b=True) + p["b3"])
    y = (tf.matmul(z, p["D"], transpose_b=True) + p["d"]) + tf.matmul(h, p["W4"], transpose_b=True)
    return a, z, h, y


def _adamw(
    theta: Tensor,
    m: Tensor,
    v: Tensor,
    gradient: Tensor,
    lr: Tensor,
    ic1: Tensor,
    ic2: Tensor,
    weight_decay: Tensor,
) -> dict[str, Tensor]:
    """Return AdamW; ic1 = 1/(1 − β1ᵗ) and ic2 = 1/(1 − β2ᵗ) come from the host in float64.

    1 − 0.999ᵗ in float32 has an error of 1e-5 to 1e-4, which Adam's normalisation and a ReLU's kink
    amplified to 9e-3 in the weights after 50 steps of a larger net.
    """
    m = BETA1 * m + (1 - BETA1) * gradient
    v = BETA2 * v + (1 - BETA2) * gradient * gradient
    move = (m * ic1) / (tf.sqrt(v * ic2) + EPSILON) + weight_decay * theta
    return {"theta_next": theta - lr * move, "m_next": m, "v_next": v}


def _anchored_adam(
    theta: Tensor,
    m: Tensor,
    v: Tensor,
    gradient: Tensor,
    anchor: Tensor,
    importance: Tensor,
    penalty: Tensor,
    lr: Tensor,
    ic1: Tensor,
    ic2: Tensor,
) -> dict[str, Tensor]:
    pulled = gradient + penalty * importance * (theta - anchor)
    return _adamw(theta, m, v, pulled, lr, ic1, ic2, tf.constant([0.0]))


def _vector(name: str, size: int) -> Any:
    # Scalars are vectors of length 1: a 0-d input crashes ai-edge-litert on aarch64.
    return tf.TensorSpec([size], tf.float32, name=name)


def _rows(name: str, width: int | None = None) -> Any:
    return tf.TensorSpec([None] if width is None else [None, width], tf.float32, name=name)


def _adam_inputs(size: int) -> list[Any]:
    return [_vector(name, size) for name in ("theta", "m", "v")]


def _anchor_inputs(size: int) -> list[Any]:
    return [_vector("anchor", size), _vector("importance", size), _vector("penalty", 1)]


def _split(theta: Tensor, shapes: dict[str, tuple[int, ...]]) -> Parameters:
    parts = {}
    start = 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        parts[name] = tf.reshape(tf.slice(theta, [start], [size]), shape)
        start += size
    return parts


def _flatten(parts: Parameters, shapes: dict[str, tuple[int, ...]]) -> Tensor:
    return tf.concat([tf.reshape(parts[name], [-1]) for name in shapes], 0)
