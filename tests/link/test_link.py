"""The link to a real broker: truth about being connected, reconnection, delivery."""

from __future__ import annotations

import logging
import subprocess
import threading
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from auscult.contract.payloads import MAX_PAYLOAD_BYTES
from auscult.link.broker import BrokerSettings
from auscult.link.link import LastWill, Link, Received, Sharing
from auscult.link.takeover import TakeoverWatch
from tests.conftest import Mosquitto
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until


@pytest.fixture
def received() -> list[Received]:
    return []


@pytest.fixture
def reader(mosquitto: Mosquitto, received: list[Received]):
    link = Link(mosquitto.settings, "reader", on_message=received.append, subscriptions=["t/#"])
    link.start()
    assert link.wait_connected(DEADLINE_S)
    link.publish("t/own", b"")
    wait_until(lambda: received, what="the own message: the broker knows the subscription")
    received.clear()
    yield link
    link.stop()


def test_a_message_arrives_and_its_delivery_is_reported(mosquitto, reader, received):
    link = Link(mosquitto.settings, "writer")
    assert not link.publish("t/a", b"before the connection")
    link.start()
    assert link.wait_connected(DEADLINE_S)
    delivered = threading.Event()
    assert link.publish("t/a", b"x", on_delivered=delivered.set)
    assert delivered.wait(DEADLINE_S)
    wait_until(lambda: received)
    assert (received[0].topic, received[0].payload) == ("t/a", b"x")
    link.stop()
    assert not link.connected


def test_pauses_stay_short_and_differ_however_long_the_broker_is_away(monkeypatch):
    pauses = []
    monkeypatch.setattr(
        paho.Client, "_reconnect_wait", lambda client: pauses.append(client._reconnect_max_delay)
    )
    link = Link(BrokerSettings(port=free_port()), "away")
    link.start()
    wait_until(lambda: len(pauses) > 50)
    link.stop()
    assert max(pauses) <= 5
    assert min(pauses[4:]) >= 2.5, "a broker that starts is not flooded"
    assert len(set(pauses)) > 40, "clients that lost it together come back apart"


def test_a_failed_network_thread_starts_again_and_is_reported(
    mosquitto, reader, received, monkeypatch
):
    monkeypatch.setattr("auscult.host.supervised.FIRST_PAUSE_S", 0.05)
    before, failures = paho.Client._handle_publish, [RuntimeError("unforeseen")]

    def handle(client):
        if failures:
            raise failures.pop()
        return before(client)

    monkeypatch.setattr(paho.Client, "_handle_publish", handle)
    writer = Link(mosquitto.settings, "writer")
    writer.start()
    assert writer.wait_connected(DEADLINE_S)
    assert reader.trouble is None
    writer.publish("t/a", b"x")
    wait_until(lambda: received)  # the broker still had it
    assert received[0].payload == b"x"
    assert reader.trouble.values == {"detail": "RuntimeError: unforeseen"}
    writer.stop()


def test_sharing_clients_take_turns_and_each_gets_retained_messages(mosquitto):
    writer = Link(mosquitto.settings, "writer")
    writer.start()
    assert writer.wait_connected(DEADLINE_S)
    kept = threading.Event()
    assert writer.publish("t/state", b"kept", retain=True, on_delivered=kept.set)
    assert kept.wait(DEADLINE_S), "else it comes as a new message, to one of them"
    deliveries: dict[str, list[Received]] = {"a": [], "b": []}
    sharing = Sharing("group", everyone=("ready",))
    links = [
        Link(
            mosquitto.settings, name, on_message=deliveries[name].append, subscriptions=["t/#"],
            sharing=sharing,
        )
        for name in deliveries
    ]  # fmt: skip
    for link in links:
        link.start()
    wait_until(lambda: all(any(r.retained for r in got) for got in deliveries.values()))
    # a client that received this has ended its plain subscription and begun the last one
    wait_until(
        lambda: (
            writer.publish("ready", b"")
            and all(any(r.topic == "ready" for r in got) for got in deliveries.values())
        )
    )
    for number in range(100):
        writer.publish("t/n", b"%d" % number)
    taken = {name: [] for name in deliveries}

    def all_taken() -> bool:
        for name, got in deliveries.items():
            taken[name] = [int(r.payload) for r in got if r.topic == "t/n"]
        return len(taken["a"] + taken["b"]) >= 100

    wait_until(all_taken)
    assert sorted(taken["a"] + taken["b"]) == list(range(100)), "each went to one of them"
    assert min(len(taken["a"]), len(taken["b"])) > 20, "both took their turn"
    for link in (*links, writer):
        link.stop()


