"""Receipts: messages that a broker lost are sent again, to an active receiver."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest
from sqlite_utils import Database

from auscult.contract.message import now_ms
from auscult.contract.payloads import Receipt, Trend
from auscult.contract.times import HOUR_NS
from auscult.gateway.storage import coarsen, outbox, receipts
from auscult.gateway.storage.outgoing import Lane, Outgoing
from auscult.gateway.storage.receipts import MAX_RESENDS, RECONNECTED_S, Overdue, ReceiptSender
from auscult.gateway.storage.store import Store
from auscult.link.link import Link, Received
from tests.gateway.storage.outgoing import message
from tests.gateway.storage.test_outbox import Reader, Sender
from tests.waiting import DEADLINE_S, wait_until


def receipt(*ids: str) -> Receipt:
    return Receipt(ts=now_ms(), ids=ids)


def named(name: str, lane: Lane = Lane.EVENT) -> Outgoing:
    plain = message(name, lane)
    return Outgoing(plain.message_id, plain.topic, plain.payload, lane, name)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(receipts, "RESEND_S", (0.3, 1.0))
    monkeypatch.setattr("auscult.gateway.storage.outbox.RETRY_S", 0.1)


class ResendClock:
    """The clock by which messages are sent again."""

    def __init__(self) -> None:
        self.now_s, self.reads = 100.0, 0

    def monotonic(self) -> float:
        self.reads += 1
        return self.now_s

    def wait_looked_at(self) -> None:
        """Wait until the outbox has looked for what is overdue, with a reading for each lane."""
        before = self.reads
        wait_until(lambda: self.reads > before + 2 * len(Lane), what="a look")


@pytest.fixture
def clock(monkeypatch):
    clock = ResendClock()
    replaced = SimpleNamespace(monotonic=clock.monotonic, time=time.time, time_ns=time.time_ns)
    for module in (receipts, outbox):
        monkeypatch.setattr(module, "time", replaced)
    monkeypatch.setattr(outbox, "RETRY_S", 0.01)
    return clock


@pytest.fixture
def sender(mosquitto, tmp_path, quick):
    sender = Sender(mosquitto, tmp_path / "sender")
    yield sender
    sender.close()


def test_without_a_receiver_the_broker_confirms(mosquitto, sender):
    sender.start()
    sender.outbox.put([named("a")])
    wait_until(lambda: sender.outbox.pending == 0)


def test_a_first_receiver_gets_what_the_broker_confirmed_before_it_had_subscribed(
    mosquitto, tmp_path, quick, monkeypatch
):
    monkeypatch.setattr("auscult.gateway.storage.outbox_rows.KEPT_FOR_RECEIVER", 4)
    first = Sender(mosquitto, tmp_path / "s")
    first.start()
    for name in ("too old", "a", "b"):
        first.outbox.put([named(name)])
    first.outbox.put([named("t", Lane.TREND)])
    wait_until(lambda: first.outbox.pending == 0, what="the broker has them, for no one")
    first.close()
    second = Sender(mosquitto, tmp_path / "s")
    second.start()
    second.outbox.put([named("c")])
    wait_until(lambda: second.outbox.pending == 0)
    reader = Reader(mosquitto)
    second.outbox.receive(receipt())
    wait_until(lambda: len(reader.ids) == 4)
    assert [one for one in reader.ids if one != "t"] == ["a", "b", "c"], "in their order"
    second.outbox.receive(receipt("a", "b", "c", "t"))
    wait_until(lambda: second.outbox.pending == 0)
    reader.link.stop()
    second.close()


def test_a_message_stays_until_its_receipt_and_is_sent_again(mosquitto, sender, clock):
    reader = Reader(mosquitto)
    sender.outbox.receive(receipt())
    sender.start()
    for name in ("a", "b", "c"):
        sender.outbox.put([named(name)])
    wait_until(lambda: reader.ids == ["a", "b", "c"])
    sender.outbox.receive(receipt("a", "c"))
    wait_until(lambda: sender.outbox.pending == 1)
    clock.wait_looked_at()
    clock.now_s += 2 * receipts.RESEND_S[0]
    clock.wait_looked_at()
    sender.outbox.put([named("d")])
    wait_until(lambda: "d" in reader.ids)
    assert reader.ids == ["a", "b", "c", "d"], "a silent receiver gets nothing again"
    wait_until(lambda: (sender.outbox.receive(receipt()), reader.ids.count("b") >= 2)[1])
    assert set(reader.ids[4:]) <= {"b", "d"}
    sender.outbox.receive(receipt("b", "d"))
    wait_until(lambda: sender.outbox.pending == 0)
    reader.link.stop()


def test_a_message_without_receipt_is_discarded_at_last(mosquitto, sender, monkeypatch):
    monkeypatch.setattr(receipts, "RESEND_S", (0.05, 0.05))
    reader = Reader(mosquitto)
    sender.outbox.receive(receipt())
    sender.start()
    sender.outbox.put([named("poison")])
    wait_until(lambda: (sender.outbox.receive(receipt()), sender.outbox.dropped == 1)[1])
    assert sender.outbox.pending == 0
    assert reader.ids == ["poison"] * (1 + receipts.MAX_RESENDS)
    reader.link.stop()


def test_what_a_killed_broker_held_comes_again_soon_after_the_next_connection(
    mosquitto, tmp_path, clock
):
    sender = Sender(mosquitto, tmp_path / "s")
    reader = Reader(mosquitto)
    sender.outbox.receive(receipt())
    sender.start()
    sender.outbox.put([named("a"), named("t", Lane.TREND), named("b")])
    wait_until(
        lambda: len(reader.ids) == 3, what="the receiver has all, and dies before it stores any"
    )
    mosquitto.kill()
    wait_until(lambda: not sender.link.connected)
    mosquitto.start()
    wait_until(lambda: sender.link.connected and reader.link.connected)
    sender.outbox.put([named("c")])
    wait_until(lambda: len(reader.ids) == 4)
    clock.now_s += RECONNECTED_S
    clock.wait_looked_at()
    sender.outbox.put([named("d")])
    wait_until(lambda: "d" in reader.ids)
    assert len(reader.ids) == 5, "the receiver may not be there"
    sender.outbox.receive(receipt())
    clock.wait_looked_at()
    clock.now_s += RECONNECTED_S
    wait_until(lambda: len(reader.ids) == 10, what="all again, long before RESEND_S")
    assert [one for one in reader.ids[5:] if one != "t"] == ["a", "b", "c", "d"], "in their order"
    reader.link.stop()
    sender.close()


def test_what_a_broker_still_holds_is_not_sent_again(mosquitto, tmp_path, clock):
    sender = Sender(mosquitto, tmp_path / "s")
    Reader(mosquitto).link.stop()
    arrived: list[str] = []
    witness = Link(
        mosquitto.settings, "witness", on_message=lambda m: arrived.append(m.topic),
        subscriptions=["t/#"], persistent=False,
    )  # fmt: skip
    witness.start()
    assert witness.wait_connected(DEADLINE_S)
    sender.outbox.receive(receipt())
    sender.start()
    names = [f"n{n}" for n in range(20)]
    for name in names:
        sender.outbox.put([named(name)])
    wait_until(lambda: len(arrived) == len(names))
    mosquitto.stop()
    wait_until(lambda: not sender.link.connected)
    mosquitto.start()
    wait_until(lambda: sender.link.connected)
    taken: list[str] = []

    def take(message: Received) -> None:
        taken.append(json.loads(message.payload)["id"])
        clock.now_s += RECONNECTED_S / 4  # for all, longer than that
        sender.outbox.receive(receipt(taken[-1]))
        wait_until(lambda: sender.outbox.pending == len(names) - len(taken))
        clock.wait_looked_at()

    slow = Link(mosquitto.settings, "reader", on_message=take, subscriptions=["t/#"])
    slow.start()
    wait_until(lambda: sender.outbox.pending == 0)
    for link in (slow, witness):
        link.stop()
    assert taken == names
    sender.close()


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A receiver and what watches for its receipts, by a clock that the test sets."""
    clock = [0.0]
    monkeypatch.setattr(receipts.time, "monotonic", lambda: clock[0])
    store = Store(tmp_path / "s")
    receiver = ReceiptSender(store)
    watch = Overdue(receiver)

    def look(now_s: float, oldest: int | None, newest: int = 9) -> bool:
        clock[0] = now_s
        return watch.look(oldest, newest, now_s)

    def confirm(now_s: float) -> None:
        clock[0] = now_s
        receiver.process(Receipt(ts=int(1000 * now_s)))

    yield receiver, watch, look, confirm
    store.close()


