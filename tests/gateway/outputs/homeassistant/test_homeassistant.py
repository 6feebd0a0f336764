"""Home Assistant's discovery: payloads held to the documented rules, and their life at a broker."""

from __future__ import annotations

import json
import re

import jinja2
import pytest

from auscult.contract.inventory import MachinePart, PointPart
from auscult.contract.parts import HandlingPart
from auscult.contract.payloads import Status
from auscult.contract.topics import Topics
from auscult.dsp.quantities import feature_of
from auscult.gateway.outputs.homeassistant.discovery import (
    config_topic,
    gateway_payload,
    machine_payload,
    safe_id,
)
from auscult.link.link import Link, Received
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    INVENTORY,
    ZONE,
    machine_state,
    point_state,
)
from tests.gateway.plant import TOPICS, Running, settings
from tests.waiting import DEADLINE_S, wait_until

# Home Assistant's documentation, "MQTT Discovery": the abbreviations and where each is allowed.
ROOT = {"~", "dev", "o", "cmps", "qos", "avty_t", "avty_tpl"}
DEVICE = {"ids", "name", "mf", "mdl", "sw", "sa", "via_device"}
ORIGIN = {"name", "sw", "url"}
COMMON = {"p", "name", "uniq_id", "stat_t", "val_tpl", "dev_cla", "ent_cat"}
ALLOWED = {
    "sensor": COMMON | {"unit_of_meas", "stat_cla", "ops"},
    "binary_sensor": COMMON,
}
SENSOR_CLASSES = {  # with the units that each takes
    "enum": {None},
    "temperature": {"°C", "°F", "K"},
    "duration": {"d", "h", "min", "s", "ms"},
    "data_size": {"MB", "GB", "kB", "B"},
}
OBJECT_ID = re.compile(r"^[a-zA-Z0-9_-]+$")
LEVELS = {"DE": {"velocity_rms_mm_s": "mm/s", "crest_factor": "1"}}


def payloads() -> dict[str, dict]:
    topics = Topics("plant", "gw1")
    found = {"gw1": gateway_payload(topics, "1.2.3")}
    for machine in INVENTORY.machines:
        found[machine.id] = machine_payload(machine, LEVELS, topics, "1.2.3")
    return {name: json.loads(payload) for name, payload in found.items()}


@pytest.mark.parametrize("name", ["gw1", "pump-3", "fan-1"])
def test_a_payload_keeps_to_the_documented_rules(name):
    body = payloads()[name]
    assert set(body) == ROOT
    assert {"ids", "name"} <= set(body["dev"]) <= DEVICE
    assert {"name"} <= set(body["o"]) <= ORIGIN
    assert body["cmps"]
    for key, component in body["cmps"].items():
        kind = component["p"]
        assert set(component) <= ALLOWED[kind], key
        assert {"p", "uniq_id", "stat_t", "name", "val_tpl"} <= set(component)
        assert component["stat_t"].startswith("~/")
        assert component.get("ent_cat") in (None, "diagnostic")
        if kind == "binary_sensor":
            assert component["dev_cla"] == "problem"
            continue
        device_class = component.get("dev_cla")
        if device_class is not None:
            assert component.get("unit_of_meas") in SENSOR_CLASSES[device_class], key
        # A choice has options and neither unit nor state class; a number has no options.
        assert ("ops" in component) == (device_class == "enum")
        assert not (device_class == "enum" and {"stat_cla", "unit_of_meas"} & set(component))
        assert component.get("stat_cla") in (None, "measurement")


def test_ids_are_unique_and_devices_hang_together():
    found = payloads()
    ids = [c["uniq_id"] for body in found.values() for c in body["cmps"].values()]
    assert len(ids) == len(set(ids))
    assert found["pump-3"]["dev"]["via_device"] == found["gw1"]["dev"]["ids"][0]
    assert found["pump-3"]["dev"]["sa"] == "boiler house"
    assert "sa" not in found["fan-1"]["dev"]
    for device in found:
        prefix, component, *ids, config = config_topic(
            "homeassistant", Topics("plant.1", "gw1"), device
        ).split("/")
        assert (prefix, component, config, len(ids)) == ("homeassistant", "device", "config", 2)
        assert all(OBJECT_ID.match(i) for i in ids)
    assert safe_id("a", "b.c d") == "a_b_c_d"


def rendered(body: dict, key: str, message) -> str:
    """What Home Assistant makes of a message: the same template engine."""
    template = jinja2.Environment(autoescape=False).from_string(body["cmps"][key]["val_tpl"])
    return template.render(value_json=json.loads(message.to_json()))