def test_every_delivery_is_reported_once_under_load(mosquitto):
    link = Link(mosquitto.settings, "writer")
    link.start()
    assert link.wait_connected(DEADLINE_S)
    done: list[int] = []
    for number in range(3000):
        assert link.publish("t/n", b"x", on_delivered=lambda n=number: done.append(n))
    deadline = threading.Event()
    for _ in range(500):
        if len(done) == 3000:
            break
        deadline.wait(0.02)
    assert sorted(done) == list(range(3000))
    assert not link._waiting
    assert not link._early
    link.stop()


def test_it_connects_again_after_the_broker_was_away(mosquitto, reader, received, caplog):
    caplog.set_level(logging.INFO)
    mosquitto.stop()
    wait_until(lambda: not reader.connected)
    assert not reader.publish("t/a", b"lost")
    mosquitto.start()
    wait_until(lambda: reader.connected)
    assert reader.publish("t/a", b"kept")
    wait_until(lambda: received)
    assert received[0].payload == b"kept"
    assert sum("connection lost" in r.message for r in caplog.records) == 1
    assert sum("connected again" in r.message for r in caplog.records) == 1


def test_a_refused_connection_is_not_connected(tmp_path: Path, caplog):
    passwords = tmp_path / "passwords"
    passwords.touch(mode=0o600)
    subprocess.run(["mosquitto_passwd", "-b", str(passwords), "gw", "right"], check=True)
    broker = Mosquitto(tmp_path, f"allow_anonymous false\npassword_file {passwords}\n")
    broker.start()
    try:
        anonymous = Link(broker.settings, "anonymous")
        anonymous.start()
        wait_until(lambda: "refused the connection" in caplog.text)
        assert not anonymous.wait_connected(1.5)
        assert caplog.text.count("refused the connection") == 1
        anonymous.stop()

        secret = tmp_path / "secret"
        secret.write_text("right\n")
        settings = BrokerSettings(port=broker.port, username="gw", password_file=secret)
        known = Link(settings, "known")
        known.start()
        assert known.wait_connected(DEADLINE_S)
        known.stop()
    finally:
        broker.stop()


def test_an_unreachable_broker_is_logged_once_and_stops_quickly(caplog):
    link = Link(BrokerSettings(port=1), "lonely")
    link.start()
    wait_until(lambda: "cannot be reached" in caplog.text)
    link.wait_connected(1.5)
    link.stop()
    assert caplog.text.count("cannot be reached") == 1


def test_the_last_will_reports_a_lost_client(mosquitto, reader, received):
    link = Link(mosquitto.settings, "doomed", will=LastWill("t/status", b"offline"))
    link.start()
    assert link.wait_connected(DEADLINE_S)
    link._client._sock.close()
    wait_until(lambda: any(r.payload == b"offline" for r in received))
    link.stop()