def test_the_oldest_is_overdue_after_a_doubling_wait_with_receipts(watched):
    _, watch, look, confirm = watched
    confirm(0)
    assert not look(1, None)
    assert not look(2, 10, 10)
    confirm(3)
    assert [look(s, 10, 10) for s in (21, 23)] == [False, True]
    confirm(24)
    assert [look(s, 10, 10) for s in (60, 64)] == [False, True]
    assert watch.resends == 2
    assert not look(65, 11, 11)
    assert watch.resends == 0


def test_the_wait_doubles_up_to_an_hour(watched):
    _, watch, look, confirm = watched
    confirm(0)
    assert not look(1, None)
    now_s = 5.0
    assert not look(now_s, 10, 10)
    for pause_s in (20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600):
        now_s += pause_s
        confirm(now_s - 0.2)
        assert not look(now_s - 0.1, 10, 10)
        assert look(now_s, 10, 10)
    assert watch.resends == receipts.MAX_RESENDS


def test_an_absence_of_the_receiver_is_no_attempt(watched):
    receiver, watch, look, confirm = watched
    confirm(0)
    assert not look(1, 10, 9)
    for hour in range(3 * MAX_RESENDS):
        receiver.connected()
        assert not look(3600 * hour, 10)
    assert watch.resends == 0
    confirm(200_000)
    assert not look(200_000, 10)
    assert look(200_000 + RECONNECTED_S, 10, 9) is False, "it was sent after the connection"


