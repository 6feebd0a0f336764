"""Channels, rules and messages as rows.

A message is planned under a key that is unique, and claimed before it is sent. So several workers,
and one that starts again, send it once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ulid import ULID

from auscult.app.store.connection import Database
from auscult.app.views import Delivery, Rule, RuleBody

CLAIM_MS = 300_000
"""A claim this old is of a process that ended: the message is tried again."""
FAILING_MS = 7 * 86_400_000
MOST_CHANNELS = 100
MOST_RULES = 200


@dataclass(frozen=True, slots=True)
class StoredChannel:
    """A channel with its secret address."""

    id: str
    name: str
    url: str
    language: str
    enabled: bool
    actor: str
    changed_ms: int


def channels(db: Database) -> list[StoredChannel]:
    """Return all channels by name."""
    return list(db.records("channel", _channel, "SELECT * FROM channel ORDER BY name, id"))


def _channel(row: dict[str, Any]) -> StoredChannel:
    return StoredChannel(**{**row, "enabled": bool(row["enabled"])})


def put_channel(db: Database, channel: StoredChannel) -> None:
    """Store a channel, or replace it."""
    db.execute(
        "INSERT INTO channel (id, name, url, language, enabled, actor, changed_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,"
        " url = excluded.url, language = excluded.language, enabled = excluded.enabled,"
        " actor = excluded.actor, changed_ms = excluded.changed_ms",
        (
            channel.id, channel.name, channel.url, channel.language, int(channel.enabled),
            channel.actor, channel.changed_ms,
        ),
    )  # fmt: skip


def remove_channel(db: Database, identity: str) -> bool:
    """Remove a channel and drop what waits for it; False if there is none."""
    db.execute(
        "UPDATE delivery SET state = 'dropped', next_ms = NULL"
        " WHERE channel_id = ? AND state = 'waiting'",
        (identity,),
    )
    return bool(db.execute("DELETE FROM channel WHERE id = ?", (identity,)).rowcount)


def rules(db: Database) -> list[Rule]:
    """Return all rules by name."""
    found = db.records("notify_rule", _rule, "SELECT * FROM notify_rule ORDER BY id")
    return sorted(found, key=lambda rule: (rule.name.lower(), rule.id))


def _rule(row: dict[str, Any]) -> Rule:
    own = {key: row[key] for key in ("id", "actor", "changed_ms")}
    return Rule(**own, **json.loads(row["body"]))


def put_rule(db: Database, identity: str, body: RuleBody, actor: str, now_ms: int) -> None:
    """Store a rule, or replace it."""
    db.execute(
        "INSERT INTO notify_rule (id, body, actor, changed_ms) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET body = excluded.body, actor = excluded.actor,"
        " changed_ms = excluded.changed_ms",
        (identity, body.model_dump_json(include=set(RuleBody.model_fields)), actor, now_ms),
    )


def remove_rule(db: Database, identity: str) -> bool:
    """Remove a rule; False if there is none."""
    return bool(db.execute("DELETE FROM notify_rule WHERE id = ?", (identity,)).rowcount)


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A message before it is stored; ``key`` names it for all processes."""

    key: str
    reason: str
    channel_id: str
    subject: str
    body: str
    rule_id: str = ""
    case_id: str = ""
    peak: str = ""
    times: int = 0
    extra: str = ""
    """JSON: what else the message carries."""


def plan(
    db: Database, new: NewDelivery, now_ms: int, due_ms: int | None = None, state: str = "waiting"
) -> str | None:
    """Store a message to be sent, now if `due_ms` is None; return its id, None if it is known."""
    identity = str(ULID())
    next_ms = (now_ms if due_ms is None else due_ms) if state == "waiting" else None
    cursor = db.execute(
        "INSERT INTO delivery (id, unique_key, reason, channel_id, rule_id, case_id, peak, times,"
        " subject, body, extra, state, attempts, created_ms, next_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT DO NOTHING",
        (
            identity, new.key, new.reason, new.channel_id, new.rule_id, new.case_id, new.peak,
            new.times, new.subject, new.body, new.extra, state, now_ms, next_ms,
        ),
    )  # fmt: skip
    return identity if cursor.rowcount else None


