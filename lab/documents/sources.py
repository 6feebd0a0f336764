"""The page of each kind of source, from `README.md` and `example.toml` of its folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from auscult.gateway.settings.source import installed_kinds

ROOT = Path(__file__).parents[2]
FOLDER = Path("gateway/sources")
PAGES = Path("docs/sensors")
NAMES = {
    "folder": "files",
    "iio": "mems",
    "mcc172": "iepe",
    "mqtt_json": "json",
    "stream": "streams",
}
"""Pages whose address is older than their folder."""
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
EXAMPLE = re.compile(r"^( *)\[example\.toml\]\(example\.toml\)$", re.MULTILINE)


def kinds() -> list[str]:
    """Return the kinds of source of this package, by name."""
    return [
        name
        for name, point in installed_kinds().items()
        if point.value.startswith("auscult.gateway.sources.")
    ]


def page_of(kind: str) -> Path:
    """Return where the page of a kind is."""
    return PAGES / f"{NAMES.get(kind, kind)}.md"


def example_of(kind: str) -> str:
    """Return the example of a kind, as TOML."""
    return (ROOT / FOLDER / kind / "example.toml").read_text(encoding="utf-8")


def _page(kind: str) -> str:
    folder = FOLDER / kind
    pages = {FOLDER / other / "README.md": page_of(other) for other in kinds()}

    def moved(link: re.Match[str]) -> str:
        to = Path(os.path.normpath(folder / link[1]))
        return f"]({Path(os.path.relpath(pages.get(to, to), PAGES)).as_posix()}"

    def example(place: re.Match[str]) -> str:
        block = f"```toml\n{example_of(kind)}```"
        return "\n".join(f"{place[1]}{line}".rstrip() for line in block.splitlines())

    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    return LINK.sub(moved, EXAMPLE.sub(example, text))


def files() -> dict[str, str]:
    """Return the pages by their path."""
    return {page_of(kind).as_posix(): _page(kind) for kind in kinds()}
