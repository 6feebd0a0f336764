"""Signing in and out: sessions that expire, and a lock-out that makes guessing slow."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from auscult.app.store.connection import Database
from auscult.app.views.roles import Role

IDLE_MS = 8 * 3600 * 1000
"""A shift: who has done nothing for so long signs in again."""
LIFE_MS = 7 * 24 * 3600 * 1000
"""However busy, a session ends after this."""
SEEN_EACH_MS = 60_000
"""Use of a session is noted at most this often, so that reading writes little."""
FREE_FAILURES = 5
LOCK_MS = (60_000, 3_600_000)
"""First and longest lock after `FREE_FAILURES` wrong passwords in a row; each doubles."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    name: str
    """Empty where login is off."""
    role: Role
    address: str = ""
    """Network address, for the audit."""


def begin(db: Database, account: str, address: str, now_ms: int) -> str:
    """Begin a session and return its token, of which only a hash is stored."""
    token = secrets.token_urlsafe(32)
    db.execute("DELETE FROM session WHERE seen_ms < ? OR created_ms < ?", _bounds(now_ms))
    db.execute(
        "INSERT INTO session (token_hash, account, address, created_ms, seen_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (_hash(token), account, address, now_ms, now_ms),
    )
    db.execute(
        "UPDATE account SET failures = 0, locked_until_ms = NULL, last_seen_ms = ? WHERE name = ?",
        (now_ms, account),
    )
    return token


def find(db: Database, token: str, now_ms: int) -> tuple[Person, bool] | None:
    """Return whose token it is and whether to note its use; None if it is nobody's now."""
    row = db.execute(
        "SELECT account.name, account.role, session.seen_ms FROM session"
        " JOIN account ON account.name = session.account WHERE token_hash = ?"
        " AND seen_ms >= ? AND session.created_ms >= ? AND account.disabled = 0",
        (_hash(token), *_bounds(now_ms)),
    ).fetchone()
    if row is None:
        return None
    return Person(row[0], Role(row[1])), now_ms - row[2] > SEEN_EACH_MS


def touch(db: Database, token: str, now_ms: int) -> None:
    """Note that a session is in use."""
    db.execute("UPDATE session SET seen_ms = ? WHERE token_hash = ?", (now_ms, _hash(token)))


def end(db: Database, token: str) -> None:
    """End a session."""
    db.execute("DELETE FROM session WHERE token_hash = ?", (_hash(token),))


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is stored to check an attempt to sign in."""

    name: str
    password_hash: str
    disabled: bool
    locked_until_ms: int


def credentials(db: Database, name: str) -> Credentials | None:
    """Return what an attempt is checked against, None if there is no such account."""
    row = db.execute(
        "SELECT name, password_hash, disabled, coalesce(locked_until_ms, 0) FROM account"
        " WHERE name = ?",
        (name,),
    ).fetchone()
    return None if row is None else Credentials(row[0], row[1], bool(row[2]), row[3])


def count_failure(db: Database, name: str, now_ms: int) -> None:
    """Count a wrong password, and lock the account for a while if there were too many."""
    row = db.execute(
        "UPDATE account SET failures = failures + 1 WHERE name = ? RETURNING failures", (name,)
    ).fetchone()
    if row is not None and row[0] >= FREE_FAILURES:
        pause_ms = min(LOCK_MS[0] << min(row[0] - FREE_FAILURES, 20), LOCK_MS[1])
        db.execute(
            "UPDATE account SET locked_until_ms = ? WHERE name = ?", (now_ms + pause_ms, name)
        )


def _bounds(now_ms: int) -> tuple[int, int]:
    return now_ms - IDLE_MS, now_ms - LIFE_MS


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
