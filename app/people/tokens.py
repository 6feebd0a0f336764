"""Tokens of machines: programs that use the API without a person's password.

A token is shown once, when it is made; only its hash is stored. Unlike a password it is 256
random bits, so a fast hash protects it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from ulid import ULID

from auscult.app.people.sessions import SEEN_EACH_MS, Person
from auscult.app.store import checksums
from auscult.app.store.connection import Database
from auscult.app.views import Token
from auscult.app.views.roles import SITE_ROLES, Role, highest

PREFIX = "auscult_"
"""So that scanners for secrets, and people, recognise one."""
ACTOR = "token:"
"""Begins the name of a token in the audit; no account's name holds a colon."""


def make(
    db: Database,
    name: str,
    role: Role,
    sites: Mapping[str, Role],
    actor: str,
    now_ms: int,
    expires_ms: int | None,
) -> tuple[str, Token]:
    """Make a token; return the secret, which is shown only once, and the stored token."""
    secret = PREFIX + secrets.token_urlsafe(32)
    identity = str(ULID())
    db.execute(
        "INSERT INTO token (id, token_hash, name, role, sites, actor, created_ms, expires_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            identity,
            _hash(secret),
            name,
            str(highest(sites) if sites else role),
            SITE_ROLES.dump_json(dict(sites)).decode(),
            actor,
            now_ms,
            expires_ms,
        ),
    )
    checksums.seal(db, "token", identity)
    made = view(db, identity)
    assert made is not None  # noqa: S101 - inserted above
    return secret, made


def find(db: Database, secret: str, now_ms: int) -> tuple[Person, bool] | None:
    """Return whose token it is and whether to note its use; None if it is not valid."""
    found = next(db.records("token", _view, f"{_ALL} WHERE token_hash = ?", (_hash(secret),)), None)
    if found is None or found.revoked_ms is not None:
        return None
    if found.expires_ms is not None and found.expires_ms <= now_ms:
        return None
    person = Person(
        ACTOR + found.name, found.role, sites=found.sites or None, until_ms=found.expires_ms
    )
    return person, abs(now_ms - (found.used_ms or 0)) > SEEN_EACH_MS


def touch(db: Database, secret: str, now_ms: int) -> None:
    """Note that a token is in use."""
    db.execute("UPDATE token SET used_ms = ? WHERE token_hash = ?", (now_ms, _hash(secret)))


def revoke(db: Database, identity: str, now_ms: int) -> None:
    """Revoke a token; a damaged one stays damaged, which no one can use."""
    if view(db, identity) is None:
        return
    db.execute(
        "UPDATE token SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL", (now_ms, identity)
    )
    checksums.seal(db, "token", identity)


def view(db: Database, identity: str) -> Token | None:
    """Return one token, None if there is none of that id."""
    return next(db.records("token", _view, f"{_ALL} WHERE id = ?", (identity,)), None)


def view_all(db: Database) -> list[Token]:
    """Return all tokens, newest first, revoked ones too."""
    return list(db.records("token", _view, f"{_ALL} ORDER BY created_ms DESC, id DESC"))


_ALL = "SELECT * FROM token"


def _view(row: dict[str, Any]) -> Token:
    checksums.expect_intact("token", row)
    own = {key: row[key] for key in Token.model_fields if key != "sites"}
    return Token(**own, sites=SITE_ROLES.validate_json(row["sites"]))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