def test_an_unacknowledged_message_comes_again(mosquitto):
    first: list[Received] = []
    second: list[Received] = []

    def taker(into: list[Received]) -> Link:
        link = Link(
            mosquitto.settings, "taker", on_message=into.append, subscriptions=["t/#"],
            manual_ack=True,
        )  # fmt: skip
        link.start()
        assert link.wait_connected(DEADLINE_S)
        return link

    link = taker(first)
    writer = Link(mosquitto.settings, "writer")
    writer.start()
    assert writer.wait_connected(DEADLINE_S)
    writer.publish("t/1", b"done")
    writer.publish("t/2", b"crashed before it was stored")
    wait_until(lambda: len(first) == 2)
    first[0].acknowledge()
    wait_until(lambda: True)
    link.stop()

    link = taker(second)
    wait_until(lambda: second)
    assert [r.topic for r in second] == ["t/2"]
    link.stop()
    writer.stop()


def test_an_oversized_message_is_dropped(mosquitto, reader, received):
    writer = Link(mosquitto.settings, "writer")
    writer.start()
    assert writer.wait_connected(DEADLINE_S)
    writer.publish("t/big", b"x" * (MAX_PAYLOAD_BYTES + 1))
    writer.publish("t/small", b"x")
    wait_until(lambda: received)
    assert [r.topic for r in received] == ["t/small"]
    assert reader.oversized == 1
    writer.stop()


def test_a_failing_callback_does_not_end_the_link(mosquitto, caplog):
    def fail(_: Received) -> None:
        raise RuntimeError("broken receiver")

    link = Link(mosquitto.settings, "clumsy", on_message=fail, subscriptions=["t/#"])
    link.start()
    assert link.wait_connected(DEADLINE_S)
    link.publish("t/1", b"x")
    wait_until(lambda: "broken receiver" in caplog.text)
    assert link.publish("t/2", b"x")
    link.stop()


def test_two_clients_with_one_id_are_named_once_and_back_off(mosquitto, caplog):
    caplog.set_level(logging.INFO)
    connections: list[str] = []
    links = [
        Link(mosquitto.settings, "twin", on_connected=lambda n=name: connections.append(n))
        for name in ("first", "second")
    ]
    for link in links:
        link.start()
    wait_until(lambda: any(link.trouble for link in links))
    said = next(link.trouble for link in links if link.trouble)
    assert said.code == "client_id_taken"
    assert said.values["client"] == "twin"
    suspicion = "another client probably uses the client id twin"
    wait_until(lambda: caplog.text.count(suspicion) == 2)
    assert all(link.trouble for link in links)
    before, lines = len(connections), len(caplog.records)
    threading.Event().wait(6)
    assert len(connections) - before <= 4, "without the pauses about six"
    assert len(caplog.records) == lines
    assert caplog.text.count(suspicion) == 2
    for link in links:
        link.stop()


def test_a_broker_that_restarts_often_is_no_second_client(mosquitto):
    link = Link(mosquitto.settings, "alone")
    link.start()
    for _ in range(4):
        assert link.wait_connected(DEADLINE_S)
        mosquitto.stop()
        wait_until(lambda: not link.connected)
        # A refused connection distinguishes a stopped broker from a second client.
        threading.Event().wait(1.5)
        mosquitto.start()
    assert link.wait_connected(DEADLINE_S)
    assert link.trouble is None
    link.stop()


def test_the_suspicion_ends_when_a_connection_lasts():
    watch, gone = TakeoverWatch(), ReasonCode(PacketTypes.DISCONNECT, "Unspecified error")
    now_s = 0.0
    suspected = []
    for _ in range(7):
        watch.connected(now_s)
        suspected.append(watch.lost(now_s + 1, gone))
        now_s += 2
    assert suspected == [False, False, True, False, False, False, False]
    assert watch.pause_s == 4, "the longest: it is a broker that restarts often, perhaps"
    watch.connected(now_s)
    assert not watch.settled(now_s + 59)
    assert watch.settled(now_s + 61)
    assert not watch.suspected


def test_mqtt_5_names_the_cause_at_once():
    watch = TakeoverWatch()
    watch.connected(0)
    taken = ReasonCode(PacketTypes.DISCONNECT, "Session taken over")
    assert watch.lost(3600, taken)
