"""Waiting for what another thread, process or broker does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

DEADLINE_S = 180.0
"""How long a test waits for what must happen; a quiet machine needs seconds, a busy one longer."""
_SHARE, _LONGEST_S = 0.05, 0.1
"""Pauses between two looks: a share of the time waited, since a look may cost a request."""


def wait_until(
    condition: Callable[[], object], timeout_s: float = DEADLINE_S, what: str = ""
) -> None:
    """Wait until `condition()` is true; fail the test after the deadline."""
    began = time.monotonic()
    while not condition():
        waited_s = time.monotonic() - began
        if waited_s > timeout_s:
            pytest.fail(f"not within {timeout_s} s: {what or condition}")
        time.sleep(min(max(0.005, _SHARE * waited_s), _LONGEST_S))


def eventually(read: Callable[[], Any], expected: Any, timeout_s: float = DEADLINE_S) -> None:
    """Wait until `read()` returns the expected value."""
    got = None

    def arrived() -> bool:
        nonlocal got
        got = read()
        return bool(got == expected)

    try:
        wait_until(arrived, timeout_s)
    except pytest.fail.Exception:
        pytest.fail(f"{got!r} instead of {expected!r} after {timeout_s} s")
