"""The MQTT servers of an edge node: which one is used, and how long to pause after failures."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from auscult.gateway.outputs.sparkplug.host import PrimaryHost
from auscult.link import retry
from auscult.link.broker import BrokerSettings

log = logging.getLogger(__name__)


class Servers:
    """One or more servers in their order; each has its own word of the primary host.

    Parameters
    ----------
    brokers : sequence of BrokerSettings
        At least one.
    client_id : str
        For the log.
    """

    def __init__(self, brokers: Sequence[BrokerSettings], client_id: str) -> None:
        self._brokers = tuple(brokers)
        self._client_id = client_id
        self._hosts = [PrimaryHost() for _ in self._brokers]
        self._used = 0
        self._failures = 0
        self._failure_logged = False

    @property
    def broker(self) -> BrokerSettings:
        """Return the server in use."""
        return self._brokers[self._used]

    @property
    def host(self) -> PrimaryHost:
        """Return what the server in use says of the primary host."""
        return self._hosts[self._used]

    @property
    def several(self) -> bool:
        """Return whether there is another server to go to."""
        return len(self._brokers) > 1

    def next(self) -> None:
        """Use the next server; after the last comes the first."""
        self._used = (self._used + 1) % len(self._brokers)

    def failed(self, reason: str) -> None:
        """Count a failure of the server in use; the first since a birth is logged."""
        self._failures += 1
        if not self._failure_logged:
            log.warning(
                "Sparkplug server %s:%s, client %s: %s; trying again every %.0f to %.0f s",
                self.broker.host, self.broker.port, self._client_id, reason, *retry.RETRY_S,
            )  # fmt: skip
        self._failure_logged = True

    def works(self) -> None:
        """Clear the failures: births went out to the server in use."""
        self._failures = 0
        if self._failure_logged:
            log.info("Sparkplug edge node is back at %s", self.broker.host)
            self._failure_logged = False

    def pause_s(self) -> float:
        """Return the pause before the next attempt, in s."""
        return retry.pause_s(self._failures)
