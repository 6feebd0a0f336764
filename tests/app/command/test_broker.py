"""The demo's embedded broker: what the demo relies on it for."""

from __future__ import annotations

import queue

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from auscult.app.command.broker import embedded_broker
from tests.ports import free_port
from tests.waiting import DEADLINE_S


@pytest.fixture
def port() -> int:
    return free_port()


def connect(port: int, client_id: str) -> mqtt.Client:
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=client_id)
    client.connect("127.0.0.1", port)
    client.loop_start()
    return client


def test_retained_state_and_last_will_arrive(port: int) -> None:
    received: queue.Queue[tuple[str, bytes]] = queue.Queue()
    with embedded_broker(port):
        gateway = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="gateway")
        gateway.will_set("auscult/v1/s/g/status", b"offline", qos=1, retain=True)
        gateway.connect("127.0.0.1", port)
        gateway.loop_start()
        gateway.publish("auscult/v1/s/g/m/state", b"normal", 1, retain=True).wait_for_publish(5)

        dashboard = connect(port, "dashboard")
        dashboard.on_message = lambda _c, _u, m: received.put((m.topic, m.payload))
        dashboard.subscribe("auscult/v1/#", qos=1)
        assert received.get(timeout=DEADLINE_S) == ("auscult/v1/s/g/m/state", b"normal")

        gateway._sock_close()  # the link breaks without a goodbye
        assert received.get(timeout=DEADLINE_S) == ("auscult/v1/s/g/status", b"offline")
        gateway.loop_stop()
        dashboard.disconnect()
        dashboard.loop_stop()


def test_a_taken_port_is_reported(port: int) -> None:
    with embedded_broker(port), pytest.raises(OSError, match=f"listen on port {port}"):  # noqa: SIM117
        with embedded_broker(port):
            pass


def test_the_port_is_free_again_afterwards(port: int) -> None:
    for _ in range(2):
        with embedded_broker(port):
            connect(port, "any").disconnect()
