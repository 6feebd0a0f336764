"""The documentation pages that are in the folders of sources and outputs.

The first line of such a README.md is a comment that names its page. Its links are those of the
repository; on the page they lead to the other pages. A line that is only the link to a TOML file
beside it becomes that file.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from auscult.gateway.settings.source import installed_kinds

ROOT = Path(__file__).parents[2]
PAGE = re.compile(r"<!-- page: (docs/\S+\.md) -->\n")
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")
FILE = re.compile(r"^( *)\[(\S+\.toml)\]\(\2\)$", re.MULTILINE)
SOURCES = "auscult.gateway.sources."


def kinds() -> list[str]:
    """Return the kinds of source of this package, by name."""
    return [name for name, point in installed_kinds().items() if point.value.startswith(SOURCES)]


def page_of(kind: str) -> Path:
    """Return where the page of a kind of source is."""
    return Path(pages()[_folder(kind) / "README.md"])


def example_of(kind: str) -> str:
    """Return the example of a kind of source, as TOML."""
    return (_folder(kind) / "example.toml").read_text(encoding="utf-8")


def _folder(kind: str) -> Path:
    return ROOT / "gateway" / "sources" / kind


@cache
def pages() -> dict[Path, str]:
    """Return the page of each README.md that has one, as a path from the root."""
    found = {}
    for readme in sorted(ROOT.glob("gateway/**/README.md")):
        if first := PAGE.match(readme.read_text(encoding="utf-8")):
            found[readme] = first[1]
    return found


def files() -> dict[str, str]:
    """Return the pages by their paths."""
    return {path: _page(readme) for readme, path in pages().items()}


def _page(readme: Path) -> str:
    """Return the page that is made of a README.md."""
    here = (ROOT / pages()[readme]).parent

    def moved(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(readme.parent / link[1]))
        return Path(os.path.relpath(ROOT / pages().get(target, target), here)).as_posix()

    def content(link: re.Match[str]) -> str:
        block = f"```toml\n{(readme.parent / link[2]).read_text(encoding='utf-8')}```"
        return "\n".join(f"{link[1]}{line}".rstrip() for line in block.splitlines())

    text = PAGE.sub("", readme.read_text(encoding="utf-8"), count=1)
    return LINK.sub(moved, FILE.sub(content, text))
