"""Protocol `values`: the history of a plant's overall values, played as it came.

Each machine of a folder with `values.toml` is played afresh; the references see the same values.
What is counted adds up, so the row of all machines is made like that of one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from auscult.contract.message import NS_PER_S
from auscult.gateway.datasets.value_tables import (
    KnownEvent,
    PlantTables,
    ValueHistory,
    read_description,
    read_history,
)
from auscult.gateway.evaluate.job import MachineOutcome, fingerprint
from auscult.gateway.evaluate.played import ALARM, WARNING, Played, PlayedEvent, Player
from auscult.gateway.evaluate.records import Result
from auscult.gateway.evaluate.value_references import REFERENCE_MEDIAN, REFERENCES
from auscult.models.settings import SECONDS_PER_YEAR

PROTOCOL: Final = "values"
OURS: Final = "auscult"
HOUR_S: Final = 3600.0
INF: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted on one machine; None where nothing is known of it.

    Points are the rows after the healthy ones; the first four have a warning or an alarm as
    prediction, those with ``alarm_`` an alarm alone.
    """

    ready_h: float | None
    decided_s: float
    event_s: float
    alarm_s: float
    events: int
    alarms: int
    true_positive: int | None = None
    false_positive: int | None = None
    missed: int | None = None
    healthy: int | None = None
    alarm_true_positive: int | None = None
    alarm_false_positive: int | None = None
    true_events: int | None = None
    found: int | None = None
    false_events: int | None = None


@dataclass(frozen=True, eq=False)
class ValuesJob:
    """One machine of a folder, played through the gateway and the references."""

    folder: Path
    description: PlantTables
    machine: str
    steps: int = 1 + len(REFERENCES)

    @property
    def title(self) -> str:
        """Name for people."""
        return f"{self.folder.resolve().name}/{self.machine}"

    @property
    def key(self) -> str:
        """Name of the outcome: changes with the tables, the description and the version."""
        parts: list[object] = [version("auscult"), self.title, self.description]
        tables = {name for one in self.description.machine for _, name in one.files}
        parts += [fingerprint(self.folder / name) for name in sorted(tables)]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def evaluate(
        self,
        advance: Callable[[], None] = lambda: None,
        expect: Callable[[int], None] = lambda _: None,
    ) -> MachineOutcome:
        """Play the machine; the rows hold a `Tally` each.

        Raises
        ------
        FileError
            If a table can't be used; one line: file, key, value, remedy.
        """
        expect(self.steps)
        history = read_history(self.folder, self.description, self.machine)
        with TemporaryDirectory(prefix="auscult-") as learned:
            ours = Player(history, Path(learned)).play()
        advance()
        rows = [self._row(OURS, tally_of(history, ours))]
        for name in REFERENCES:
            rows.append(self._row(name, tally_of(history, reference(name, history, ours.ready))))
            advance()
        return MachineOutcome(tuple(rows), ())

    def _row(self, detector: str, tally: Tally) -> Result:
        name = self.folder.resolve().name
        return Result(name, self.machine, PROTOCOL, detector, None, asdict(tally))


def jobs_of(folder: Path) -> Iterator[ValuesJob]:
    """Give a job for each machine of a folder.

    Raises
    ------
    FileError
        If `values.toml` or a table can't be used; one line.
    """
    description = read_description(folder)
    for machine in description.machine:
        yield ValuesJob(folder, description, machine.id)


def reference(name: str, history: ValueHistory, ready: int | None) -> Played:
    """Fit a reference to the healthy rows, or to those before our first decision; flag the rest.

    It sees rows of the running machine with the newest value of each point.
    """
    n = len(history.t_ns)
    start = history.table.healthy_rows or ready
    level = np.zeros(n, np.int8)
    if start is None or start >= n:
        return Played(level, None, ())
    values = history.newest()
    usable = np.isfinite(values).all(axis=1) & history.running()
    baseline = usable & (np.arange(n) < start)
    scored = usable & (np.arange(n) >= start)
    if baseline.sum() < 2 or not scored.any():
        return Played(level, None, ())
    flagged = REFERENCES[name](values[baseline])(values[scored])
    level[scored] = np.where(flagged, ALARM, 0)
    smooth = level.copy()
    smooth[scored] = median_filter(level[scored], REFERENCE_MEDIAN, mode="nearest")
    return Played(level, start, tuple(_stretches(history, smooth)))


