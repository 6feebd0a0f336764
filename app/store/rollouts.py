"""Bundles and rollouts: staged updates of gateways."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from auscult.app.store.connection import Database
from auscult.app.views import Rollout, RolloutGateway, UpdateBundle
from auscult.app.views.updates import RolloutState, UpdateState
from auscult.contract.said import Said

RUNNING = "running"
_SAID: TypeAdapter[Said] = TypeAdapter(Said)


def add_bundle(db: Database, bundle: UpdateBundle) -> None:
    """Store a bundle; one of the same version and platform is replaced."""
    of = (bundle.version, bundle.platform)
    db.execute("DELETE FROM bundle WHERE version = ? AND platform = ?", of)
    db.execute(
        "INSERT INTO bundle (sha256, version, platform, size, actor, added_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (bundle.sha256, *of, bundle.size, bundle.actor, bundle.added_ms),
    )


def bundles(db: Database) -> list[UpdateBundle]:
    """Return all bundles, the newest first."""
    sql = "SELECT * FROM bundle ORDER BY added_ms DESC, sha256"
    return list(db.records("bundle", lambda row: UpdateBundle(**row), sql, key="sha256"))


def add(
    db: Database,
    identity: str,
    version: str,
    key: str,
    stages: Mapping[str, int],
    *,
    actor: str,
    now_ms: int,
    wait_s: int,
    timeout_s: int,
) -> None:
    """Store a rollout with the stage of each gateway; it begins with the first."""
    db.execute(
        "INSERT INTO rollout (id, version, download_key, actor, created_ms, state, stage, wait_s,"
        " timeout_s, advanced_ms) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
        (identity, version, key, actor, now_ms, RUNNING, wait_s, timeout_s, now_ms),
    )
    for gateway, stage in stages.items():
        db.execute(
            "INSERT INTO rollout_gateway (rollout_id, gateway_id, stage, state, changed_ms)"
            " VALUES (?, ?, ?, 'waiting', ?)",
            (identity, gateway, stage, now_ms),
        )


def view_all(db: Database) -> list[Rollout]:
    """Return all rollouts, the newest first."""
    return _views(db, "true", ())


def view(db: Database, identity: str) -> Rollout | None:
    """Return one rollout, None if there is none of that id."""
    return next(iter(_views(db, "id = ?", (identity,))), None)


def running(db: Database) -> list[Rollout]:
    """Return the rollouts that are running."""
    return _views(db, "state = ?", (RUNNING,))


def busy(db: Database) -> set[str]:
    """Return the gateways of rollouts that are not over."""
    rows = db.execute(
        "SELECT gateway_id FROM rollout_gateway JOIN rollout ON rollout.id = rollout_id"
        " WHERE rollout.state IN ('running', 'stopped')"
    )
    return {row[0] for row in rows}


def download(db: Database, key: str) -> tuple[str, RolloutState] | None:
    """Return version and state of the rollout with this key of downloads."""
    row = db.execute("SELECT version, state FROM rollout WHERE download_key = ?", (key,)).fetchone()
    return None if row is None else (row[0], row[1])


def key_of(db: Database, identity: str) -> str:
    """Return the key of a rollout's downloads."""
    row = db.execute("SELECT download_key FROM rollout WHERE id = ?", (identity,)).fetchone()
    return str(row[0])


def offered(db: Database, identity: str, gateway: str, now_ms: int) -> None:
    """Note that a gateway was offered the version once more."""
    db.execute(
        "UPDATE rollout_gateway SET state = 'offered', offers = offers + 1, offered_ms = ?,"
        " changed_ms = ? WHERE rollout_id = ? AND gateway_id = ?",
        (now_ms, now_ms, identity, gateway),
    )


def end_gateway(
    db: Database, identity: str, gateway: str, state: UpdateState, said: Said | None, now_ms: int
) -> None:
    """Note how the update of a gateway ended."""
    db.execute(
        "UPDATE rollout_gateway SET state = ?, said = ?, changed_ms = ?"
        " WHERE rollout_id = ? AND gateway_id = ?",
        (state, _text(said), now_ms, identity, gateway),
    )


