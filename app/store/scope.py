"""What a caller may read: a database that holds the rows of some sites only.

Each statement of a caller with rights at some sites begins with queries of the tables' own names,
which give the rows of these sites. So every list, export and report respects them without a
condition of its own. `SITES_OF` names each table that holds something of a site; a test fails for
a table that neither it nor `OF_THE_PLANT` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

from auscult.app.identity import SEPARATOR
from auscult.app.store.connection import Cursor, Database, Values
from auscult.contract.topics import ID_PATTERN

Sites = frozenset[str]

SITES_OF: Final = {
    "gateway": "{id}",
    "machine": "{id}",
    "point": "{machine_id}",
    "event": "{machine_id}",
    "trend": "point IN (SELECT num FROM {base}point WHERE {machine_id})",
    "spectrum": "{machine_id}",
    "command": "{gateway_id}",
    "label": "{machine_id}",
    "configuration": "{gateway_id}",
    "checkpoints": "{machine_id}",
    "clip": "{machine_id}",
    "machine_case": "{machine_id}",
    "case_entry": "case_id IN (SELECT id FROM {base}machine_case WHERE {machine_id})",
    "case_photo": "case_id IN (SELECT id FROM {base}machine_case WHERE {machine_id})",
    "evidence": "{machine_id}",
    "delivery": "case_id IN (SELECT id FROM {base}machine_case WHERE {machine_id})",
    "map_place": "{machine_id}",
    "rollout_gateway": "{gateway_id}",
    "rollout": "0 = 1",
    "enrolment": "0 = 1",
    "map_picture": "0 = 1",
    "audit": "0 = 1",
}
"""Which rows belong to the sites: `{column}` holds an id that begins with the site. Those of
`0 = 1` show all sites at once, so callers with some sites see none."""
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


_NAMES = re.compile(r"\b(" + "|".join(SITES_OF) + r")\b")


@lru_cache(maxsize=2000)
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

    Examples
    --------
    >>> limited("SELECT id FROM gateway", frozenset({"north"}), "main.")
    "WITH gateway AS NOT MATERIALIZED (SELECT * FROM main.gateway WHERE (id BETWEEN 'north~' AND \
'north~~')) SELECT id FROM gateway"
    """
    word, _, rest = sql.lstrip().partition(" ")
    if word.upper() not in ("SELECT", "WITH") or rest.lstrip().upper().startswith("RECURSIVE"):
        raise ValueError(f"not a statement that can be limited to sites: {sql}")
    shadows = [_shadow(name, sites, base) for name in SITES_OF if name in _NAMES.findall(sql)]
    if not shadows:
        return sql
    joined = ", ".join(shadows)
    return f"WITH {joined}, {rest}" if word.upper() == "WITH" else f"WITH {joined} {sql}"


def _shadow(name: str, sites: Sites, base: str) -> str:
    where = re.sub(
        r"\{(\w+)\}",
        lambda found: base if found[1] == "base" else _begins(found[1], sites),
        SITES_OF[name],
    )
    return f"{name} AS NOT MATERIALIZED (SELECT * FROM {base}{name} WHERE {where})"


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
