"""The rules of a session, read from the wire of a whole life, over MQTT 3.1.1 and 5.0."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from auscult.gateway.tags.metrics import DataType
from tests.gateway.outputs.sparkplug.life import VELOCITY
from tests.gateway.outputs.sparkplug.plant import GROUP, MACHINES, NODE, now_ms
from tests.gateway.outputs.sparkplug.rules import proves
from tests.gateway.outputs.sparkplug.strict import broken_rules

EDGE_TYPES = ("NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH")
BIRTHS, DATA = ("NBIRTH", "DBIRTH"), ("NDATA", "DDATA")
MINUTE_MS = 60_000


# --- topics -----------------------------------------------------------------------------------


@proves(
    "topic-structure", "topic-structure-namespace-a", "intro-group-id-string",
    "intro-edge-node-id-string", "intro-device-id-string", "topics-nbirth-topic",
    "topics-ndata-topic", "topics-ndeath-topic", "topics-dbirth-topic", "topics-ddata-topic",
    "topics-ddeath-topic", "topic-structure-namespace-device-id-associated-message-types",
    "topic-structure-namespace-device-id-non-associated-message-types",
    "message-flow-edge-node-birth-publish-nbirth-topic",
    "message-flow-device-birth-publish-dbirth-topic",
)  # fmt: skip
def test_every_topic_has_the_form(life):
    seen = Counter(p.type for p in life.sent())
    assert set(seen) == set(EDGE_TYPES)
    for p in life.sent():
        expected = f"spBv1.0/{GROUP}/{p.type}/{NODE}"
        if p.type.startswith("D"):
            assert p.device in MACHINES
            expected += f"/{p.device}"
        assert p.topic == expected


@proves("message-flow-device-birth-publish-dbirth-match-edge-node-topic")
def test_dbirths_name_the_group_and_node_of_the_nbirth(life):
    for session in life.sessions():
        nbirth = next(p for p in session if p.type == "NBIRTH").topic.split("/")
        for p in session:
            if p.type == "DBIRTH":
                assert p.topic.split("/")[1::2][:2] == nbirth[1::2][:2]


@proves(
    "intro-edge-node-id-uniqueness", "topic-structure-namespace-unique-edge-node-descriptor",
    "payloads-nbirth-edge-node-descriptor",
)  # fmt: skip
def test_one_client_publishes_for_the_node(life):
    """Who takes the id twice is thrown out by the broker: one node has one MQTT client id."""
    assert {p.client_id for p in life.of_kind("CONNECT")} == {f"{GROUP}-{NODE}"}


@proves("topic-structure-namespace-unique-device-id", "case-sensitivity-sparkplug-ids")
def test_each_device_is_born_once_a_birth_sequence(life):
    alive: set[str] = set()
    for p in life.sent():
        if p.type == "NBIRTH":
            alive.clear()
        elif p.type == "DBIRTH":
            assert p.device.lower() not in alive
            alive.add(p.device.lower())
        elif p.type == "DDEATH":
            alive.remove(p.device.lower())


# --- QoS and retain ---------------------------------------------------------------------------


@proves(
    "topics-nbirth-mqtt", "topics-ndata-mqtt", "topics-dbirth-mqtt", "topics-ddata-mqtt",
    "topics-ddeath-mqtt", "payloads-nbirth-qos", "payloads-dbirth-qos", "payloads-ndata-qos",
    "payloads-ddata-qos", "message-flow-edge-node-birth-publish-nbirth-qos",
    "message-flow-device-birth-publish-dbirth-qos",
)  # fmt: skip
def test_everything_but_the_death_of_the_node_has_qos_0(life):
    assert {p.qos for p in life.sent("NBIRTH", "NDATA", "DBIRTH", "DDATA", "DDEATH")} == {0}


@proves(
    "topics-nbirth-mqtt", "topics-ndata-mqtt", "topics-dbirth-mqtt", "topics-ddata-mqtt",
    "topics-ddeath-mqtt", "payloads-nbirth-retain", "payloads-dbirth-retain",
    "payloads-ndata-retain", "payloads-ddata-retain",
    "message-flow-edge-node-birth-publish-nbirth-retained",
    "message-flow-device-birth-publish-dbirth-retained",
)  # fmt: skip
def test_nothing_is_retained(life):
    assert not any(p.retain for p in life.sent())


# --- CONNECT, will, subscriptions -------------------------------------------------------------


@proves("principles-persistence-clean-session-311", "principles-persistence-clean-session-50")
def test_each_session_is_clean(life):
    connects = life.of_kind("CONNECT")
    assert {p.level for p in connects} == {4 if life.version == "3.1.1" else 5}
    assert all(p.clean and p.session_expiry_s == 0 for p in connects)


@proves(
    "message-flow-edge-node-birth-publish-will-message",
    "message-flow-edge-node-birth-publish-will-message-topic",
    "message-flow-edge-node-birth-publish-will-message-qos",
    "message-flow-edge-node-birth-publish-will-message-will-retained",
    "payloads-ndeath-will-message", "payloads-ndeath-will-message-qos",
    "payloads-ndeath-will-message-retain",
)  # fmt: skip
def test_each_connect_leaves_an_ndeath_as_will(life):
    for p in life.of_kind("CONNECT"):
        assert p.has_will
        assert p.will_topic == f"spBv1.0/{GROUP}/NDEATH/{NODE}"
        assert (p.will_qos, p.will_retain) == (1, False)


def _wills(life):
    from auscult.sparkplug.sparkplug_b_pb2 import Payload

    return [Payload.FromString(p.will_payload) for p in life.of_kind("CONNECT")]


@proves(
    "message-flow-edge-node-birth-publish-will-message-payload",
    "message-flow-edge-node-birth-publish-will-message-payload-bdSeq", "topics-ndeath-payload",
    "topics-ndeath-seq", "payloads-ndeath-seq",
)  # fmt: skip
def test_a_death_certificate_holds_only_bdseq(life):
    for body in [*_wills(life), *(p.body for p in life.sent("NDEATH"))]:
        assert not body.HasField("seq")
        (metric,) = body.metrics
        assert metric.name == "bdSeq"
        assert metric.datatype == DataType.INT64
        assert metric.HasField("long_value")
        assert 0 <= metric.long_value <= 255


@proves(
    "topics-nbirth-bdseq-increment",
    "message-flow-edge-node-birth-publish-will-message-payload-bdSeq",
)
def test_bdseq_starts_at_0_and_goes_up_with_each_connect(life):
    assert [w.metrics[0].long_value for w in _wills(life)] == [0, 1]


@proves(
    "topics-nbirth-bdseq-included", "topics-nbirth-bdseq-matching", "payloads-nbirth-bdseq",
    "payloads-nbirth-bdseq-repeat", "payloads-ndeath-bdseq",
    "message-flow-edge-node-birth-publish-nbirth-payload-bdSeq",
)  # fmt: skip
def test_births_and_deaths_carry_the_bdseq_of_their_connect(life):
    of_connection = {
        p.connection: will.metrics[0].long_value
        for p, will in zip(life.of_kind("CONNECT"), _wills(life), strict=True)
    }
    for p in life.sent("NBIRTH", "NDEATH"):
        metric = p.metrics()["bdSeq"]
        assert metric.datatype == DataType.INT64
        assert metric.long_value == of_connection[p.connection]


@proves("message-flow-edge-node-ncmd-subscribe", "message-flow-device-dcmd-subscribe")
def test_commands_are_subscribed_with_qos_1_before_the_birth(life):
    for number in (1, 2):
        mine = [p for p in life.packets if p.connection == number and p.up]
        subscribe = next(i for i, p in enumerate(mine) if p.kind == "SUBSCRIBE")
        birth = next(i for i, p in enumerate(mine) if p.type == "NBIRTH")
        assert subscribe < birth
        expected = {f"spBv1.0/{GROUP}/NCMD/{NODE}"}
        expected |= {f"spBv1.0/{GROUP}/DCMD/{NODE}/{machine}" for machine in MACHINES}
        assert set(mine[subscribe].filters) == {(topic, 1) for topic in expected}


# --- order and numbers ------------------------------------------------------------------------


@proves(
    "principles-birth-certificates-order", "message-flow-edge-node-birth-publish-connect",
    "message-flow-device-birth-publish-nbirth-wait", "payloads-dbirth-order",
    "payloads-ndata-order", "payloads-ddata-order",
)  # fmt: skip
def test_births_come_first_the_nodes_before_the_devices(life):
    for number in (1, 2):
        mine = [p for p in life.packets if p.connection == number]
        connack = next(i for i, p in enumerate(mine) if p.kind == "CONNACK")
        published = [i for i, p in enumerate(mine) if p.up and p.kind == "PUBLISH"]
        assert connack < published[0]
        types = [mine[i].type for i in published]
        assert types[:3] == ["NBIRTH", "DBIRTH", "DBIRTH"]
        for at, kind in enumerate(types):
            if kind == "NBIRTH":
                assert types[at + 1 : at + 3] == ["DBIRTH", "DBIRTH"]


@proves(
    "payloads-sequence-num-incrementing", "payloads-sequence-num-always-included",
    "topics-ndata-seq-num", "topics-dbirth-seq", "topics-ddata-seq-num", "topics-ddeath-seq-num",
    "payloads-dbirth-seq", "payloads-dbirth-seq-inc", "payloads-ndata-seq",
    "payloads-ndata-seq-inc", "payloads-ddata-seq", "payloads-ddata-seq-inc",
    "payloads-ddeath-seq", "payloads-ddeath-seq-inc", "payloads-ddeath-seq-number",
    "message-flow-device-birth-publish-dbirth-payload-seq",
)  # fmt: skip
def test_sequence_numbers_count_every_message_and_wrap_after_255(life):
    seen = set()
    for session in life.sessions():
        expected = 0
        for p in session:
            if p.type == "NDEATH":
                continue
            if p.type == "NBIRTH":
                expected = 0
            assert p.body.HasField("seq"), p.type
            assert p.body.seq == expected, p.topic
            seen.add((p.type, p.body.seq))
            expected = (expected + 1) % 256
    assert ("DDATA", 255) in seen
    assert ("DDATA", 0) in seen
    assert {"DBIRTH", "NDATA", "DDEATH"} <= {kind for kind, _ in seen}


@proves(
    "topics-nbirth-seq-num", "payloads-nbirth-seq", "payloads-sequence-num-req-nbirth",
    "message-flow-edge-node-birth-publish-nbirth-payload-seq",
)  # fmt: skip
def test_nbirth_has_sequence_number_0(life):
    assert len(life.sent("NBIRTH")) == 4
    for p in life.sent("NBIRTH"):
        assert p.body.HasField("seq")
        assert p.body.seq == 0


@proves(
    "topics-nbirth-timestamp", "topics-ndata-timestamp", "topics-dbirth-timestamp",
    "topics-ddata-timestamp", "payloads-nbirth-timestamp", "payloads-dbirth-timestamp",
    "payloads-ndata-timestamp", "payloads-ddata-timestamp", "payloads-ddeath-timestamp",
    "payloads-timestamp-in-UTC",
)  # fmt: skip
def test_each_message_has_the_time_of_its_sending(life):
    for p in life.sent(*BIRTHS, *DATA, "DDEATH"):
        assert p.body.HasField("timestamp"), p.type
        assert p.at_ms - 3000 <= p.body.timestamp <= p.at_ms, p.type


@proves("payloads-name-birth-data-requirement", "payloads-metric-timestamp-in-UTC")
def test_each_metric_has_a_time_in_utc(life):
    for p in life.sent(*BIRTHS, *DATA):
        for metric in p.body.metrics:
            assert metric.HasField("timestamp"), metric.name
            assert now_ms() - 5 * MINUTE_MS < metric.timestamp <= p.at_ms


# --- device death, rebirth, leaving -----------------------------------------------------------


@proves("operational-behavior-device-ddeath")
def test_a_lost_device_dies_and_is_born_again(life):
    types = [(p.type, p.device) for p in life.between("lost", "rebirth")]
    assert types[:3] == [("DDATA", "fan-1"), ("DDEATH", "fan-1"), ("DBIRTH", "fan-1")]
    assert not any(kind == "NBIRTH" for kind, _ in types)


@proves(
    "operational-behavior-data-commands-rebirth-action-1",
    "operational-behavior-data-commands-rebirth-action-2",
    "operational-behavior-data-commands-rebirth-action-3",
)  # fmt: skip
def test_a_rebirth_stops_the_data_and_sends_all_births(life):
    part = life.between("rebirth", "cut")
    assert [p.type for p in part[:3]] == ["NBIRTH", "DBIRTH", "DBIRTH"]
    assert part[0].metrics()["bdSeq"].long_value == 0
    assert part[0].connection == 1


@proves(
    "operational-behavior-edge-node-intentional-disconnect-ndeath",
    "operational-behavior-edge-node-intentional-disconnect-packet",
    "payloads-ndeath-will-message-publisher",
    "payloads-ndeath-will-message-publisher-disconnect-mqtt311",
    "payloads-ndeath-will-message-publisher-disconnect-mqtt50",
)  # fmt: skip
def test_leaving_is_ddeaths_ndeath_disconnect(life):
    last = [p for p in life.packets if p.up and p.kind in {"PUBLISH", "DISCONNECT"}][-4:]
    assert [p.type or p.kind for p in last] == ["DDEATH", "DDEATH", "NDEATH", "DISCONNECT"]
    assert last[3].reason == (4 if life.version == "5.0" else 0)


# --- history ----------------------------------------------------------------------------------


def test_what_happened_while_away_is_sent_as_historical_after_the_births(life):
    part = life.between("cut", "stop")
    assert [p.type for p in part[:3]] == ["NBIRTH", "DBIRTH", "DBIRTH"]
    flags = [bool(m.is_historical) for p in part[3:] if p.type in DATA for m in p.body.metrics]
    assert flags == sorted(flags, reverse=True), "historical metrics come before live ones"
    assert any(flags)
    kept = [m.float_value for m in life.readings(life.marks["cut"], VELOCITY)]
    assert 1.0 in kept, "readings sent into the dying connection are published again"
    assert 4.0 not in kept, "the reading in the birth is not published twice"


def test_a_strict_reader_finds_nothing_wrong_and_would(life):
    assert broken_rules(life.packets) == []
    lost = life.sent("DDATA")[3]
    without = [p for p in life.packets if p is not lost]
    assert any("DDATA has sequence number" in found for found in broken_rules(without))
    retained = [replace(p, retain=True) if p is lost else p for p in life.packets]
    assert broken_rules(retained) == ["DDATA has not QoS 0, is retained, or has no time"]
    assert "NBIRTH before the host is online" in broken_rules(life.packets, "scada")