def _stretches(history: ValueHistory, level: NDArray[np.int8]) -> Iterator[PlayedEvent]:
    """Give an event for each stretch of flagged rows, until the next row that is not."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], level > 0, [0]]).astype(np.int8)))
    last = len(level) - 1
    for first, after in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        end = history.t_ns[min(after, last)]
        yield PlayedEvent(int(history.t_ns[first]), int(end), alarm=True)


def tally_of(history: ValueHistory, played: Played) -> Tally:
    """Count what a detector decided on a history."""
    t_s = history.t_ns / NS_PER_S
    counts: dict[str, int] = {}
    if history.truth is not None:
        after = slice(history.table.healthy_rows or played.ready or 0, None)
        counts = _points(history.truth[after], played.level[after])
    if history.events is not None:
        counts |= _found(history.events, played.events)
    events, alarms = len(played.events), sum(one.alarm for one in played.events)
    if played.ready is None:
        return Tally(None, 0.0, 0.0, 0.0, events, alarms, **counts)
    begin_ns = int(history.t_ns[played.ready])
    event_ns = sum(max(0, e.to_ns - max(begin_ns, e.from_ns)) for e in played.events)
    durations_s = np.diff(t_s, append=t_s[-1])[played.ready :]
    return Tally(
        ready_h=float(t_s[played.ready] - t_s[0]) / HOUR_S,
        decided_s=float(t_s[-1] - t_s[played.ready]),
        event_s=event_ns / NS_PER_S,
        alarm_s=float(durations_s[played.level[played.ready :] == ALARM].sum()),
        events=events,
        alarms=alarms,
        **counts,
    )


def _points(truth: NDArray[np.bool_], level: NDArray[np.int8]) -> dict[str, int]:
    warned, alarmed = level >= WARNING, level == ALARM
    return {
        "true_positive": int((truth & warned).sum()),
        "false_positive": int((~truth & warned).sum()),
        "missed": int((truth & ~warned).sum()),
        "healthy": int((~truth).sum()),
        "alarm_true_positive": int((truth & alarmed).sum()),
        "alarm_false_positive": int((~truth & alarmed).sum()),
    }


def _found(known: Sequence[KnownEvent], events: Sequence[PlayedEvent]) -> dict[str, int]:
    def meet(one: KnownEvent, event: PlayedEvent) -> bool:
        return event.from_ns <= one.to_ns and event.to_ns >= one.from_ns

    return {
        "true_events": len(known),
        "found": sum(any(meet(one, event) for event in events) for one in known),
        "false_events": sum(not any(meet(one, event) for one in known) for event in events),
    }


def with_folders(rows: Sequence[Result]) -> list[Result]:
    """Turn the tallies of machines into figures, after a row of all machines of each folder."""
    found = []
    for dataset in dict.fromkeys(row.dataset for row in rows):
        own = [row for row in rows if row.dataset == dataset]
        for detector in dict.fromkeys(row.detector for row in own):
            tallies = [Tally(**row.figures) for row in own if row.detector == detector]
            found.append(Result(dataset, None, PROTOCOL, detector, None, figures(tallies)))
        found += [replace(row, figures=figures([Tally(**row.figures)])) for row in own]
    return found


def figures(tallies: Sequence[Tally]) -> dict[str, Any]:
    """Return the figures of machines together; None where a ratio has nothing to count.

    ``ready_h`` is the median; a machine without a decision counts as never ready.
    """
    ready_h = median([INF if one.ready_h is None else one.ready_h for one in tallies])
    sums = {
        one.name: [value for tally in tallies if (value := getattr(tally, one.name)) is not None]
        for one in fields(Tally)
        if one.name != "ready_h"
    }
    total: Mapping[str, float] = {name: sum(values) for name, values in sums.items()}
    years = total["decided_s"] / SECONDS_PER_YEAR
    result = {
        "ready_h": None if ready_h == INF else ready_h,
        "machine_years": years,
        "events": total["events"],
        "alarms": total["alarms"],
        "events_per_year": _ratio(total["events"], years),
        "alarms_per_year": _ratio(total["alarms"], years),
        "share_in_event": _ratio(total["event_s"], total["decided_s"]),
        "share_in_alarm": _ratio(total["alarm_s"], total["decided_s"]),
    }
    if sums["true_positive"]:
        faulty = total["true_positive"] + total["missed"]
        for prefix in ("", "alarm_"):
            hit, wrong = total[f"{prefix}true_positive"], total[f"{prefix}false_positive"]
            result[f"{prefix}f1"] = _ratio(2 * hit, hit + wrong + faulty)
            result[f"{prefix}far"] = _ratio(wrong, total["healthy"])
            result[f"{prefix}mar"] = _ratio(faulty - hit, faulty)
    if sums["true_events"]:
        result |= {name: total[name] for name in ("true_events", "found", "false_events")}
    return result


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
