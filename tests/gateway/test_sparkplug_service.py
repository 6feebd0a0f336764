"""The gateway as an edge node: births, verdicts and a host's request, over a real broker."""

from __future__ import annotations

import time

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from gateway.sparkplug.inventory import request_name
from gateway.sparkplug.sparkplug_b_pb2 import Payload
from tests.conftest import Mosquitto, wait_until
from tests.gateway.plant import Running, settings


class Host:
    """A SCADA host: hears the node's group."""

    def __init__(self, broker: Mosquitto) -> None:
        self.messages: list[tuple[str, Payload]] = []
        self.client = paho.Client(CallbackAPIVersion.VERSION2, "host")
        self.client.on_message = self._take
        self.client.connect("127.0.0.1", broker.port)
        self.client.subscribe("spBv1.0/#", 1)
        self.client.loop_start()

    def _take(self, _client, _userdata, message) -> None:
        payload = Payload()
        payload.ParseFromString(message.payload)
        self.messages.append((message.topic, payload))

    def of(self, kind: str) -> list[Payload]:
        return [p for topic, p in list(self.messages) if f"/{kind}/" in topic]

    def write(self, device: str, metric: str, value: bool) -> None:
        payload = Payload()
        payload.timestamp = time.time_ns() // 1_000_000
        entry = payload.metrics.add()
        entry.name, entry.timestamp, entry.datatype = metric, payload.timestamp, 11
        entry.boolean_value = value
        topic = f"spBv1.0/plant/DCMD/gateway1/{device}"
        self.client.publish(topic, payload.SerializeToString(), 1)


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

        def alarm_told() -> bool:
            said = [m for p in (*host.of("DBIRTH"), *host.of("DDATA")) for m in p.metrics]
            return any(m.string_value == "alarm" for m in said)

        wait_until(alarm_told, what="the alarm")
        host.write("pump", request_name("de", "spectrum"), True)
        wait_until(lambda: any(a["id"].startswith("spb-") and a["ok"] for a in reader.of("ack")))
        assert running.stop() < 4
    wait_until(lambda: host.of("NDEATH"), what="the node's death")
