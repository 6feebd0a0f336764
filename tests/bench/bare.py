"""What a process of the gateway's benchmark must not import, because no gateway has it."""

from __future__ import annotations

import sys


def without_extras() -> None:
    """Hide pandas (35 MB), which sqlite-utils imports where the extra ``bench`` brought it in."""
    sys.modules["pandas"] = None  # type: ignore[assignment]
