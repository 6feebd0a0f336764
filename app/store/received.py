"""Where and when a message was received."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The gateway of a message, and the dashboard's time of receiving it.

    ``retained`` is true where the broker gave a stored message to a new subscription; ``path`` is
    the prefix of the gateway's topics.
    """

    site: str
    gateway: str
    now_ms: int
    retained: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that pages show has changed: ``kind`` is a type of `auscult.app.views.LIVE_VIEWS`.

    ``id`` names it as in the API; ``point`` only with kind ``point``, beside the machine's id.
    """

    kind: str
    id: str
    point: str = ""


RIGHTS = Change("rights", "")
"""A client's right to listen may have ended."""
