"""Machines with a common cause share one message; none is lost, and one alone hardly waits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from auscult.app.cases import compose
from auscult.app.cases.common import WINDOW_MS
from auscult.app.notify import notifier, rules
from auscult.app.notify.notifier import Notifier
from auscult.app.store import cases, notifications
from auscult.app.store.cases import NewEntry
from auscult.app.store.freshness import Freshness
from auscult.app.store.notifications import StoredChannel
from auscult.app.views import Rule, Span
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.app.pump_events import stored
from tests.app.test_common_cause import MINUTE, UNCLEAR, plant
from tests.app.test_notification import RULE

SECOND = 1000


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    return request.param


class Sender:
    """A plant of eight machines with a rule; time passes when a test says so."""

    def __init__(self, store: Any, monkeypatch: pytest.MonkeyPatch, rule: Rule = RULE) -> None:
        self.store, self.time_ms = store, m.now_ms()
        self.begun = self.time_ms
        monkeypatch.setattr(notifier, "now_ms", lambda: self.time_ms)
        channel = StoredChannel("c1", "shift", "json://127.0.0.1:9/", "en", True, "ada", 0)
        store.write(lambda db: notifications.put_channel(db, channel))
        store.write(lambda db: notifications.put_rule(db, "r1", rule, "ada", 0))
        plant(store)
        self.planner = Notifier(store, self.freshness, "http://page", "UTC")

    def freshness(self) -> Freshness:
        return Freshness(self.time_ms, 10**9)

    def departs(self, *machines: int, peak: str = "warning") -> None:
        for i in machines:
            stored(self.store, m.event(
                f"m{i}", f"e{i}", ts=self.time_ms, started_ms=self.begun + i * SECOND,
                updated_ms=self.time_ms, condition=peak, peak_condition=peak, reasons=UNCLEAR,
            ))  # fmt: skip
        self.planner.plan()

    def after(self, ms: int) -> list[Any]:
        """Let time pass, plan and send; return the messages that left, the first one first."""
        self.time_ms += ms
        self.planner.plan()
        sent = []
        while due := notifications.due(self.store.read(), self.time_ms):
            [(_, identity)] = due
            self.store.write(lambda db, i=identity: self.leaves(db, i))
            sent.append(notifications.view(self.store.read(), identity))
        return sent

    def leaves(self, db: Any, identity: str) -> None:
        row = notifications.claim(db, identity, self.time_ms)
        notifier._note_sent(db, row, notifications.channels(db)[0])

    def body(self, message: Any) -> str:
        db = self.store.read()
        return db.execute("SELECT body FROM delivery WHERE id = ?", (message.id,)).fetchone()[0]


@pytest.fixture
def sender(opened_store, monkeypatch):
    return Sender(opened_store, monkeypatch)


def test_a_machine_on_its_own_waits_for_seconds_only(sender):
    sender.departs(0)
    assert sender.after(notifier.FOLD_MS - 1) == []
    [sent] = sender.after(1)
    assert sent.subject.startswith("Pump 0: ")


def test_machines_that_depart_together_are_one_message(sender):
    sender.departs(0)
    sender.departs(1, 2)
    sender.departs(3)
    [sent] = sender.after(notifier.FOLD_MS)
    assert sent.subject == "4 machines of Hall 2, probably one cause"
    assert all(f"- Pump {i}: Warning, " in sender.body(sent) for i in range(4))
    assert sender.after(30 * SECOND) == []
    for i in range(4):
        kinds = [one.kind for one in cases.entries(sender.store.read(), f"e{i}")]
        assert kinds == ["notified"], "each case says it"


def test_those_that_join_later_share_the_next_message(sender):
    for i in range(3):  # the first two left on their own
        sender.departs(i)
        assert len(sender.after(notifier.FOLD_MS)) == 1
    sender.departs(3)
    sender.departs(4, 5)
    assert sender.after(WINDOW_MS - notifier.FOLD_MS - 1) == []
    [sent] = sender.after(1) or sender.after(notifier.FOLD_MS)
    assert sent.subject == "6 machines of Hall 2, probably one cause"
    assert sender.after(24 * 60 * MINUTE) == []


def test_the_first_alarm_does_not_wait(sender):
    sender.departs(0, 1, 2)
    assert len(sender.after(notifier.FOLD_MS)) == 1
    sender.departs(3, peak="alarm")
    [sent] = sender.after(notifier.FOLD_MS)
    assert "Most urgent:\n" in sender.body(sent)
    assert sender.body(sent).partition("Most urgent:")[2].count("Pump 3") == 1


def test_who_joined_and_was_split_is_reported_on_its_own(sender):
    sender.departs(0, 1, 2)
    sender.after(notifier.FOLD_MS)
    sender.departs(3)
    assert sender.after(10 * SECOND) == []
    for i in range(4):
        entry = NewEntry(f"e{i}", sender.time_ms, "Eva", "split")
        sender.store.write(lambda db, one=entry: cases.add_entry(db, one))
    sender.after(0)
    [sent] = sender.after(notifier.FOLD_MS)
    assert sent.subject.startswith("Pump 3: ")


def test_nine_escalations_are_one_message(opened_store, monkeypatch):
    sender = Sender(opened_store, monkeypatch, RULE.model_copy(update={"escalate_after_min": 30}))
    sender.departs(0, 1, 2)
    sender.after(notifier.FOLD_MS)
    sender.after(30 * MINUTE)
    [sent] = sender.after(notifier.FOLD_MS)
    assert sent.subject == "Still unacknowledged: 3 machines of Hall 2, probably one cause"


def test_the_most_urgent_machine_decides_who_receives_it(opened_store, monkeypatch):
    quiet = Span(start="00:00", end="23:59")
    rule = RULE.model_copy(update={"severity": "alarm", "quiet_hours": quiet})
    sender = Sender(opened_store, monkeypatch, rule)
    sender.departs(0, 1)
    assert sender.after(notifier.FOLD_MS) == []
    sender.departs(2, peak="alarm")
    [sent] = sender.after(notifier.FOLD_MS)
    assert sent.subject.startswith("3 machines")
    listed = compose.view_active(opened_store.read(), sender.freshness()).items
    noon = datetime.fromtimestamp(sender.time_ms / 1000, UTC).replace(hour=12)
    assert len(list(rules.wanted(rule, listed, {}, noon))) == 3


def test_two_processes_plan_one_message(sender):
    other = Notifier(sender.store, sender.freshness, "http://page", "UTC")
    sender.departs(0, 1, 2)
    other.plan()
    sender.departs(3)
    other.plan()
    assert len(sender.after(notifier.FOLD_MS)) == 1
