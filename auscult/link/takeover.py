"""Detects that another client uses the same client id, which ends each other's connections."""

from __future__ import annotations

from paho.mqtt.reasoncodes import ReasonCode

SHORT_S = 10.0
"""A connection that ends sooner than this after CONNACK is short: two clients with one id, which
both reconnect after a second, end each other's within about two."""
SHORT_IN_A_ROW = 3
LONGEST_PAUSE_S = 4.0
"""The pause doubles up to this; a broker that is killed often looks like another client, and then
messages must arrive within 10 s too."""
SETTLED_S = 60.0
"""A connection that lasts for so long ends the suspicion; longer than the longest pause between
attempts, as the other client may pause too."""
TAKEN_OVER = 0x8E
"""MQTT 5: "Session taken over"."""


class TakeoverWatch:
    """Counts short connections; a broker with MQTT 5 names the cause at once."""

    def __init__(self) -> None:
        self.pause_s = 0.0
        """Pause before the next attempt while another client is suspected, else 0."""
        self._since_s: float | None = None
        self._short = 0

    @property
    def suspected(self) -> bool:
        """Return whether another client is suspected."""
        return self.pause_s > 0

    def connected(self, now_s: float) -> None:
        """Note that the broker accepted the connection."""
        self._since_s = now_s

    def failed(self) -> None:
        """Note that the broker can't be reached: then short connections have another cause."""
        if not self.suspected:
            self._short = 0

    def lost(self, now_s: float, reason: ReasonCode) -> bool:
        """Note the end of a connection; True if another client is suspected from now on."""
        lasted_s = now_s - (now_s if self._since_s is None else self._since_s)
        self._since_s = None
        self._short = self._short + 1 if lasted_s < SHORT_S else 0
        before = self.suspected
        taken_over = reason.value == TAKEN_OVER
        if before or taken_over or self._short >= SHORT_IN_A_ROW:
            self.pause_s = min(LONGEST_PAUSE_S, 2 * self.pause_s or 2.0)
        return self.suspected and not before

    def settled(self, now_s: float) -> bool:
        """End the suspicion once a connection has lasted; True if this call ended it."""
        lasts = self._since_s is not None and now_s - self._since_s >= SETTLED_S
        if not (self.suspected and lasts):
            return False
        self.pause_s, self._short = 0.0, 0
        return True
