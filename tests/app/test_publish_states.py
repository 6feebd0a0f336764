"""`publish_states` from the page's API to a real gateway, and its effect at a real broker."""

from __future__ import annotations

import time

import paho.mqtt.client as paho

from auscult.link.link import Link, Received
from tests.gateway.plant import TOPICS, Running, settings
from tests.gateway.recorded import shaft_noise, write_data_set
from tests.waiting import DEADLINE_S, wait_until

GATEWAY = f"{TOPICS.site}~{TOPICS.gateway}"
PUBLISHED = {
    TOPICS.inventory, TOPICS.configuration, TOPICS.status, TOPICS.machine_state("pump"),
    TOPICS.point_state("pump", "de"),
}  # fmt: skip


class Bridge:
    """A reader without retained messages."""

    def __init__(self, mosquitto) -> None:
        self.topics: set[str] = set()
        self.link = Link(
            mosquitto.settings, "bridge", on_message=self._take, persistent=False,
            subscriptions=[f"{TOPICS.base}/#"],
        )  # fmt: skip
        self.link.start()
        wait_until(lambda: self.link.subscribed, what="the bridge")

    def _take(self, message: Received) -> None:
        if message.payload and not message.retained:
            self.topics.add(message.topic)


def retained(mosquitto, topics: set[str]) -> bool:
    """Return whether a new reader gets these topics at once; the broker sends them after SUBACK."""
    found: set[str] = set()
    link = Link(
        mosquitto.settings, "new", persistent=False, subscriptions=[f"{TOPICS.base}/#"],
        on_message=lambda m: found.add(m.topic) if m.retained and m.payload else None,
    )  # fmt: skip
    link.start()
    wait_until(lambda: link.subscribed)
    until = time.monotonic() + 2
    while time.monotonic() < until and not found >= topics:
        time.sleep(0.02)
    link.stop()
    return found >= topics


def test_an_engineer_has_a_gateway_publish_all_its_states_again(dashboard, mosquitto, tmp_path):
    manifest = write_data_set(tmp_path / "data", {"healthy": shaft_noise(5, 1)})
    with Running(settings(mosquitto, tmp_path / "gateway", manifest, repeat=True)):
        wait_until(lambda: retained(mosquitto, PUBLISHED), what="the first states")
        bridge = Bridge(mosquitto)
        cleaner = paho.Client(paho.CallbackAPIVersion.VERSION2)
        cleaner.connect("127.0.0.1", mosquitto.port)
        cleaner.loop_start()
        cleared = cleaner.publish(TOPICS.inventory, b"", qos=1, retain=True)
        cleared.wait_for_publish(DEADLINE_S)
        cleaner.loop_stop()
        assert TOPICS.inventory not in bridge.topics

        wait_until(lambda: dashboard.get("/api/v1/gateways")["items"], what="the gateway")
        path = f"/api/v1/gateways/{GATEWAY}/commands/publish_states"
        body = {"id": "command-1", "actor": "eva"}
        answer = dashboard.client.post(path, json=body, params={"wait_s": 30})
        assert (answer.status_code, answer.json()["state"]) == (201, "acknowledged"), answer.text
        wait_until(lambda: bridge.topics >= PUBLISHED, what="all states, not as retained ones")
        wait_until(lambda: retained(mosquitto, {TOPICS.inventory}), what="for later readers too")
        bridge.link.stop()
