"""The built page and the documentation: files that are part of the installation."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "static"
DOCUMENTATION = Path(__file__).parent / "static-docs"


def built() -> bool:
    """Tell whether there is a page to serve."""
    return (FOLDER / "index.html").is_file()
