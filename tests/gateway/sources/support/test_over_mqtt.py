"""Many machines over one connection to a real Mosquitto: each gets its messages, and no other's."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from auscult.gateway import service
from auscult.gateway.records import PointValue
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt_json import source as mqtt_json
from auscult.gateway.sources.mqtt_json.settings import MqttJsonSource
from auscult.gateway.sources.mqtt_json.source import MqttJsonListener
from auscult.gateway.sources.support import over_mqtt
from auscult.gateway.sources.threads import SourceThreads
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link
from lab.bench import json_machines
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS
from tests.waiting import DEADLINE_S, wait_until

MACHINES = 200
SMALL_PACKETS = "max_packet_size 2000\n"
"""Bytes: less than one SUBSCRIBE with the topics of all machines."""


def source(broker: BrokerSettings, machine: str, topic: str, path: str = "t") -> MqttJsonListener:
    settings = MqttJsonSource(
        type="mqtt_json", machine=machine, values=[{"point": "t", "topic": topic, "path": path}]
    )
    context = SourceContext({}, broker, "test", Path())
    return mqtt_json.KIND.open(settings, context)


class Plant:
    """Sources that run together, and what came of each machine."""

    def __init__(self, broker: Mosquitto, *sources: MqttJsonListener) -> None:
        self.sources = sources
        self._inlet, self._stop = Inlet(), threading.Event()
        self._threads = SourceThreads(sources)
        self._threads.start(self._inlet, self._stop)
        self._sender = Link(broker.settings, f"sender-{id(self)}", persistent=False)
        self._sender.start()
        assert self._sender.wait_connected(DEADLINE_S)
        self.values: dict[str, list[float]] = {}
        self.wait_connected()

    def wait_connected(self) -> None:
        wait_until(lambda: all(s.status.code == "source_ok" for s in self.sources))

    def send(self, topic: str, message: object) -> None:
        self._sender.publish(topic, json.dumps(message).encode())

    def of(self, machine: str) -> list[float]:
        for item in self._inlet.take(0):
            if isinstance(item, PointValue):
                self.values.setdefault(item.point.machine, []).append(item.value)
        return self.values.get(machine, [])

    def wait_for(self, machine: str, values: list[float]) -> None:
        wait_until(lambda: self.of(machine) == values, what=f"{machine}: {values}")

    def close(self) -> None:
        self._stop.set()
        self._threads.join(DEADLINE_S)
        self._sender.stop()


@pytest.fixture
def plant(mosquitto) -> Iterator:
    """`plant(*sources)` runs them until the end of the test."""
    opened = []

    def run(*sources: MqttJsonListener) -> Plant:
        opened.append(Plant(mosquitto, *sources))
        return opened[-1]

    yield run
    for one in opened:
        one.close()


def test_a_message_goes_to_each_machine_that_reads_its_topic(mosquitto, plant):
    one = plant(
        source(mosquitto.settings, "a", "line/1", "a"),
        source(mosquitto.settings, "b", "line/1", "b"),
        source(mosquitto.settings, "c", "line/2"),
    )
    one.send("line/1", {"a": 1, "b": 2})
    one.send("line/2", {"t": 3})
    one.wait_for("c", [3])
    assert (one.of("a"), one.of("b")) == ([1], [2])


def test_a_filter_with_a_wildcard_takes_what_matches(mosquitto, plant):
    wide = source(mosquitto.settings, "wide", "line/1")
    wide.subscriptions = ("line/+",)  # as those of Sparkplug devices
    one = plant(wide, source(mosquitto.settings, "narrow", "line/1"))
    one.send("line/1/deep", {"t": 1})
    one.send("line/1", {"t": 2})
    one.wait_for("narrow", [2])
    one.wait_for("wide", [2])


def test_a_bad_message_and_an_error_leave_the_other_machines(mosquitto, plant, monkeypatch):
    bad, good = (
        source(mosquitto.settings, "bad", "line/1", "a.b"),
        source(mosquitto.settings, "good", "line/1"),
    )
    one = plant(bad, good)

    def fail(*_: object) -> None:
        raise ValueError("unforeseen")

    one.send("line/1", {"t": 1, "a": {"b": "warm"}})
    one.wait_for("good", [1])
    wait_until(lambda: "warm" in bad.status.text)
    monkeypatch.setattr(bad, "_take", fail)
    one.send("line/1", {"t": 2})
    one.wait_for("good", [1, 2])
    wait_until(lambda: "unforeseen" in bad.status.text)
    assert good.status.code == "source_ok"


def test_a_topic_that_floods_takes_no_place_of_another(mosquitto, plant, monkeypatch):
    flood, calm = (
        source(mosquitto.settings, "flood", "line/1"),
        source(mosquitto.settings, "calm", "line/2"),
    )
    one = plant(flood, calm)
    held = threading.Event()
    monkeypatch.setattr(flood, "_take", lambda *_: held.wait(DEADLINE_S))
    for _ in range(2 * over_mqtt.MAX_WAITING):
        one.send("line/1", {"t": 1})
    one.send("line/2", {"t": 2})
    wait_until(lambda: flood.unread >= over_mqtt.MAX_WAITING - 1)
    held.set()
    one.wait_for("calm", [2])
    assert "lost" in flood.status.text
    assert calm.status.code == "source_ok"


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that takes small packets only."""
    broker = Mosquitto(tmp_path, SMALL_PACKETS)
    broker.start()
    yield broker
    broker.stop()


