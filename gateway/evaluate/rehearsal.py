"""What Auscult would have reported in a plant's own history, as a report of two pages.

Each machine is played once for each budget of false events. A known breakdown counts as seen when
a case was open in the days before it, or during it; every other case counts as false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from auscult.contract.message import NS_PER_S
from auscult.contract.records import Reason
from auscult.contract.times import DAY_NS, WEEK_NS
from auscult.gateway.datasets.value_tables import (
    KnownEvent,
    PlantTables,
    read_description,
    read_history,
)
from auscult.gateway.evaluate.parallel import executor_of
from auscult.gateway.evaluate.played import PlayedEvent, Player

BEFORE_DAYS = 7.0
"""A case so long before a breakdown counts as seeing it: with a month, frequent cases see each."""
MOST_LINES = 30
"""Machines and cases listed, so that the report stays two pages."""


@dataclass(frozen=True, slots=True)
class RehearsedCase:
    """An event as people would have seen it (UTC ns)."""

    machine: str
    from_ns: int
    to_ns: int
    alarm: bool
    why: Reason | None = None


@dataclass(frozen=True, slots=True)
class RehearsedMachine:
    """A machine's history, and its cases by budget of false events a year."""

    machine: str
    from_ns: int
    to_ns: int
    values: int
    ready_ns: int | None
    known: tuple[KnownEvent, ...]
    cases: tuple[tuple[float, tuple[RehearsedCase, ...]], ...]

    def of(self, budget: float) -> tuple[RehearsedCase, ...]:
        """Return the cases at a budget."""
        return dict(self.cases)[budget]


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the report: a table with its title, and notes below it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def rehearse(
    folder: Path,
    budgets: Sequence[float],
    workers: int = 1,
    done: Callable[[str], None] = lambda _: None,
) -> list[RehearsedMachine]:
    """Play all machines of a folder with `values.toml`.

    Parameters
    ----------
    folder : Path
    budgets : sequence of float
        False events a machine and year.
    workers : int
        Processes that play machines side by side.
    done : callable
        Gets the id of each machine that is played.

    Raises
    ------
    FileError
        If a table can't be used; one line: file, key, value, remedy.
    """
    description = read_description(folder)
    ids = [one.id for one in description.machine]
    found = []
    with executor_of(workers) as executor:
        if executor is None:
            played: Iterator[RehearsedMachine] = (
                _machine(folder, description, one, tuple(budgets)) for one in ids
            )
        else:
            n = len(ids)
            played = executor.map(
                _machine, [folder] * n, [description] * n, ids, [tuple(budgets)] * n
            )
        for machine in played:
            found.append(machine)
            done(machine.machine)
    return found


def _machine(
    folder: Path, description: PlantTables, machine: str, budgets: tuple[float, ...]
) -> RehearsedMachine:
    history = read_history(folder, description, machine)
    cases = []
    ready_ns = None
    for budget in budgets:
        with TemporaryDirectory(prefix="auscult-") as learned:
            played = Player(history, Path(learned), budget).play()
        if played.ready is not None:
            ready_ns = int(history.t_ns[played.ready])
        cases.append((budget, tuple(_case(machine, event) for event in played.events)))
    return RehearsedMachine(
        machine,
        int(history.t_ns[0]),
        int(history.t_ns[-1]),
        int(np.isfinite(history.values).sum()),
        ready_ns,
        history.events or (),
        tuple(cases),
    )


def _case(machine: str, played: PlayedEvent) -> RehearsedCase:
    reasons = played.event.reasons if played.event is not None else ()
    why = reasons[0] if reasons else None
    return RehearsedCase(machine, played.from_ns, played.to_ns, played.alarm, why)


def sees(case: RehearsedCase, known: KnownEvent) -> bool:
    """Return whether a case was open during a breakdown or in the days before it."""
    return case.from_ns <= known.to_ns and case.to_ns >= known.from_ns - BEFORE_DAYS * DAY_NS


def sections(
    name: str, machines: Sequence[RehearsedMachine], language: str = "en"
) -> list[ReportSection]:
    """Return the report in a language; the first budget is that of the lists.

    The first section is the head, without a table; the last two are the lists.
    """
    say = _Words(language)
    budgets = [budget for budget, _ in machines[0].cases]
    first, last = min(m.from_ns for m in machines), max(m.to_ns for m in machines)
    days = [(m.ready_ns - m.from_ns) / DAY_NS for m in machines if m.ready_ns is not None]
    values = say.number(sum(m.values for m in machines), ",d")
    notes = [say("played", len(machines), values, _day(first), _day(last))]
    if days:
        middle, most = say.number(median(days), ".1f"), say.number(max(days), ".1f")
        notes.append(say("ready", len(days), len(machines), middle, most))
    else:
        notes.append(say("never"))
    found = [ReportSection(say("title", name), (), (), tuple(notes))]
    found.append(ReportSection(say("budgets"), *_budgets(machines, budgets, say)))
    if any(m.known for m in machines):
        found.append(ReportSection(say("breakdowns"), *_breakdowns(machines, budgets, say)))
    budget = say.number(budgets[0])
    found.append(ReportSection(say("machines", budget), *_machines(machines, budgets[0], say)))
    found.append(ReportSection(say("cases", budget), *_cases(machines, budgets[0], say)))
    return found


