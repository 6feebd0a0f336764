"""Attempts to sign in: guessing becomes slow, and no attacker keeps the owner of an account out.

Failures count for each pair of account and address, so a lock concerns the guesser's address. Many
addresses together lock the account for all addresses but those it has signed in from before.
Each attempt counts before its password is checked: parallel guesses count one by one.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from auscult.app.store.connection import Database

FREE_FAILURES = 5
"""Wrong passwords of an account from one address before the first lock."""
LOCK_MS = (60_000, 3_600_000)
"""First and longest lock; each further failure doubles it."""
FAILURES_OF_ALL = 50
"""Wrong passwords of an account from all addresses within `QUIET_MS`; then only addresses that have
signed in before are admitted."""
QUIET_MS = 7_200_000
"""After this time without an attempt, earlier failures no longer count."""
KNOWN_MS = 90 * 86_400_000
"""How long an address counts as known after a successful sign-in."""
ATTEMPTS_A_MINUTE = 30
"""From one address, whatever the account."""
ADDRESSES = 10_000
"""Addresses that are remembered at once."""


def begin(db: Database, account: str, address: str, now_ms: int) -> bool:
    """Count an attempt, before its password is checked; False if the account is locked."""
    db.execute("DELETE FROM attempt WHERE at_ms < ?", (now_ms - KNOWN_MS,))
    row = db.execute(
        "SELECT failures, locked_until_ms, at_ms, succeeded_ms FROM attempt"
        " WHERE account = ? AND address = ?",
        (account, address),
    ).fetchone()
    failures, locked_until_ms, at_ms, succeeded_ms = row or (0, 0, 0, None)
    # A lock beyond the longest was made while the clock was ahead.
    locked = now_ms < locked_until_ms <= now_ms + LOCK_MS[1]
    if locked or (succeeded_ms is None and _besieged(db, account, now_ms)):
        return False
    failures = failures + 1 if abs(now_ms - at_ms) < QUIET_MS else 1
    locked_until_ms = 0
    if failures >= FREE_FAILURES:
        pause_ms = min(LOCK_MS[0] << min(failures - FREE_FAILURES, 20), LOCK_MS[1])
        locked_until_ms = now_ms + pause_ms
        db.execute(
            "UPDATE account SET locked_until_ms = ? WHERE name = ?", (locked_until_ms, account)
        )
    db.execute(
        "INSERT INTO attempt (account, address, failures, locked_until_ms, at_ms)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (account, address) DO UPDATE SET"
        " failures = excluded.failures, locked_until_ms = excluded.locked_until_ms,"
        " at_ms = excluded.at_ms",
        (account, address, failures, locked_until_ms, now_ms),
    )
    return True


def succeeded(db: Database, account: str, address: str, now_ms: int) -> None:
    """Note that the password was right: failures from this address no longer count."""
    db.execute(
        "UPDATE attempt SET failures = 0, locked_until_ms = 0, succeeded_ms = ?"
        " WHERE account = ? AND address = ?",
        (now_ms, account, address),
    )


def unlock(db: Database, account: str) -> None:
    """Unlock an account for all addresses."""
    db.execute("UPDATE attempt SET failures = 0, locked_until_ms = 0 WHERE account = ?", (account,))


def _besieged(db: Database, account: str, now_ms: int) -> bool:
    (failures,) = db.execute(
        "SELECT coalesce(sum(failures), 0) FROM attempt WHERE account = ?"
        " AND at_ms BETWEEN ? AND ?",
        (account, now_ms - QUIET_MS + 1, now_ms + QUIET_MS),
    ).fetchone()
    return bool(failures >= FAILURES_OF_ALL)


class AddressLimit:
    """Limits the attempts from each address, in the memory of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count_attempt(self, address: str) -> bool:
        """Count an attempt; False if the address has used up its share.

        >>> limit = AddressLimit(clock=lambda: 0.0)
        >>> [limit.count_attempt("10.0.4.17") for _ in range(31)].count(True)
        30
        >>> limit.count_attempt("10.0.4.18")
        True
        """
        now = self._clock()
        left, at = self._left.pop(address, (float(ATTEMPTS_A_MINUTE), now))
        left = min(left + (now - at) * ATTEMPTS_A_MINUTE / 60, ATTEMPTS_A_MINUTE)
        allowed = left >= 1
        self._left[address] = (left - 1 if allowed else left, now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return allowed
