"""The gateway as an edge node: births, verdicts and a host's request, over a real broker."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import get_args

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from auscult.app.command.configuration import load
from auscult.contract.host_actions import HostRight
from auscult.gateway.storage.store import FILE_NAME
from auscult.gateway.tags.inventory import ACKNOWLEDGE, SHELVE, request_name
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.conftest import Mosquitto
from tests.gateway.outputs.sparkplug.strict import broken_rules
from tests.gateway.outputs.sparkplug.wire import Proxy
from tests.gateway.plant import Running, settings
from tests.waiting import wait_until

TCK = Path(__file__).parents[4] / "docs" / "sparkplug-tck.toml"


class Host:
    """A SCADA host: subscribed to the node's group."""

    def __init__(self, broker: Mosquitto) -> None:
        self.messages: list[tuple[str, Payload]] = []
        self.client = paho.Client(CallbackAPIVersion.VERSION2, "host")
        self.client.on_message = self._take
        self.client.on_connect = lambda client, *_: client.subscribe("spBv1.0/#", 1)
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()

    def _take(self, _client, _userdata, message) -> None:
        if "/STATE/" in message.topic:
            return
        payload = Payload()
        payload.ParseFromString(message.payload)
        self.messages.append((message.topic, payload))

    def of(self, kind: str) -> list[Payload]:
        return [p for topic, p in list(self.messages) if f"/{kind}/" in topic]

    def write(self, topic: str, metric: str, value: bool | str) -> None:
        payload = Payload()
        payload.timestamp = time.time_ns() // 1_000_000
        entry = payload.metrics.add()
        entry.name, entry.timestamp = metric, payload.timestamp
        if isinstance(value, bool):
            entry.datatype, entry.boolean_value = 11, value
        else:
            entry.datatype, entry.string_value = 12, value
        self.client.publish(f"spBv1.0/{topic}", payload.SerializeToString(), 1)

    def state(self, host: str, online: bool) -> None:
        body = {"online": online, "timestamp": time.time_ns() // 1_000_000}
        self.client.publish(f"spBv1.0/STATE/{host}", json.dumps(body), 1, retain=True)

    def values(self) -> list[object]:
        """All strings and tables published in data messages."""
        metrics = [m for p in self.of("DDATA") for m in p.metrics]
        return [m.string_value or m.dataset_value for m in metrics]


@pytest.fixture
def host(mosquitto):
    host = Host(mosquitto)
    yield host
    host.client.disconnect()
    host.client.loop_stop()


def test_the_gateway_is_an_edge_node(mosquitto, host, reader, recordings, trained):
    config = settings(
        mosquitto, trained, recordings["faulty"], repeat=True, more={"sparkplug": {"enabled": True}}
    )
    with Running(config) as running:
        wait_until(lambda: host.of("DBIRTH"), what="the machine's birth")
        reader.wait_for("alarm")

        def alarm_published() -> bool:
            said = [m for p in (*host.of("DBIRTH"), *host.of("DDATA")) for m in p.metrics]
            return any(m.string_value == "alarm" for m in said)

        wait_until(alarm_published, what="the alarm")
        host.write("plant/DCMD/gateway1/pump", request_name("de", "spectrum"), True)
        wait_until(lambda: any(a["id"].startswith("host-") and a["ok"] for a in reader.of("ack")))
        running.stop()
    wait_until(lambda: host.of("NDEATH"), what="the node's death")


def test_the_first_birth_has_the_values_of_the_machine(mosquitto, host, recordings, trained):
    config = settings(
        mosquitto, trained, recordings["again"], repeat=True, more={"sparkplug": {"enabled": True}}
    )
    with Running(config):
        wait_until(lambda: host.of("DBIRTH"), what="the machine's birth")
    values = {m.name: m for m in host.of("DBIRTH")[0].metrics}
    assert not values["Verdict/Condition"].is_null
    node = {m.name: m for m in host.of("NBIRTH")[0].metrics}
    assert not any(node[f"Health/{name}"].is_null for name in ("CPU", "Memory", "Windows"))


def test_a_host_acknowledges_at_the_gateway(mosquitto, host, reader, recordings, trained):
    config = settings(
        mosquitto, trained, recordings["faulty"], repeat=True, more={"sparkplug": {"enabled": True}}
    )

    def state() -> dict:
        return reader.latest.get("auscult/v1/plant/gateway1/pump/state", {})

    def handling() -> dict:
        return state().get("handling", {})

    def audited(action: str) -> list[tuple[str, str]]:
        query = "SELECT actor, outcome FROM audit WHERE action LIKE ?"
        with sqlite3.connect(trained / FILE_NAME) as db:
            return db.execute(query, [action]).fetchall()

    with Running(config) as running:
        reader.wait_for("alarm")
        wait_until(lambda: handling().get("state") == "unacknowledged")
        event_id = state()["event_id"]
        host.write("plant/DCMD/gateway1/pump", ACKNOWLEDGE, event_id)
        wait_until(lambda: handling().get("state") == "acknowledged")
        assert handling()["acknowledged_by"] == "Sparkplug host"
        wait_until(lambda: f"{ACKNOWLEDGE}: done" in host.values())
        wait_until(lambda: "acknowledged" in host.values(), what="Event/Handling")
        host.write("plant/DCMD/gateway1/pump", ACKNOWLEDGE, event_id)
        wait_until(lambda: any("refused, Sparkplug host has" in str(v) for v in host.values()))
        host.write("plant/DCMD/gateway1/pump", ACKNOWLEDGE, True)
        wait_until(lambda: audited("pump Commands/Acknowledge"))
        running.stop()
    (actor, outcome) = audited("pump Commands/Acknowledge")[0]
    assert actor == "Sparkplug host"
    assert "refused (1): " in outcome
    assert [actor for actor, _ in audited("acknowledge host-%")] == ["Sparkplug host"] * 2


@pytest.mark.slow
def test_a_second_broker_gets_what_was_measured_between(mosquitto, host, recordings, trained):
    folder = trained / "second"
    folder.mkdir()
    second = Mosquitto(folder)
    second.start()
    brokers = [{"port": b.port, "keepalive_s": 5} for b in (mosquitto, second)]
    config = settings(
        mosquitto, trained, recordings["again"], pace=1, repeat=True,
        more={"sparkplug": {"enabled": True, "brokers": brokers, "dead_band_percent": 0}},
    )  # fmt: skip
    other = Host(second)
    try:
        with Running(config) as running:
            wait_until(lambda: len(host.of("DDATA")) > 3)
            mosquitto.kill()
            wait_until(lambda: other.of("DBIRTH"), what="births at the second broker")
            wait_until(lambda: any(m.is_historical for p in other.of("DDATA") for m in p.metrics))
            wait_until(lambda: any(not m.is_historical for p in other.of("DDATA")
                                   for m in p.metrics))  # fmt: skip
            kinds = [topic.split("/")[2] for topic, _ in other.messages]
            assert kinds[:2] == ["NBIRTH", "DBIRTH"]
            bd_seq = [m.long_value for p in other.of("NBIRTH") for m in p.metrics
                      if m.name == "bdSeq"]  # fmt: skip
            assert bd_seq[0] > 0
            running.stop()
    finally:
        other.client.disconnect()
        other.client.loop_stop()
        second.stop()


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.1.1", "5.0"])
def test_the_kits_configuration_runs(mosquitto, host, tmp_path, version):
    config = load(TCK).for_gateway(TCK)
    wire = Proxy(mosquitto.settings)
    sparkplug = config.outputs.sparkplug.model_copy(
        update={
            "brokers": (wire.settings,), "version": version, "history_max_values": 1000,
            "commands": get_args(HostRight),
        }
    )  # fmt: skip
    own = config.gateway.model_copy(update={"data_dir": tmp_path / "data"})
    outputs = config.outputs.model_copy(update={"sparkplug": sparkplug})
    config = config.model_copy(
        update={"outputs": outputs, "mqtt": mosquitto.settings, "gateway": own}
    )
    with Running(config) as running:
        time.sleep(0.5)
        assert not host.messages, "nothing before the host is there"
        host.state("H1", online=True)
        for kind in ("NBIRTH", "DBIRTH", "DDATA", "NDATA"):
            wait_until(lambda k=kind: host.of(k), what=kind)
        assert {topic for topic, _ in host.messages} >= {
            "spBv1.0/G1/NBIRTH/E1", "spBv1.0/G1/DBIRTH/E1/gearbox",
        }  # fmt: skip
        births = len(host.of("NBIRTH"))
        host.write("G1/NCMD/E1", "Node Control/Rebirth", True)
        wait_until(lambda: len(host.of("NBIRTH")) > births, what="the rebirth")
        for metric, value in ((SHELVE, "x"), (SHELVE, True), ("Verdict/Condition", "normal")):
            host.write("G1/DCMD/E1/gearbox", metric, value)
        host.write("G1/DCMD/E1/gearbox", request_name("a1", "spectrum"), True)

        def tables() -> list[Payload.DataSet]:
            return [v for v in host.values() if getattr(v, "num_of_columns", 0)]

        wait_until(tables, what="the spectrum")
        assert list(tables()[0].columns) == ["Frequency", "Amplitude"]
        assert len(tables()[0].rows) > 500
        host.state("H1", online=False)
        wait_until(lambda: host.of("NDEATH"), what="the death after the host's")
        births = len(host.of("DBIRTH"))
        host.state("H1", online=True)
        wait_until(lambda: len(host.of("DBIRTH")) > births, what="the births after the host's")
        running.stop()
    assert wire.of_kind("DISCONNECT")
    wire.close()
    assert broken_rules(wire.packets, "H1") == []
