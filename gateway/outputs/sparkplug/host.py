"""What we know of the primary host: STATE messages (specification 5.4, 5.5)."""

from __future__ import annotations

import json
from enum import Enum

from auscult.contract.message import now_ms

AHEAD_MS = 86_400_000
"""A time this far beyond our clock is of a wrong one and takes no precedence: a host whose clock
was years ahead would be ignored for years."""
MAX_STATE_BYTES = 1024
"""A STATE message has two fields; a longer one is none."""


class HostChange(Enum):
    """What a STATE message says."""

    ONLINE = "online"
    OFFLINE = "offline"
    IGNORED = "ignored"


class PrimaryHost:
    """The state of one host application as one MQTT server reports it.

    A host has a time of its own at each server, so there is one of these for each server; it is
    kept over reconnections, so that an old message is known as old.
    """

    def __init__(self) -> None:
        self.online = False
        self._latest_ms: int | None = None

    def disconnected(self) -> None:
        """Treat the host as offline until this server's next message."""
        self.online = False

    def receive(self, payload: bytes) -> HostChange:
        """Take a STATE message.

        It counts when its time is not before that of the last one that counted; what is no
        STATE message, or too old, is ignored.
        """
        state = parse_state(payload)
        if state is None:
            return HostChange.IGNORED
        online, t_ms = state
        if self._latest_ms is not None and t_ms < self._latest_ms <= now_ms() + AHEAD_MS:
            return HostChange.IGNORED
        self._latest_ms = t_ms
        self.online = online
        return HostChange.ONLINE if online else HostChange.OFFLINE


def parse_state(payload: bytes) -> tuple[bool, int] | None:
    """Return (online, time in ms UTC), or None where it is no STATE message of version 3.

    >>> parse_state(b'{"online": true, "timestamp": 1700000000000}')
    (True, 1700000000000)
    >>> parse_state(b"ONLINE") is None
    True
    """
    if len(payload) > MAX_STATE_BYTES:
        return None
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    online, t_ms = body.get("online"), body.get("timestamp")
    if not isinstance(online, bool) or not isinstance(t_ms, int) or isinstance(t_ms, bool):
        return None
    return online, t_ms
