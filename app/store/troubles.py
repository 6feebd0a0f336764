"""Sensors, and what carries their signals: who is in trouble now, and the cases of it.

A gateway sends no events of these; their cases are opened by the states that the dashboard has. A
row of `machine_case` whose kind is not `machine` is one: `open_events` is 1 while it lasts,
`subject` names what is in trouble, and `known` holds what was known of it when it began.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import TypeAdapter
from ulid import ULID

from auscult.app.identity import gateway_of, parts
from auscult.app.store import cases, gateways
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.freshness import Freshness
from auscult.app.store.received import Change
from auscult.contract.records import Reason

SETTLE_MS: Final = 120_000
"""What lasts less is no case: a restart. By then what has one cause has come together."""
TOGETHER: Final = 3
"""So many machines of an area that fall silent within `SETTLE_MS` have one cause."""
OF_THE_RUN: Final = frozenset({"speed_contradicts", "run_bit_stuck", "run_not_recognised"})
"""Reasons of a machine, not of a point: what says whether it runs is doubtful."""
_OF_SENSOR: Final = '%"kind":"sensor"%'
REASONS: Final = TypeAdapter(tuple[Reason, ...])

Kind = Literal["sensor", "supply", "gateway", "broker"]


@dataclass(frozen=True, slots=True)
class Blind:
    """A machine of which something is not measured."""

    id: str
    name: str
    area: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is in trouble."""

    kind: Kind
    subject: str
    place: str
    """Id of the machine, or of a gateway where it is about several"""
    machines: tuple[Blind, ...]
    point: str | None = None
    """None = all points of the machine"""
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at the plant found."""

    lasting: tuple[Trouble, ...]
    """In trouble for `SETTLE_MS`, what has one cause as one"""
    began: dict[str, int]
    """What was not in trouble at the look before: when it was first seen, UTC ms, by subject"""
    over: tuple[str, ...]
    """Subjects that are no longer in trouble"""


def look(db: Database, freshness: Freshness, *, linked: bool) -> Look:
    """Return what is in trouble, and since when by the looks before, also before a restart.

    Parameters
    ----------
    db : Database
    freshness : Freshness
    linked : bool
        Whether the broker can be reached; without it nothing is known of the rest.
    """
    now = freshness.now_ms
    found = present(db, freshness) if linked else _unlinked(db)
    seen = dict(db.execute("SELECT subject, since_ms FROM trouble").fetchall())
    since = {one.subject: seen.get(one.subject, now) for one in found}
    known, away = set(_open(db)), _away(db, freshness)
    lasting = tuple(
        one
        for one, since_ms in together(found, since, known)
        if one.subject in known or now - since_ms >= SETTLE_MS
    )
    began = {subject: ms for subject, ms in since.items() if subject not in seen}
    assessed = (s for s in seen if linked and not any(f" {gateway}~" in s for gateway in away))
    return Look(lasting, began, tuple(subject for subject in assessed if subject not in since))


def follow(db: WritableDatabase, seen: Look, freshness: Freshness, *, linked: bool) -> None:
    """Note what was seen; open and end cases, so that they are those of what lasts."""
    for subject, since_ms in seen.began.items():
        db.execute(
            "INSERT INTO trouble (subject, since_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (subject, since_ms),
        )
    for subject in seen.over:
        db.execute("DELETE FROM trouble WHERE subject = ?", (subject,))
    for one, row in changes(db, seen.lasting, freshness, linked=linked):
        identity = _began(db, one, row, freshness.now_ms) if one else _ended(db, row, freshness)
        place = one.place if one else row["machine_id"]
        db.announce(Change("case", i) for i in {identity, *cases.standing(db, place)})


def present(db: Database, freshness: Freshness) -> list[Trouble]:
    """Return each gateway that is away, and each faulty sensor at the others.

    What says whether a machine runs is one of its sensors, and so is a tachometer, which is no
    point. A machine without any usable sensor is one; a machine that is shelved, out of service or
    worked on has none.
    """
    away = _away(db, freshness)
    values = (_OF_SENSOR, '%"suppression":{%')
    faulty = db.execute(
        "SELECT point.machine_id, point.point, point.state FROM point"
        " JOIN machine ON machine.id = point.machine_id WHERE point.listed = 1"
        " AND machine.listed = 1 AND point.state LIKE ? AND coalesce(machine.state, '') NOT LIKE ?"
        " ORDER BY point.num",
        values,
    ).fetchall()
    doubted = db.execute(
        "SELECT id, NULL, state FROM machine WHERE listed = 1 AND state LIKE ?"
        " AND state NOT LIKE ?",
        values,
    ).fetchall()
    listed = listed_machines(db) if faulty or doubted or away else {}
    points: dict[str, set[str]] = {}
    for machine, point in db.execute("SELECT machine_id, point FROM point WHERE listed = 1"):
        points.setdefault(machine, set()).add(point)
    found = [
        Trouble("gateway", f"gateway {gateway}", gateway, tuple(its))
        for gateway in away
        if (its := [m for m in listed.values() if gateway_of(m.id) == gateway])
    ]
    by_machine: dict[str, dict[str | None, tuple[Reason, ...]]] = {}
    for machine, point, state in (*faulty, *doubted):
        reasons = tuple(r for r in _reasons(db, machine, state) if r.kind == "sensor")
        if reasons and gateway_of(machine) not in away and machine in listed:
            by_machine.setdefault(machine, {})[point] = reasons
    for machine, by_point in by_machine.items():
        own = by_point.pop(None, ())
        found += _of_points(listed[machine], by_point, points.get(machine, set()))
        found += _of_machine(listed[machine], own, points.get(machine, set()))
    return found


def _of_points(
    machine: Blind, faulty: dict[str | None, tuple[Reason, ...]], points: set[str]
) -> list[Trouble]:
    """Return the troubles of a machine's points, all of them silent as one."""
    lost = [r for some in faulty.values() for r in some if not _of_itself(r)]
    if faulty and faulty.keys() == points and len(lost) >= len(faulty):
        only = next(iter(faulty)) if len(faulty) == 1 else None
        return [
            Trouble("sensor", f"machine {machine.id}", machine.id, (machine,), only, (lost[0],))
        ]
    return [
        Trouble("sensor", f"sensor {machine.id} {point}", machine.id, (machine,), point, reasons)
        for point, reasons in faulty.items()
    ]


