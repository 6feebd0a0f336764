"""What the outbox takes: messages, and what is written in their transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from auscult.gateway.storage.database import Database

Discarded = Callable[[Exception], None]


class DatabaseWrite(Protocol):
    """A record of what to write into the database, in one transaction with messages."""

    def write_to(self, db: Database) -> None:
        """Write the record, in the caller's transaction and in the thread of the database."""


def write_all(writes: Iterable[DatabaseWrite], db: Database) -> None:
    """Write several records in order, in the caller's transaction."""
    for one in writes:
        one.write_to(db)


class WriteError(Exception):
    """A write violates a rule of the database: a repetition would fail too."""


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
class OutboxEntry:
    """Messages that are stored together with `writes`; `on_discarded` gets the error of a write."""

    messages: list[Outgoing]
    writes: tuple[DatabaseWrite, ...] = ()
    on_discarded: Discarded | None = None
