"""Guards the TensorFlow Lite runtime: ai-edge-litert, else tflite-runtime.

Both runtimes crash or give wrong results on bad input. Of 1,072 damaged files 270 killed
tflite-runtime 2.14. A wrong shape can kill the next call. A vector of the wrong length corrupts the
heap in both. A big-endian array is misread. One interpreter in two threads gives wrong results. So
only this module uses an interpreter, and it checks every input first.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from importlib.metadata import version
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.models.network.errors import ModelError

try:
    from ai_edge_litert import interpreter as _litert

    RUNTIME = f"ai-edge-litert {version('ai-edge-litert')}"
except ImportError:
    from tflite_runtime import interpreter as _litert

    RUNTIME = f"tflite-runtime {version('tflite-runtime')}"

MAGIC = b"TFL3"
MAX_BATCH = 4096
"""Most rows of a call: 4096 windows of 128 slots take 2 MB a tensor."""

NATIVE_FLOAT32 = np.dtype("=f4")

Float32 = NDArray[np.float32]


class Model:
    """A `.tflite` file with signatures that are safe to call, also from several threads.

    The signatures keep no state, so a lock suffices; an interpreter for each thread would take
    about 6 MB. For speed, make one instance for each thread.

    Parameters
    ----------
    data : bytes
        The whole file.
    sha256 : str
        Expected hash of `data`; the bytes that are checked are the bytes that are loaded.

    Raises
    ------
    ModelError
        If the hash differs, or the runtime cannot load the bytes.
    """

    def __init__(self, data: bytes, sha256: str) -> None:
        verify(data, sha256)
        self.sha256 = sha256
        self._lock = threading.Lock()
        self._failure: str | None = None
        try:
            interpreter = _litert.Interpreter(model_content=data, num_threads=1)
            # Before the first signature runner: tflite-runtime applies XNNPACK only then.
            interpreter.allocate_tensors()
            names = interpreter.get_signature_list()
            self._runners = {name: interpreter.get_signature_runner(name) for name in names}
            self._inputs = {name: _inputs(runner) for name, runner in self._runners.items()}
        except (ValueError, RuntimeError, SystemError) as error:
            remedy = "; tflite-runtime needs numpy < 2" if isinstance(error, SystemError) else ""
            raise ModelError(f"{RUNTIME} cannot load the model: {error}{remedy}") from error

    @property
    def signatures(self) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
        """Return the signature → input → shape, −1 for the batch. Every input is float32."""
        return self._inputs

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
                outputs: dict[str, Float32] = self._runners[signature](**checked)
            except RuntimeError as error:
                self._failure = f"{signature} failed: {error}"
                raise ModelError(self._failure) from error
        return outputs

    def _check(self, signature: str, inputs: Mapping[str, ArrayLike]) -> dict[str, Float32]:
        shapes = self._inputs.get(signature)
        if shapes is None:
            raise ModelError(f"no signature {signature!r}; there are {sorted(self._inputs)}")
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


def verify(data: bytes, sha256: str) -> None:
    """Raise `ModelError` unless data is the `.tflite` file with this hash."""
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        raise ModelError(
            f"model file has sha256 {digest[:12]}…, expected {sha256[:12]}…: "
            "it is damaged or another version; restore it"
        )
    if len(data) < 64 or data[4:8] != MAGIC:
        raise ModelError(f"the {len(data)} bytes do not begin as a .tflite file")


def load(data: bytes) -> Model:
    """Load bytes that this process made, for which there is no other hash."""
    return Model(data, hashlib.sha256(data).hexdigest())


def _inputs(runner: Any) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for name, detail in runner.get_input_details().items():
        if detail["dtype"] != np.float32:
            raise ValueError(f"input {name} is {detail['dtype']}, expected float32")
        shapes[name] = tuple(int(size) for size in detail["shape_signature"])
    return shapes


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
