"""Guards every call of the network: an engine gets only inputs that it can compute."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.models.network.errors import ModelError

MAX_BATCH = 4096
"""Most rows of a call: 4096 windows of 128 slots take 2 MB a tensor."""

NATIVE_FLOAT32 = np.dtype("=f4")

Float32 = NDArray[np.float32]
Signatures = Mapping[str, Mapping[str, tuple[int, ...]]]
"""Signature → input → shape, −1 for the batch. Every input is float32."""


class NetworkEngine(Protocol):
    """Computes signatures: LiteRT, or numpy."""

    signatures: Signatures

    def run(self, signature: str, inputs: dict[str, Float32]) -> dict[str, Float32]:
        """Run one signature on inputs that the guard has checked."""


class Model:
    """Signatures of an engine that are safe to call, also from several threads.

    The signatures keep no state, so a lock suffices; an interpreter for each thread would take
    about 6 MB. For speed, make one instance for each thread.
    """

    def __init__(self, engine: NetworkEngine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._failure: str | None = None

    @property
    def signatures(self) -> Signatures:
        """Return the inputs of each signature, with their shapes."""
        return self._engine.signatures

    def __call__(self, signature: str, **inputs: ArrayLike) -> dict[str, Float32]:
        """Run one signature.

        Parameters
        ----------
        signature : str
        **inputs : array_like
            Real and finite; cast to float32. A number is taken as a vector of length 1. Batches
            have 1..`MAX_BATCH` rows, the same number for all inputs.

        Returns
        -------
        dict of np.ndarray [dtype=float32]
            Copies, by output name.

        Raises
        ------
        ModelError
            If an input is invalid, or if the runtime failed in this or an earlier call: after a
            failure tflite-runtime may crash, so the model does not run again.
        """
        checked = self._check(signature, inputs)
        with self._lock:
            if self._failure is not None:
                raise ModelError(f"model is unusable since {self._failure}; load it again")
            try:
                outputs = self._engine.run(signature, checked)
            except RuntimeError as error:
                self._failure = f"{signature} failed: {error}"
                raise ModelError(self._failure) from error
        return outputs

    def _check(self, signature: str, inputs: Mapping[str, ArrayLike]) -> dict[str, Float32]:
        shapes = self.signatures.get(signature)
        if shapes is None:
            raise ModelError(f"no signature {signature!r}; there are {sorted(self.signatures)}")
        if inputs.keys() != shapes.keys():
            raise ModelError(f"{signature} takes {sorted(shapes)}, got {sorted(inputs)}")
        checked = {
            name: _as_float32(f"{signature}.{name}", inputs[name], shape)
            for name, shape in shapes.items()
        }
        rows = {len(checked[name]) for name, shape in shapes.items() if shape[0] == -1}
        if len(rows) > 1:
            raise ModelError(f"{signature}: inputs have {sorted(rows)} rows, must be equal")
        return checked


def _as_float32(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Float32:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ModelError(f"{name}: dtype {array.dtype}, must be real")
    if array.ndim == 0 and shape == (1,):
        array = array.reshape(1)
    array = np.ascontiguousarray(array, NATIVE_FLOAT32)
    rows = array.shape[:1] if shape[0] == -1 else shape[:1]
    if array.shape != rows + shape[1:]:
        raise ModelError(f"{name}: shape {array.shape}, must be {shape} (−1: any batch)")
    if shape[0] == -1 and not 1 <= len(array) <= MAX_BATCH:
        raise ModelError(f"{name}: {len(array)} rows, must be 1..{MAX_BATCH}")
    # The sum is finite only if all values are; this takes half the time of checking each.
    if not isfinite(float(array.sum())) and not np.isfinite(array).all():
        raise ModelError(f"{name}: contains NaN or infinity; mask absent features instead")
    return array
