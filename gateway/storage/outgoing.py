"""What the outbox takes: messages, and the work of their transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from auscult.gateway.storage.database import Database

Work = Callable[[Database], None]
Discarded = Callable[[Exception], None]


class WorkError(Exception):
    """Work violates a rule of the database: a repetition would fail too."""


class Lane(IntEnum):
    """Lanes of messages; the first is sent first and dropped last."""

    EVENT = 0
    TREND = 1


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send; `receipt_id` is the id inside its payload, which a receipt names."""

    message_id: str
    topic: str
    payload: bytes
    lane: Lane
    receipt_id: str = ""


@dataclass(slots=True)
class Entry:
    """Messages that are stored together with `work`; `on_discarded` gets the error if both fail."""

    messages: list[Outgoing]
    work: Work | None = None
    on_discarded: Discarded | None = None


def together(work: Sequence[Work]) -> Work:
    """Join several pieces of work into one transaction."""

    def all_of_it(db: Database) -> None:
        for one in work:
            one(db)

    return all_of_it
