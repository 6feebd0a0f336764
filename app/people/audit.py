"""The audit: who did what, when and from where; entries are never changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from auscult.app.store.connection import Database


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a person or a program: done, rejected, or sent to a gateway.

    What is sent to a gateway gets a second entry with its answer.
    """

    at_ms: int
    actor: str
    address: str
    action: str
    """One or two words, e.g. `sign in`, `label`."""
    subject: str
    """What it was done to."""
    outcome: str = "done"


ENTRIES_A_PIECE = 1000


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
    actions: list[str] = Field(description="All actions that occur, to filter by")
    next_before: int | None = Field(description="Give it as `before` for the rest")


def add(db: Database, done: Action) -> None:
    """Add an entry, in the same transaction as the action itself."""
    db.execute(
        "INSERT INTO audit (at_ms, actor, address, action, subject, outcome)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            done.at_ms,
            done.actor,
            done.address,
            done.action,
            done.subject[:500],
            done.outcome[:500],
        ),
    )


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries; None = whatever."""

    actor: str | None = None
    action: str | None = None
    text: str | None = None
    """Somewhere in subject or outcome, upper and lower case of A to Z alike."""
    since_ms: int | None = None
    until_ms: int | None = None

    def where(self) -> tuple[str, list[Any]]:
        """Return the condition and its values."""
        clauses: list[tuple[str, Any]] = [
            ("actor = ?", self.actor),
            ("action = ?", self.action),
            ("at_ms >= ?", self.since_ms),
            ("at_ms < ?", self.until_ms),
            ("lower(subject || ' ' || outcome) LIKE ? ESCAPE '!'", _within(self.text)),
        ]
        used = [(clause, value) for clause, value in clauses if value is not None]
        return " AND ".join(["true", *(c for c, _ in used)]), [v for _, v in used]


def view_page(db: Database, which: AuditFilter, limit: int, before: int | None) -> AuditPage:
    """Return up to `limit` entries older than number `before`, newest first."""
    where, values = which.where()
    if before is not None:
        where, values = f"{where} AND number < ?", [*values, before]
    sql = f"SELECT * FROM audit WHERE {where} ORDER BY number DESC LIMIT ?"  # noqa: S608 - ours
    rows = list(db.query(sql, (*values, limit + 1)))
    before = rows[limit - 1]["number"] if len(rows) > limit else None
    items = db.damage.readable(
        "audit", rows[:limit], lambda row: AuditEntry(**row), lambda row: row["number"]
    )
    return AuditPage(items=list(items), actions=actions(db), next_before=before)


def actions(db: Database) -> list[str]:
    """Return the actions that occur."""
    return [row[0] for row in db.execute("SELECT DISTINCT action FROM audit ORDER BY action")]


def pieces(read: Callable[[], Database], which: AuditFilter) -> Iterator[list[dict[str, Any]]]:
    """Give all entries, oldest first, a piece at a time; `read` gives a connection."""
    where, values = which.where()
    sql = f"SELECT * FROM audit WHERE {where} AND number > ? ORDER BY number LIMIT ?"  # noqa: S608
    after = 0
    while rows := list(read().query(sql, (*values, after, ENTRIES_A_PIECE))):
        after = rows[-1]["number"]
        yield rows


def _within(text: str | None) -> str | None:
    """Return the pattern of what holds this text, in lower case as both databases see it.

    >>> _within("50 % Öl"), _within(None)
    ('%50 !% Öl%', None)
    """
    if text is None:
        return None
    lower = text.encode().lower().decode()  # of bytes: A to Z only
    return "%" + re.sub("([!%_])", r"!\1", lower) + "%"