def plan_together(
    db: Database, new: Sequence[NewDelivery], cases: Sequence[str], now_ms: int, due_ms: int
) -> None:
    """Store one message about several cases, and that each has it.

    A message about any of these cases that has not left yet becomes it, at the time at which the
    first was due; else it is sent at `due_ms`. The row of every other case is `joined`.

    Parameters
    ----------
    db : Database
    new : sequence of NewDelivery
        Of one rule and channel, the most urgent first; at least one.
    cases : sequence of str
        All cases that the text is about.
    now_ms, due_ms : int
    """
    marks = ",".join("?" * len(cases))
    held = db.execute(
        "SELECT id, peak, next_ms FROM delivery WHERE rule_id = ? AND channel_id = ?"
        f" AND case_id IN ({marks}) AND state = 'waiting' AND attempts = 0 ORDER BY peak, id",
        (new[0].rule_id, new[0].channel_id, *cases),
    ).fetchall()
    due_ms = min([due_ms, *(next_ms for *_, next_ms in held)])
    first, lead = new[0], None
    if held and (held[0][1] == "alarm" or first.peak != "alarm"):
        lead = held[0][0]
        db.execute(
            "UPDATE delivery SET subject = ?, body = ?, extra = ?, next_ms = ? WHERE id = ?",
            (first.subject, first.body, first.extra, due_ms, lead),
        )
    for one in new:
        made = plan(db, one, now_ms, due_ms, "joined" if lead else "waiting")
        lead = lead or made
    for identity, *_ in held:
        if lead not in (None, identity):
            sql = "UPDATE delivery SET state = 'joined', next_ms = NULL WHERE id = ?"
            db.execute(sql, (identity,))


def has(db: Database, key: str) -> bool:
    """Tell whether a message of this key was planned."""
    sql = "SELECT 1 FROM delivery WHERE unique_key = ?"
    return db.execute(sql, (key,)).fetchone() is not None


@dataclass(frozen=True, slots=True)
class Planned:
    """What a rule has planned about a case so far."""

    first_ms: int
    last_ms: int
    peak: str
    times: int
    escalated: bool
    held: bool = False
    """A message about it has not left yet."""


def planned(db: Database, case_ids: Sequence[str]) -> dict[tuple[str, str], Planned]:
    """Return what was planned, by rule and case."""
    if not case_ids:
        return {}
    marks = ",".join("?" * len(case_ids))
    found: dict[tuple[str, str], Planned] = {}
    rows = db.execute(
        "SELECT rule_id, case_id, created_ms, peak, times, reason,"
        " state = 'waiting' AND attempts = 0 FROM delivery"
        f" WHERE case_id IN ({marks}) AND rule_id <> '' ORDER BY created_ms, id",
        tuple(case_ids),
    )
    for rule, case, at_ms, peak, times, reason, held in rows:
        before = found.get((rule, case))
        worst = "alarm" if "alarm" in (peak, before.peak if before else "") else peak
        found[rule, case] = Planned(
            first_ms=before.first_ms if before else at_ms,
            last_ms=at_ms,
            peak=worst,
            times=max(times, before.times if before else 0),
            escalated=reason == "escalated" or (before is not None and before.escalated),
            held=bool(held) or (before is not None and before.held),
        )
    return found


def due(db: Database, now_ms: int) -> list[tuple[str, str]]:
    """Return the message that each channel sends next, as (channel, id): alarms first."""
    rows = db.execute(
        "SELECT channel_id, id FROM (SELECT delivery.*, row_number() OVER (PARTITION BY channel_id"
        " ORDER BY urgency, created_ms, id) AS place FROM (SELECT delivery.*, CASE"
        " WHEN reason = 'test' THEN 3 WHEN case_id = '' OR reason = 'order' THEN 2"
        " WHEN peak = 'alarm' THEN 0 ELSE 1 END AS urgency FROM delivery"
        " WHERE (state = 'waiting' AND next_ms <= ?) OR (state = 'sending' AND claimed_ms < ?)"
        ") AS delivery) AS placed WHERE place = 1 ORDER BY urgency, created_ms, id",
        (now_ms, now_ms - CLAIM_MS),
    )
    return [(channel, identity) for channel, identity in rows]


