"""Caps on what gateways may make: one credential can't fill the database with invented machines."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from auscult.app.identity import gateway_id
from auscult.app.store.received import Origin

MOST_UNKNOWN = 100
"""Unknown gateways that are listed; the one that was quiet for longest makes room."""


class CapError(ValueError):
    """A message would make one row more than the cap allows."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most rows of each kind; what is stored already stays."""

    gateways: int = 200
    machines: int = 2000
    """Of one gateway; as many as it can be configured for."""
    points: int = 500
    """Of one machine."""
    quarantine: Quarantine | None = None
    """Holds unknown gateways until they are enrolled; None = each is accepted."""

    def check(self, what: str, count: int, most: int) -> None:
        """Raise if there are as many as the cap allows.

        Raises
        ------
        CapError
        """
        if count >= most:
            raise CapError(f"there are {count} {what} already, the cap is {most}")

    def check_gateway(self, origin: Origin, count: int) -> None:
        """Raise if this gateway, which is unknown, may not be added.

        Raises
        ------
        CapError
        """
        if self.quarantine is not None:
            self.quarantine.add(origin)
            raise CapError("the gateway is not enrolled; an administrator does so on Gateways")
        self.check("gateways", count, self.gateways)


@dataclass(frozen=True, slots=True)
class QuarantinedGateway:
    """A gateway that sends messages and is not enrolled."""

    id: str
    site: str
    gateway: str
    heard_ms: int


class Quarantine:
    """The unknown gateways that were received lately; any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[str, QuarantinedGateway] = {}

    def add(self, origin: Origin) -> None:
        """Note a message of an unknown gateway."""
        identity = gateway_id(origin.site, origin.gateway)
        found = QuarantinedGateway(identity, origin.site, origin.gateway, origin.now_ms)
        with self._lock:
            self._heard.pop(identity, None)
            self._heard[identity] = found
            while len(self._heard) > MOST_UNKNOWN:
                self._heard.pop(next(iter(self._heard)))

    def release(self, identity: str) -> None:
        """Remove a gateway that was enrolled."""
        with self._lock:
            self._heard.pop(identity, None)

    def listed(self) -> list[QuarantinedGateway]:
        """Return them by id."""
        with self._lock:
            return sorted(self._heard.values(), key=lambda found: found.id)

    def __contains__(self, identity: str) -> bool:
        return identity in self._heard
