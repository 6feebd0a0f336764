"""The site that a path of the API is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auscult.app.identity import parts
from auscult.app.store.connection import Database

_MACHINE_OF: Final = {
    "event_id": "SELECT machine_id FROM event WHERE id = ?",
    "case_id": "SELECT machine_id FROM machine_case WHERE id = ?",
    "label_id": "SELECT machine_id FROM label WHERE id = ?",
    "clip_id": "SELECT machine_id FROM clip WHERE id = ?",
    "command_id": "SELECT machine_id FROM command WHERE id = ?",
    "run_up_id": "SELECT machine_id FROM run_up WHERE id = ?",
    "spectrum_id": "SELECT machine_id FROM spectrum WHERE id = ?",
    "order_id": "SELECT machine_id FROM machine_case WHERE order_id = ?",
}


def site_of(db: Database, ids: Mapping[str, str]) -> str | None:
    """Return the site of what the parameters of a path name, None if they name nothing of a site.

    Parameters
    ----------
    db : Database
        As the caller may read it: what it does not show has no site.
    ids : mapping of str
        The parameters by their names.
    """
    for name in ("machine_id", "gateway_id"):
        if name in ids:
            return parts(ids[name])[0]
    for name, sql in _MACHINE_OF.items():
        if name in ids and (row := db.execute(sql, (ids[name],)).fetchone()):
            return parts(row[0])[0]
    return None