def test_a_reconnection_subscribes_to_all_again_in_packets_that_brokers_take(narrow):
    names = [f"machine-{i}" for i in range(MACHINES)]
    one = Plant(narrow, *(source(narrow.settings, name, f"some/long/way/{name}") for name in names))

    def all_deliver(value: float) -> None:
        def delivered() -> bool:
            missing = [name for name in names if value not in one.of(name)]
            for name in missing:
                one.send(f"some/long/way/{name}", {"t": value})
            time.sleep(0.2)
            return not missing

        wait_until(delivered)

    try:
        all_deliver(1)
        narrow.kill()
        wait_until(lambda: one.sources[0].status.code == "source_not_connected")
        narrow.start()
        one.wait_connected()
        all_deliver(2)
    finally:
        one.close()


def test_a_broker_has_one_connection_and_one_thread_for_each_of_its_users(mosquitto, plant):
    before = psutil.Process().num_threads()
    one = plant(*(source(mosquitto.settings, f"m{i}", f"line/{i}") for i in range(50)))
    # its own and the sender's network thread, and one that reads
    assert psutil.Process().num_threads() <= before + 3
    assert mosquitto.log.count("as test-in-") == 1
    user = mosquitto.settings.model_copy(update={"username": "other"})
    other = plant(source(user, "other", "line/0"))

    def both_deliver() -> bool:
        one.send("line/0", {"t": 1})
        return bool(one.of("m0") and other.of("other"))

    wait_until(both_deliver)


def test_a_gateway_with_many_machines_needs_few_threads_and_descriptors(tmp_path):
    figures = {
        f.name: f.value for f in json_machines.measure(tmp_path, MACHINES, 10.0, seconds=2.0)
    }
    assert figures["threads"] < 40
    assert figures["descriptors"] < 100


def listed(*machines: str) -> dict[str, object]:
    point = {"id": "t", "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 1}
    return {
        "machines": [{"id": name, "points": [point]} for name in machines],
        "sources": [
            {"type": "mqtt_json", "machine": name,
             "values": [{"point": "t", "topic": f"line/{name}", "path": "t"}]}
            for name in machines
        ],
    }  # fmt: skip


def test_machines_come_and_go_while_the_others_are_monitored(mosquitto, reader, tmp_path):
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path, "heartbeat_s": 5},
    })  # fmt: skip
    sender, stop = Link(mosquitto.settings, "sender", persistent=False), threading.Event()
    sender.start()
    thread = threading.Thread(target=service.run, args=(config, stop))
    thread.start()

    def monitored(machine: str, value: float) -> None:
        """Wait until the machine's state has the value; the other machines get it too."""

        def shown() -> bool:
            for name in ("a", "b", "c"):
                sender.publish(f"line/{name}", json.dumps({"t": value}).encode())
            time.sleep(0.2)
            state = reader.latest.get(TOPICS.point_state(machine, "t"), {})
            return str(value) in str(state.get("levels"))

        wait_until(shown, what=f"{machine}: {value}")

    def configure(number: int, *machines: str) -> None:
        reader.command("configure", str(number) * 26, listed(*machines))
        assert reader.answer(str(number) * 26)["ok"]

    try:
        wait_until(lambda: TOPICS.status in reader.latest)
        configure(1, "a", "b")
        monitored("a", 51.5)
        configure(2, "a", "b", "c")
        monitored("c", 52.5)
        monitored("a", 52.5)
        configure(3, "a", "c")
        monitored("a", 53.5)
        assert TOPICS.point_state("b", "t") not in reader.latest
        wait_until(
            lambda: reader.latest[TOPICS.status]["sources"].keys() == {"mqtt_json:a", "mqtt_json:c"}
        )
    finally:
        stop.set()
        thread.join(DEADLINE_S)
        sender.stop()
