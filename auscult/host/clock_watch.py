"""Detects that the wall clock was set."""

from __future__ import annotations

import logging
import time

log = logging.getLogger(__name__)

STEP_S = 1.0
"""If the wall clock moves against the monotonic one by more than this, it was set."""


class ClockWatch:
    """Compares the wall clock with the monotonic one."""

    def __init__(self) -> None:
        self._offset_s = _offset_s()
        self.steps = 0
        self.last_step_s: float | None = None

    def check(self) -> float | None:
        """Return the step in seconds (forward > 0) if the clock was set since the last check."""
        offset_s = _offset_s()
        step_s, self._offset_s = offset_s - self._offset_s, offset_s
        if abs(step_s) <= STEP_S:
            return None
        self.steps += 1
        self.last_step_s = step_s
        log.warning("the wall clock was set by %+.1f s; stored times are not changed", step_s)
        return step_s


def _offset_s() -> float:
    return time.time() - time.monotonic()
