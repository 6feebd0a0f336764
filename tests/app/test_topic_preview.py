"""The preview of topics: what arrives, bounded, with a proposal for each number."""

from __future__ import annotations

import json
import threading

import paho.mqtt.client as mqtt
import pytest

from auscult.app.commissioning.topic_preview import MAX_VALUES, TopicPreview, preview
from auscult.link.broker import BrokerSettings
from auscult.link.link import Received


def message(topic: str, payload: bytes, retained: bool = False) -> Received:
    return Received(topic, payload, retained, False, lambda: None)


def test_a_preview_measures_how_often_a_value_comes():
    times = iter([0.0, 1.3, 3.3, 5.4, 9.0])
    found = TopicPreview(clock=lambda: next(times))
    found.read(message("t", b"1", retained=True))
    found.read(message("t", b"2"))
    assert found.values[0].interval_s is None
    found.read(message("t", b"3"))
    found.read(message("t", b"4"))
    found.read(message("once", b"1"))
    once, often = found.values
    assert (once.interval_s, often.interval_s) == (None, 2.1)  # 2.05 s, rounded


def test_a_preview_shows_numbers_and_proposes_what_they_are(mosquitto):
    sender = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    sender.connect("127.0.0.1", mosquitto.port)
    sender.loop_start()
    stop = threading.Event()

    def send() -> None:
        while not stop.wait(0.05):
            sender.publish("zigbee2mqtt/p1", json.dumps({"temperature": 41.5, "on": True}))
            sender.publish("plant/vrms", b"2.5")
            sender.publish("other/x", b"1")
            sender.publish("words/x", b"warm")

    thread = threading.Thread(target=send)
    thread.start()
    try:
        found = {v.topic: v for v in preview(mosquitto.settings, "zigbee2mqtt/+", 0.5).items}
        assert set(found) == {"zigbee2mqtt/p1"}
        one = found["zigbee2mqtt/p1"]
        assert (one.path, one.value, one.quantity, one.unit) == (
            "/temperature", 41.5, "temperature", "°C",
        )  # fmt: skip
        (plain,) = preview(mosquitto.settings, "plant/#", 0.5).items
        assert (plain.path, plain.quantity) == ("", "velocity_rms")
        assert plain.messages > 1
        words = preview(mosquitto.settings, "words/+", 0.5)
        assert (words.items, words.said.code) == ((), "no_numbers_on_topic")
    finally:
        stop.set()
        thread.join()
        sender.loop_stop()


def test_a_preview_is_bounded_and_leaves_out_what_is_no_sensor():
    found = TopicPreview()
    found.read(message("a", b"not json"))
    found.read(message("a", b"[" + b"1," * 40_000 + b"1]"))
    found.read(message("auscult/v1/plant/gw/status", b"1"))
    assert not found.values
    found.read(message("a", json.dumps(list(range(500))).encode()))
    assert len(found.values) == MAX_VALUES


def test_a_broker_that_is_away_is_named(monkeypatch):
    monkeypatch.setattr("auscult.app.commissioning.topic_preview.CONNECT_S", 0.2)
    with pytest.raises(TimeoutError):
        preview(BrokerSettings(host="127.0.0.1", port=1), "a", 0.1)
