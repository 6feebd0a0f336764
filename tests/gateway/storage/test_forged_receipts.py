"""Receipts of a client that has the dashboard's rights at the broker, but not its key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.contract.message import now_ms
from auscult.contract.payloads import Receipt
from auscult.gateway.commands.origin import Origins
from auscult.gateway.commands.receipts import ReceiptCheck
from auscult.gateway.storage import receipts
from auscult.gateway.storage.audit import Refusals
from auscult.gateway.storage.store import Store
from auscult.link.signing import load_or_make_key, public_hex, signed
from tests.app.conftest import RunningDashboard
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS, Reader, Running, settings
from tests.waiting import wait_until

TOPIC = TOPICS.receipt


def waiting(store: Store) -> list[str]:
    rows = store.read("SELECT receipt_id FROM outbox WHERE receipt_id != '' ORDER BY id")
    return [row[0] for row in rows]


@pytest.fixture
def dashboard_key(tmp_path) -> Ed25519PrivateKey:
    return load_or_make_key(tmp_path / "dashboard" / "commands.key")


@pytest.fixture
def dashboard(mosquitto, tmp_path, dashboard_key) -> Iterator[Callable[[], RunningDashboard]]:
    """`dashboard()` starts it, again with the same data."""
    running: list[RunningDashboard] = []

    def start() -> RunningDashboard:
        running.append(RunningDashboard(tmp_path / "dashboard", mosquitto.settings))
        return running[-1]

    yield start
    for one in running:
        if one._thread.is_alive():
            one.stop()


def test_a_forged_receipt_deletes_nothing_and_the_dashboard_gets_all(
    mosquitto: Mosquitto, trained, recordings, dashboard, dashboard_key
):
    own = {
        "data_dir": trained, "trend_interval_s": 1, "heartbeat_s": 5,
        "dashboard_keys": [public_hex(dashboard_key)], "unsigned_commands": "reject",
    }  # fmt: skip
    config = settings(
        mosquitto, trained, recordings["healthy"], pace=20, repeat=True, more={"gateway": own}
    )
    first = dashboard()
    forger = Reader(mosquitto, "forger")
    with Running(config) as running:
        store = running.gateway.store
        known = "SELECT 1 FROM counters WHERE name = 'receiver_heard_s'"
        wait_until(lambda: store.read(known), what="the dashboard's first receipt")
        first.stop()
        wait_until(lambda: len(waiting(store)) > 20, what="messages wait for the dashboard")
        promised = waiting(store)
        copy = signed(Receipt(ts=now_ms(), ids=()), TOPIC, dashboard_key)
        for forged in (
            Receipt(ts=now_ms(), ids=promised),
            signed(Receipt(ts=now_ms(), ids=promised), TOPIC, Ed25519PrivateKey.generate()),
            signed(Receipt(ts=now_ms(), ids=promised), f"{TOPIC}x", dashboard_key),
            copy.model_copy(update={"ids": tuple(promised)}),
        ):
            assert forger.link.publish(TOPIC, forged.to_json())
        said = "receipts_rejected"
        wait_until(
            lambda: said in json.dumps(forger.latest[TOPICS.status].get("troubles_said", {}))
        )
        assert waiting(store)[: len(promised)] == promised, "none was deleted"
        again = dashboard()
        wait_until(
            lambda: not set(promised) & set(waiting(store)), what="the dashboard's own receipts"
        )
        running.stop()
    trends = {
        (body["point"], body["start_ms"]) for body in forger.of("trend") if body["id"] in promised
    }
    rows = again.dashboard.store.read().execute(
        "SELECT p.point, start_ms FROM trend t JOIN point p ON num = t.point WHERE tier_s = 0"
    )
    assert len(trends) > 10
    assert trends <= {tuple(row) for row in rows.fetchall()}
    forger.close()


@pytest.fixture
def receive(tmp_path):
    """`receive(receipt)` hands it to a gateway that rejects what is unsigned; its trouble."""
    store, taken = Store(tmp_path / "store"), []
    check = ReceiptCheck(
        TOPIC, Origins(tmp_path, (), "reject"), Refusals(store), taken.append
    )  # fmt: skip

    def receive(receipt: Receipt) -> str:
        before = len(taken)
        check.receive(receipt.to_json())
        assert (len(taken) > before) == (check.trouble is None)
        return check.trouble.text if check.trouble else ""

    receive.audited = lambda: store.read("SELECT actor, action, outcome FROM audit")
    yield receive
    store.close()


def test_a_dashboard_that_does_not_sign_is_reported_once_with_the_remedy(receive):
    unsigned = Receipt(ts=now_ms(), ids=("a",))
    trouble = {receive(unsigned) for _ in range(50)}
    assert len(trouble) == 1
    assert "update a dashboard that is older than this gateway" in trouble.pop()
    wait_until(receive.audited)
    assert len(receive.audited()) == 1


def test_the_first_signed_receipt_stores_the_key_as_a_command_does(receive):
    key = Ed25519PrivateKey.generate()
    receipt = Receipt(ts=now_ms(), ids=("a",))
    assert not receive(signed(receipt, TOPIC, key))
    assert receive(signed(receipt, TOPIC, Ed25519PrivateKey.generate()))


def test_copies_of_a_receipt_are_no_sign_of_the_receiver(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(receipts.time, "monotonic", lambda: clock[0])
    store = Store(tmp_path)
    first = receipts.ReceiptSender(store)
    copies = [Receipt(ts=ms, ids=("gone",)) for ms in (1000, 2000)]
    for copy in copies:
        first.process(copy)
    store.write(lambda db: None).result()
    for receiver in (first, receipts.ReceiptSender(store)):
        clock[0] += 60
        for copy in copies:
            receiver.process(copy)
        store.write(lambda db: None).result()
        assert not receiver.active_since(clock[0] - 1)
        assert receiver.known
    store.close()


def test_a_receipt_of_a_clock_that_was_set_back_still_counts(tmp_path):
    store = Store(tmp_path)
    receiver = receipts.ReceiptSender(store)
    receiver.process(Receipt(ts=now_ms()))
    store.write(
        lambda db: db.execute(
            "INSERT INTO outbox (message_id, receipt_id, lane, topic, payload, created_ns, held)"
            " VALUES ('a', 'a', 0, 't', x'', 0, 0)"
        )
    ).result()
    before_s = time.monotonic()
    receiver.process(Receipt(ts=1000, ids=("a",)))
    store.write(lambda db: None).result()
    assert not waiting(store)
    assert receiver.active_since(before_s)
    store.close()
