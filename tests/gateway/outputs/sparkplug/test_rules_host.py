"""The rules about the primary host and several servers, over real brokers."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from auscult.contract.message import now_ms
from auscult.gateway.outputs.sparkplug.connection import Arrived
from auscult.gateway.outputs.sparkplug.host import HostChange, PrimaryHost, parse_state
from tests.gateway.outputs.sparkplug.plant import HOST, point_state
from tests.gateway.outputs.sparkplug.rules import proves
from tests.waiting import wait_until

VERSIONS = pytest.mark.parametrize("version", ["3.1.1", "5.0"])
LITTLE_S = 0.7
"""Long enough that a birth that must not come would have come."""


@VERSIONS
@proves(
    "message-flow-edge-node-birth-publish-phid-wait",
    "message-flow-edge-node-birth-publish-phid-wait-id",
    "message-flow-edge-node-birth-publish-phid-wait-online",
    "message-flow-edge-node-birth-publish-phid-wait-timestamp",
    "message-flow-edge-node-birth-publish-phid-offline",
    "operational-behavior-edge-node-birth-sequence-wait",
    "operational-behavior-edge-node-termination-host-offline",
    "operational-behavior-edge-node-termination-host-offline-timestamp",
)
def test_births_wait_for_the_primary_host_and_end_with_it(bench, version):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    feed = bench.feed(wire, version=version, primary_host_id=HOST)
    feed.start()
    wait_until(lambda: wire.of_kind("SUBACK"), what="subscribed")
    assert (f"spBv1.0/STATE/{HOST}", 1) in wire.of_kind("SUBSCRIBE")[0].filters

    host.state(True, host="another")  # the wrong host
    # A broker would not bring its STATE; if one did, the last level of the topic is looked at.
    stranger = Arrived("spBv1.0/STATE/another", b'{"online": true, "timestamp": 1}', False)
    feed.node._mailbox.put_event(stranger, is_state=True)
    host.state(False)  # the right one, offline
    host.raw(f"spBv1.0/STATE/{HOST}", b"ONLINE", retain=True)  # the form of version 2
    time.sleep(LITTLE_S)
    assert not wire.sent()

    online_ms = host.state(True)
    wait_until(lambda: len(wire.sent("DBIRTH")) == 2, what="births")
    host.state(False, online_ms - 1000)  # older than the online message: ignored
    time.sleep(LITTLE_S)
    assert not wire.sent("NDEATH")

    host.state(False, online_ms)
    wait_until(lambda: wire.sent("NDEATH"), what="death")
    wait_until(lambda: len(wire.of_kind("CONNECT")) == 2, what="a new connection")
    assert wire.of_kind("DISCONNECT")
    assert not wire.sent("DDEATH"), "the death of the node is the death of its devices"
    wait_until(lambda: len(wire.of_kind("SUBACK")) == 2, what="subscribed again")
    host.state(True, online_ms - 1000)  # an old online message
    time.sleep(LITTLE_S)
    assert len(wire.sent("NBIRTH")) == 1

    host.state(True)
    wait_until(lambda: len(wire.sent("NBIRTH")) == 2, what="births again")
    assert wire.sent("NBIRTH")[1].metrics()["bdSeq"].long_value == 1


def test_readings_while_waiting_are_published_after_the_births(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    feed = bench.feed(wire, primary_host_id=HOST)
    feed.start()
    wait_until(lambda: wire.of_kind("SUBACK"))
    for velocity in (1.0, 2.0, 4.0, 8.0):
        feed.publish(point_state(velocity=velocity))
        time.sleep(0.002)
    wait_until(lambda: feed.node.history_pending > 3)
    host.state(True)
    wait_until(lambda: feed.node.born and not feed.node.history_pending)
    feed.publish(point_state(velocity=16.0))
    wait_until(lambda: len(wire.sent("DDATA")) >= 2)
    birth = wire.sent("DBIRTH", device="pump-3")[-1].metrics()["Points/DE/Levels/velocity_rms"]
    assert birth.float_value == 8.0
    published = [
        (m.float_value, m.is_historical)
        for p in wire.sent("DDATA")
        for m in p.body.metrics
        if m.alias == birth.alias
    ]
    assert published == [(1.0, True), (2.0, True), (4.0, True), (16.0, False)]


@VERSIONS
@proves(
    "operational-behavior-primary-application-state-with-multiple-servers-state-subs",
    "operational-behavior-primary-application-state-with-multiple-servers-single-server",
    "operational-behavior-primary-application-state-with-multiple-servers-walk",
    "operational-behavior-edge-node-termination-host-offline-reconnect",
    "operational-behavior-edge-node-birth-sequence-wait",
)
def test_the_node_follows_the_host_from_server_to_server(bench, version):
    brokers = bench.broker(), bench.broker()
    wires = [bench.wire(b) for b in brokers]
    hosts = [bench.host(b) for b in brokers]
    hosts[1].state(True)
    # Server 2 has known the host since later than server 1 will: times count server by server.
    hosts[0].state(False, 1000)
    feed = bench.feed(*wires, version=version, primary_host_id=HOST, walk_after_s=0.5)
    feed.start()
    wait_until(lambda: len(wires[1].sent("DBIRTH")) == 2, what="births at server 2")
    assert not wires[0].sent("NBIRTH")
    assert wires[0].open_connections == 0
    hosts[0].state(True, 2000)
    time.sleep(LITTLE_S)
    assert not wires[0].sent("NBIRTH"), "one server at a time"

    hosts[1].state(False)
    wait_until(lambda: len(wires[0].sent("DBIRTH")) == 2, what="births at server 1")
    assert wires[1].sent()[-1].type == "NDEATH"
    assert wires[1].of_kind("DISCONNECT")
    assert wires[1].open_connections == 0
    for wire in wires:
        assert all((f"spBv1.0/STATE/{HOST}", 1) in p.filters for p in wire.of_kind("SUBSCRIBE"))
    # At most one connection at a time: each begins after the other's last packet.
    spans = sorted(
        (min(times), max(times))
        for wire in wires
        for number in {p.connection for p in wire.packets}
        if (times := [p.at_ms for p in wire.packets if p.connection == number])
    )
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_without_primary_host_a_dead_server_is_left_for_the_next(bench):
    brokers = bench.broker(), bench.broker()
    wires = [bench.wire(b) for b in brokers]
    feed = bench.feed(*wires)
    feed.start()
    wait_until(lambda: len(wires[0].sent("DBIRTH")) == 2)
    wires[0].refusing = True
    brokers[0].kill()
    wires[0].cut()
    wait_until(lambda: len(wires[1].sent("DBIRTH")) == 2, what="births at server 2")


def test_a_host_may_send_the_node_to_the_next_server(bench):
    brokers = bench.broker(), bench.broker()
    wires = [bench.wire(b) for b in brokers]
    host = bench.host(brokers[0])
    feed = bench.feed(*wires)
    feed.start()
    wait_until(lambda: len(wires[0].sent("DBIRTH")) == 2)
    host.node_command("Node Control/Next Server")
    wait_until(lambda: len(wires[1].sent("DBIRTH")) == 2, what="births at server 2")
    assert wires[0].sent()[-1].type == "NDEATH"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"ONLINE", b"{}", b"[]", b"null", b'{"online": 1, "timestamp": 5}',
        b'{"online": true}', b'{"online": true, "timestamp": "5"}',
        b'{"online": true, "timestamp": true}', b'{"online": true, "timestamp": 1.5}',
        b"\xff\xfe", b"[" * 900, b" " * 2000, b'{"online": "true", "timestamp": 5}',
    ],
)  # fmt: skip
def test_what_is_no_state_message_is_ignored(body):
    assert parse_state(body) is None
    host = PrimaryHost()
    assert host.receive(body) is HostChange.IGNORED
    assert not host.online


def test_a_states_time_counts_over_reconnections():
    host = PrimaryHost()
    assert host.receive(b'{"online": true, "timestamp": 10}') is HostChange.ONLINE
    host.disconnected()
    assert not host.online
    assert host.receive(b'{"online": true, "timestamp": 9}') is HostChange.IGNORED
    assert host.receive(b'{"online": true, "timestamp": 10}') is HostChange.ONLINE
    assert host.online
    assert host.receive(b'{"online": false, "timestamp": 10}') is HostChange.OFFLINE
    assert not host.online


def test_a_host_whose_clock_was_years_ahead_is_heard_once_it_is_corrected():
    host, present_ms = PrimaryHost(), now_ms()
    assert host.receive(b'{"online": true, "timestamp": 4070908800000}') is HostChange.ONLINE
    assert host.receive(b'{"online": false, "timestamp": %d}' % present_ms) is HostChange.OFFLINE
    assert host.receive(b'{"online": true, "timestamp": %d}' % (present_ms - 1)) is (
        HostChange.IGNORED
    )