def _of_machine(machine: Blind, reasons: Iterable[Reason], points: set[str]) -> Iterator[Trouble]:
    """Give the troubles that the state of a machine names, beside those of its points."""
    for one in reasons:
        if one.said.code in OF_THE_RUN:
            subject = f"run {machine.id}"
        elif one.point and one.point not in points:
            subject = f"sensor {machine.id} {one.point}"
        else:
            continue
        yield Trouble("sensor", subject, machine.id, (machine,), one.point, (one,))


def together(
    found: Sequence[Trouble], since: dict[str, int], known: set[str]
) -> list[tuple[Trouble, int]]:
    """Return troubles and since when, machines of an area that fell silent together as one.

    Parameters
    ----------
    found : sequence of Trouble
    since : dict
        By subject, when it was first seen, UTC ms.
    known : set of str
        The subjects that have a case already.
    """
    areas: dict[str, list[Trouble]] = {}
    for one in found:
        if one.subject.startswith("machine ") and one.subject not in known and one.machines[0].area:
            site = parts(one.place)[0]
            areas.setdefault(f"supply {site} {one.machines[0].area}", []).append(one)
    joined: list[tuple[Trouble, int]] = []
    taken: set[str] = set()
    for subject, silent in areas.items():
        first = min(since[one.subject] for one in silent)
        late = SETTLE_MS if subject not in known else math.inf
        some = [one for one in silent if since[one.subject] - first <= late]
        if len(some) >= TOGETHER or subject in known:
            machines = tuple(one.machines[0] for one in some)
            place = gateway_of(some[0].place)
            joined.append((Trouble("supply", subject, place, machines), first))
            taken.update(one.subject for one in some)
    alone = ((one, since[one.subject]) for one in found if one.subject not in taken)
    return [*alone, *joined]


def changes(
    db: Database, found: Sequence[Trouble], freshness: Freshness, *, linked: bool
) -> list[tuple[Trouble | None, dict[str, Any]]]:
    """Return what began, with its row if it has one, and the rows of what ended, with None."""
    rows = _open(db)
    made: list[tuple[Trouble | None, dict[str, Any]]] = []
    for one in found:
        row = rows.pop(one.subject, None)
        if row is None:
            made.append((one, _earlier(db, one, freshness.now_ms)))
        elif set(json.loads(row["known"])["ids"]) != {m.id for m in one.machines}:
            made.append((one, row))
    away = _away(db, freshness)
    ended = (row for row in rows.values() if linked and _assessed(row, away))
    return [*made, *((None, row) for row in ended)]


