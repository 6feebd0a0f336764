"""Quantises a trained base to int8 on the device, with numpy alone.

`artefacts/int8.tflite` is a quantised file of the same architecture; its manifest lists the byte
offsets of weights, biases, scales and zero points. This module writes those of a machine there, and
gets the result of TensorFlow's post-training quantisation. Weights are symmetric per output
channel, activations asymmetric per tensor, biases int32 (Jacob et al. 2018, as in TFLite).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.architecture import Architecture
from auscult.models.network.artefact import ARTEFACTS, opened, read_manifest, sealed, verify

Float32 = NDArray[np.float32]

ACTIVATIONS = ("x", "a", "q", "p", "z", "h", "s", "r", "y")
"""In order of computation: x; a = relu(W1 x + b1); q = W2 a; p = E x + c; z = p + q;
h = relu(W3 z + b3); s = W4 h; r = D z + d; y = r + s."""

INPUT_OF = {"W1": "x", "W2": "a", "E": "x", "W3": "z", "W4": "h", "D": "z"}
"""Weights and the activation that they multiply."""
BIAS_OF = {"W1": "b1", "E": "c", "W3": "b3", "D": "d"}

HEADROOM = 2.0
"""Factor of the ranges over those of healthy windows, so that a fault does not saturate."""


@dataclass(frozen=True, slots=True)
class Int8Manifest:
    """Description of the template, with byte offsets.

    ``data`` gives the offset of the values of a weight or bias; ``scale`` and ``zero_point`` give
    those of a weight, bias or activation.
    """

    sha256: str
    size_bytes: int
    tensorflow: str
    data: Mapping[str, int]
    scale: Mapping[str, int]
    zero_point: Mapping[str, int]
    operators: Mapping[str, int]

    @classmethod
    def from_json(cls, text: str) -> Int8Manifest:
        """Read what `to_json` wrote; a `ModelError` if it is damaged."""
        return cls(**opened(text))

    def to_json(self) -> str:
        """Write as indented JSON."""
        return sealed(asdict(self))

    def weights(self, data: bytes) -> dict[str, NDArray[np.signedinteger]]:
        """Read the quantised weights (int8) and biases (int32) out of the file's bytes."""
        weights: dict[str, NDArray[np.signedinteger]] = {}
        for name, shape in Architecture().base_shapes.items():
            if name in self.data:
                dtype = "i1" if name in INPUT_OF else "<i4"
                values = np.frombuffer(data, dtype, math.prod(shape), self.data[name])
                weights[name] = values.reshape(shape)
        return weights


def load_template() -> tuple[bytes, Int8Manifest]:
    """Read the shipped template and its manifest; a `ModelError` if one of them is damaged."""
    path = ARTEFACTS / "int8.tflite"
    data = path.read_bytes()
    manifest = Int8Manifest.from_json(read_manifest(path.with_suffix(".json")))
    verify(data, manifest.sha256)
    return data, manifest


def activation_ranges(weights: Mapping[str, Float32], x: Float32, limit: float) -> Float32:
    """Return the range of each activation [shape=(9, 2)] over healthy windows, with `HEADROOM`.

    Parameters
    ----------
    weights : mapping
        Base parameters by name.
    x : np.ndarray [shape=(n, width)]
        Healthy windows, absent features 0.
    limit : float
        The input lies within ±limit.
    """
    # In float64: the last digit of float32 depends on the BLAS kernels for this CPU.
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = np.clip(np.concatenate([x, HEADROOM * x]), -limit, limit)
    a = np.maximum(x @ w["W1"].T + w["b1"], 0)
    q, p = a @ w["W2"].T, x @ w["E"].T + w["c"]
    z = p + q
    h = np.maximum(z @ w["W3"].T + w["b3"], 0)
    s, r = h @ w["W4"].T, z @ w["D"].T + w["d"]
    ranges = [(float(v.min()), float(v.max())) for v in (x, a, q, p, z, h, s, r, r + s)]
    ranges[0] = (-limit, limit)
    return np.array(ranges, np.float32)


def quantise(
    template: bytes, manifest: Int8Manifest, weights: Mapping[str, Float32], ranges: Float32
) -> bytes:
    """Return the template with a trained base."""
    file = bytearray(template)

    def put(offset: int, values: NDArray[np.generic]) -> None:
        raw = values.tobytes()
        file[offset : offset + len(raw)] = raw

    scales = {}
    for name, (low, high) in zip(ACTIVATIONS, ranges.tolist(), strict=True):
        scales[name], zero_point = _affine(low, high)
        put(manifest.scale[name], np.array([scales[name]], "<f4"))
        put(manifest.zero_point[name], np.array([zero_point], "<i8"))
    for name, source in INPUT_OF.items():
        weight = weights[name]
        scale = (np.maximum(np.abs(weight).max(1), 1e-12) / 127).astype(np.float32)
        put(manifest.scale[name], scale.astype("<f4"))
        put(manifest.data[name], np.clip(np.round(weight / scale[:, None]), -127, 127).astype("i1"))
        if (bias := BIAS_OF.get(name)) is not None:
            scale = scale * np.float32(scales[source])
            top = 2.0**31 - 1
            put(manifest.scale[bias], scale.astype("<f4"))
            steps = np.clip(np.round(weights[bias] / scale.astype(float)), -top, top)
            put(manifest.data[bias], steps.astype("<i4"))
    return bytes(file)


def _affine(low: float, high: float) -> tuple[float, int]:
    """Scale and zero point that map low..high, extended to include 0, onto −128..127."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / 255 or 1.0
    return scale, int(np.clip(round(-128 - low / scale), -128, 127))
