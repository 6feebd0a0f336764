"""The documentation as a site: complete, self-contained, and found by "Help" and by search."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="([^"]*)"')
INLINE = re.compile(r"<script>|<style>| style=| on\w+=\"")
FETCHED = re.compile(r"""(?:url\(|import\(?|fetch\()\s*["']?((?:https?:)?//[^"')]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning"]
    build += ["--doctree-dir", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_document_is_in_the_site(site):
    documents = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert [str(one) for one in documents if not (site / one.with_suffix(".html")).is_file()] == []


def test_nothing_is_loaded_from_another_host_or_runs_inline(site):
    wrong = []
    for file in site.rglob("*"):
        if file.suffix == ".html":
            html = file.read_text()
            wrong += [(file.name, to) for to in LOADED.findall(html) if "//" in to]
            wrong += [(file.name, code) for code in INLINE.findall(html)]
        elif file.suffix in {".css", ".js"}:
            wrong += [(file.name, to) for to in FETCHED.findall(file.read_text())]
    assert wrong == []


def test_each_page_of_the_dashboard_has_its_help_chapter(site):
    source = (ROOT / "web/src/shell/help.ts").read_text()
    chapters = re.findall(r"^  (\w+): '([\w/-]+\.html)#?([\w-]*)',$", source, re.MULTILINE)
    assert len(chapters) == source.count(".html")
    for page, file, section in chapters:
        html = (site / file).read_text()
        assert not section or f'id="{section}"' in html, (page, file, section)