def test_a_new_connection_shortens_one_wait_only(watched):
    receiver, watch, look, confirm = watched
    confirm(0)
    assert not look(1, 5)
    receiver.connected()
    assert not look(100, 5), "the receiver may not be there"
    confirm(101)
    assert [look(s, 5) for s in (101, 102.9, 103)] == [False, False, True]
    confirm(104)
    assert [look(s, 5) for s in (106, 122, 123)] == [False, False, True]
    assert watch.resends == 1, "the short wait does not count"


def test_each_message_of_an_earlier_connection_has_a_short_wait(watched):
    receiver, _, look, confirm = watched
    confirm(0)
    look(1, 5)
    receiver.connected()
    confirm(101)
    assert not look(101.1, 5)
    assert not look(102, 6), "the receipt of 5 was late, 6 is lost"
    assert [look(s, 6) for s in (103.9, 104)] == [False, True]
    assert not look(105, 7)
    assert not look(108, 7), "7 was sent again with 6"


def test_a_receiver_is_known_over_restarts_until_it_expires(
    mosquitto, tmp_path, quick, monkeypatch
):
    first = Sender(mosquitto, tmp_path / "s")
    first.outbox.receive(receipt())
    first.start()
    first.outbox.put([named("a")]).result()
    first.close()
    second = Sender(mosquitto, tmp_path / "s")
    reader = Reader(mosquitto)
    second.start()
    wait_until(lambda: "a" in reader.ids)
    assert second.outbox.pending == 1, "it was delivered, and waits for its receipt"
    reader.link.stop()
    monkeypatch.setattr(receipts, "KNOWN_S", -1.0)
    wait_until(lambda: second.outbox.pending == 0)
    second.close()