def test_templates_read_our_messages():
    pump, own = payloads()["pump-3"], payloads()["gw1"]
    state = machine_state(condition="alarm").model_copy(
        update={"reasons": (BEARING, ZONE), "handling": HandlingPart(state="shelved")}
    )
    expected = {"condition": "alarm", "problem": "ON", "handling": "shelved", "baseline": "50.0",
                "reason": "outer-race defect; zone D", "evidence": "0.1"}  # fmt: skip
    assert {key: rendered(pump, key, state) for key in expected} == expected
    calm = machine_state().model_copy(update={"evidence": None})
    assert rendered(pump, "problem", calm) == "OFF"
    assert rendered(pump, "problem", calm.model_copy(update={"event_id": "e1"})) == "ON"
    assert rendered(pump, "reason", calm) == ""
    assert rendered(pump, "evidence", calm) == "None", "which Home Assistant shows as unknown"
    long = state.model_copy(update={"reasons": (BEARING,) * 100})
    assert len(rendered(pump, "reason", long)) <= 255

    point = point_state(velocity=2.5)
    assert rendered(pump, "DE_condition", point) == "normal"
    assert rendered(pump, "DE_sensor", point) == "OFF"
    assert rendered(pump, "DE_sensor", point_state(sensor=("no signal",))) == "ON"
    assert rendered(pump, "DE_crest_factor", point) == "3.2"
    assert rendered(pump, "DE_velocity_rms_mm_s", point) == "None"
    zero = point.model_copy(update={"speed_rpm": 0.0})
    assert rendered(pump, "DE_speed", zero) == "0.0"

    status = Status(ts=1, state="online", outbox_pending=0, storing=False)
    assert rendered(own, "storing", status) == "ON"
    assert rendered(own, "outbox_pending", status) == "0"
    assert rendered(own, "temperature_c", status) == "None"
    available = jinja2.Template(own["avty_tpl"])
    assert available.render(value_json=json.loads(status.to_json())) == "online"


def test_announcements_are_retained_renewed_and_taken_back(mosquitto, reader, recordings, tmp_path):
    received: list[Received] = []

    def announced() -> dict[str, bytes]:
        latest: dict[str, bytes] = {}
        for message in received:
            if message.topic.endswith("/config"):
                latest[message.topic] = message.payload
        return latest

    house = Link(
        mosquitto.settings, "house", on_message=received.append, subscriptions=["homeassistant/#"]
    )
    house.start()
    assert house.wait_connected(DEADLINE_S)
    pump, own = (config_topic("homeassistant", TOPICS, d) for d in ("pump", "gateway1"))
    on = settings(mosquitto, tmp_path / "data", recordings["healthy"], pace=1,
                  more={"homeassistant": {"enabled": True}})  # fmt: skip
    with Running(on) as running:
        wait_until(lambda: {pump, own} <= set(announced()))
        # The levels come with the first measurement.
        wait_until(lambda: b"de_rms" in announced()[pump])
        before = len(received)
        assert house.publish("homeassistant/status", b"online")
        wait_until(lambda: sum(m.topic == pump for m in received[before:]) >= 1)
        reader.wait_for("learning", "de")
        running.stop()
    late: list[Received] = []
    with_history = Link(
        mosquitto.settings, "late", on_message=late.append, subscriptions=["homeassistant/#"]
    )
    with_history.start()
    wait_until(lambda: {m.topic for m in late if m.retained} >= {pump, own})
    with_history.stop()

    off = settings(mosquitto, tmp_path / "data", recordings["healthy"], pace=1)
    with Running(off) as running:
        wait_until(lambda: announced()[pump] == announced()[own] == b"")
        running.stop()
    house.stop()


@pytest.mark.parametrize(
    ("name", "quantity", "unit", "shown"),
    [
        ("Bearing temperature", "temperature", "°C", "Bearing temperature"),
        ("Motor", "current", "A", "Motor current"),
        ("DE", "velocity_rms", "mm/s", "DE velocity r.m.s."),
    ],
)
def test_a_value_is_named_once_and_has_no_speed(name, quantity, unit, shown):
    level = feature_of(quantity, unit)
    point = PointPart(id="t", name=name, kind="value", unit=unit, fs_hz=0, quantity=quantity)
    machine = MachinePart(id="m", name="M", points=(point,))
    payload = machine_payload(machine, {"t": {level.name: level.unit}}, TOPICS, "1")
    components = json.loads(payload)["cmps"]
    assert components[f"t_{level.name}"]["name"] == shown
    assert "t_speed" not in components
