"""The documentation names files that exist, and the layers that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("gateway/**/*.md")])
LINK = re.compile(r"\]\(([^)#\s]+)")
NAMED = re.compile(r"`((?:app|dsp|models|gateway|web|docker|tests|docs)/[\w./-]+\.\w+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_points_to_exists(page: Path) -> None:
    text = page.read_text()
    links = [page.parent / to for to in LINK.findall(text) if "://" not in to]
    named = [ROOT / name for name in NAMED.findall(text)]
    missing = [str(path) for path in (*links, *named) if not path.exists()]
    assert not missing


def test_the_architecture_names_every_layer() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [
        name
        for contract in contracts["contracts"]
        for layer in contract.get("layers", ())
        for name in re.findall(r"(?:auscult\.)?(\w+)", layer)
    ]
    missing = [name for name in layers if f"`{name}`" not in page and f"`{name}/`" not in page]
    assert not missing


def test_the_security_file_names_tests_that_exist():
    page = (ROOT / "docs" / "security-file.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", page))
    assert len(named) > 15
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
