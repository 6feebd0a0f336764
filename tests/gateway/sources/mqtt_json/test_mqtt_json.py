"""Values in JSON over MQTT, from a real Mosquitto."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime

import numpy as np
import paho.mqtt.client as mqtt
import pytest

from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.contract import SourceError
from auscult.gateway.sources.mqtt_json import source as mqtt_json
from auscult.gateway.sources.mqtt_json.settings import MqttJsonSource
from tests.gateway.plant import TOPICS, Running
from tests.gateway.sources.peers import Received, context, machine
from tests.waiting import wait_until


def test_values_come_out_of_any_json_over_mqtt(mosquitto, tmp_path):
    settings = MqttJsonSource(
        type="mqtt_json",
        machine="pump",
        values=[
            {"point": "zigbee", "template": "zigbee2mqtt", "device": "p1", "value": "temperature"},
            {"point": "lora", "template": "chirpstack", "device": "7/device/a1",
             "value": "temperature"},
            {"point": "deep", "topic": "a/b", "path": "rows[?n=='t'].v | [0]", "scale": 0.1},
            {"point": "plain", "template": "plain", "device": "plant/t", "value": "value"},
        ],
    )  # fmt: skip
    own = machine("zigbee", "lora", "deep", "plain")
    source = mqtt_json.KIND.open(settings, context(own, tmp_path, mosquitto.settings))
    sender = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    sender.connect("127.0.0.1", mosquitto.port)
    sender.loop_start()
    now = datetime.now(UTC).isoformat()

    def send() -> None:
        sender.publish("zigbee2mqtt/p1", json.dumps({"temperature": 41.5, "linkquality": 90}))
        uplink = {"time": now, "object": {"temperature": 38.25}}
        sender.publish("application/7/device/a1/event/up", json.dumps(uplink))
        sender.publish("a/b", json.dumps({"rows": [{"n": "t", "v": 215}]}))
        sender.publish("plant/t", b"37.5")

    with Received(source) as got:
        wait_until(lambda: source.status.code == "source_ok", what="connected")
        send()
        wait_until(lambda: all(got.values(p) for p in ("zigbee", "lora", "deep", "plain")))
        assert got.values("zigbee")[0] == 41.5
        assert got.values("deep")[0] == 21.5
        lora = next(i for i in got.items if i.point.point == "lora")
        assert (lora.measured, lora.unit) == (True, "°C")

        sender.publish("plant/t", b"NaN?")
        wait_until(lambda: "not_json" in got.faults("plain"))
        sender.publish("zigbee2mqtt/p1", json.dumps({"battery": 80}))  # values come in turn
        late = {"time": "2020-01-01T00:00:00Z", "object": {"temperature": 1}}
        sender.publish("application/7/device/a1/event/up", json.dumps(late))
        wait_until(lambda: "time_not_plausible" in got.faults("lora"))
        assert not got.faults("zigbee")

        mosquitto.kill()
        wait_until(lambda: source.status.code == "source_not_connected")
        mosquitto.start()
        wait_until(lambda: source.status.code != "source_not_connected", what="connected again")
        before = len(got.values("zigbee"))

        def again() -> bool:
            send()
            time.sleep(0.1)
            return len(got.values("zigbee")) > before

        wait_until(again, what="values after the broker's restart")
    sender.loop_stop()


def test_a_machine_of_transmitters_learns_alarms_and_recovers(mosquitto, reader, tmp_path):
    values = [{"point": p, "topic": "plant/pump", "path": p, "time_path": "ts"} for p in ("t", "v")]
    points = [
        {"id": "t", "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 60},
        {"id": "v", "kind": "value", "quantity": "velocity_rms", "unit": "mm/s", "interval_s": 60},
    ]
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path / "gateway", "heartbeat_s": 5},
        "detector": {"baseline_windows": 60},
        "machines": [{"id": "pump", "power_kw": 55, "support": "rigid", "points": points}],
        "sources": [{"type": "mqtt_json", "machine": "pump", "values": values}],
    })  # fmt: skip
    sender = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    sender.connect("127.0.0.1", mosquitto.port)
    sender.loop_start()
    rng, hot, stop = np.random.default_rng(1), threading.Event(), threading.Event()

    def measure() -> None:
        start_s = time.time() - 80_000
        for _ in range(1300):
            if stop.wait(0.05):
                return
            t = 60 + rng.standard_normal() + 15 * hot.is_set()
            given = {"t": t, "v": 1.5 * np.exp(0.05 * rng.standard_normal()), "ts": start_s}
            start_s += 60
            sender.publish("plant/pump", json.dumps(given), qos=1)

    with Running(config):
        thread = threading.Thread(target=measure)
        thread.start()
        try:
            reader.wait_for("normal", "t")
            reader.wait_for("normal", "v")
            levels = reader.latest[TOPICS.point_state("pump", "v")]["levels"]
            assert levels["velocity_rms_mm_s"]["unit"] == "mm/s"
            hot.set()
            reader.wait_for("alarm", "t")
            # the machine's state follows that of its point
            machine = TOPICS.machine_state("pump")
            wait_until(lambda: reader.latest[machine]["condition"] in ("warning", "alarm"))
            hot.clear()
            reader.wait_for("normal", "t")
            inventory = reader.latest[TOPICS.inventory]
            assert inventory["machines"][0]["points"][0]["quantity"] == "temperature"
        finally:
            stop.set()
            thread.join()
    sender.loop_stop()


def test_a_wrong_mapping_is_refused_with_the_reason(tmp_path):
    for value, code in (
        ({"topic": "a", "path": "]["}, "path_malformed"),
        ({"template": "zigbe"}, "template_unknown"),
        ({"template": "plain", "device": "x", "value": "temp"}, "template_value_unknown"),
        ({"path": "a"}, "mapping_incomplete"),
    ):
        settings = MqttJsonSource(
            type="mqtt_json", machine="pump", values=[{"point": "t", **value}]
        )
        (problem,) = mqtt_json.KIND.problems(settings, machine("t"))
        assert problem.said.code == code
        with pytest.raises(SourceError):
            mqtt_json.KIND.open(settings, context(machine("t"), tmp_path))
