"""The edge node in bad company: dead networks, restarts, floods, losses; over a real broker."""

from __future__ import annotations

import random
import threading
import time

import pytest

from auscult.gateway.outputs.sparkplug import connection, doubt, worker
from auscult.gateway.outputs.sparkplug.bd_seq import BdSeq
from auscult.gateway.outputs.sparkplug.doubt import InDoubt
from auscult.gateway.outputs.sparkplug.history import StoredReading
from auscult.gateway.tags.metrics import Metric, Reading
from auscult.link import retry
from auscult.link.broker import BrokerSettings
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.plant import GROUP, NODE, SILENT, now_ms, point_state, status
from tests.gateway.outputs.sparkplug.rules import proves
from tests.waiting import wait_until

VELOCITY = "Points/DE/Levels/velocity_rms"


def velocities(wire) -> list[tuple[float, bool]]:
    """Return the velocities published in DDATA: (value, historical)."""
    published, alias = [], None
    for p in wire.sent("DBIRTH", "DDATA", device="pump-3"):
        for metric in p.body.metrics:
            if p.type == "DBIRTH" and metric.name == VELOCITY:
                alias = metric.alias
            elif p.type == "DDATA" and metric.alias == alias:
                published.append((metric.float_value, metric.is_historical))
    return published


def test_no_metric_of_a_source_that_never_delivered_has_the_time_0(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    feed = started(bench, wire)
    waiting = point_state(condition="unknown", quality="bad", reasons=(SILENT,))
    feed.publish(waiting.model_copy(update={"window_ms": 0, "levels": {}}))
    wait_until(lambda: wire.sent("DDATA"))
    births = len(wire.sent("DBIRTH"))
    host.node_command("Node Control/Rebirth", timed=False)
    wait_until(lambda: len(wire.sent("DBIRTH")) >= births + 2)
    sent = [metric for packet in wire.sent("DBIRTH", "DDATA") for metric in packet.body.metrics]
    assert all(now_ms() - 60_000 < metric.timestamp <= now_ms() for metric in sent)
    birth = wire.sent("DBIRTH", device="pump-3")[-1].metrics()
    assert birth["Points/DE/Sensor/Healthy"].is_null
    assert birth["Points/DE/Condition"].string_value == "unknown"


def stored(t_ms: int) -> StoredReading:
    return StoredReading(0, "pump-3", "m", 9, t_ms, b"")


def started(bench, wire, **settings):
    feed = bench.feed(wire, **settings)
    feed.start()
    wait_until(lambda: len(wire.sent("DBIRTH")) >= 2, what="births")
    return feed


@proves(
    "topics-nbirth-bdseq-increment",
    "message-flow-edge-node-birth-publish-will-message-payload-bdSeq",
)
@pytest.mark.parametrize("version", ["3.1.1", "5.0"])
def test_bdseq_continues_after_a_restart_and_wraps(bench, tmp_path, version):
    wire = bench.wire(bench.broker())
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bd_seq").write_text("254")
    for expected in (255, 0, 1):
        feed = bench.feed(wire, version=version)
        feed.start()
        wait_until(lambda born=feed.node: born.born)
        feed.stop()
        assert wire.sent("NBIRTH")[-1].metrics()["bdSeq"].long_value == expected
    assert BdSeq(tmp_path / "data" / "bd_seq").next == 2


def test_a_damaged_bdseq_file_starts_at_0(tmp_path):
    for content in (b"", b"\xff\xfe", b"300", b"-1", b"x"):
        (tmp_path / "bd_seq").write_bytes(content)
        assert BdSeq(tmp_path / "bd_seq").next == 0


def test_no_number_is_used_by_a_connect_that_was_never_sent(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.05))
    broker = bench.broker()
    wire = bench.wire(broker)
    broker.stop()
    dead = BrokerSettings(host="127.0.0.1", port=broker.port)
    feed = bench.feed(wire, brokers=(dead,))
    feed.start()
    time.sleep(0.5)
    broker.start()
    wait_until(lambda: feed.node.born)
    assert BdSeq(tmp_path / "data" / "bd_seq").next == 1


