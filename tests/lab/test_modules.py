"""Each module of the lab loads with the product as it is; its runs take minutes to hours."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "lab").rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)


@pytest.mark.parametrize("module", MODULES)
def test_it_loads(module: str) -> None:
    importlib.import_module(module)


def test_the_readme_names_each_study_and_benchmark() -> None:
    page = (ROOT / "lab" / "README.md").read_text(encoding="utf-8")
    runnable = [
        module
        for module in MODULES
        if module.startswith(("lab.bench.", "lab.studies."))
        and '__name__ == "__main__"'
        in (ROOT / Path(*module.split("."))).with_suffix(".py").read_text()
    ]
    assert runnable
    assert [module for module in runnable if f"`python -m {module}`" not in page] == []
