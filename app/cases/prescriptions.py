"""What to check first: the shipped table (prescriptions.json) and the plant's own entries."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from auscult.app.cases.reading import Surroundings, surroundings
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.troubles import OF_THE_RUN
from auscult.app.views import (
    Bilingual,
    Case,
    CheckStep,
    MachineClass,
    Prescription,
    PrescriptionBody,
    PrescriptionList,
)
from auscult.contract.said import Said

FILE: Final = Path(__file__).parent / "prescriptions.json"
FAULTS: Final = (
    "outer", "inner", "ball", "cage", "bearing", "imbalance", "misalignment", "bent", "looseness",
    "gear", "rub", "electrical", "blades", "belt", "cavitation", "turbulence", "lubrication",
    "limit", "unclear",
)  # fmt: skip
"""Faults of the diagnosis; `limit`: a limit without a named fault; `unclear`: any other change."""
QUANTITIES: Final = (
    "temperature", "pressure", "current", "voltage", "power", "flow", "level", "speed",
)  # fmt: skip
"""Quantities of overall values that have an entry of their own."""
_PART_OF: Final = {"outer": "bearing", "inner": "bearing", "ball": "bearing", "cage": "bearing"}
_ANSWERED: Final = {"propeller": "blades"}
"""Faults that only people name, by the entry that describes them."""
_NOW: Final = Bilingual(
    en="Look at it now, and reduce the load if you can. Then:",
    de="Jetzt ansehen und wenn möglich die Last senken. Dann:",
)
_CONFIRM: Final = Bilingual(
    en="Confirm it on the next round. Then:", de="Auf der nächsten Runde bestätigen. Dann:"
)
"""What comes before the action of a fault that no one has confirmed and that is not urgent."""
_CLASS_WORDS: Final[tuple[tuple[MachineClass, str], ...]] = (
    ("gearbox", "gear|getriebe"),
    ("fan", "fan|blower|lüfter|ventilator|gebläse"),
    ("compressor", "compressor|kompressor|verdichter"),
    ("pump", "pump"),
    ("motor", "motor"),
)


@cache
def shipped() -> tuple[Prescription, ...]:
    """Return the shipped table."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))["prescriptions"]
    return tuple(Prescription(origin="shipped", **entry) for entry in entries)


@cache
def _beside() -> dict[tuple[str, str | None], CheckStep]:
    """Return what to check first of a quantity, by the one that moved with it; None = none did."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))["beside"]
    return {(e["quantity"], e["moved"]): CheckStep.model_validate(e["step"]) for e in entries}


def own(db: Database) -> list[Prescription]:
    """Return the plant's own entries."""
    sql = "SELECT * FROM prescription ORDER BY fault, machine_class"
    return list(db.records("prescription", _own, sql, key="fault"))


def _own(row: dict[str, Any]) -> Prescription:
    keys = ("fault", "machine_class", "actor", "changed_ms")
    return Prescription(origin="own", **{key: row[key] for key in keys}, **json.loads(row["body"]))


def table(db: Database) -> PrescriptionList:
    """Return the whole table; an own entry replaces the shipped one."""
    entries = {(p.fault, p.machine_class): p for p in (*shipped(), *own(db))}
    return PrescriptionList(items=[entries[key] for key in sorted(entries)])


def find(db: Database, fault: str, machine_class: MachineClass) -> Prescription | None:
    """Return what to check: of this fault and class, else of any class, else of a wider fault."""
    entries = {(p.fault, p.machine_class): p for p in (*shipped(), *own(db))}
    for name in (fault, _PART_OF.get(fault), "unclear"):
        for kind in (machine_class, "any"):
            if name is not None and (name, kind) in entries:
                return entries[name, kind]
    return None


def of_case(db: Database, freshness: Freshness, case: Case) -> Prescription | None:
    """Return what to check first in a case, with an action that agrees with its urgency.

    None where work is under way or a person answered that there is no fault, and nothing else is
    urgent.
    """
    label = case.label
    answer = label if label is not None and label.undone_ms is None else None
    verdict = answer.verdict if answer else None
    level = case.urgency.level
    if (case.refuted or case.work == "under_way") and level in ("watch", "over"):
        return None
    around = surroundings(db, freshness, [case.machine_id]).get(case.machine_id)
    if case.kind != "machine":
        reason = case.headline.values.get("reason")
        of_run = isinstance(reason, Said) and reason.code in OF_THE_RUN
        return find(db, "run_state" if of_run else case.kind, "any")
    limit = case.refuted or case.headline.code in ("case_limit", "case_zone")
    named = "" if case.refuted else _ANSWERED.get(case.fault or "", case.fault)
    value = case.measured.quantity if case.measured else None
    other = value if value in QUANTITIES else "limit" if limit else "unclear"
    fault = named if named in FAULTS else other or "unclear"
    entry = find(db, fault, class_of(around))
    if entry is None or entry.origin == "own":
        return entry  # a plant's own words stay as they were written
    if entry.fault == value:
        entry = entry.model_copy(update={"steps": [*_first(value, case.also), *entry.steps]})
    if entry.action is None:
        return entry
    known = verdict == "confirmed_fault" or entry.fault in ("limit", "unclear", *QUANTITIES)
    lead = _NOW if level == "now" else _CONFIRM if level in ("watch", "over") else None
    if lead is None or (lead is _CONFIRM and known):
        return entry
    action = Bilingual(en=f"{lead.en} {entry.action.en}", de=f"{lead.de} {entry.action.de}")
    return entry.model_copy(update={"action": action})


def _first(quantity: str, also: Sequence[str]) -> list[CheckStep]:
    """Return what to check before all else, by the quantities that moved with this one."""
    known = _beside()
    steps = [known[quantity, one] for one in also or (None,) if (quantity, one) in known]
    return steps if also or steps else [known["any", None]]


def class_of(around: Surroundings | None) -> MachineClass:
    """Return the class of a machine by its gear teeth and names; `any` where they name none."""
    if around is None:
        return "any"
    if around.plate.get("gear_teeth"):
        return "gearbox"
    names = " ".join([around.machine.name, *(point.name for point in around.points)])
    found = (kind for kind, words in _CLASS_WORDS if re.search(words, names, re.IGNORECASE))
    return next(found, "any")


def put(
    db: Database, fault: str, machine_class: str, body: PrescriptionBody, actor: str, now_ms: int
) -> None:
    """Store an own entry, or replace it."""
    db.execute(
        "INSERT INTO prescription (fault, machine_class, body, actor, changed_ms)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (fault, machine_class) DO UPDATE SET"
        " body = excluded.body, actor = excluded.actor, changed_ms = excluded.changed_ms",
        (fault, machine_class, body.model_dump_json(include=set(PrescriptionBody.model_fields)),
         actor, now_ms),
    )  # fmt: skip


def remove(db: Database, fault: str, machine_class: str) -> bool:
    """Remove an own entry; False if there is none."""
    return bool(
        db.execute(
            "DELETE FROM prescription WHERE fault = ? AND machine_class = ?", (fault, machine_class)
        ).rowcount
    )