def test_the_second_birth_after_a_restart_has_the_levels_of_the_first_run(bench):
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(wire.sent("NBIRTH")) == 2, what="the birth with the levels")
    feed.stop()
    feed = bench.feed(wire)
    feed.start()
    wait_until(lambda: len(wire.sent("DBIRTH")) == 6)
    assert VELOCITY in wire.sent("DBIRTH", device="pump-3")[-1].metrics()
    feed.publish(point_state(velocity=3.0))
    wait_until(lambda: wire.sent("DDATA")[-1].connection == 2)
    assert len(wire.sent("NBIRTH")) == 3, "no further birth is needed"


def test_readings_without_a_broker_survive_a_restart(bench, monkeypatch):
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.1))
    broker = bench.broker()
    wire = bench.wire(broker)
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(velocities(wire)) == 1)
    wire.refusing = True
    wire.cut()
    wait_until(lambda: not feed.node.born)
    for velocity in (10.0, 20.0, 40.0):
        feed.publish(point_state(velocity=velocity))
        time.sleep(0.002)
    feed.stop()
    wire.refusing = False
    feed = bench.feed(wire)
    assert feed.node.history_pending > 3
    feed.start()
    wait_until(lambda: feed.node.born and not feed.node.history_pending)
    # The first comes again: it went into a connection that may have been dead already.
    wait_until(lambda: len(velocities(wire)) == 5)
    assert velocities(wire)[1:] == [(2.0, True), (10.0, True), (20.0, True), (40.0, True)]


@pytest.mark.slow
def test_a_network_that_swallows_everything_freezes_nothing(bench, monkeypatch):
    """A publish must not be awaited without limit: the connection would hang."""
    monkeypatch.setattr(connection, "SEND_TIMEOUT_S", 1.0)
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.1))
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(velocities(wire)) == 1)
    wire.deaf = True
    for velocity in range(3, 60):
        feed.publish(point_state(velocity=float(velocity) ** 2))
        time.sleep(0.002)
    # The broker ends the silent connection after 1.5 × the keep-alive of 5 s.
    wait_until(lambda: not feed.node.born, what="the loss is noticed")
    wire.deaf = False
    births = len(wire.sent("DBIRTH"))
    wait_until(lambda: len(wire.sent("DBIRTH")) >= births + 2, what="births")
    birth = wire.sent("DBIRTH", device="pump-3")[-1].metrics()[VELOCITY].float_value
    expected = {float(v) ** 2 for v in range(3, 60)}
    wait_until(lambda: expected <= {v for v, _ in velocities(wire)} | {birth}, what="all published")


@pytest.mark.slow
def test_all_that_was_sent_into_a_black_hole_is_sent_again(bench, monkeypatch):
    """The loss is noticed up to two keep-alives after the last packet, and then some."""
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.1))
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(velocities(wire)) == 1)
    wait_until(lambda: wire.of_kind("PINGRESP"), what="an answered ping")
    wire.black_hole = True
    sent = []
    while feed.node.born:
        sent.append(10.0 + len(sent))
        feed.publish(point_state(velocity=sent[-1]))
        time.sleep(0.01)
        assert len(sent) < 3000, "the loss is noticed"
    wire.black_hole = False
    wait_until(lambda: feed.node.born)

    def lost() -> list[float]:
        birth = wire.sent("DBIRTH", device="pump-3")[-1].metrics()[VELOCITY].float_value
        published = [birth, *(value for value, _ in velocities(wire))]
        # Within the dead band of 2 % a value is no news.
        return [v for v in sent if min(abs(v - other) for other in published) > 0.02 * v]

    wait_until(lambda: not lost(), what="all that was sent")
    assert feed.node.history_dropped == 0