def report(name: str, machines: Sequence[RehearsedMachine], language: str = "en") -> str:
    """Write the report as Markdown."""
    lines: list[str] = []
    for section in sections(name, machines, language):
        if section.head:
            lines += ["", f"## {section.title}", "", _row(section.head)]
            lines += [_row(["---"] * len(section.head)), *map(_row, section.rows)]
        else:
            lines.append(f"# {section.title}")
        for note in section.notes:
            lines += ["", note]
    return "\n".join([*lines, ""])


Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[str, ...]]
"""Head, rows and notes of a section."""


def _budgets(machines: Sequence[RehearsedMachine], budgets: Sequence[float], say: _Words) -> Table:
    weeks = sum(m.to_ns - m.ready_ns for m in machines if m.ready_ns is not None) / WEEK_NS
    span = max(weeks / len(machines), 1e-9)
    known = any(m.known for m in machines)
    total = sum(len(m.known) for m in machines)
    head = ["as_set", "n_cases", "cases_week", "alarms_week"]
    head += ["seen", "chance", "days_before", "false_week"] if known else []
    rows = []
    for budget in budgets:
        cases = [case for m in machines for case in m.of(budget)]
        cells = [say.number(budget), str(len(cases)), say.number(len(cases) / span, ".2f")]
        cells.append(say.number(sum(case.alarm for case in cases) / span, ".2f"))
        if known:
            each = [_lead(m, one, budget) for m in machines for one in m.known]
            leads = [lead for lead in each if lead is not None]
            chance = sum(len(m.known) * _chance(m, budget) for m in machines)
            false = sum(
                not any(sees(c, k) for k in m.known) for m in machines for c in m.of(budget)
            )
            cells += [say("n_of", len(leads), total), say.number(chance, ".1f")]
            cells.append(say.number(median(leads), ".1f") if leads else "–")
            cells.append(say.number(false / span, ".2f"))
        rows.append(tuple(cells))
    return tuple(map(say, head)), tuple(rows), ()


def _lead(machine: RehearsedMachine, known: KnownEvent, budget: float) -> float | None:
    """Return how many days before a breakdown its first case began, None without a case."""
    starts = [case.from_ns for case in machine.of(budget) if sees(case, known)]
    return (known.from_ns - min(starts)) / DAY_NS if starts else None


def _chance(machine: RehearsedMachine, budget: float) -> float:
    """Return the share of all moments, 0..1, at which a breakdown would count as seen."""
    seen_ns, covered_ns = 0, machine.from_ns
    for case in sorted(machine.of(budget), key=lambda one: one.from_ns):
        end_ns = min(machine.to_ns, case.to_ns + round(BEFORE_DAYS * DAY_NS))
        seen_ns += max(0, end_ns - max(covered_ns, case.from_ns))
        covered_ns = max(covered_ns, end_ns)
    return seen_ns / max(1, machine.to_ns - machine.from_ns)


def _breakdowns(
    machines: Sequence[RehearsedMachine], budgets: Sequence[float], say: _Words
) -> Table:
    rows = []
    for machine in machines:
        for known in machine.known:
            cells = [machine.machine, _day(known.from_ns), known.what]
            for budget in budgets:
                lead = _lead(machine, known, budget)
                early = machine.ready_ns is None or machine.ready_ns > known.to_ns
                unseen = say("too_early" if early else "not_seen")
                cells.append(unseen if lead is None else say.number(lead, ".1f"))
            rows.append(tuple(cells))
    of_budgets = [say("before_at", say.number(budget)) for budget in budgets]
    head = (say("machine"), say("from"), say("what"), *of_budgets)
    return head, tuple(rows), (say("counts", say.number(BEFORE_DAYS)),)


def _machines(machines: Sequence[RehearsedMachine], budget: float, say: _Words) -> Table:
    rows = []
    for one in sorted(machines, key=lambda m: -len(m.of(budget)))[:MOST_LINES]:
        cases = one.of(budget)
        days, share = say("none"), "–"
        if one.ready_ns is not None:
            open_ns = sum(case.to_ns - case.from_ns for case in cases)
            share = f"{open_ns / max(1, one.to_ns - one.ready_ns):.0%}"
            days = say.number((one.ready_ns - one.from_ns) / DAY_NS, ".1f")
        alarms = sum(case.alarm for case in cases)
        rows.append((one.machine, days, str(len(cases)), str(alarms), share))
    head = ("machine", "first", "n_cases", "n_alarms", "share")
    return tuple(map(say, head)), tuple(rows), ()


