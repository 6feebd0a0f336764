"""Whether the last received state is still valid."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Freshness:
    """Compares ages at one instant by the dashboard's clock.

    >>> now = Freshness(now_ms=200_000, stale_after_ms=180_000)
    >>> now.stale(30_000), now.stale(10_000), now.stale(None)
    (False, True, True)
    >>> now.stale(900_000)  # received before the clock was set back: nothing since
    True
    """

    now_ms: int
    stale_after_ms: int

    def stale(
        self, heard_ms: int | None, gateway_online: bool = True, interval_s: float | None = None
    ) -> bool:
        """Tell whether a state received at `heard_ms` is too old, or its gateway is offline.

        A state that comes once an interval may be three intervals old.
        """
        if heard_ms is None or not gateway_online:
            return True
        return abs(self.now_ms - heard_ms) > max(self.stale_after_ms, 3000 * (interval_s or 0))


def heard_at_ms(now_ms: int, ts_ms: int, retained: bool, before_ms: int | None) -> int:
    """Return when a message was received: now, or for a retained one its own time.

    Live messages count by the dashboard's clock, so a gateway with a slow clock is not stale.
    """
    return max(min(now_ms, ts_ms), before_ms or 0) if retained else now_ms


CLOCK_STEP_MS = 5000
"""A stored time this far in the future came from a wrong clock and does not take precedence."""


def outdated(now_ms: int, ts_ms: int, stored_ts_ms: int | None) -> bool:
    """Tell whether a state made at `ts_ms` is older than the one stored.

    >>> outdated(100_000, 90_000, 95_000), outdated(100_000, 90_000, 900_000)
    (True, False)
    """
    if stored_ts_ms is None or stored_ts_ms > now_ms + CLOCK_STEP_MS:
        return False
    return ts_ms < stored_ts_ms
