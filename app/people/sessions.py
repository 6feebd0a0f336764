"""Sessions: they begin with a password and expire."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auscult.app.people import accounts
from auscult.app.store import checksums
from auscult.app.store.connection import Database
from auscult.app.views.roles import Role

IDLE_MS = 8 * 3600 * 1000
"""A shift: after so long without a request the session ends."""
LIFE_MS = 7 * 24 * 3600 * 1000
"""Every session ends after this."""
SEEN_EACH_MS = 60_000
"""Least time between two notes of a session's use: reading pages writes little."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    name: str
    """Empty where login is off."""
    role: Role
    """The highest one, where `sites` has several."""
    address: str = ""
    """Network address, for the audit."""
    sites: Mapping[str, Role] | None = None
    """The role at each site; None = `role` at all sites."""
    until_ms: int | None = None
    """When session or token end at the latest; None = until they are ended."""

    def sites_of(self, role: Role) -> frozenset[str] | None:
        """Return the sites where the person has this role, None = all."""
        if self.sites is None:
            return None
        return frozenset(site for site, own in self.sites.items() if own.may(role))


def begin(db: Database, account: str, address: str, now_ms: int) -> str:
    """Begin a session and return its token, of which only a hash is stored."""
    token = secrets.token_urlsafe(32)
    db.execute("DELETE FROM session WHERE seen_ms < ? OR created_ms < ?", _bounds(now_ms))
    db.execute(
        "INSERT INTO session (token_hash, account, address, created_ms, seen_ms)"
        " VALUES (?, ?, ?, ?, ?)",
        (_hash(token), account, address, now_ms, now_ms),
    )
    checksums.seal(db, "session", _hash(token))
    db.execute(
        "UPDATE account SET locked_until_ms = NULL, last_seen_ms = ? WHERE name = ?",
        (now_ms, account),
    )
    return token


def find(db: Database, token: str, now_ms: int) -> tuple[Person, bool] | None:
    """Return the person of a token, and whether to note its use; None if it is not valid."""
    used_ms, begun_ms = _bounds(now_ms)
    begun = db.records(
        "session",
        _intact,
        "SELECT * FROM session WHERE token_hash = ?"
        # times later than now are of a clock that was ahead: it would last so much longer
        " AND seen_ms BETWEEN ? AND ? AND created_ms BETWEEN ? AND ?",
        (_hash(token), used_ms, now_ms + IDLE_MS, begun_ms, now_ms + IDLE_MS),
        key="account",
    )
    session = next(begun, None)
    own = None if session is None else accounts.view(db, session["account"])
    if session is None or own is None or own.disabled:
        return None
    person = Person(
        own.name, own.role, sites=own.sites or None, until_ms=session["created_ms"] + LIFE_MS
    )
    return person, now_ms - session["seen_ms"] > SEEN_EACH_MS


def _intact(row: dict[str, Any]) -> dict[str, Any]:
    checksums.expect_intact("session", row)
    return row


def touch(db: Database, token: str, now_ms: int) -> None:
    """Note that a session is in use."""
    db.execute("UPDATE session SET seen_ms = ? WHERE token_hash = ?", (now_ms, _hash(token)))


def end(db: Database, token: str) -> None:
    """End a session."""
    db.execute("DELETE FROM session WHERE token_hash = ?", (_hash(token),))


@dataclass(frozen=True, slots=True)
class Credentials:
    """What an attempt to sign in is checked against."""

    name: str
    password_hash: str
    disabled: bool


def credentials(db: Database, name: str) -> Credentials | None:
    """Return what an attempt is checked against, None without such an account."""
    sql = "SELECT * FROM account WHERE name = ?"
    return next(db.records("account", _credentials, sql, (name,), key="name"), None)


def _credentials(row: dict[str, Any]) -> Credentials:
    checksums.expect_intact("account", row)
    return Credentials(row["name"], row["password_hash"], bool(row["disabled"]))


def _bounds(now_ms: int) -> tuple[int, int]:
    return now_ms - IDLE_MS, now_ms - LIFE_MS


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
