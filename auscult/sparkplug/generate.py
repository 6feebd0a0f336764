"""Makes `sparkplug_b_pb2.py` from `sparkplug_b.proto`; a developer's step, never on a gateway.

Run it with `python -m auscult.sparkplug.generate` where `grpcio-tools` 1.76 is
installed: what it
makes runs on protobuf 6.31.1 and newer, the lower bound in `pyproject.toml`. A test compiles the
definition again and fails when the committed module says something else.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = "auscult/sparkplug/sparkplug_b.proto"


def generate(target: Path) -> None:
    """Write the module and its stub below `target`; RuntimeError if the compiler refuses."""
    protoc = importlib.import_module("grpc_tools.protoc")
    arguments = [
        "protoc",
        f"--proto_path={ROOT}",
        f"--python_out={target}",
        f"--pyi_out={target}",
        DEFINITION,
    ]
    if protoc.main(arguments) != 0:
        raise RuntimeError(f"the protobuf compiler refused {DEFINITION}: see its message above")


if __name__ == "__main__":
    generate(ROOT)
    sys.exit(0)
