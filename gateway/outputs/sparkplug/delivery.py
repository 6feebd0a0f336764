"""A reading leaves, is kept for later, or is in doubt."""

from __future__ import annotations

import time
from collections.abc import Mapping

from auscult.contract.message import now_ms
from auscult.gateway.outputs.sparkplug.doubt import InDoubt
from auscult.gateway.outputs.sparkplug.history import History, StoredReading
from auscult.gateway.outputs.sparkplug.session import NodeSession, SessionPhase
from auscult.gateway.tags.metrics import Reading

HISTORY_BATCH = 200
"""Kept readings in one go: some kB a message, and a command waits for no more than this."""


class ReadingDelivery:
    """Sends readings while the session lasts and keeps the others; used by one thread only.

    Parameters
    ----------
    session : NodeSession
    history : History
        Holds what is kept.
    """

    def __init__(self, session: NodeSession, history: History) -> None:
        self._session = session
        self.history = history
        self._doubt = InDoubt()
        self.resending = False
        """Whether kept readings may be there to send."""

    def report(self, unit: str | None, readings: Mapping[str, Reading], at_ms: int) -> bool:
        """Send what is news among readings, or keep it; False if it did not leave."""
        news = self._session.report(unit, readings)
        if not news:
            return True
        if self._session.phase is SessionPhase.AWAY:
            self.history.add(self._session.stored(unit, news))
            return True
        if not self._session.reachable(unit):
            return True  # A dead device: its next birth has the current values.
        if not self._session.data(unit, news, at_ms):
            self.history.add(self._session.stored(unit, news))
            return False
        self._sent(self._session.stored(unit, news))
        return True

    def send_kept(self) -> bool:
        """Send the oldest kept readings as historical; False if they did not leave."""
        kept = self.history.oldest(HISTORY_BATCH, without=self._session.lost_devices)
        self.resending = bool(kept)
        by_unit: dict[str | None, list[StoredReading]] = {}
        for stored in kept:
            by_unit.setdefault(stored.unit, []).append(stored)
        for unit, readings in by_unit.items():
            if self._session.historical(unit, readings, now_ms()) is False:
                return False
            self.history.remove(readings)
            self._sent(readings)
        return True

    def confirm(self, until_s: float) -> None:
        """Note that the broker has all that was sent before the monotonic time `until_s`."""
        self._doubt.confirm(until_s)

    def ended(self, *, lost: bool) -> None:
        """Note that the connection has ended; after a loss, what is in doubt is kept again."""
        if not lost:
            self._doubt.clear()
            return
        readings, beyond = self._doubt.take()
        self.history.add(readings)
        self.history.lose(beyond, "more readings were sent since the last answered ping than fit")

    def _sent(self, readings: list[StoredReading]) -> None:
        self._doubt.sent(readings, time.monotonic())
