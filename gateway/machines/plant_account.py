"""Keeps what all machines together promise of false events: promised, observed, and what follows.

The promise grows with the time in which a machine is decided on and no event is open, at the budget
of that time. Observed are the events that learned evidence began, without those that a person
answered as a fault or as planned work. Both are of the last twelve months.

While the observed number is significantly above the promise, each further event widens the limits
of its machine by a factor; running time takes the factor back at the pace of the machine's promise.
So the number returns to the promise, whatever the values do (adaptive conformal inference: Gibbs
and Candès 2021), and a plant within its promise is never touched. Fixed limits, ISO zones and
recognised faults are not widened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scipy.special import gammaincinv

from auscult.contract.event import Event, EventPhase
from auscult.contract.label import Verdict
from auscult.contract.message import NS_PER_S
from auscult.contract.parts import AccountPart
from auscult.contract.records import DEPARTED, Condition, ReasonKind
from auscult.contract.said import Said, SaidValue
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.plant_budget import MONTHS_A_YEAR
from auscult.gateway.storage.audit import SELF, AuditWrite
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outgoing import DatabaseWrite
from auscult.gateway.storage.store import Store
from auscult.models.settings import SECONDS_PER_YEAR

CONFIDENCE: Final = 0.95
WIDER: Final = 1.25
"""Factor of the limits for each event beyond the promise. In simulated plants 1.15 left twice the
promise; 1.4 came slightly closer than 1.25, for longer delays (`lab.studies.plant_account`)."""
MOST_EXCESS: Final = 5.0
"""Events beyond the promise that count: limits become at most three times as wide."""
NOTED: Final = 0.05
"""Least change of a factor that is applied and audited."""
MONTH_S: Final = SECONDS_PER_YEAR / MONTHS_A_YEAR
STORE_S: Final = 3600.0
"""Running time after which a machine's part is stored and shown: a kill loses this much."""
LONGEST_GAP_S: Final = 86_400.0
"""Decisions farther apart leave the time between them out."""
EXPLAINED: Final = (Verdict.CONFIRMED_FAULT, Verdict.PLANNED_WORK)