def test_readings_are_in_doubt_until_a_later_ping_is_answered(monkeypatch):
    monkeypatch.setattr(doubt, "MAX_READINGS", 4)
    in_doubt = InDoubt()
    for second in range(3):
        in_doubt.sent([stored(second)], second)
    in_doubt.confirm(1)
    assert [one.t_ms for one in in_doubt.take()[0]] == [1, 2]
    assert in_doubt.take() == ([], 0)
    for second in range(10, 20):
        in_doubt.sent([stored(second), stored(second)], second)
    in_doubt.confirm(15)
    readings, beyond = in_doubt.take()
    assert [one.t_ms for one in readings] == [18, 18, 19, 19]
    assert beyond == 6, "those of 15, 16 and 17; what was sent before has arrived"


def test_readings_beyond_the_bound_of_doubt_are_counted(bench, monkeypatch):
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.1))
    monkeypatch.setattr(doubt, "MAX_READINGS", 100)
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(velocities(wire)) == 1)
    for i in range(200):
        feed.publish(point_state(velocity=3.0 if i % 2 else 2.0 * i + 10))
    wait_until(lambda: len(velocities(wire)) == 201)
    assert feed.node.history_dropped == 0, "the connection lives: nothing is lost"
    wire.cut()
    wait_until(lambda: feed.node.history_dropped > 100)


def test_a_message_that_does_not_leave_takes_no_number(bench, monkeypatch):
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state())
    wait_until(lambda: len(velocities(wire)) == 1)
    session = feed.node._worker._session
    # The node publishes in order: earlier messages have left when this one has.
    feed.publish(status(windows=8))
    wait_until(lambda: wire.sent("NDATA"))
    wait_until(lambda: session._seq == (wire.sent("NDATA")[0].body.seq + 1) % 256)
    before, send = session._seq, session._send
    session._send = lambda topic, body: False
    assert session.data(None, [], now_ms()) is False
    assert session._seq == before
    session._send = send
    feed.publish(status(windows=9))
    wait_until(lambda: len(wire.sent("NDATA")) == 2)
    assert wire.sent("NDATA")[1].body.seq == before


def test_a_broker_that_is_killed_and_comes_back_gets_all_births(bench, monkeypatch):
    monkeypatch.setattr(retry, "RETRY_S", (0.05, 0.2))
    broker = bench.broker()
    wire = bench.wire(broker)
    feed = started(bench, wire)
    for round_ in range(3):
        broker.kill()
        wait_until(lambda: not feed.node.born)
        feed.publish(status(windows=100 + round_))
        broker.start()
        wait_until(lambda: feed.node.born)
    assert [p.body.metrics[-2].name for p in wire.sent("NBIRTH")]
    births = {p.connection: p.metrics()["bdSeq"].long_value for p in wire.sent("NBIRTH")}
    # each CONNECT counts, also one that the dying broker did not answer; one that was sent as the
    # broker's sockets closed is not among the packets, so a number may be missing
    wills = {
        p.connection: Payload.FromString(p.will_payload).metrics[0].long_value
        for p in wire.packets
        if p.kind == "CONNECT"
    }
    assert len(births) == 4
    assert list(wills.values()) == sorted(set(wills.values()))
    assert births == {connection: wills[connection] for connection in births}