def claim(db: Database, identity: str, now_ms: int) -> dict[str, Any] | None:
    """Take a message to send it; None if another process has it."""
    cursor = db.execute(
        "UPDATE delivery SET state = 'sending', claimed_ms = ?, attempts = attempts + 1"
        " WHERE id = ? AND ((state = 'waiting' AND next_ms <= ?)"
        " OR (state = 'sending' AND claimed_ms < ?))",
        (now_ms, identity, now_ms, now_ms - CLAIM_MS),
    )
    if not cursor.rowcount:
        return None
    return next(iter(db.query("SELECT * FROM delivery WHERE id = ?", (identity,))), None)


def sent(db: Database, identity: str, now_ms: int) -> None:
    """Note that a message was taken by its service."""
    db.execute(
        "UPDATE delivery SET state = 'sent', sent_ms = ?, next_ms = NULL, error = '' WHERE id = ?",
        (now_ms, identity),
    )


def failed(db: Database, identity: str, error: str, answer: str, next_ms: int | None) -> None:
    """Note why a message failed, what the peer answered, and when it is tried again (None = never).

    The answer is the second line of the stored error.
    """
    db.execute(
        "UPDATE delivery SET state = ?, error = ?, next_ms = ? WHERE id = ?",
        (
            "failed" if next_ms is None else "waiting",
            "\n".join(filter(None, (error, answer))), next_ms, identity,
        ),
    )  # fmt: skip


def retry(db: Database, identity: str, now_ms: int) -> bool:
    """Try a failed message again now; False if it did not fail."""
    cursor = db.execute(
        "UPDATE delivery SET state = 'waiting', next_ms = ? WHERE id = ? AND (state = 'failed'"
        " OR (state = 'waiting' AND attempts > 0))",
        (now_ms, identity),
    )
    return bool(cursor.rowcount)


def _views(
    db: Database, where: str, values: tuple[Any, ...], *, answers: bool = False
) -> list[Delivery]:
    sql = (
        "SELECT delivery.*, coalesce(channel.name, '') AS channel_name FROM delivery"
        f" LEFT JOIN channel ON channel.id = delivery.channel_id WHERE {where}"
    )
    return list(db.records("delivery", partial(_view, answers=answers), sql, values))


def view_newest(
    db: Database, case: str | None, limit: int, *, answers: bool = False
) -> list[Delivery]:
    """Return the newest messages; with `answers`, their errors hold what the peers answered."""
    return _views(
        db,
        "delivery.case_id = coalesce(?, delivery.case_id)"
        " ORDER BY delivery.created_ms DESC, delivery.id DESC LIMIT ?",
        (case, limit),
        answers=answers,
    )


def view(db: Database, identity: str) -> Delivery | None:
    """Return one message, None if there is none."""
    return next(iter(_views(db, "delivery.id = ?", (identity,))), None)


def view_by_key(db: Database, key: str) -> Delivery | None:
    """Return the message that was planned under a key."""
    return next(iter(_views(db, "delivery.unique_key = ?", (key,))), None)


def failing(db: Database, now_ms: int) -> int:
    """Return how many messages of the last days failed or are retried."""
    row = db.execute(
        "SELECT count(*) FROM delivery WHERE created_ms > ?"
        " AND (state = 'failed' OR (state = 'waiting' AND attempts > 0))",
        (now_ms - FAILING_MS,),
    ).fetchone()
    return int(row[0])


def last_errors(db: Database) -> dict[str, str]:
    """Return the error of each channel whose newest attempt failed."""
    rows = db.execute(
        "SELECT channel_id, error FROM (SELECT channel_id, error, row_number() OVER (PARTITION BY"
        " channel_id ORDER BY coalesce(sent_ms, claimed_ms) DESC) AS place FROM delivery"
        " WHERE attempts > 0) AS placed WHERE place = 1 AND error <> ''"
    )
    return {channel: error.partition("\n")[0] for channel, error in rows}


def _view(row: dict[str, Any], *, answers: bool = False) -> Delivery:
    error, _, answer = row["error"].partition("\n")
    if answers and answer:
        error = f"{error}: {answer}"
    return Delivery(**{key: row[key] for key in Delivery.model_fields} | {"error": error})
