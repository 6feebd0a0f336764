"""What waits when the gateway can't keep up with its samples: no machine with a sign of a fault."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from auscult.contract.message import NS_PER_S
from auscult.contract.said import Said
from auscult.gateway.records import PointId, Window
from auscult.models.decision.alarm_rule import RULE
from auscult.models.records import Decision

log = logging.getLogger(__name__)

LATE_S = 2.0
"""Samples that wait longer than this make their alarm late."""
RAISE_EACH_S = 1.0
"""What a level saves shows after about this time."""
LOWER_AFTER_S = 30.0
"""Time without late samples before a level is given back."""
PAUSES_S: Final = (0.0, 1.0, 2.0, 5.0)
"""By level: time between two processed windows of a point without a sign of a fault. The longest is
half of the shortest time after which a point counts as silent."""
SIGN: Final = 0.25
"""Share of the warning level from which evidence is a sign; healthy machines are mostly below."""


class Overload:
    """Follows how long samples wait, and selects the windows that are processed meanwhile.

    In this order, level by level: spectra by schedule and healthy references wait, and machines
    without a sign of a fault get fewer windows. Machines with a warning, an alarm or rising
    evidence keep all of them.

    Not thread-safe: the window loop owns it.

    Parameters
    ----------
    sheds : bool
        False where sources wait for the gateway: then nothing is left out.
    """

    def __init__(self, *, sheds: bool) -> None:
        self._sheds = sheds
        self._level = 0
        self._raised_s = self._late_s = float("-inf")
        self._watched: set[str] = set()
        self._slots: dict[PointId, int] = {}
        self.skipped = 0
        """Windows that were left out since the start."""

    @property
    def active(self) -> bool:
        """Return whether anything is left out."""
        return self._level > 0

    @property
    def said(self) -> Said | None:
        """Return what is left out, None without overload."""
        if not self._level:
            return None
        return Said("overload", {"pause_s": PAUSES_S[self._level]})

    def follow(self, waited_s: float, now_s: float) -> None:
        """Set the level by the time that the oldest samples have waited, at a monotonic time."""
        if not self._sheds:
            return
        if waited_s > LATE_S:
            self._late_s = now_s
            if self._level < len(PAUSES_S) - 1 and now_s - self._raised_s >= RAISE_EACH_S:
                self._level, self._raised_s = self._level + 1, now_s
                log.warning("overload: %s", self.said)
        elif self._level and now_s - max(self._late_s, self._raised_s) >= LOWER_AFTER_S:
            self._level, self._raised_s = self._level - 1, now_s
            log.info("overload: %s", self.said or "over; all windows are processed again")

    def watch(self, machine: str, decision: Decision) -> None:
        """Take a machine's newest decision."""
        sign = (decision.evidence or 0.0) > SIGN * (decision.warning_level or float("inf"))
        if sign or RULE.opens(decision.condition):
            self._watched.add(machine)
        else:
            self._watched.discard(machine)

    def selected(self, windows: Iterable[Window]) -> list[Window]:
        """Return the windows to process, in their order."""
        if not self._level:
            return list(windows)
        pause_ns = PAUSES_S[self._level] * NS_PER_S
        kept = []
        for window in windows:
            slot = int(window.t0_ns // pause_ns)
            if window.point.machine in self._watched or slot != self._slots.get(window.point):
                self._slots[window.point] = slot
                kept.append(window)
            else:
                self.skipped += 1
        return kept