def test_the_broker_publishes_the_death_of_a_killed_node(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    started(bench, wire)
    wire.refusing = True
    wire.cut()
    wait_until(lambda: any("/NDEATH/" in m.topic for m in host.received))
    births = [i for i, m in enumerate(host.received) if "/NBIRTH/" in m.topic]
    deaths = [i for i, m in enumerate(host.received) if "/NDEATH/" in m.topic]
    assert births[-1] < deaths[0]


@pytest.mark.parametrize("version", ["3.1.1", "5.0"])
def test_it_stops_whatever_the_broker_does(bench, version):
    broker = bench.broker()
    wire = bench.wire(broker)
    feed = started(bench, wire, version=version)
    wire.deaf = True
    feed.stop()
    assert not feed.node.thread.is_alive()


def test_a_wrong_update_ends_nothing(bench):
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.node.publish("no-such-machine", {"x": Reading(1.0, 1)})
    feed.node.publish(None, {"no such metric": Reading(1.0, 1)})
    feed.node.publish(None, {"Health/CPU": Reading("not a number", 1)})
    feed.node.device_lost("no-such-machine", "")
    feed.node.extend("no-such-machine", [Metric("x", 9)])
    feed.publish(status())
    wait_until(lambda: wire.sent("NDATA"))
    assert feed.node.born


def test_a_flood_of_malformed_messages_stops_neither_the_node_nor_its_commands(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    feed = started(bench, wire)
    rng = random.Random(0)
    ended = threading.Event()

    def flood() -> None:
        topics = [
            f"spBv1.0/{GROUP}/NCMD/{NODE}", f"spBv1.0/{GROUP}/DCMD/{NODE}/pump-3",
            "spBv1.0/STATE/scada",
        ]  # fmt: skip
        for i in range(5000):
            size = 100_000 if i % 500 == 0 else rng.randrange(200)
            host._client.publish(rng.choice(topics), rng.randbytes(size))
        ended.set()

    thread = threading.Thread(target=flood)
    thread.start()
    for i in range(50):
        feed.publish(status(windows=i))
        time.sleep(0.01)
    thread.join()
    wait_until(lambda: feed.node.commands_refused > 100)
    wait_until(lambda: len(wire.sent("NDATA")) >= 50, what="data during the flood")
    births = len(wire.sent("NBIRTH"))
    host.node_command("Node Control/Rebirth")
    wait_until(lambda: len(wire.sent("NBIRTH")) > births, what="the command after the flood")
    wait_until(lambda: feed.node.born, what="births of all devices after the one of the node")


def test_a_flood_of_rebirths_causes_none_of_births(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    started(bench, wire)
    begun = time.monotonic()
    for _ in range(300):
        host.node_command("Node Control/Rebirth", timed=False)
    time.sleep(1.2)
    assert 2 <= len(wire.sent("NBIRTH")) <= 2 + (time.monotonic() - begun) / worker.REBIRTH_PAUSE_S


def test_readings_at_high_rate_are_all_published_in_order(bench):
    wire = bench.wire(bench.broker())
    feed = started(bench, wire)
    feed.publish(point_state(velocity=1.0))
    wait_until(lambda: len(velocities(wire)) == 1)
    for i in range(2000):
        feed.publish(point_state(velocity=100.0 if i % 2 else 1000.0 + i))
    wait_until(lambda: len(velocities(wire)) == 2001)
    assert [v for v, _ in velocities(wire)][1::2] == [1000.0 + i for i in range(0, 2000, 2)]


@pytest.mark.parametrize("version", ["3.1.1", "5.0"])
def test_a_node_that_was_never_born_sends_no_death(bench, caplog, version):
    caplog.set_level("INFO")
    wire = bench.wire(bench.broker())
    feed = bench.feed(wire, version=version, primary_host_id="SCADA")
    feed.start()
    wait_until(lambda: "waits for primary host SCADA" in caplog.text)
    assert "connected to" in caplog.text
    feed.stop()
    assert not wire.sent("NBIRTH")
    assert not wire.sent("NDEATH")


def test_what_was_reported_before_the_connection_is_in_the_first_birth(bench, caplog):
    caplog.set_level("INFO")
    wire = bench.wire(bench.broker())
    feed = bench.feed(wire)
    feed.publish(point_state())
    feed.start()
    wait_until(lambda: feed.node.born)
    wait_until(lambda: wire.sent("DBIRTH", device="pump-3"))
    birth = wire.sent("DBIRTH", device="pump-3")[0].metrics()
    assert not birth["Points/DE/Condition"].is_null
    assert ": born" in caplog.text


def test_a_birth_gives_values_that_are_unknown_a_bad_quality(bench):
    wire = bench.wire(bench.broker())
    started(bench, wire)
    metrics = wire.sent("DBIRTH", device="pump-3")[0].metrics()
    unknown = metrics["Points/DE/Condition"]
    assert unknown.is_null
    qualities = dict(zip(unknown.properties.keys, unknown.properties.values, strict=True))
    assert qualities["Quality"].int_value == 0