def _cases(machines: Sequence[RehearsedMachine], budget: float, say: _Words) -> Table:
    cases = sorted((c for m in machines for c in m.of(budget)), key=lambda c: c.from_ns)
    rows = []
    for case in cases[:MOST_LINES]:
        days = say.number((case.to_ns - case.from_ns) / DAY_NS, ".1f")
        level = say("alarm" if case.alarm else "warning")
        why = case.why.render(say.language) if case.why is not None else ""
        if case.why is not None and case.why.point:
            why = f"{case.why.point}: {why}"
        rows.append((case.machine, _day(case.from_ns), days, level, why))
    left = len(cases) - MOST_LINES
    notes = (say("left_out", left),) if left > 0 else ()
    return tuple(map(say, ("machine", "from", "days", "level", "why"))), tuple(rows), notes


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _day(t_ns: int) -> str:
    return datetime.fromtimestamp(t_ns / NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M")


class _Words:
    """The report's own words in a language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, *values: object) -> str:
        """Return the words of a key, with these values in their places."""
        return WORDS[key][self.language == "de"].format(*values)

    def number(self, value: float, form: str = "g") -> str:
        """Return a number with the signs of the language."""
        text = f"{value:{form}}"
        return text.translate(_GERMAN) if self.language == "de" else text


_GERMAN: Final = str.maketrans(",.", ".,")
WORDS: Final = {
    "title": ("What Auscult would have reported: {}", "Was Auscult gemeldet hätte: {}"),
    "played": (
        "{} machines with {} values, {} to {}, played with the shipped settings; no case was "
        "answered.",
        "{} Maschinen mit {} Werten, {} bis {}, mit den ausgelieferten Einstellungen abgespielt; "
        "kein Fall wurde beantwortet.",
    ),
    "ready": (
        "{} of {} machines reached a first decision, after a median of {} days (longest {}). Weeks "
        "count from there.",
        "{} von {} Maschinen kamen zu einer ersten Entscheidung, im Median nach {} Tagen (längste "
        "Zeit {}). Die Wochen zählen ab dort.",
    ),
    "never": (
        "No machine reached a first decision: the history is too short.",
        "Keine Maschine kam zu einer ersten Entscheidung: Die Vorgeschichte ist zu kurz.",
    ),
    "budgets": ("Cases at each budget", "Fälle je Vorgabe"),
    "as_set": (
        "false events a machine and year, as set",
        "Fehlalarme je Maschine und Jahr, Vorgabe",
    ),
    "n_cases": ("cases", "Fälle"),
    "cases_week": ("cases a week", "Fälle je Woche"),
    "alarms_week": ("alarms a week", "Alarme je Woche"),
    "seen": ("breakdowns seen", "Schäden gesehen"),
    "chance": ("seen by chance", "zufällig gesehen"),
    "days_before": ("days before, median", "Tage vorher, Median"),
    "false_week": ("false cases a week", "falsche Fälle je Woche"),
    "n_of": ("{} of {}", "{} von {}"),
    "breakdowns": ("Known breakdowns", "Bekannte Schäden"),
    "machine": ("machine", "Maschine"),
    "from": ("from", "ab"),
    "what": ("what", "was"),
    "before_at": ("days before, budget {}", "Tage vorher, Vorgabe {}"),
    "too_early": ("before the first decision", "vor der ersten Entscheidung"),
    "not_seen": ("not seen", "nicht gesehen"),
    "counts": (
        "A case counts when it was open within {} days before the breakdown, or during it. A "
        "negative number is a case that began after it. Seen by chance: the number of breakdowns "
        "that the same cases would see at random times.",
        "Ein Fall zählt, wenn er in den {} Tagen vor dem Schaden oder während des Schadens offen "
        "war. Eine negative Zahl ist ein Fall, der danach begann. Zufällig gesehen: wie viele "
        "Schäden dieselben Fälle zu zufälligen Zeiten sähen.",
    ),
    "machines": (
        "Machines with the most cases (budget {})",
        "Maschinen mit den meisten Fällen (Vorgabe {})",
    ),
    "first": ("first decision after, days", "erste Entscheidung nach, Tage"),
    "n_alarms": ("alarms", "Alarme"),
    "share": ("time in a case", "Zeit in einem Fall"),
    "none": ("none", "keine"),
    "cases": ("Cases (budget {})", "Fälle (Vorgabe {})"),
    "days": ("days", "Tage"),
    "level": ("level", "Stufe"),
    "why": ("why", "warum"),
    "alarm": ("alarm", "Alarm"),
    "warning": ("warning", "Warnung"),
    "left_out": ("{} later cases are left out.", "{} spätere Fälle sind weggelassen."),
    "more": ("{} more are in the text.", "{} weitere sind im Text."),
    "weekly": (
        "Cases that began, by the week (budget {})",
        "Begonnene Fälle je Woche (Vorgabe {})",
    ),
    "footer": ("Made by Auscult on {}; times in UTC", "Erstellt von Auscult am {}; Zeiten in UTC"),
}  # fmt: skip
