"""The documentation pages that are in the folders of sources and outputs.

The first line of such a README.md is a comment that names its page. Its links are those of the
repository; on the page they lead to the other pages. A line that is only the link to a TOML file
beside it becomes that file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = re.compile(r"<!-- page: (docs/\S+\.md) -->\n")
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")
FILE = re.compile(r"^\[(\S+\.toml)\]\(\1\)$", re.MULTILINE)


def pages() -> dict[Path, str]:
    """Return the page of each README.md that has one, as a path from the root."""
    found = {}
    for readme in sorted(ROOT.glob("gateway/**/README.md")):
        if first := PAGE.match(readme.read_text(encoding="utf-8")):
            found[readme] = first[1]
    return found


def page(readme: Path, where: dict[Path, str]) -> str:
    """Return the page that is made of a README.md; `where` holds the pages of all."""
    here = (ROOT / where[readme]).parent

    def moved(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(readme.parent / link[1]))
        return Path(os.path.relpath(ROOT / where.get(target, target), here)).as_posix()

    def content(link: re.Match[str]) -> str:
        return f"```toml\n{(readme.parent / link[1]).read_text(encoding='utf-8')}```"

    text = PAGE.sub("", readme.read_text(encoding="utf-8"), count=1)
    return LINK.sub(moved, FILE.sub(content, text))


def files() -> dict[str, str]:
    """Return the pages by their paths."""
    where = pages()
    return {path: page(readme, where) for readme, path in where.items()}