def interval(count: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean of a Poisson count (Garwood 1936).

    >>> low, high = interval(1)
    >>> round(low, 2), round(high, 2)
    (0.03, 5.57)
    """
    tail = (1 - CONFIDENCE) / 2
    low = float(gammaincinv(count, tail)) if count else 0.0
    return low, float(gammaincinv(count + 1, 1 - tail))


@dataclass
class _Month:
    """What a machine promised in a month."""

    decided_s: float = 0.0
    promised: float = 0.0


@dataclass
class _Counted:
    """An event that learned evidence began; ``verdict`` is empty while no one has answered."""

    machine: str
    month: int
    verdict: str = ""
    widened: bool = False


@dataclass
class _Own:
    """A machine's part of the account."""

    months: defaultdict[int, _Month] = field(default_factory=lambda: defaultdict(_Month))
    excess: float = 0.0
    last_ns: int = 0
    """Time of its last decision as normal, 0 if it was another."""
    unstored_s: float = 0.0
    """Time that was counted since the account was stored."""


class PlantAccount:
    """The account of all machines of a gateway; only the window loop's thread may change it."""

    def __init__(self, store: Store, machines: Mapping[str, MonitoredMachine]) -> None:
        self._machines = machines
        self._own: defaultdict[str, _Own] = defaultdict(_Own)
        self._month = 0
        for machine, month, decided_s, promised, excess in store.read(
            "SELECT machine, month, decided_s, promised, excess FROM promises ORDER BY month"
        ):
            own = self._own[machine]
            own.months[month], own.excess = _Month(decided_s, promised), excess
            self._month = max(self._month, month)
        self._events = {
            event_id: _Counted(machine, month, verdict, bool(widened))
            for event_id, machine, month, verdict, widened in store.read(
                "SELECT event_id, machine, month, verdict, widened FROM promised_events"
            )
        }
        for machine in machines.values():
            machine.widen(_factor(self._own[machine.id].excess))
        self.part = self._made()
        """The account as people see it; any thread may read it."""

    def follow(self, machine: MonitoredMachine, event: Event | None) -> list[DatabaseWrite]:
        """Count the time since a machine's last decision, and an event that begins now."""
        own, now_ns = self._own[machine.id], machine.stream_ns
        passed_s = (now_ns - own.last_ns) / NS_PER_S
        if own.last_ns and 0 < passed_s <= LONGEST_GAP_S:
            self._month = int(now_ns / NS_PER_S / MONTH_S)
            month = own.months[self._month]
            promised = machine.detector.settings.false_alarms_per_year * passed_s / SECONDS_PER_YEAR
            month.decided_s += passed_s
            own.unstored_s += passed_s
            month.promised += promised
            own.excess = max(0.0, own.excess - promised)
        own.last_ns = now_ns if machine.decision.condition is Condition.NORMAL else 0
        if event is None or event.phase is not EventPhase.START or not _by_learned(event):
            return []
        counted = self._events[event.event_id] = _Counted(machine.id, self._month)
        self.part = self._made()
        if self.part.low > self.part.promised:
            counted.widened = True
            own.excess = min(own.excess + 1.0, MOST_EXCESS)
        return [_EventWrite(event.event_id, counted), *self._renew(machine)]

    def answer(self, event_id: str, verdict: Verdict) -> list[DatabaseWrite]:
        """Count an event as answered; one that is explained widens nothing any more."""
        counted = self._events.get(event_id)
        if counted is None:
            return []
        counted.verdict = verdict.value
        own = self._own[counted.machine]
        if verdict in EXPLAINED and counted.widened:
            counted.widened = False
            own.excess = max(0.0, own.excess - 1.0)
        machine = self._machines.get(counted.machine)
        writes = self._renew(machine) if machine is not None else []
        return [_EventWrite(event_id, counted), *writes]

    def due(self, machine: MonitoredMachine) -> list[DatabaseWrite]:
        """Renew the account by a machine's time once an hour; return what is to be stored."""
        return self._renew(machine) if self._own[machine.id].unstored_s >= STORE_S else []

    def _renew(self, machine: MonitoredMachine) -> list[DatabaseWrite]:
        """Apply a machine's factor and renew `part`; return what is to be stored."""
        own = self._own[machine.id]
        own.unstored_s = 0.0
        writes: list[DatabaseWrite] = []
        before, factor = machine.detector.settings.wider, _factor(own.excess)
        if abs(factor - before) >= NOTED or (factor == 1.0 and before > 1.0):
            machine.widen(factor)
            said = Said("limits_widened", {"machine": machine.id, "factor": round(factor, 2)})
            writes.append(AuditWrite(SELF, f"widen_limits {machine.id}", said.text))
        self.part = self._made()
        if self._month in own.months:
            month = own.months[self._month]
            writes.append(_PromiseWrite(machine.id, self._month, month, own.excess))
        return writes

    def _made(self) -> AccountPart:
        since = self._month - MONTHS_A_YEAR
        months = [
            month for own in self._own.values() for n, month in own.months.items() if n > since
        ]
        counted = [one.verdict for one in self._events.values() if one.month > since]
        false = counted.count(Verdict.FALSE_ALARM)
        unanswered = len(counted) - false - sum(counted.count(one) for one in EXPLAINED)
        low, high = interval(false + unanswered)
        a_year = [m.detector.settings.false_alarms_per_year for m in self._machines.values()]
        days = sum(month.decided_s for month in months) / 86_400 / max(len(self._machines), 1)
        a_month, promised = sum(a_year) / MONTHS_A_YEAR, sum(month.promised for month in months)
        values: dict[str, SaidValue] = {
            "a_month": float(f"{a_month:.2g}"), "promised": float(f"{promised:.2g}"),
            "days": round(days), "count": false + unanswered, "false_alarms": false,
            "unanswered": unanswered, "low": float(f"{low:.2g}"), "high": float(f"{high:.2g}"),
        }  # fmt: skip
        wider = {
            machine.id: round(machine.detector.settings.wider, 2)
            for machine in self._machines.values()
            if machine.detector.settings.wider > 1.0
        }
        return AccountPart(
            a_month=a_month, promised=promised, days=days, false_alarms=false,
            unanswered=unanswered, low=low, high=high,
            wider=wider,
            said=Said("plant_account", values),
            widened=Said("account_widened", {"machines": tuple(wider)}) if wider else None,
        )  # fmt: skip


def _factor(excess: float) -> float:
    factor = WIDER**excess
    return factor if factor >= 1.0 + NOTED else 1.0


def _by_learned(event: Event) -> bool:
    """Return whether learned evidence alone began an event."""
    kinds = {reason.kind for reason in event.reasons if reason.condition in DEPARTED}
    return ReasonKind.LEARNED in kinds and not kinds & {ReasonKind.ISO_ZONE, ReasonKind.FIXED_LIMIT}


@dataclass(frozen=True, slots=True)
class _PromiseWrite:
    """Stores what a machine promised in a month."""

    machine: str
    month: int
    of_month: _Month
    excess: float

    def write_to(self, db: Database) -> None:
        """Write it, in the caller's transaction."""
        db.execute(
            "INSERT OR REPLACE INTO promises (machine, month, decided_s, promised, excess)"
            " VALUES (?, ?, ?, ?, ?)",
            [self.machine, self.month, self.of_month.decided_s, self.of_month.promised,
             self.excess],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _EventWrite:
    """Stores an event that counts."""

    event_id: str
    counted: _Counted

    def write_to(self, db: Database) -> None:
        """Write it, in the caller's transaction."""
        one = self.counted
        db.execute(
            "INSERT OR REPLACE INTO promised_events (event_id, machine, month, verdict, widened)"
            " VALUES (?, ?, ?, ?, ?)",
            [self.event_id, one.machine, one.month, one.verdict, int(one.widened)],
        )
