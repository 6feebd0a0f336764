"""`auscult bench`: times parts of Auscult beside their references, interleaved in one run."""

from __future__ import annotations

import os
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.bench.timing import Figure

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run(
    topic: str,
    json_path: Path | None = None,
) -> list[Figure]:
    """Measure the figures of one topic, print them, and write them as JSON if asked.

    Parameters
    ----------
    topic : str
        Module of this package whose ``run()`` measures.
    json_path : Path or None
        Where the JSON of DESIGN.md, section 6, goes.
    """
    for variable in THREAD_VARIABLES:  # read when numpy is imported, so before the topic
        os.environ.setdefault(variable, "1")
    module = import_module(f"lab.bench.{topic}")
    timing = import_module("lab.bench.timing")
    figures: list[Figure] = module.run()
    for figure in figures:
        beside = "" if figure.ratio is None else f"{figure.ratio:8.2f} × {figure.reference}"
        print(f"{figure.name:44} {figure.value:12.3f} {figure.unit:12} {beside}")
    if json_path is not None:
        timing.write(json_path, metadata.version("auscult"), figures)
    return figures
