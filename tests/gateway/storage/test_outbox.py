"""The outbox over a real broker and a real database: nothing lost, nothing doubled, in order."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlite_utils import Database

from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import Lane, Outgoing, WriteError
from auscult.gateway.storage.store import Store, StoreError
from auscult.link.link import Link, Received
from tests.conftest import Mosquitto
from tests.gateway.storage.outgoing import Write, message
from tests.waiting import DEADLINE_S, wait_until


class Reader:
    """Stands for the dashboard: a persistent session, messages counted by id."""

    def __init__(self, broker: Mosquitto) -> None:
        self.ids: list[str] = []
        self.latest: dict[str, bytes] = {}
        self.link = Link(broker.settings, "reader", on_message=self._take, subscriptions=["t/#"])
        self.link.start()
        assert self.link.wait_connected(DEADLINE_S)

    def _take(self, message: Received) -> None:
        self.latest[message.topic] = message.payload
        if message.topic == "t/m":
            self.ids.append(json.loads(message.payload)["id"])

    @property
    def distinct(self) -> list[str]:
        return list(dict.fromkeys(self.ids))


class Sender:
    def __init__(self, broker: Mosquitto, folder: Path, max_bytes: int = 10_000_000) -> None:
        self.store = Store(folder)
        self.link = Link(broker.settings, "sender", on_connected=lambda: self.outbox.connected())
        self.outbox = Outbox(self.store, self.link, max_bytes)

    def start(self) -> None:
        self.link.start()
        self.outbox.start()

    def close(self) -> None:
        self.link.stop()
        if self.outbox.thread.is_alive():
            self.outbox.stop()
        self.store.close()


@pytest.fixture
def sender(mosquitto: Mosquitto, tmp_path: Path):
    sender = Sender(mosquitto, tmp_path / "sender")
    yield sender
    sender.close()


def test_messages_arrive_in_order_and_are_removed(mosquitto, sender):
    reader = Reader(mosquitto)
    sender.start()
    names = [f"n{n}" for n in range(1500)]
    for name in names:
        sender.outbox.put([message(name)])
    wait_until(lambda: len(reader.ids) == len(names))
    assert reader.ids == names
    wait_until(lambda: sender.outbox.pending == 0)
    assert sender.store.read("SELECT messages, bytes FROM outbox_size")[0][1] == 0
    reader.link.stop()


def test_events_go_before_trends(mosquitto, sender):
    sender.outbox.put([message(f"trend{n}", Lane.TREND) for n in range(20)]).result()
    sender.outbox.put([message("event")]).result()
    reader = Reader(mosquitto)
    sender.start()
    wait_until(lambda: len(reader.ids) == 21)
    assert reader.ids[0] == "event"
    reader.link.stop()


def test_nothing_is_lost_or_doubled_while_the_broker_comes_and_goes(mosquitto, sender):
    reader = Reader(mosquitto)
    sender.start()
    names = [f"n{n}" for n in range(3000)]
    for number, name in enumerate(names):
        sender.outbox.put([message(name)])
        if number in (700, 1700):
            mosquitto.stop()
        if number in (1200, 2200):
            mosquitto.start()
    wait_until(lambda: len(set(reader.ids)) == len(names))
    assert reader.distinct == names
    wait_until(lambda: sender.outbox.pending == 0)
    assert sender.outbox.dropped == 0
    reader.link.stop()


def test_what_one_process_left_the_next_one_sends(mosquitto, tmp_path):
    mosquitto.stop()
    first = Sender(mosquitto, tmp_path / "s")
    first.start()
    first.outbox.put([message("a"), message("b")]).result()
    assert first.outbox.pending == 2
    first.close()
    mosquitto.start()
    reader = Reader(mosquitto)
    second = Sender(mosquitto, tmp_path / "s")
    second.start()
    wait_until(lambda: reader.ids == ["a", "b"])
    second.close()
    reader.link.stop()


def test_a_full_outbox_drops_the_oldest_trends_first(mosquitto, tmp_path):
    sender = Sender(mosquitto, tmp_path / "s", max_bytes=50_000)
    for n in range(60):
        sender.outbox.put([message(f"event{n}", size=1000)]).result()
    for n in range(100):
        sender.outbox.put([message(f"trend{n}", Lane.TREND, size=1000)]).result()
    kept = [r[0] for r in sender.store.read("SELECT message_id FROM outbox ORDER BY id")]
    assert kept[:60] == [f"event{n}" for n in range(60)]
    assert kept[-1] == "trend99"
    assert sender.outbox.dropped == 160 - len(kept) > 50
    assert sender.store.read("SELECT bytes FROM outbox_size")[0][0] <= 50_000
    sender.close()


@pytest.mark.parametrize("trends", [20, 21])
def test_each_message_that_is_dropped_counts(mosquitto, tmp_path, trends):
    """However many are left of a kind when the last of them give way."""
    sender = Sender(mosquitto, tmp_path / "s", max_bytes=50_000)
    sender.outbox.put([message(f"t{n}", Lane.TREND, 100) for n in range(trends)]).result()
    sender.outbox.put([message(f"e{n}", size=1000) for n in range(120)]).result()
    kept = [r[0] for r in sender.store.read("SELECT message_id FROM outbox")]
    assert not [name for name in kept if name.startswith("t")]
    assert len(kept) + sender.outbox.dropped == trends + 120
    sender.close()


def test_events_are_dropped_last_but_the_bound_holds(mosquitto, tmp_path):
    sender = Sender(mosquitto, tmp_path / "s", max_bytes=50_000)
    for n in range(150):
        sender.outbox.put([message(f"event{n}", size=1000)]).result()
    kept = [r[0] for r in sender.store.read("SELECT message_id FROM outbox ORDER BY id")]
    assert kept[-1] == "event149"
    assert len(kept) + sender.outbox.dropped == 150
    sender.close()


def test_compressed_messages_arrive_unchanged(mosquitto, sender):
    reader = Reader(mosquitto)
    payload = json.dumps({"id": "long", "x": "x" * 100_000}).encode()
    sender.outbox.put([Outgoing("long", "t/m", payload, Lane.TREND)]).result()
    assert sender.store.read("SELECT bytes FROM outbox_size")[0][0] < 2000
    sender.start()
    wait_until(lambda: reader.latest.get("t/m") == payload)
    reader.link.stop()


def test_writes_and_messages_are_stored_together_or_not_at_all(sender):
    def work(db: Database) -> None:
        db.execute("INSERT INTO counters VALUES ('w', 1)")

    sender.outbox.put([message("a")], [Write(work)]).result()
    assert sender.store.read("SELECT value FROM counters WHERE name = 'w'")[0][0] == 1

    with pytest.raises(WriteError):
        sender.outbox.put([message("b")], [Write(work)]).result()  # the counter is there already
    assert len(sender.store.read("SELECT * FROM outbox")) == 1


def test_while_the_database_fails_messages_are_sent(mosquitto, sender):
    reader = Reader(mosquitto)
    sender.start()
    fails, done = True, []

    def work_of(name):
        def work(_db):
            if fails:
                raise StoreError("disk full")
            done.append(name)

        return work

    names = [f"n{n}" for n in range(50)]
    for name in names:
        sender.outbox.put([message(name)], [Write(work_of(name))])
    wait_until(lambda: len(reader.ids) == 50)
    assert reader.ids == names
    fails = False
    wait_until(lambda: sender.outbox.pending == 0)
    wait_until(lambda: done == names)  # what belongs to the sent messages is stored, once
    reader.link.stop()


def test_the_broker_keeps_the_latest_state_only(mosquitto, tmp_path):
    link = Link(mosquitto.settings, "states", on_connected=lambda: states.connected())
    states = RetainedStates(link)
    states.put("t/early", b"before any connection")
    link.start()
    assert link.wait_connected(DEADLINE_S)
    reader = Reader(mosquitto)
    for n in range(500):
        states.put("t/state", b"%d" % n)
        if n == 200:
            mosquitto.kill()
        if n == 300:
            mosquitto.start()
    wait_until(lambda: reader.latest.get("t/state") == b"499")
    late = Reader(mosquitto)
    wait_until(lambda: late.latest == {"t/early": b"before any connection", "t/state": b"499"})
    for one in (link, reader.link, late.link):
        one.stop()


def damage(store: Store, name: str, at: int) -> None:
    """Flip one bit of a stored payload, as a worn flash cell does."""

    def flip(db: Database) -> None:
        (payload,) = db.execute(
            "SELECT payload FROM outbox WHERE message_id = ?", [name]
        ).fetchone()
        bad = bytearray(payload)
        bad[at] ^= 0x10
        db.execute("UPDATE outbox SET payload = ? WHERE message_id = ?", [bytes(bad), name])

    store.write(flip).result()


@pytest.mark.parametrize("size", [0, 4000], ids=["plain", "compressed"])
def test_a_damaged_message_is_moved_and_later_ones_arrive(mosquitto, tmp_path, size):
    sender, reader = Sender(mosquitto, tmp_path), Reader(mosquitto)
    sender.outbox.put([message(str(i), size=size) for i in range(5)]).result()
    damage(sender.store, "2", 1)
    sender.start()
    wait_until(lambda: len(reader.distinct) == 4)
    assert reader.distinct == ["0", "1", "3", "4"]
    wait_until(lambda: sender.outbox.pending == 0)
    assert sender.outbox.dropped == 1
    rows = sender.store.read("SELECT message_id, topic, error FROM outbox_damaged")
    assert [(row["message_id"], row["topic"]) for row in rows] == [("2", "t/m")]
    assert rows[0]["error"]
    sender.close()


def test_sending_continues_after_an_unforeseen_error(mosquitto, tmp_path, monkeypatch):
    sender, reader = Sender(mosquitto, tmp_path), Reader(mosquitto)
    monkeypatch.setattr("auscult.host.supervised.FIRST_PAUSE_S", 0.05)
    failing = iter([RuntimeError("unforeseen")])

    def fail_once() -> None:
        for error in failing:
            raise error

    monkeypatch.setattr(sender.outbox, "_remove_delivered", fail_once)
    sender.outbox.put([message("0")]).result()
    sender.start()
    wait_until(lambda: reader.distinct == ["0"])
    assert "unforeseen" in sender.outbox.thread.trouble
    sender.close()


def test_a_busy_gateway_stores_again_before_it_sends_when_the_disk_has_room(
    mosquitto, sender, monkeypatch
):
    monkeypatch.setattr("auscult.gateway.storage.outbox.RETRY_S", 0.1)
    full, stop = threading.Event(), threading.Event()
    insert = sender.outbox._insert

    def checked(*args):
        if full.is_set():
            raise sqlite3.OperationalError("database or disk is full")
        insert(*args)

    monkeypatch.setattr(sender.outbox, "_insert", checked)
    names, stored = [], []

    def measure():
        while not stop.wait(0.002):
            names.append(f"n{len(names)}")
            stored.append(sender.outbox.put([message(names[-1])]))

    reader = Reader(mosquitto)
    sender.start()
    thread = threading.Thread(target=measure)
    full.set()
    thread.start()
    wait_until(lambda: len(names) > 100)
    full.clear()
    try:
        wait_until(lambda: stored[-2].done() and stored[-2].exception() is None)
    finally:
        stop.set()
        thread.join()
    wait_until(lambda: len(reader.distinct) == len(names))
    assert reader.distinct == names
    reader.link.stop()
