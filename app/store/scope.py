"""What a caller may read: a database that holds the rows of some sites only.

Each statement of a caller with rights at some sites begins with queries that have the names of the
tables and give the rows of these sites: one for every table that holds something of a site, whether
the statement reads it or not. A statement that reads a table by its name therefore gets these rows
only, and no query has a condition of its own. `SITES_OF` names each table; a test fails for a table
that neither it nor `OF_THE_PLANT` names, and for a query that names a table with its schema, which
would read past the limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from auscult.app.identity import SEPARATOR
from auscult.app.store.connection import Cursor, Database, Values
from auscult.contract.topics import ID_PATTERN

Sites = frozenset[str]


@dataclass(frozen=True, slots=True)
class ById:
    """Rows whose `column` holds an id that begins with the site."""

    column: str = "machine_id"

    def condition(self, sites: Sites, base: str) -> str:
        """Return the condition in SQL; an index of the column serves it."""
        del base
        return _begins(self.column, sites)


@dataclass(frozen=True, slots=True)
class ByParent:
    """Rows whose `column` holds the `key` of a row of `parent`, which has a machine."""

    column: str
    parent: str
    key: str

    def condition(self, sites: Sites, base: str) -> str:
        """Return the condition in SQL; it reads the parent table itself."""
        own = _begins("machine_id", sites)
        return f"{self.column} IN (SELECT {self.key} FROM {base}{self.parent} WHERE {own})"


class Hidden:
    """No rows: they show all sites at once."""

    def condition(self, sites: Sites, base: str) -> str:
        """Return the condition in SQL."""
        del sites, base
        return "0 = 1"


_OF_CASE: Final = ByParent("case_id", "machine_case", "id")
SITES_OF: Final[dict[str, ById | ByParent | Hidden]] = {
    "gateway": ById("id"),
    "machine": ById("id"),
    "point": ById(),
    "event": ById(),
    "trend": ByParent("point", "point", "num"),
    "spectrum": ById(),
    "command": ById("gateway_id"),
    "label": ById(),
    "configuration": ById("gateway_id"),
    "checkpoints": ById(),
    "run_up": ById(),
    "clip": ById(),
    "machine_case": ById(),
    "case_entry": ById(),
    "case_photo": _OF_CASE,
    "evidence": ById(),
    "delivery": _OF_CASE,
    "map_place": ById(),
    "rollout_gateway": ById("gateway_id"),
    "rollout": Hidden(),
    "enrolment": Hidden(),
    "map_picture": Hidden(),
    "trouble": Hidden(),
    "audit": Hidden(),
}
"""Which rows of a table belong to the sites of a caller."""
OF_THE_PLANT: Final = frozenset(
    (
        "account", "session", "attempt", "token", "bearing", "prescription", "channel",
        "notify_rule", "report_schedule", "order_system", "feature_set", "bundle", "age_clock",
    )
)  # fmt: skip
"""Tables that hold nothing of a site, or whose endpoints check each row."""

_sites: ContextVar[Sites | None] = ContextVar("sites", default=None)
"""Of the request that this code works for; None = all sites."""


def limit(sites: Iterable[str] | None) -> None:
    """Let the present request read these sites only; None = all."""
    _sites.set(None if sites is None else frozenset(sites))


@contextmanager
def unlimited() -> Iterator[None]:
    """Begin a request without a caller."""
    before = _sites.set(None)
    try:
        yield
    finally:
        _sites.reset(before)


def present() -> Sites | None:
    """Return the sites that the present request may read, None = all."""
    return _sites.get()


def sees(site: str) -> bool:
    """Tell whether the present request may read a site."""
    sites = _sites.get()
    return sites is None or site in sites


def of_caller(db: Database) -> Database:
    """Return the database as the present request may read it."""
    sites = _sites.get()
    return db if sites is None else SomeSites(db, sites)


class SomeSites(Database):
    """A connection to read the rows of some sites by."""

    def __init__(self, db: Database, sites: Iterable[str]) -> None:
        super().__init__()
        self._db, self._own = db, frozenset(sites)
        self.damage, self.caps = db.damage, db.caps
        self.base = db.base

    def execute(self, sql: str, values: Values = ()) -> Cursor:
        return self._db.execute(self._limited(sql), values)

    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        return self._db.query(self._limited(sql), values)

    def _limited(self, sql: str) -> str:
        # An endpoint's role may have narrowed the request's sites since.
        present = _sites.get()
        return limited(sql, self._own if present is None else self._own & present, self.base)


def limited(sql: str, sites: Sites, base: str) -> str:
    """Return a statement that reads the rows of some sites only.

    Parameters
    ----------
    sql : str
        It begins with SELECT or WITH.
    sites : frozenset of str
    base : str
        How the database names a table itself: see `Database.base`.

    Raises
    ------
    ValueError
        If the statement is of another kind, or a site's name malformed.
    """
    word, _, rest = sql.lstrip().partition(" ")
    if word.upper() not in ("SELECT", "WITH") or rest.lstrip().upper().startswith("RECURSIVE"):
        raise ValueError(f"not a statement that can be limited to sites: {sql}")
    tables = _tables(sites, base)
    return f"WITH {tables}, {rest}" if word.upper() == "WITH" else f"WITH {tables} {sql}"


@lru_cache(maxsize=200)
def _tables(sites: Sites, base: str) -> str:
    """Return a query for each table, by its name; the database leaves out those not read."""
    return ", ".join(
        f"{name} AS NOT MATERIALIZED"
        f" (SELECT * FROM {base}{name} WHERE {rows.condition(sites, base)})"
        for name, rows in SITES_OF.items()
    )


def _begins(column: str, sites: Sites) -> str:
    """Return the condition that an id begins with a site; an index of the column serves it.

    No part of an id holds the separator, and all its other characters sort before it.
    """
    for site in sites:
        if not re.fullmatch(ID_PATTERN, site):
            raise ValueError(f"not a site: {site!r}")
    spans = [
        f"{column} BETWEEN '{site}{SEPARATOR}' AND '{site}{SEPARATOR}{SEPARATOR}'"
        for site in sorted(sites)
    ]
    return f"({' OR '.join(spans)})" if spans else "0 = 1"
