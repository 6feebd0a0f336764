"""Commands to gateways: stored before they are sent, so that none is lost."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from auscult.app.identity import gateway_id, parts
from auscult.app.store.connection import Database
from auscult.app.store.received import Origin
from auscult.app.views import SentCommand
from auscult.contract.payloads import Acknowledgement
from auscult.contract.records import HeadUpdate
from auscult.contract.requests import Commands
from auscult.contract.said import Rejection, Said

BROUGHT = {"preview", "delta", "trial", "table"}
"""Parts of an answer that are stored for the caller; no list shows them."""
_SHOWN = ", ".join(f"command.{column}" for column in SentCommand.model_fields)
_WAITING = "state IN ('pending', 'sent')"


@dataclass(frozen=True, slots=True)
class NewCommand:
    """A command before it is stored."""

    id: str
    gateway_id: str
    machine_id: str
    name: str
    actor: str
    args: dict[str, Any]
    created_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A command without an answer, when it was last sent, and whether its gateway is online."""

    command: SentCommand
    args: dict[str, Any]
    sent_ms: int | None
    gateway_online: bool
    path: str
    """Prefix of its gateway's topics."""


class IdTakenError(Rejection):
    """The id was used for another request at this site, so this is no repetition of it."""

    def __init__(self, identity: str, site: str) -> None:
        super().__init__("id_taken", id=identity)
        self.id, self.site = identity, site


def add(db: Database, new: NewCommand) -> bool:
    """Store a command as pending; False if the same one is stored already (a double click).

    Raises
    ------
    IdTakenError
        If another command has this id.
    """
    args = json.dumps(new.args, sort_keys=True)
    row = db.execute(
        "SELECT gateway_id, machine_id, name, args FROM command WHERE id = ?", (new.id,)
    ).fetchone()
    if row is not None:
        if row != (new.gateway_id, new.machine_id, new.name, args):
            raise IdTakenError(new.id, parts(row[0])[0])
        return False
    db.execute(
        "INSERT INTO command (id, gateway_id, machine_id, name, actor, args, created_ms,"
        " expires_ms, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending')",
        (
            new.id, new.gateway_id, new.machine_id, new.name, new.actor, args, new.created_ms,
            new.expires_ms,
        ),
    )  # fmt: skip
    return True


def mark_sent(db: Database, identity: str, now_ms: int) -> None:
    """Note that the broker has taken a command."""
    db.execute(
        "UPDATE command SET state = 'sent', sent_ms = ?, attempts = attempts + 1"
        f" WHERE id = ? AND {_WAITING}",
        (now_ms, identity),
    )


def answer(db: Database, origin: Origin, message: Acknowledgement) -> bool:
    """Store a gateway's answer; False if the command is unknown or was answered before.

    A label may be answered by its lesson already, which lacks the gateway's reason. An effect that
    could not be stored after all, as on a full disk, corrects the answer before.
    """
    corrects = message.said is not None and message.said.code == "command_not_stored"
    before = "'pending', 'sent', 'expired'" + (", 'acknowledged'" if corrects else "")
    problems = [problem.model_dump(mode="json") for problem in message.problems]
    brought = message.model_dump(mode="json", include=BROUGHT, exclude_none=True)
    cursor = db.execute(
        "UPDATE command SET state = :state, said = :said, answered_ms = :now_ms,"
        " problems = :problems, brought = :brought, lesson = :lesson"
        f" WHERE id = :id AND gateway_id = :gateway AND (state IN ({before})"
        " OR (state = :state AND said IS NULL AND CAST(:said AS TEXT) IS NOT NULL))",
        {
            "state": "acknowledged" if message.ok else "refused",
            "said": record_json(message.said),
            "problems": json.dumps(problems),
            "brought": json.dumps(brought) if brought else None,
            "lesson": record_json(message.lesson),
            "now_ms": origin.now_ms,
            "id": message.id,
            "gateway": gateway_id(origin.site, origin.gateway),
        },
    )
    return cursor.rowcount > 0


def expire(db: Database, now_ms: int) -> list[str]:
    """Expire commands; return their ids."""
    said = Said("expired_unanswered")
    rows = db.execute(
        "UPDATE command SET state = 'expired', said = ?, answered_ms = ?"
        f" WHERE {_WAITING} AND expires_ms <= ? RETURNING id",
        (record_json(said), now_ms, now_ms),
    ).fetchall()
    return [row[0] for row in rows]


def waiting(db: Database) -> list[Waiting]:
    """Return the commands without an answer, oldest first."""
    rows = db.query(
        f"SELECT {_SHOWN}, sent_ms, coalesce(gateway.state = 'online', false) AS online,"
        " coalesce(gateway.path, '') AS path"
        " FROM command LEFT JOIN gateway ON gateway.id = command.gateway_id"
        f" WHERE command.{_WAITING} ORDER BY created_ms"
    )
    return list(db.damage.readable("command", rows, _waiting))


