"""Codes that enrol one gateway each: stored with their key, bounded in time and attempts."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import partial
from typing import Any

from auscult.app.enrolment import exchange
from auscult.app.store.connection import Database
from auscult.app.views import EnrolmentCode
from auscult.contract.times import HOUR_MS

ATTEMPTS = 5
"""Wrong requests that end a code. A guess costs the guesser one of 2⁶⁰."""
LONGEST_HOURS = 168


def add(
    db: Database, code: str, site: str, gateway: str, actor: str, now_ms: int, hours: float
) -> str:
    """Store a new code; return its tag. An open code of the same gateway ends.

    Keys of codes that are over are deleted.
    """
    tag, key = exchange.parts(code)
    db.execute("DELETE FROM enrolment WHERE tag = ?", (tag,))
    db.execute("UPDATE enrolment SET code_key = '' WHERE expires_ms <= ?", (now_ms,))
    db.execute(
        "DELETE FROM enrolment WHERE used_ms IS NULL"
        " AND (site = ? AND gateway = ? OR expires_ms < ?)",
        (site, gateway, now_ms - 24 * HOUR_MS),
    )
    db.execute(
        "INSERT INTO enrolment (tag, code_key, site, gateway, actor, created_ms, expires_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (tag, key.hex(), site, gateway, actor, now_ms, now_ms + int(hours * HOUR_MS)),
    )
    return tag


def redeem(
    db: Database,
    request: tuple[str, str, str, str],
    address: str,
    now_ms: int,
    certify: Callable[[str], str],
) -> tuple[bytes, str, str, str] | None:
    """Check a request and have its certificate made; None if it is rejected, which counts.

    Parameters
    ----------
    request : tuple of str
        Tag, nonce, certificate signing request (PEM) and proof.
    certify : callable
        Makes the certificate (PEM) of a gateway's id. The same request gets the same certificate
        again while the code is valid, so that a lost answer costs nothing.

    Returns
    -------
    key, site, gateway, certificate
    """
    tag, nonce, csr, proof = request
    row = next(
        db.query(
            # a clock that is set back must not make a code valid again whose key is deleted
            "SELECT * FROM enrolment WHERE tag = ? AND expires_ms > ? AND created_ms <= ?"
            " AND failures < ? AND code_key <> ''",
            (tag, now_ms, now_ms, ATTEMPTS),
        ),
        None,
    )
    if row is None:
        return None
    key, digest = bytes.fromhex(row["code_key"]), hashlib.sha256(csr.encode()).hexdigest()
    right = hmac.compare_digest(exchange.request_proof(key, nonce, csr).encode(), proof.encode())
    if not right or row["csr_sha256"] not in ("", digest):
        db.execute("UPDATE enrolment SET failures = failures + 1 WHERE tag = ?", (tag,))
        return None
    certificate = row["certificate"] or certify(row["gateway"])
    db.execute(
        "UPDATE enrolment SET csr_sha256 = ?, certificate = ?, used_ms = ?, address = ?"
        " WHERE tag = ?",
        (digest, certificate, row["used_ms"] or now_ms, address, tag),
    )
    return key, row["site"], row["gateway"], certificate


def withdraw(db: Database, tag: str) -> bool:
    """Delete a code that was not used; False if there is none."""
    return (
        db.execute("DELETE FROM enrolment WHERE tag = ? AND used_ms IS NULL", (tag,)).rowcount > 0
    )


def enrolled(db: Database) -> list[str]:
    """Return the ids of all gateways that were enrolled by a code, in order."""
    rows = db.execute(
        "SELECT DISTINCT gateway FROM enrolment WHERE used_ms IS NOT NULL ORDER BY gateway"
    )
    return [row[0] for row in rows]


def site_of(db: Database, gateway: str) -> str | None:
    """Return the site of a gateway that was enrolled by a code."""
    row = db.execute(
        "SELECT site FROM enrolment WHERE gateway = ? AND used_ms IS NOT NULL", (gateway,)
    ).fetchone()
    return None if row is None else str(row[0])


def view_all(db: Database, now_ms: int) -> list[EnrolmentCode]:
    """Return all codes, newest first, used ones too."""
    sql = "SELECT * FROM enrolment ORDER BY created_ms DESC, tag"
    return list(db.records("enrolment", partial(_view, now_ms=now_ms), sql, key="tag"))


def _view(row: dict[str, Any], now_ms: int) -> EnrolmentCode:
    over = row["expires_ms"] <= now_ms
    state = (
        "used" if row["used_ms"] is not None
        else "blocked" if row["failures"] >= ATTEMPTS
        else "expired" if over
        else "open"
    )  # fmt: skip
    named = (name for name in EnrolmentCode.model_fields if name != "state")
    return EnrolmentCode(state=state, **{name: row[name] for name in named})
