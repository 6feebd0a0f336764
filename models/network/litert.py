"""The LiteRT engine: a `.tflite` file in ai-edge-litert, else in tflite-runtime.

Both runtimes crash or give wrong results on bad input. Of 1,072 damaged files 270 killed
tflite-runtime 2.14. A wrong shape can kill the next call. A vector of the wrong length corrupts the
heap in both. A big-endian array is misread. One interpreter in two threads gives wrong results. So
only this module makes an interpreter, of a file whose hash is right, and only the guard calls it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from auscult.models.network.errors import ModelError
from auscult.models.network.guard import Float32, Signatures


def _installed() -> tuple[Any, str]:
    """Return the module of the installed runtime and its name with version, or None and ""."""
    for module, package in (("ai_edge_litert", "ai-edge-litert"), ("tflite_runtime",) * 2):
        try:
            interpreter = import_module(f"{module}.interpreter")
        except ImportError:
            continue
        return interpreter, f"{package} {version(package)}"
    return None, ""


_litert, RUNTIME = _installed()


class LiteRtEngine:
    """The signatures of a `.tflite` file.

    Parameters
    ----------
    data : bytes
        The whole file; its hash was checked (`artefact.verify`).

    Raises
    ------
    ModelError
        If no runtime is installed, or it cannot load the bytes.
    """

    def __init__(self, data: bytes) -> None:
        if _litert is None:
            raise ModelError("neither ai-edge-litert nor tflite-runtime is installed")
        try:
            interpreter = _litert.Interpreter(model_content=data, num_threads=1)
            # Before the first signature runner: tflite-runtime applies XNNPACK only then.
            interpreter.allocate_tensors()
            names = interpreter.get_signature_list()
            self._runners = {name: interpreter.get_signature_runner(name) for name in names}
            self.signatures: Signatures = {
                name: _inputs(runner) for name, runner in self._runners.items()
            }
        except (ValueError, RuntimeError, SystemError) as error:
            remedy = "; tflite-runtime needs numpy < 2" if isinstance(error, SystemError) else ""
            raise ModelError(f"{RUNTIME} cannot load the model: {error}{remedy}") from error

    def run(self, signature: str, inputs: dict[str, Float32]) -> dict[str, Float32]:
        """Run one signature on inputs that the guard has checked."""
        outputs: dict[str, Float32] = self._runners[signature](**inputs)
        return outputs


def _inputs(runner: Any) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for name, detail in runner.get_input_details().items():
        if detail["dtype"] != np.float32:
            raise ValueError(f"input {name} is {detail['dtype']}, expected float32")
        shapes[name] = tuple(int(size) for size in detail["shape_signature"])
    return shapes
