"""The documentation names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)#\s]+)")
NAMED = re.compile(r"`((?:app|dsp|models|gateway|web|docker|tests|docs)/[\w./-]+\.\w+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_page_points_to_exists(page: Path) -> None:
    text = page.read_text()
    links = [page.parent / to for to in LINK.findall(text) if "://" not in to]
    named = [ROOT / name for name in NAMED.findall(text)]
    missing = [str(path) for path in (*links, *named) if not path.exists()]
    assert not missing
