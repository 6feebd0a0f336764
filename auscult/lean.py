"""Imports of libraries without the parts that they load and Auscult does not use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(package: str) -> Iterator[None]:
    """Import inside the block as if `package` were not installed, unless it is loaded already."""
    hidden = package not in sys.modules
    if hidden:
        sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if hidden:
            del sys.modules[package]


@contextmanager
def without_parts(package: str, *parts: str) -> Iterator[None]:
    """Keep lazily loaded parts of a package unloaded, although the block lists its names."""
    names = vars(sys.modules[package])
    hidden = [part for part in parts if part not in names]
    names.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for part in hidden:
            if names.get(part, part) is None:
                del names[part]