def _assessed(row: dict[str, Any], away: set[str]) -> bool:
    """Return whether it is known that a trouble is over: its gateway reports."""
    if row["kind"] in ("gateway", "broker"):
        return True
    place = row["machine_id"]
    return (place if row["kind"] == "supply" else gateway_of(place)) not in away


def _began(db: WritableDatabase, one: Trouble, row: dict[str, Any], now_ms: int) -> str:
    known = json.dumps({
        "ids": [m.id for m in one.machines],
        "names": [m.name for m in one.machines],
        "areas": [m.area for m in one.machines],
        "point": one.point,
        "reasons": json.loads(REASONS.dump_json(one.reasons)),
    })  # fmt: skip
    if not row:
        identity = str(ULID())
        db.execute(
            "INSERT INTO machine_case (id, machine_id, opened_ms, last_ms, events, open_events,"
            " unacknowledged, peak_condition, kind, subject, known)"
            " VALUES (?, ?, ?, ?, 1, 1, 1, 'unknown', ?, ?, ?)",
            (identity, one.place, now_ms, now_ms, one.kind, one.subject, known),
        )
        return identity
    returned = not row["open_events"]
    cases.update(
        db, row["id"], known=known, open_events=1, last_ms=now_ms,
        unacknowledged=1 if returned else row["unacknowledged"], events=row["events"] + returned,
    )  # fmt: skip
    return str(row["id"])


def _ended(db: WritableDatabase, row: dict[str, Any], freshness: Freshness) -> str:
    """Note an end; who looks after a sensor should know that it failed, the others need no one."""
    waits = row["unacknowledged"] if row["kind"] == "sensor" else 0
    cases.update(db, row["id"], open_events=0, last_ms=freshness.now_ms, unacknowledged=waits)
    return str(row["id"])


def case_of_sensor(db: Database, machine: str, point: str | None) -> str | None:
    """Return the id of the open case of a machine's sensor, None without one."""
    sql = "SELECT id FROM machine_case WHERE subject IN (?, ?) AND open_events > 0"
    subjects = (f"sensor {machine} {point}", f"machine {machine}")
    row = db.execute(sql, subjects).fetchone()
    return None if row is None else str(row[0])


def _open(db: Database) -> dict[str, dict[str, Any]]:
    sql = "SELECT * FROM machine_case WHERE kind <> 'machine' AND open_events > 0"
    return {row["subject"]: row for row in db.query(sql)}


def _earlier(db: Database, one: Trouble, now_ms: int) -> dict[str, Any]:
    """Return the row of a case that this continues: what comes back within a day is the same."""
    sql = (
        "SELECT * FROM machine_case WHERE subject = ? AND kind = ? AND closed_ms IS NULL"
        " AND last_ms >= ? ORDER BY last_ms DESC LIMIT 1"
    )
    return next(iter(db.query(sql, (one.subject, one.kind, now_ms - cases.JOIN_MS))), {})


def _away(db: Database, freshness: Freshness) -> set[str]:
    known = gateways.view_all(db, freshness)
    return {g.id for g in known if g.heard_ms and (g.state == "offline" or g.stale)}


def _unlinked(db: Database) -> list[Trouble]:
    blind = tuple(listed_machines(db).values())
    first = min((gateway_of(m.id) for m in blind), default="")
    return [Trouble("broker", "broker", first, blind)] if blind else []


def listed_machines(db: Database) -> dict[str, Blind]:
    """Return the machines of all gateways' lists with name and area, by id."""
    found = {}
    for identity, machine, part in db.execute(
        "SELECT id, machine, part FROM machine WHERE listed = 1"
    ).fetchall():
        plate = db.damage.decoded("machine", identity, part)
        found[identity] = Blind(identity, plate.get("name") or machine, plate.get("area", ""))
    return dict(sorted(found.items(), key=lambda one: (one[1].area, one[1].name)))


def _reasons(db: Database, machine: str, state: str) -> Iterable[Reason]:
    return REASONS.validate_python(db.damage.decoded("machine", machine, state).get("reasons", ()))


def _of_itself(reason: Reason) -> bool:
    """Return whether a sensor delivers, but wrongly: neither supply nor network explains that."""
    return reason.said.code.startswith("sensor_")
