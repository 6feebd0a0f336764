"""Hides packages that a gateway does not have from the processes of its benchmark."""

from __future__ import annotations

import sys


def without_extras() -> None:
    """Hide pandas (35 MB), which sqlite-utils imports where the extra ``bench`` brought it in."""
    sys.modules["pandas"] = None  # type: ignore[assignment]
