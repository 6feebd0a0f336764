"""Builds the shipped `.tflite` artefacts. Needs TensorFlow (extra ``build``); a gateway does not.

    python -m auscult.models.network.build            # write artefacts/*.tflite and *.json
    python -m auscult.models.network.build --check    # rebuild and compare with the shipped files

The signatures keep no state: the gateway holds weights and moments as plain arrays. `infer` reads
its weights from constants, which is the fastest way by far. After training the gateway replaces the
constants by the new weights (`artefact.py`), so the manifest lists their byte offsets. The training
steps are a separate file, loaded once: every machine has its own `infer`, which takes a third of
the memory without them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.lite.python import schema_py_generated as schema

from auscult.dsp.units import SAMPLED
from auscult.models.network.architecture import Architecture, split
from auscult.models.network.artefact import ARTEFACTS, TRAINING, Manifest, bake
from auscult.models.network.shipped_weights import shipped_weights
from auscult.models.network.tensorflow_graph import InferenceGraph, Training


def main() -> int:
    """Write the artefacts, or with ``--check`` compare a rebuild with the shipped ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare a rebuild, write nothing")
    check = parser.parse_args().check
    same = True
    for name in (*SAMPLED, TRAINING):
        data, manifest = build_training() if name == TRAINING else build(name)
        path = ARTEFACTS / f"{name}.tflite"
        if check:
            same &= compare(path, data, manifest)
        else:
            path.write_bytes(data)
            path.with_suffix(".json").write_text(manifest.to_json())
            sys.stdout.write(f"{path.name}: {len(data)} bytes, sha256 {manifest.sha256}\n")
    return 0 if same else 1


def build(kind: str) -> tuple[bytes, Manifest]:
    """Build the inference artefact of one kind in memory."""
    arch = Architecture()
    markers = _markers(arch)
    template = _convert(InferenceGraph(arch, markers))
    parameters = _offsets(template, split(markers, arch.base_shapes))
    data = bake(template, parameters, split(shipped_weights(arch, kind), arch.base_shapes))
    return data, _manifest(kind, data, parameters)


def build_training() -> tuple[bytes, Manifest]:
    """Build the artefact of the training steps in memory."""
    data = _convert(Training(Architecture()))
    return data, _manifest(TRAINING, data, {})


def _manifest(kind: str, data: bytes, parameters: dict[str, int]) -> Manifest:
    return Manifest(
        kind=kind,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        tensorflow=tf.__version__,
        architecture=Architecture(),
        parameters=parameters,
        operators=_operators(data),
    )


def compare(path: Path, data: bytes, manifest: Manifest) -> bool:
    """Print how a rebuild differs from the shipped file; True if weights and operators agree."""
    shipped = Manifest.from_json(path.with_suffix(".json").read_text())
    old, new = shipped.weights(path.read_bytes()), manifest.weights(data)
    weights_same = all(np.array_equal(old[name], new[name]) for name in new)
    operators_same = shipped.operators == manifest.operators
    report = {
        "artefact": path.name,
        "bytes_identical": shipped.sha256 == manifest.sha256,
        "weights_identical": weights_same,
        "operators_identical": operators_same,
        "tensorflow": {"shipped": shipped.tensorflow, "here": manifest.tensorflow},
    }
    sys.stdout.write(json.dumps(report) + "\n")
    return weights_same and operators_same


def _convert(network: InferenceGraph | Training) -> bytes:
    functions: dict[str, Callable[..., Any]] = {
        name: signature.get_concrete_function() for name, signature in network.functions.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(network, folder, signatures=functions)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        data: bytes = converter.convert()
    return data


def _markers(arch: Architecture) -> NDArray[np.float32]:
    """Return the weights that occur only once, to find their place in the file."""
    return np.random.default_rng(0).standard_normal(arch.base_size).astype(np.float32)


def _offsets(data: bytes, markers: dict[str, NDArray[np.float32]]) -> dict[str, int]:
    offsets = {}
    for name, value in markers.items():
        raw = value.tobytes()
        offsets[name] = data.find(raw)
        if offsets[name] < 0 or data.find(raw, offsets[name] + 1) >= 0:
            raise RuntimeError(f"parameter {name} is not stored exactly once in the file")
    return offsets


def _operator_name(code: Any) -> str:
    names = {value: name for name, value in vars(schema.BuiltinOperator).items() if name.isupper()}
    return str(names[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())])


def _operators(data: bytes) -> dict[str, int]:
    model = schema.Model.GetRootAs(data, 0)
    operators: dict[str, int] = {}
    for i in range(model.OperatorCodesLength()):
        code = model.OperatorCodes(i)
        name = _operator_name(code)
        operators[name] = max(operators.get(name, 0), code.Version())
    return dict(sorted(operators.items()))


if __name__ == "__main__":
    sys.exit(main())
