"""Who may use the dashboard: sign-in, tokens and the first administrator."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from auscult.app.people import accounts, attempts, audit, passwords, sessions, tokens
from auscult.app.people.accounts import AccountError
from auscult.app.people.attempts import AddressLimit
from auscult.app.people.audit import Action
from auscult.app.people.sessions import Person
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.received import RIGHTS
from auscult.app.views.roles import Role
from auscult.contract.message import now_ms
from auscult.contract.said import Rejection

Result = TypeVar("Result")

log = logging.getLogger(__name__)

HASHES_AT_ONCE = 2
"""Each takes 64 MiB and some 50 ms of a core. They have threads of their own, so that a flood of
attempts delays no page and no command."""
MOST_WAITING = 20
"""Attempts to sign in that may wait for a thread, about half a second; more are rejected."""
TRY_AGAIN_S = 60.0
CODE_FILE = "first-start-code.txt"


class NotAdmittedError(Rejection):
    """The caller may not sign in; the sentence hides whether name or password was wrong."""


class TooManyAttemptsError(Rejection):
    """An address, or all of them together, try to sign in too often."""


class _Kept(Protocol):
    """Sessions or tokens: what is kept of the secrets that callers present."""

    def find(self, db: Database, secret: str, now_ms: int, /) -> tuple[Person, bool] | None: ...
    def touch(self, db: Database, secret: str, now_ms: int, /) -> None: ...


class Access:
    """Admits people.

    Parameters
    ----------
    store : DashboardStore
    data_dir : Path
        Gets the code of the first start, for those who may read the server's files.
    required : bool
        False admits everyone as an engineer without a name: for demonstrations only.
    """

    def __init__(self, store: DashboardStore, data_dir: Path, *, required: bool) -> None:
        self.required = required
        self._store = store
        self._hashing = ThreadPoolExecutor(HASHES_AT_ONCE, "passwords")
        self._waiting = 0
        self._addresses = AddressLimit()
        self._code_file = data_dir / CODE_FILE
        if not required:
            log.warning("login is off: everyone is admitted as an engineer")
        elif self.first_start:
            self._offer_code()

    @property
    def first_start(self) -> bool:
        """Return whether there is no account yet."""
        return self.required and not accounts.any_at_all(self._store.read())

    def person(self, token: str | None, address: str) -> Person | None:
        """Return the person of a session's token, None if it is not valid."""
        return self._known(sessions, token, address)

    def machine(self, secret: str, address: str) -> Person | None:
        """Return the program of a token, None if it is not valid."""
        return self._known(tokens, secret, address)

    def _known(self, kept: _Kept, secret: str | None, address: str) -> Person | None:
        if not self.required:
            return Person("", Role.ENGINEER, address)
        if not secret:
            return None
        now = now_ms()
        found = kept.find(self._store.read(), secret, now)
        if found is None:
            return None
        person, note_use = found
        if note_use and self._store.trouble is None:
            self._store.write(lambda db: kept.touch(db, secret, now))
        return replace(person, address=address)

    async def admitted(self, address: str, job: Callable[[], str]) -> str:
        """Run an attempt to sign in on the few threads that check passwords; return its token.

        Raises
        ------
        TooManyAttemptsError
            If the address has used up its share, or too many attempts wait.
        NotAdmittedError, AccountError
            As the job does.
        """
        if not self._addresses.count_attempt(address) or self._waiting >= MOST_WAITING:
            raise TooManyAttemptsError("too_many_attempts", wait_s=TRY_AGAIN_S)
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._hashing.submit(job))
        finally:
            self._waiting -= 1

    def limit(self, address: str) -> None:
        """Count an attempt without sign-in.

        Raises
        ------
        TooManyAttemptsError
            If the address has used up its share.
        """
        if not self._addresses.count_attempt(address):
            raise TooManyAttemptsError("too_many_attempts", wait_s=TRY_AGAIN_S)

    def audit_action(self, address: str, action: str, subject: str, outcome: str) -> None:
        """Audit what was done without sign-in."""
        entry = Action(now_ms(), "", address, action, subject, outcome)
        self._store.write(lambda db: audit.add(db, entry))

    def sign_in(self, name: str, password: str, address: str) -> str:
        """Return the token of a new session; see `admitted`.

        Raises
        ------
        NotAdmittedError
            If name or password is wrong, or the account is disabled or locked.
        """
        now = now_ms()
        allowed = self._store.write(lambda db: attempts.begin(db, name[:64], address, now))
        stored = sessions.credentials(self._store.read(), name)
        right = passwords.matches(password, stored.password_hash if stored else None)
        if stored is None or stored.disabled or not right or not allowed:
            attempt = Action(now, name[:64], address, "sign in", "", "refused")
            self._store.write(lambda db: audit.add(db, attempt))
            raise NotAdmittedError("not_admitted")

        def admit(db: Database) -> str:
            audit.add(db, Action(now, stored.name, address, "sign in", ""))
            attempts.succeeded(db, stored.name, address, now)
            return sessions.begin(db, stored.name, address, now)

        return self._store.write(admit)

    def sign_out(self, person: Person, token: str) -> None:
        """End a session."""
        self.do(person, "sign out", "", lambda db: sessions.end(db, token), ends_rights=True)

    def first_administrator(self, name: str, password: str, code: str, address: str) -> str:
        """Make the first account and return the token of its session.

        Raises
        ------
        NotAdmittedError
            If there is an account already, or the code is not that of `CODE_FILE`.
        AccountError
            If the password is too weak.
        """
        expected = self._code()
        if expected is None or not hmac.compare_digest(code.encode(), expected.encode()):
            raise NotAdmittedError("first_start_code", file=CODE_FILE)
        if problem := passwords.weakness(password, name):
            raise AccountError(problem)
        password_hash = passwords.hashed(password)
        now = now_ms()

        def make(db: Database) -> str:
            if accounts.any_at_all(db):
                raise NotAdmittedError("administrator_exists")
            accounts.add(db, name, Role.ADMINISTRATOR, password_hash, now)
            audit.add(db, Action(now, name, address, "first administrator", name))
            return sessions.begin(db, name, address, now)

        token = self._store.write(make)
        self._code_file.unlink(missing_ok=True)
        return token

    def do(
        self,
        person: Person,
        action: str,
        subject: str,
        job: Callable[[WritableDatabase], Result],
        *,
        ends_rights: bool = False,
    ) -> Result:
        """Do something and audit it, both or neither; return what it gives.

        With `ends_rights` all live streams end; clients that may still listen reconnect.
        """
        audited = Action(now_ms(), person.name, person.address, action, subject)

        def both(db: WritableDatabase) -> Result:
            result = job(db)
            audit.add(db, audited)
            if ends_rights:
                db.announce([RIGHTS])
            return result

        return self._store.write(both)

    def hashed(self, password: str, name: str) -> str:
        """Return the hash of a new password.

        Raises
        ------
        AccountError
            If it is too weak.
        """
        if problem := passwords.weakness(password, name):
            raise AccountError(problem)
        return self._hashing.submit(passwords.hashed, password).result()

    def confirms(self, person: Person, password: str) -> bool:
        """Tell whether this is the password of a signed-in person."""
        stored = sessions.credentials(self._store.read(), person.name)
        if stored is None:
            return False
        return self._hashing.submit(passwords.matches, password, stored.password_hash).result()

    def close(self) -> None:
        """End the threads that check passwords."""
        self._hashing.shutdown(cancel_futures=True)

    def _offer_code(self) -> None:
        """Write the code that proves access to the server's files or log."""
        code = self._code()
        if code is None:
            code = secrets.token_hex(5)
            _write_private(self._code_file, code)
        log.warning("first start: open the page and make the administrator with code %s", code)

    def _code(self) -> str | None:
        try:
            return self._code_file.read_text(encoding="ascii").strip() or None
        except (OSError, UnicodeDecodeError):
            return None


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(text + "\n", encoding="ascii")