def _waiting(row: dict[str, Any]) -> Waiting:
    args, online = json.loads(row["args"]), bool(row["online"])
    return Waiting(_view(row), args, row["sent_ms"], online, row["path"])


def view(db: Database, identity: str) -> SentCommand | None:
    """Return one command, None if there is none of that id."""
    rows = db.query(f"SELECT {_SHOWN} FROM command WHERE id = ?", (identity,))
    return next(db.damage.readable("command", rows, _view), None)


def view_newest(db: Database, machine: str | None, limit: int) -> list[SentCommand]:
    """Return the newest commands, of one machine or of all."""
    where, values = ("machine_id = ?", [machine]) if machine is not None else ("true", [])
    order = "ORDER BY created_ms DESC, id DESC LIMIT ?"
    rows = db.query(f"SELECT {_SHOWN} FROM command WHERE {where} {order}", (*values, limit))
    return list(db.damage.readable("command", rows, _view))


def view_repair_check(
    db: Database, machine: str, event_id: str | None, since_ms: int
) -> SentCommand | None:
    """Return the newest check of the repair after an event, sent since its case was closed."""
    rows = db.query(
        f"SELECT {_SHOWN} FROM command WHERE machine_id = ? AND name = ? AND args = ?"
        " AND created_ms >= ? ORDER BY created_ms DESC, id DESC LIMIT 1",
        (machine, Commands.CHECK_REPAIR.name, json.dumps({"event_id": event_id}), since_ms),
    )
    return next(db.damage.readable("command", rows, _view), None)


def view_finished_work(
    db: Database, machine: str, since_ms: int, until_ms: int
) -> list[SentCommand]:
    """Return the reports that planned work is finished, which the gateway took within a time."""
    rows = db.query(
        f"SELECT {_SHOWN} FROM command WHERE machine_id = ? AND name = ? AND state = ?"
        " AND created_ms BETWEEN ? AND ? ORDER BY created_ms",
        (machine, Commands.FINISH_WORK.name, "acknowledged", since_ms, until_ms),
    )
    return list(db.damage.readable("command", rows, _view))


def brought(db: Database, identity: str) -> Acknowledgement | None:
    """Return the data of the answer to a command, None without an answer or data."""
    row = db.execute(
        "SELECT id, name, brought, answered_ms FROM command WHERE id = ?", (identity,)
    ).fetchone()
    if row is None or row[2] is None:
        return None
    fields = {"id": row[0], "command": row[1], "ts": row[3], "ok": True, **json.loads(row[2])}
    return Acknowledgement.model_validate(fields)


def without_bulk(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Return a command's arguments without the bulk, and without a password in an address.

    Examples
    --------
    >>> source = {"type": "opcua", "url": "opc.tcp://eva:secret@10.0.0.5", "values": []}
    >>> without_bulk("try_source", {"machine": {"id": "pump"}, "source": source})
    {'machine': 'pump', 'source': {'type': 'opcua', 'url': 'opc.tcp://10.0.0.5'}}
    """
    if name == Commands.CONFIGURE.name:
        # whole, it can hold hundreds of machines
        machines = [machine["id"] for machine in args["machines"]]
        return {**{k: v for k, v in args.items() if k != "sources"}, "machines": machines}
    if name == Commands.MAP_TABLE.name:
        return {**args, "machines": [machine.get("id") for machine in args["machines"]]}
    if name == Commands.TRY_SOURCE.name:
        where = ("type", "host", "port", "serial_port", "url")
        source = {key: args["source"][key] for key in where if args["source"].get(key)}
        if "url" in source:
            source["url"] = re.sub("//.*@", "//", str(source["url"]))
        return {"machine": args["machine"]["id"], "source": source}
    if name == Commands.IMPORT_DELTA.name:
        return {**args, "delta": f"{len(base64.b64decode(args['delta']))} bytes"}
    return args


def record_json(record: Said | HeadUpdate | None) -> str | None:
    """Return a record of the contract as it is stored."""
    return None if record is None else to_json(record).decode()


def _view(row: dict[str, Any]) -> SentCommand:
    whole = ("args", "problems", "lesson", "said")
    return SentCommand(
        args=without_bulk(row["name"], json.loads(row["args"])),
        problems=json.loads(row["problems"]),
        lesson=json.loads(row["lesson"]) if row["lesson"] else None,
        said=json.loads(row["said"]) if row["said"] else None,
        **{key: row[key] for key in SentCommand.model_fields if key not in whole},
    )
