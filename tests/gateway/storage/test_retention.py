"""Nothing is discarded faster than it has aged by the monotonic clock."""

from __future__ import annotations

import time

from auscult.gateway.storage.outbox_rows import packed
from auscult.gateway.storage.retention import Retention
from auscult.gateway.storage.store import Store

DAY_S = 24 * 3600


class Days:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def insert(store: Store, name: str, created_ns: int) -> None:
    store.write(
        lambda db: db.execute(
            "INSERT INTO outbox (message_id, lane, topic, payload, created_ns)"
            " VALUES (?, 1, 't', ?, ?)",
            [name, packed(b"{}"), created_ns],
        )
    ).result()
    store.write(
        lambda db: db.execute(
            "INSERT INTO events VALUES (?, 'm', 'end', 'normal', ?, ?, ?, '{}')",
            [name, created_ns, created_ns, created_ns],
        )
    ).result()


def kept(store: Store) -> tuple[list[str], list[str]]:
    waiting = [r[0] for r in store.read("SELECT message_id FROM outbox ORDER BY id")]
    return waiting, [r[0] for r in store.read("SELECT event_id FROM events ORDER BY rowid")]


def live(store: Store, retention: Retention, clock: Days, days: float) -> None:
    for _ in range(round(days * 24)):
        clock.now_s += DAY_S / 24
        store.write(retention.apply).result()


def test_old_messages_and_ended_events_go_by_running_time(store):
    clock = Days()
    retention = Retention(outbox_days=10, event_days=20, clock_s=clock)
    live(store, retention, clock, 0.1)
    insert(store, "first", time.time_ns())
    live(store, retention, clock, 5)
    insert(store, "second", time.time_ns())
    live(store, retention, clock, 4.5)
    assert kept(store) == (["first", "second"], ["first", "second"])
    live(store, retention, clock, 2.5)
    assert kept(store) == (["second"], ["first", "second"])
    assert store.read("SELECT value FROM counters WHERE name = 'outbox_dropped'")[0][0] == 1
    live(store, retention, clock, 20)
    assert kept(store) == ([], [])


def test_a_wrong_clock_makes_nothing_old(store, monkeypatch):
    clock = Days()
    retention = Retention(outbox_days=10, event_days=20, clock_s=clock)
    insert(store, "present", time.time_ns())
    insert(store, "past", 0)
    now_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now_ns + 11 * 365 * DAY_S * 10**9)
    live(store, retention, clock, 2)
    assert kept(store) == (["present", "past"], ["present", "past"])


def test_age_continues_after_a_restart(store):
    clock = Days()
    insert(store, "one", time.time_ns())
    for _ in range(4):
        live(store, Retention(10, 20, clock_s=clock), clock, 3)
    assert kept(store) == ([], ["one"])


def test_an_event_after_the_table_was_emptied_is_kept(store):
    clock = Days()
    retention = Retention(outbox_days=10, event_days=20, clock_s=clock)
    insert(store, "first", time.time_ns())
    insert(store, "second", time.time_ns())
    live(store, retention, clock, 22)
    assert kept(store) == ([], [])
    insert(store, "new", time.time_ns())
    live(store, retention, clock, 1)
    assert kept(store)[1] == ["new"]
