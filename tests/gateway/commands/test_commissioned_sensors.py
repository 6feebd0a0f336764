"""Sensors that are commissioned while the gateway runs, end to end: learned, decided, set, stopped.

Their clock is set by hours while they are learned, and while a fault lasts.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

from auscult.gateway import service
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.link.link import Link
from tests.gateway.foreign_sensor import GROUP, NODE, Encoder, ForeignSensor, as_bytes
from tests.gateway.plant import TOPICS
from tests.gateway.sensors import FS_HZ, Sensors
from tests.gateway.sources.mqtt.test_mqtt import waveform
from tests.waiting import DEADLINE_S, wait_until

MACHINES = [
    {
        "id": name,
        "baseline_windows": 40,
        "points": [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ}],
    }
    for name in ("pump", "fan")
]
SOURCES = [
    {
        "type": "mqtt", "machine": "pump",
        "waveforms": [{"point": "de", "topic": "s/de"}],
        "tags": [{"name": "running", "topic": "plc/on"}],
    },
    {
        "type": "sparkplug", "machine": "fan", "group_id": GROUP, "edge_node_id": NODE,
        "waveforms": [{"point": "de", "device_id": "4711", "metric": "Z", "scale": 1e-3}],
        "tags": [{"name": "running", "device_id": "drive", "metric": "On"}],
    },
]  # fmt: skip

HOUR_NS = 3600 * 10**9


@pytest.mark.slow
def test_commissioned_sensors_are_learned_and_decided_only_while_they_run(
    mosquitto, reader, tmp_path
):
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path / "gateway", "heartbeat_s": 5, "trend_interval_s": 5},
        "detector": {"window_s": 0.25, "baseline_windows": 40},
    })  # fmt: skip
    encode, plain = Encoder(), Link(mosquitto.settings, "sensor")
    radio = ForeignSensor(mosquitto, encode)
    plain.start()
    assert plain.wait_connected(DEADLINE_S)

    def born() -> None:
        radio.birth({"4711": {"Z": as_bytes(np.zeros(0))}, "drive": {"On": ("Boolean", True)}})

    def measure(number: int, samples: np.ndarray, t_ns: int) -> None:
        plain.publish("s/de", waveform(number, samples, t0_ns=t_ns))
        if radio.births_asked > answered[0]:
            answered[0] = radio.births_asked
            born()
        metrics = {"Z": as_bytes(np.rint(samples * 1000))}
        radio.say("DDATA", "4711", metrics, t_ms=t_ns // 10**6)
        if number % 10 == 0:
            plain.publish("plc/on", b"true" if running.is_set() else b"false")
            radio.say("DDATA", "drive", {"On": ("Boolean", running.is_set())})

    def conditions() -> set[str | None]:
        topics = [TOPICS.machine_state(name) for name in ("pump", "fan")]
        return {reader.latest.get(topic, {}).get("condition") for topic in topics}

    def reason_codes() -> set[str]:
        topics = [TOPICS.point_state(name, "de") for name in ("pump", "fan")]
        return {r["said"]["code"] for topic in topics for r in reader.latest[topic]["reasons"]}

    def window_ms() -> int:
        """Time of the last published window of the machine that is behind."""
        topics = [TOPICS.point_state(name, "de") for name in ("pump", "fan")]
        return min(int(reader.latest[topic]["window_ms"]) for topic in topics)

    def learned() -> int:
        """Windows of the machine with fewer of them."""
        topics = [TOPICS.machine_state(name) for name in ("pump", "fan")]
        coverages = [reader.latest.get(topic, {}).get("coverage", {}) for topic in topics]
        return min(coverage.get("windows", 0) for coverage in coverages)

    def open_events() -> int:
        latest = {e["event_id"]: e["phase"] for e in reader.of("event")}
        return sum(phase != "end" for phase in latest.values())

    answered, running, stop = [0], threading.Event(), threading.Event()
    running.set()
    gateway = threading.Thread(target=service.run, args=(config, stop))
    gateway.start()
    try:
        with Sensors(measure) as sensors:
            wait_until(lambda: TOPICS.configuration in reader.latest)
            reader.command("configure", "c1", {"machines": MACHINES, "sources": SOURCES})
            assert reader.answer("c1")["ok"]
            wait_until(lambda: learned() > 5, what="the healthy period has begun")
            sensors.clock_ns = 3 * HOUR_NS
            wait_until(lambda: learned() > 15)
            sensors.clock_ns = -2 * HOUR_NS
            wait_until(lambda: conditions() == {"normal"}, what="both are learned")
            running.clear()  # the drives are off, then the machines come to rest
            wait_until(lambda: conditions() == {"unknown"}, what="both are at rest")
            sensors.level = 1e-3
            assert reason_codes() == {"not_running"}
            before_ms = window_ms()
            wait_until(lambda: window_ms() > before_ms, what="windows of machines at rest")
            assert conditions() == {"unknown"}
            sensors.level = 1.0
            before_ms = window_ms()
            wait_until(lambda: window_ms() > before_ms)
            running.set()
            wait_until(lambda: conditions() == {"normal"}, what="both run again")
            assert not reader.of("event"), "a machine at rest has no fault"
            sensors.hit = 20.0
            wait_until(lambda: open_events() == 2, what="both have a fault")
            sensors.clock_ns = -9 * HOUR_NS
            trends = len(reader.of("trend"))
            wait_until(lambda: len(reader.of("trend")) > trends + 2)
            sensors.hit = 0.0
            wait_until(lambda: open_events() == 0, what="both are normal again")
    finally:
        stop.set()
        gateway.join(DEADLINE_S)
        radio.close()
        plain.stop()
        encode.end()
    assert not gateway.is_alive()
    ended = [e for e in reader.of("event") if e["phase"] == "end"]
    assert all(e["ended_ms"] >= e["updated_ms"] >= e["started_ms"] for e in ended)
