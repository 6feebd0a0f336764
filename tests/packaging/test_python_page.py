"""The code of docs/python.md and the notebooks run, and `import auscult` stays small."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import auscult

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = DOCS / "notebooks"


def test_the_code_of_the_page_runs() -> None:
    found = doctest.testfile(
        str(DOCS / "python.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 30
    assert not found.failed


@pytest.mark.slow
def test_the_notebook_runs_from_a_recording_to_a_decision(tmp_path: Path) -> None:
    shown = outputs_of("wav_to_decision", tmp_path)
    plots = [output for output in shown if "image/png" in output.get("data", {})]
    assert len(plots) >= 4
    assert any("alarm" in output.get("text", "") for output in shown)


@pytest.mark.slow
def test_the_notebook_beside_pyod_runs(tmp_path: Path) -> None:
    shown = [output.get("data", {}) for output in outputs_of("beside_pyod", tmp_path)]
    assert any("image/png" in data for data in shown)
    table = next(data["text/plain"] for data in shown if "Auscult" in data.get("text/plain", ""))
    assert {"LOF", "KNN", "IForest", "ECOD", "PCA"} < set(table.split())


def outputs_of(name: str, folder: Path) -> list[nbformat.NotebookNode]:
    """Run a notebook; return what its cells show."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder)}}).execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_all_names_are_there_and_typed() -> None:
    for name in auscult.__all__:
        assert getattr(auscult, name).__doc__
    assert set(auscult.__all__) < set(dir(auscult))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        auscult.nothing  # noqa: B018


def test_importing_loads_nothing_and_is_quick() -> None:
    code = (
        "import sys, time; start = time.process_time(); import auscult; "
        "took = time.process_time() - start; "
        "heavy = {'numpy', 'scipy', 'fastapi', 'paho', 'ai_edge_litert'} & set(sys.modules); "
        "import threading; print(took < 0.5, sorted(heavy), threading.active_count())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split(maxsplit=1) == ["True", "[] 1\n"]
