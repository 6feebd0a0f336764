"""Who did what, when and from where: only ever added to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done or refused."""

    at_ms: int
    actor: str
    address: str
    action: str
    """One or two words, e.g. `sign in`, `label`."""
    subject: str
    """What it was done to."""
    outcome: str = "done"


class AuditEntry(BaseModel):
    """An entry of the audit."""

    model_config = ConfigDict(frozen=True)

    number: int
    at_ms: int = Field(description="UTC, milliseconds since 1970")
    actor: str
    address: str = Field(description="Network address of the client")
    action: str
    subject: str
    outcome: str


class AuditPage(BaseModel):
    """Audit entries, newest first."""

    model_config = ConfigDict(frozen=True)

    items: list[AuditEntry]
    next_before: int | None = Field(description="Give it as `before` for the rest")


def add(db: Database, deed: Deed) -> None:
    """Add an entry, in the same transaction as the deed itself."""
    db.execute(
        "INSERT INTO audit (at_ms, actor, address, action, subject, outcome)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (deed.at_ms, deed.actor, deed.address, deed.action, deed.subject[:500], deed.outcome[:500]),
    )


def view_page(db: Database, limit: int, before: int | None) -> AuditPage:
    """Return up to `limit` entries older than number `before`, newest first."""
    where, values = ("number < ?", [before]) if before is not None else ("1", list[Any]())
    sql = f"SELECT * FROM audit WHERE {where} ORDER BY number DESC LIMIT ?"  # noqa: S608 - ours
    items = [AuditEntry(**row) for row in db.query(sql, (*values, limit + 1))]
    more = len(items) > limit
    items = items[:limit]
    return AuditPage(items=items, next_before=items[-1].number if more else None)


def each(db: Database) -> Iterator[AuditEntry]:
    """Give all entries, oldest first."""
    return (AuditEntry(**row) for row in db.query("SELECT * FROM audit ORDER BY number"))
