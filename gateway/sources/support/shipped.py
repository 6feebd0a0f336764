"""The data files that are shipped with the sources: one TOML file a device."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any


def shipped(kind: str, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each file in a folder of a kind of source, and its content, by name."""
    files = resources.files(f"auscult.gateway.sources.{kind}") / folder
    for file in sorted(files.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            yield file.name.removesuffix(".toml"), tomllib.loads(file.read_text(encoding="utf-8"))
