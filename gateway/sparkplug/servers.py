"""The MQTT servers of an edge node: which one is used, and how long to pause after failures."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from typing import Final

from auscult.gateway.messages.broker import BrokerSettings
from auscult.gateway.sparkplug.host import PrimaryHost

log = logging.getLogger(__name__)

RETRY_S: Final = (1.0, 30.0)
"""First and longest pause between connection attempts; it doubles, with jitter."""


class Servers:
    """One or more servers in their order; each has its own word of the primary host.

    Parameters
    ----------
    brokers : sequence of BrokerSettings
        At least one.
    """

    def __init__(self, brokers: Sequence[BrokerSettings]) -> None:
        self._brokers = tuple(brokers)
        self._hosts = [PrimaryHost() for _ in self._brokers]
        self._used = 0
        self._failures = 0
        self._failure_logged = False

    @property
    def broker(self) -> BrokerSettings:
        """The server in use."""
        return self._brokers[self._used]

    @property
    def host(self) -> PrimaryHost:
        """What the server in use says of the primary host."""
        return self._hosts[self._used]

    @property
    def several(self) -> bool:
        """Whether there is another server to go to."""
        return len(self._brokers) > 1

    def next(self) -> None:
        """Use the next server; after the last comes the first."""
        self._used = (self._used + 1) % len(self._brokers)

    def failed(self, reason: str) -> None:
        """Count a failure of the server in use; the first since a birth is logged."""
        self._failures += 1
        if not self._failure_logged:
            log.warning(
                "Sparkplug server %s:%s: %s; trying again every %.0f to %.0f s",
                self.broker.host, self.broker.port, reason, *RETRY_S,
            )  # fmt: skip
        self._failure_logged = True

    def works(self) -> None:
        """Clear the failures: births went out to the server in use."""
        self._failures = 0
        if self._failure_logged:
            log.info("Sparkplug edge node is back at %s", self.broker.host)
            self._failure_logged = False

    def pause_s(self) -> float:
        """Pause before the next attempt, in s: random, up to twice as long after each failure."""
        longest = min(RETRY_S[1], RETRY_S[0] * 2.0 ** min(self._failures - 1, 10))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311
