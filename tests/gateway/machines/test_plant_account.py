"""The account of false events: promised, observed, and the limits that follow from both."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from scipy.stats import chi2

from auscult.contract.event import Event, EventPhase
from auscult.contract.label import Verdict
from auscult.contract.message import NS_PER_MS
from auscult.contract.records import Condition, Provenance, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.gateway.machines.plant_account import MOST_EXCESS, WIDER, PlantAccount, interval
from auscult.gateway.storage.outgoing import write_all
from auscult.gateway.storage.store import Store
from auscult.models.records import Decision
from auscult.models.settings import SHIPPED, DetectorSettings

DAY_NS = 86_400 * 10**9
NORMAL, LEARNING = (Decision(None, 0, one, ()) for one in (Condition.NORMAL, Condition.LEARNING))


@dataclass
class Machine:
    """What the account uses of a machine."""

    id: str
    settings: DetectorSettings
    stream_ns: int = 1000 * DAY_NS
    decision: Decision = NORMAL

    @property
    def detector(self) -> Machine:
        return self

    def widen(self, factor: float) -> None:
        self.settings = replace(self.settings, wider=factor)


class Plant:
    def __init__(self, folder, a_year: float, *names: str) -> None:
        settings = replace(SHIPPED, false_alarms_per_year=a_year)
        self.machines = {name: Machine(name, settings) for name in names}
        self.store = Store(folder)
        self.account = PlantAccount(self.store, self.machines)
        self._events = 0

    def _store(self, writes) -> None:
        self.store.write(lambda db: write_all(writes, db)).result()

    def run(self, days: int) -> None:
        for _ in range(days):
            for machine in self.machines.values():
                machine.stream_ns += DAY_NS
                self._store(self.account.follow(machine, None))
                self._store(self.account.due(machine))

    def event(self, name: str, *kinds: ReasonKind) -> str:
        machine, self._events = self.machines[name], self._events + 1
        at_ms = machine.stream_ns // NS_PER_MS
        event = Event(
            event_id=f"e{self._events}", machine=name, phase=EventPhase.START,
            condition=Condition.WARNING, quality="good", started_ms=at_ms, updated_ms=at_ms,
            peak_condition=Condition.WARNING, peak_evidence=1.0, peak_p_value=None, points=(),
            reasons=tuple(Reason(kind, Condition.WARNING, Said("departs")) for kind in kinds),
            ids=Provenance("", "", "", ""),
        )  # fmt: skip
        self._store(self.account.follow(machine, event))
        return event.event_id

    def answer(self, event: str, verdict: Verdict) -> None:
        self._store(self.account.answer(event, verdict))

    @property
    def part(self):
        return self.account.part

    @property
    def wider(self) -> dict[str, float]:
        return {name: machine.settings.wider for name, machine in self.machines.items()}


@pytest.fixture
def plant(tmp_path):
    made: list[Plant] = []

    def make(a_year: float, *names: str) -> Plant:
        made.append(Plant(tmp_path, a_year, *names))
        return made[-1]

    yield make
    for one in made:
        one.store.close()


@pytest.mark.parametrize("count", [0, 1, 7, 100])
def test_the_interval_is_that_of_a_poisson_count(count):
    low, high = interval(count)
    assert low == pytest.approx(chi2.ppf(0.025, 2 * count) / 2 if count else 0.0)
    assert high == pytest.approx(chi2.ppf(0.975, 2 * count + 2) / 2)


def test_the_promise_grows_while_machines_are_decided_on(plant):
    made = plant(6.0, "fan", "pump")
    made.run(1)
    made.machines["pump"].decision = LEARNING
    made.run(100)
    made.event("fan", ReasonKind.LEARNED)
    made.event("fan", ReasonKind.LEARNED, ReasonKind.ISO_ZONE)
    part = made.part
    assert part.a_month == 1.0
    assert part.days == pytest.approx((100 + 1) / 2)
    assert part.promised == pytest.approx(6 * 101 / 365.25, rel=0.01)
    assert (part.false_alarms, part.unanswered) == (0, 1), "an ISO zone promises nothing"
    assert made.wider == {"fan": 1.0, "pump": 1.0}
    assert "seen: 1 (0" in part.said.text


def test_events_beyond_the_promise_widen_their_machine_and_answers_take_it_back(plant, tmp_path):
    made = plant(0.1, "fan", "pump")
    made.run(30)
    first, second, third = (made.event("fan", ReasonKind.LEARNED) for _ in range(3))
    assert made.wider == {"fan": pytest.approx(WIDER**3), "pump": 1.0}
    assert made.part.wider == {"fan": round(WIDER**3, 2)}
    assert "fan" in made.part.widened.text
    made.answer(first, Verdict.FALSE_ALARM)
    assert (made.part.false_alarms, made.part.unanswered) == (1, 2)
    assert made.wider["fan"] == pytest.approx(WIDER**3)
    for event in (second, third):
        made.answer(event, Verdict.CONFIRMED_FAULT)
    assert (made.part.false_alarms, made.part.unanswered) == (1, 0)
    assert made.wider["fan"] == pytest.approx(WIDER)
    made.store.close()
    again = plant(0.1, "fan", "pump")
    assert again.wider == made.wider
    assert again.part == made.part
    audit = again.store.read("SELECT outcome FROM audit ORDER BY id")
    assert "times as wide" in audit[0][0]


def test_running_time_takes_the_factor_back_at_the_pace_of_the_promise(plant):
    made = plant(4.0, "fan")
    made.run(1)
    made.event("fan", ReasonKind.LEARNED)
    made.event("fan", ReasonKind.LEARNED)
    assert made.wider["fan"] > WIDER
    made.run(45)
    assert 1.0 < made.wider["fan"] < WIDER**2
    made.run(150)
    assert made.wider["fan"] == 1.0
    for _ in range(30):
        made.event("fan", ReasonKind.LEARNED)
    assert made.wider["fan"] == pytest.approx(WIDER**MOST_EXCESS), "bounded"
    made.run(400)
    assert made.part.unanswered == 0, "of the last twelve months"
