"""What is in flight and what waits in memory is bounded; work that fails is reported."""

from __future__ import annotations

import sqlite3

import pytest
from sqlite_utils import Database

from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import Lane, OutboxEntry, Outgoing
from auscult.gateway.storage.store import Store, StoreError
from auscult.gateway.storage.unsaved import Unsaved
from tests.gateway.storage.outgoing import Write, message
from tests.waiting import wait_until


class ManualLink:
    """A link whose deliveries a test confirms."""

    connected = True

    def __init__(self) -> None:
        self.flying: list = []
        self.refuses = False

    def publish(self, topic, payload, on_delivered) -> bool:
        if not self.refuses:
            self.flying.append(on_delivered)
        return not self.refuses


def test_no_more_messages_are_in_flight_than_the_window(tmp_path, monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.outbox.WINDOW", 10)
    store, link = Store(tmp_path), ManualLink()
    outbox = Outbox(store, link, 10**7)
    link.refuses = True
    outbox.start()
    for number in range(60):
        outbox.put([message(f"n{number}")]).result()
    link.refuses = False
    outbox.connected()
    wait_until(lambda: len(link.flying) == 10)
    for confirmed in range(1, 8):
        link.flying[confirmed - 1]()
        wait_until(lambda n=confirmed: len(link.flying) == 10 + n)
    outbox.stop()
    assert len(link.flying) == 17
    store.close()


def test_messages_in_memory_are_bounded_and_the_dropped_ones_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 5)
    store, link = Store(tmp_path), ManualLink()
    outbox = Outbox(store, link, 10**7)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(outbox, "_insert", full)
    dropped = []
    for number in range(7):
        with pytest.raises(StoreError):
            outbox.put([message(f"n{number}")]).result()
        # who waits for a future may wake before its callback has run
        wait_until(lambda n=number: outbox.pending + outbox.dropped == n + 1)
        dropped.append((outbox.pending, outbox.dropped))
    assert dropped == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (5, 1), (5, 2)]
    store.close()


@pytest.mark.parametrize("error", [sqlite3.IntegrityError, sqlite3.DataError, KeyError])
def test_work_that_fails_otherwise_is_discarded_counted_and_reported(
    tmp_path, monkeypatch, caplog, error
):
    monkeypatch.setattr("auscult.gateway.storage.outbox.RETRY_S", 0.05)
    store, link = Store(tmp_path), ManualLink()
    outbox, failed = Outbox(store, link, 10**7), []
    link.refuses = full = True

    def work(_db: Database) -> None:
        raise StoreError("disk full") if full else error("a fault of the work")

    assert isinstance(
        outbox.put([message("a")], [Write(work)], failed.append).exception(5), StoreError
    )
    assert isinstance(outbox.put([message("b")]).exception(5), StoreError), "in order, behind it"
    assert (failed, outbox.pending, outbox.dropped) == ([], 2, 0), "a full disk is tried again"
    full = False
    outbox.start()
    wait_until(lambda: outbox.pending == 1)
    wait_until(lambda: failed)
    assert ["a fault of the work" in str(one) for one in failed] == [True]
    assert outbox.dropped == 1
    assert "a fault of the work" in caplog.text
    link.refuses = False
    outbox.connected()
    wait_until(lambda: len(link.flying) == 1)
    outbox.put([message("c")], [Write(work)], failed.append)
    outbox.put([message("d")]).result()
    wait_until(lambda: len(link.flying) == 2)
    assert len(failed) == outbox.dropped == 2, "at the first attempt too"
    outbox.stop()
    store.close()


def test_messages_in_memory_are_bounded_in_bytes_too(tmp_path, monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_BYTES", 10_000)
    store, link = Store(tmp_path), ManualLink()
    outbox = Outbox(store, link, 10**7)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(outbox, "_insert", full)
    for number in range(10):
        with pytest.raises(StoreError):
            outbox.put([message(f"n{number}", size=4000)]).result()
    wait_until(lambda: (outbox.pending, outbox.dropped) == (2, 8))
    with pytest.raises(StoreError):
        outbox.put([message("alone", size=20_000)]).result()
    # one that is larger is kept alone
    wait_until(lambda: (outbox.pending, outbox.dropped) == (1, 10))
    store.close()


def test_work_of_messages_that_were_sent_from_memory_is_bounded_too(tmp_path, monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 5)
    store, link = Store(tmp_path), ManualLink()
    outbox, lost = Outbox(store, link, 10**7), []

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(outbox, "_insert", full)
    outbox.start()
    for number in range(8):
        outbox.put([message(f"m{number}")])
        wait_until(lambda n=number: len(link.flying) == n + 1)
    for number in range(8):
        outbox.put(
            [message(f"w{number}")], [Write(lambda _: None)], lambda _, n=number: lost.append(n)
        )
        wait_until(lambda n=number: len(link.flying) == 9 + n)
        assert len(lost) == max(0, number - 4), "sent messages without work need no place"
    assert lost == [0, 1, 2]
    assert outbox.dropped == 0
    outbox.stop()
    store.close()


def test_an_entry_that_is_discarded_while_it_is_sent_does_not_end_the_sending(monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 1)
    unsaved, sent = Unsaved(), []
    unsaved.keep(OutboxEntry([message("first")]))

    def publish(one: Outgoing) -> bool:
        sent.append(one.message_id)
        if len(sent) == 1:
            # the thread of the database does this when the disk is full
            unsaved.keep(OutboxEntry([message("second")]))
        return True

    unsaved.send(publish)
    unsaved.send(publish)
    assert sent == ["first", "second"]
    assert not unsaved


def test_a_message_that_is_discarded_while_it_is_sent_is_dropped_only_if_it_is_not_taken(
    monkeypatch,
):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 1)
    for taken, dropped in ((True, 0), (False, 1)):
        unsaved = Unsaved()
        unsaved.keep(OutboxEntry([message("first")]))

        def publish(_one: Outgoing, unsaved: Unsaved = unsaved, taken: bool = taken) -> bool:
            unsaved.keep(OutboxEntry([message("second")]))
            unsaved.keep(OutboxEntry([message("third")]))
            return taken

        unsaved.send(publish)
        assert unsaved.dropped == 1 + dropped, "the second one, and the first if it was refused"


def test_events_are_dropped_from_memory_after_all_trends(monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 3)
    unsaved, sent = Unsaved(), []
    lanes = [Lane.EVENT, Lane.TREND, Lane.EVENT, Lane.TREND, Lane.TREND, Lane.EVENT, Lane.EVENT]
    for number, lane in enumerate(lanes):
        unsaved.keep(OutboxEntry([message(f"n{number}", lane)]))
    unsaved.send(lambda one: not sent.append(one.message_id))
    assert sent == ["n2", "n5", "n6"], "the oldest event only behind the last trend"
    assert unsaved.dropped == 4