def advance(db: Database, identity: str, stage: int, now_ms: int) -> None:
    """Begin a stage."""
    db.execute(
        "UPDATE rollout SET stage = ?, advanced_ms = ? WHERE id = ? AND state = 'running'",
        (stage, now_ms, identity),
    )


def restart_waits(db: Database, now_ms: int) -> None:
    """Let all waits of running rollouts begin now."""
    own = "rollout_id IN (SELECT id FROM rollout WHERE state = 'running')"
    db.execute("UPDATE rollout SET advanced_ms = ? WHERE state = 'running'", (now_ms,))
    db.execute(f"UPDATE rollout_gateway SET changed_ms = ? WHERE {own}", (now_ms,))
    db.execute(
        f"UPDATE rollout_gateway SET offered_ms = ? WHERE offered_ms IS NOT NULL AND {own}",
        (now_ms,),
    )


def shift_waits(db: Database, by_ms: int, now_ms: int) -> None:
    """Let all waits of running rollouts begin so much later, at the latest now."""
    own = "rollout_id IN (SELECT id FROM rollout WHERE state = 'running')"
    for table, column, which in (
        ("rollout", "advanced_ms", "state = 'running'"),
        ("rollout_gateway", "changed_ms", own),
        ("rollout_gateway", "offered_ms", f"offered_ms IS NOT NULL AND {own}"),
    ):
        later = f"CASE WHEN {column} + ? > ? THEN ? ELSE {column} + ? END"
        db.execute(
            f"UPDATE {table} SET {column} = {later} WHERE {which}", (by_ms, now_ms, now_ms, by_ms)
        )


def last_heard_ms(db: Database) -> int | None:
    """Return when the dashboard last received a message of any gateway."""
    (heard_ms,) = db.execute("SELECT max(heard_ms) FROM gateway").fetchone()
    return None if heard_ms is None else int(heard_ms)


def put(
    db: Database, identity: str, state: RolloutState, said: Said | None, before: tuple[str, ...]
) -> bool:
    """Change the state of a rollout that is in one of ``before``; False if it is not."""
    marks = ", ".join("?" * len(before))
    done = db.execute(
        f"UPDATE rollout SET state = ?, said = ? WHERE id = ? AND state IN ({marks})",
        (state, _text(said), identity, *before),
    )
    return done.rowcount > 0


def resume(db: Database, identity: str, now_ms: int) -> bool:
    """Continue a stopped rollout; gateways that failed are left out from now on."""
    if not put(db, identity, "running", None, ("stopped",)):
        return False
    db.execute("UPDATE rollout SET advanced_ms = ? WHERE id = ?", (now_ms, identity))
    db.execute(
        "UPDATE rollout_gateway SET state = 'skipped', changed_ms = ?"
        " WHERE rollout_id = ? AND state = 'failed'",
        (now_ms, identity),
    )
    return True


def _text(said: Said | None) -> str | None:
    return None if said is None else _SAID.dump_json(said).decode()


def _said(text: str | None) -> Said | None:
    return None if text is None else _SAID.validate_json(text)


def _views(db: Database, where: str, values: tuple[Any, ...]) -> list[Rollout]:
    sql = f"SELECT * FROM rollout WHERE {where} ORDER BY created_ms DESC, id"
    rows = list(db.query(sql, values))
    return list(db.damage.readable("rollout", rows, partial(_view, db)))


def _view(db: Database, row: dict[str, Any]) -> Rollout:
    sql = "SELECT * FROM rollout_gateway WHERE rollout_id = ? ORDER BY stage, gateway_id"
    entries = db.records("rollout_gateway", _gateway, sql, (row["id"],), key="gateway_id")
    own = {key: value for key, value in row.items() if key not in ("said", "download_key")}
    said = _said(row["said"])
    return Rollout(**own, said=said, text=said.text if said else "", gateways=list(entries))


def _gateway(row: dict[str, Any]) -> RolloutGateway:
    own = {key: value for key, value in row.items() if key not in ("said", "rollout_id")}
    said = _said(row["said"])
    return RolloutGateway(**own, said=said, text=said.text if said else "")