@pytest.mark.parametrize(("days", "known"), [(29.9, True), (30.1, False)])
def test_a_receiver_that_was_not_heard_for_30_days_is_gone(tmp_path, days, known):
    store = Store(tmp_path)
    heard_s = int(time.time() - days * 24 * 3600)
    store.write(
        lambda db: db.execute("INSERT INTO counters VALUES (?, ?)", [receipts.LAST, heard_s])
    ).result()
    assert receipts.ReceiptSender(store).known == known
    store.close()


def trend(i: int, windows: int = 60) -> Trend:
    return Trend(
        ts=i, id=f"t{i}", machine="m", point="p", start_ms=60_000 * i, end_ms=60_000 * (i + 1),
        windows=windows, condition="warning" if i == 3 else "normal",
        values={"rms": (1.0 - i / 100, float(i), 5.0 + i)}, units={"rms": "g"},
    )  # fmt: skip


def test_joined_trends_lose_no_extreme():
    whole = coarsen.joined([trend(i, windows=i + 1) for i in range(5)])
    assert (whole.id, whole.start_ms, whole.end_ms, whole.windows) == ("t0", 0, 300_000, 15)
    assert whole.condition == "warning"
    low, mean, high = whole.values["rms"]
    assert (low, high) == (0.96, 9.0)
    assert mean == pytest.approx(sum(i * (i + 1) for i in range(5)) / 15, rel=1e-4)


def test_trends_of_a_clock_that_was_set_back_are_joined_over_all_their_time():
    whole = coarsen.joined([trend(i) for i in (3, 4, 0, 1)])
    assert (whole.start_ms, whole.end_ms) == (0, 300_000)


def waiting(name: str, i: int) -> Outgoing:
    body = trend(i).model_copy(update={"id": f"{name}-{i}", "machine": name})
    return Outgoing(body.id, f"a/{name}/p/trend", body.to_json(), Lane.TREND, body.id)


def test_trends_that_wait_are_joined_before_any_is_dropped(mosquitto, tmp_path, quick):
    mosquitto.stop()
    sender = Sender(mosquitto, tmp_path / "s", max_bytes=90_000)
    sender.start()
    hours = 4
    hour = time.time_ns() // HOUR_NS

    def aged(db: Database, ago: int) -> None:
        db.execute("UPDATE outbox SET created_ns = ? WHERE held = 1 AND lane = 1",
                   [(hour - ago) * HOUR_NS])  # fmt: skip

    for ago in range(hours, 0, -1):
        # they are stored, then an hour goes by
        for name in ("m1", "m2"):
            sender.outbox.put([waiting(name, 60 * (hours - ago) + i) for i in range(60)]).result()
        sender.store.write(lambda db, ago=ago: aged(db, ago)).result()
    sender.outbox.put([named("event")]).result()
    rows = sender.store.read("SELECT topic, payload FROM outbox WHERE lane = 1 ORDER BY id")
    assert sender.outbox.dropped == 0
    assert len(rows) < hours * 120
    taken: list[dict] = []
    mosquitto.start()
    link = Link(
        mosquitto.settings, "r", on_message=lambda m: taken.append(json.loads(m.payload)),
        subscriptions=["a/#"],
    )  # fmt: skip
    link.start()
    wait_until(lambda: sum(b["windows"] for b in taken) == 2 * hours * 60 * 60)
    wait_until(lambda: sender.outbox.pending == 0)
    for name in ("m1", "m2"):
        mine = [b for b in taken if b["machine"] == name]
        assert [b["start_ms"] for b in mine] == sorted(b["start_ms"] for b in mine), "in order"
        assert max(b["values"]["rms"][2] for b in mine) == 5.0 + 60 * hours - 1
    link.stop()
    sender.close()
