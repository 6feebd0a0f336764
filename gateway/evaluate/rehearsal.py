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

import numpy as np

from auscult.contract.message import NS_PER_S
from auscult.gateway.datasets.value_tables import (
    KnownEvent,
    PlantTables,
    read_description,
    read_history,
)
from auscult.gateway.evaluate.parallel import executor_of
from auscult.gateway.evaluate.played import PlayedEvent, Player

DAY_NS = 86_400 * NS_PER_S
WEEK_NS = 7 * DAY_NS
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
    why: str


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
    why = reasons[0].text if reasons else ""
    if reasons and reasons[0].point:
        why = f"{reasons[0].point}: {why}"
    return RehearsedCase(machine, played.from_ns, played.to_ns, played.alarm, why)


def sees(case: RehearsedCase, known: KnownEvent) -> bool:
    """Return whether a case was open during a breakdown or in the days before it."""
    return case.from_ns <= known.to_ns and case.to_ns >= known.from_ns - BEFORE_DAYS * DAY_NS


def report(name: str, machines: Sequence[RehearsedMachine]) -> str:
    """Write the report as Markdown; the first budget is that of the lists."""
    budgets = [budget for budget, _ in machines[0].cases]
    first, last = min(m.from_ns for m in machines), max(m.to_ns for m in machines)
    ready = [m for m in machines if m.ready_ns is not None]
    days = [(m.ready_ns - m.from_ns) / DAY_NS for m in ready if m.ready_ns is not None]
    lines = [
        f"# What Auscult would have reported: {name}",
        "",
        f"{len(machines)} machines with {sum(m.values for m in machines):,} values, {_day(first)} "
        f"to {_day(last)}, played with the shipped settings; no case was answered.",
        "",
    ]
    if days:
        lines.append(
            f"{len(ready)} of {len(machines)} machines reached a first decision, after a median of "
            f"{median(days):.1f} days (longest {max(days):.1f}). Weeks count from there."
        )
    else:
        lines.append("No machine reached a first decision: the history is too short.")
    lines += ["", "## Cases at each budget", "", *_budgets(machines, budgets)]
    if any(m.known for m in machines):
        lines += ["", "## Known breakdowns", "", *_breakdowns(machines, budgets)]
    lines += ["", f"## Machines with the most cases (budget {budgets[0]:g})", ""]
    lines += [*_machines(machines, budgets[0]), "", f"## Cases (budget {budgets[0]:g})", ""]
    return "\n".join([*lines, *_cases(machines, budgets[0]), ""])


def _budgets(machines: Sequence[RehearsedMachine], budgets: Sequence[float]) -> Iterator[str]:
    weeks = sum(m.to_ns - m.ready_ns for m in machines if m.ready_ns is not None) / WEEK_NS
    span = max(weeks / len(machines), 1e-9)
    known = any(m.known for m in machines)
    total = sum(len(m.known) for m in machines)
    yield from _head(
        "false events a machine and year, as set",
        "cases",
        "cases a week",
        "alarms a week",
        *(
            ("breakdowns seen", "seen by chance", "days before, median", "false cases a week")
            if known
            else ()
        ),
    )
    for budget in budgets:
        cases = [case for m in machines for case in m.of(budget)]
        cells = [f"{budget:g}", len(cases), f"{len(cases) / span:.2f}"]
        cells.append(f"{sum(case.alarm for case in cases) / span:.2f}")
        if known:
            each = [_lead(m, one, budget) for m in machines for one in m.known]
            leads = [lead for lead in each if lead is not None]
            chance = sum(len(m.known) * _chance(m, budget) for m in machines)
            false = sum(
                not any(sees(c, k) for k in m.known) for m in machines for c in m.of(budget)
            )
            cells += [f"{len(leads)} of {total}", f"{chance:.1f}"]
            cells.append(f"{median(leads):.1f}" if leads else "–")
            cells.append(f"{false / span:.2f}")
        yield _row(cells)


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


def _breakdowns(machines: Sequence[RehearsedMachine], budgets: Sequence[float]) -> Iterator[str]:
    yield from _head(
        "machine", "from", "what", *(f"days before, budget {budget:g}" for budget in budgets)
    )
    for machine in machines:
        for known in machine.known:
            cells = [machine.machine, _day(known.from_ns), known.what]
            for budget in budgets:
                lead = _lead(machine, known, budget)
                early = machine.ready_ns is None or machine.ready_ns > known.to_ns
                unseen = "before the first decision" if early else "not seen"
                cells.append(unseen if lead is None else f"{lead:.1f}")
            yield _row(cells)
    yield ""
    yield (
        f"A case counts when it was open within {BEFORE_DAYS:g} days before the breakdown, or "
        "during it. A negative number is a case that began after it. Seen by chance: the number "
        "of breakdowns that the same cases would see at random times."
    )


def _machines(machines: Sequence[RehearsedMachine], budget: float) -> Iterator[str]:
    yield from _head("machine", "first decision after, days", "cases", "alarms", "time in a case")
    for one in sorted(machines, key=lambda m: -len(m.of(budget)))[:MOST_LINES]:
        cases = one.of(budget)
        if one.ready_ns is None:
            yield _row([one.machine, "none", len(cases), sum(c.alarm for c in cases), "–"])
            continue
        open_ns = sum(case.to_ns - case.from_ns for case in cases)
        share = open_ns / max(1, one.to_ns - one.ready_ns)
        days = (one.ready_ns - one.from_ns) / DAY_NS
        cells = [one.machine, f"{days:.1f}", len(cases), sum(c.alarm for c in cases)]
        yield _row([*cells, f"{share:.0%}"])


def _cases(machines: Sequence[RehearsedMachine], budget: float) -> Iterator[str]:
    cases = sorted((c for m in machines for c in m.of(budget)), key=lambda c: c.from_ns)
    yield from _head("machine", "from", "days", "level", "why")
    for case in cases[:MOST_LINES]:
        days = (case.to_ns - case.from_ns) / DAY_NS
        level = "alarm" if case.alarm else "warning"
        yield _row([case.machine, _day(case.from_ns), f"{days:.1f}", level, case.why])
    if len(cases) > MOST_LINES:
        yield ""
        yield f"{len(cases) - MOST_LINES} later cases are left out."


def _head(*names: str) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] * len(names))


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |"


def _day(t_ns: int) -> str:
    return datetime.fromtimestamp(t_ns / NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M")
