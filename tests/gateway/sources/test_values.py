"""Sources of overall values, each against a real peer: Mosquitto, pymodbus, asyncua, HTTP."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import threading
import time
import tomllib
import urllib.error
import urllib.request
from datetime import UTC, datetime
from functools import partial
from importlib import resources

import numpy as np
import paho.mqtt.client as mqtt
import pytest
from asyncua import ua

from auscult.dsp.quantities import conversion
from auscult.gateway.records import PointValue
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.settings.value_source import (
    HttpSource,
    ModbusSource,
    MqttJsonSource,
    OpcUaSource,
)
from auscult.gateway.sources import http_push, modbus_client, mqtt_json, opcua_client
from auscult.gateway.sources.contract import SourceError
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.json_values import templates
from auscult.gateway.sources.register_maps import (
    PAGE_FILE,
    Register,
    RegisterError,
    page_json,
    register_maps,
)
from auscult.gateway.sources.sender_time import TimeError, checked_ns, time_ns_of
from tests.conftest import wait_until
from tests.gateway.plant import TOPICS, Running
from tests.gateway.sources.peers import (
    OpcUaPeer,
    Received,
    context,
    machine,
    modbus_device,
    serial_pair,
)
from tests.ports import free_port

NOW_NS = 1_760_000_000 * 10**9


# ------------------------------------------------------------------ times and data files


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (NOW_NS // 1_000_000, "time_unit"),
        (NOW_NS // 10**9, "time_unit"),
        (NOW_NS + 400 * 86_400 * 10**9, "time_not_plausible"),
        (0, "time_not_plausible"),
    ],
)
def test_a_time_that_can_not_be_true_is_refused_with_the_reason(given, code):
    with pytest.raises(TimeError) as refused:
        checked_ns(given, NOW_NS)
    assert refused.value.said.code == code


def test_times_of_json_may_be_text_or_a_number_in_any_usual_unit():
    text = datetime.fromtimestamp(NOW_NS / 1e9, UTC).isoformat()
    for given in (text, NOW_NS, NOW_NS // 10**6, NOW_NS // 10**9, NOW_NS / 1e9):
        assert time_ns_of(given, NOW_NS) == NOW_NS
    with pytest.raises(TimeError):
        time_ns_of("yesterday", NOW_NS)


def test_each_template_and_register_map_names_its_source_and_units_that_fit():
    found = [*templates().values(), *register_maps().values()]
    assert len(templates()) >= 6
    assert len(register_maps()) >= 6
    for one in found:
        assert one.source
        assert one.title
        for value in getattr(one, "values", ()) or one.registers:
            assert conversion(value.quantity, value.unit) is not None, (one.name, value)


def test_the_page_has_the_register_maps() -> None:
    assert page_json() == PAGE_FILE.read_text(encoding="utf-8"), (
        "run python -m auscult.gateway.sources.register_maps"
    )


def test_register_maps_ask_for_what_their_documents_show_on_the_wire():
    """The requests are those of the makers' examples: one register off would show."""
    banner = {r.name: r for r in register_maps()["banner-qm42vt2"].registers}
    assert banner["z_velocity_rms_in_s"].address == 0x1450  # 01 03 14 50 00 06 C0 29
    same = {r.name: r for r in register_maps()["banner-qm30vt2"].registers}
    assert same["z_velocity_rms_in_s"].address + 40_001 == 45_201
    assert same["x_velocity_peak"].address + 40_001 == 45_220
    wit = {r.name: r for r in register_maps()["witmotion-wtvb01-485"].registers}
    assert wit["x_velocity"].address == 0x3A  # 50 03 00 3A 00 03 28 47
    assert wit["temperature"].address == 0x40  # 50 03 00 40 00 01 88 5F
    meter = {r.name: r for r in register_maps()["eastron-sdm120"].registers}
    assert [meter[n].address + 30_001 for n in ("voltage", "current", "power")] == [
        30_001, 30_007, 30_013,
    ]  # fmt: skip
    assert meter["voltage"].number([0x4366, 0x3334]) == pytest.approx(230.2, abs=1e-4)
    pzem = {r.name: r for r in register_maps()["peacefair-pzem-016"].registers}
    assert pzem["current"].number([0x03E8, 0x0000]) == pytest.approx(1.0)
    cold = {r.name: r for r in register_maps()["xy-md02"].registers}["temperature"]
    assert cold.number([0xFFF6]) == -1.0
    with pytest.raises(RegisterError):
        Register("t", 1, "float32", 1.0, "").number([0x7FC0, 0])
    with pytest.raises(RegisterError):
        Register("t", 1, "uint16", 1.0, "", invalid=(0x7FFF,)).number([0x7FFF])


# ------------------------------------------------------------------ JSON over MQTT


def test_values_come_out_of_any_json_over_mqtt(mosquitto, until, tmp_path):
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
        until(lambda: source.status.code == "source_ok", 10, "connected")
        send()
        until(lambda: all(got.values(p) for p in ("zigbee", "lora", "deep", "plain")))
        assert got.values("zigbee")[0] == 41.5
        assert got.values("deep")[0] == 21.5
        lora = next(i for i in got.items if i.point.point == "lora")
        assert (lora.measured, lora.unit) == (True, "°C")

        sender.publish("plant/t", b"NaN?")
        until(lambda: "not_json" in got.faults("plain"))
        sender.publish("zigbee2mqtt/p1", json.dumps({"battery": 80}))  # values come in turn
        late = {"time": "2020-01-01T00:00:00Z", "object": {"temperature": 1}}
        sender.publish("application/7/device/a1/event/up", json.dumps(late))
        until(lambda: "time_not_plausible" in got.faults("lora"))
        assert not got.faults("zigbee")

        mosquitto.kill()
        until(lambda: source.status.code == "source_not_connected")
        mosquitto.start()
        until(lambda: source.status.code != "source_not_connected", 20, "connected again")
        before = len(got.values("zigbee"))

        def again() -> bool:
            send()
            time.sleep(0.1)
            return len(got.values("zigbee")) > before

        until(again, 20, "values after the broker's restart")
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
            reader.wait_for("normal", "t", timeout_s=60)
            reader.wait_for("normal", "v", timeout_s=10)
            levels = reader.latest[TOPICS.point_state("pump", "v")]["levels"]
            assert levels["velocity_rms_mm_s"]["unit"] == "mm/s"
            hot.set()
            reader.wait_for("alarm", "t", timeout_s=30)
            # the machine's state follows that of its point
            machine = TOPICS.machine_state("pump")
            wait_until(lambda: reader.latest[machine]["condition"] in ("warning", "alarm"))
            hot.clear()
            reader.wait_for("normal", "t", timeout_s=30)
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


# ------------------------------------------------------------------ Modbus


def test_a_modbus_device_is_read_by_its_map_and_again_after_a_loss(until, tmp_path):
    port = free_port()
    settings = ModbusSource(
        type="modbus", machine="pump", host="127.0.0.1", port=port,
        register_map="banner-qm30vt2", timeout_s=0.5,
        values=[
            {"point": "v", "register_name": "z_velocity_rms"},
            {"point": "t", "register_name": "temperature"},
            {"point": "odd", "address": 9000},
        ],
    )  # fmt: skip
    source = modbus_client.KIND.open(settings, context(machine("v", "t", "odd"), tmp_path))
    words = {5200 + i: 1000 + i for i in range(22)} | {5203: 0xFC18}
    with Received(source) as got:
        until(lambda: "link_down" in got.faults("v"), 10, "no device yet")
        with modbus_device(port, words):
            until(lambda: got.values("v") and got.values("t"), 20, "values")
            assert got.values("v")[0] == 1.001
            assert got.values("t")[0] == -10.0
            until(lambda: "register_refused" in got.faults("odd"))
        count = len(got.values("v"))
        until(lambda: got.faults("v").count("link_down") >= 2, 10, "the loss")
        with modbus_device(port, words):
            until(lambda: len(got.values("v")) > count, 20, "values again")
    unit = next(i.unit for i in got.items if isinstance(i, PointValue) and i.point.point == "v")
    assert unit == "mm/s"


def test_a_modbus_device_is_read_over_a_serial_line(until, tmp_path):
    from pymodbus.server import ModbusSerialServer

    values = [
        {"point": "v", "register_name": "z_velocity_rms"}, {"point": "odd", "address": 9000},
    ]  # fmt: skip
    with serial_pair() as (near, far):
        settings = ModbusSource(
            type="modbus", machine="pump", serial_port=near, baud_rate=19_200,
            register_map="banner-qm30vt2", timeout_s=0.5, values=values,
        )  # fmt: skip
        source = modbus_client.KIND.open(settings, context(machine("v", "odd"), tmp_path))
        serve = partial(ModbusSerialServer, port=far, baudrate=19_200)
        with Received(source) as got:
            until(lambda: "link_down" in got.faults("v"), 10, "nothing answers yet")
            with modbus_device(0, {5201: 1250}, serve):
                until(lambda: got.values("v"), 20, "values")
                until(lambda: "register_refused" in got.faults("odd"))
            assert got.values("v")[0] == 1.25


# ------------------------------------------------------------------ OPC UA


def test_an_opc_ua_server_is_read_with_the_quality_of_its_values(until, tmp_path):
    port = free_port()
    settings = OpcUaSource(
        type="opcua", machine="pump", url=f"opc.tcp://127.0.0.1:{port}",
        values=[{"point": "t", "node": "ns=2;s=Pump.T"}, {"point": "x", "node": "ns=2;s=None"}],
    )  # fmt: skip
    source = opcua_client.KIND.open(settings, context(machine("t", "x"), tmp_path))
    slow = opcua_client.KIND.open(settings, context(machine("t", "x", interval_s=3600), tmp_path))
    with OpcUaPeer(port) as peer, Received(slow) as once, Received(source) as got:
        until(lambda: 40.0 in got.values("t"), 20, "the first value")
        until(lambda: once.values("t"), 20, "the first value long before the first notification")
        until(lambda: got.values("t").count(40.0) >= 2, 10, "an unchanged value, repeated")
        until(lambda: "node_unknown" in got.faults("x"))
        peer.write(55.5)
        until(lambda: 55.5 in got.values("t"))
        peer.write(56.5, ua.StatusCodes.UncertainLastUsableValue)
        until(lambda: 56.5 in got.values("t"))
        assert next(i for i in got.items if getattr(i, "value", 0) == 56.5).uncertain
        peer.write(99.0, ua.StatusCodes.BadSensorFailure)
        until(lambda: "value_quality" in got.faults("t"))
        peer.write(float("nan"))
        until(lambda: "not_a_number" in got.faults("t"))
        assert 99.0 not in got.values("t")
        assert once.values("t") == [40.0]
    measured = [i.value for i in got.items if isinstance(i, PointValue) and i.measured]
    assert measured == [40.0], "its notification does not count again; the test's have no time"


@pytest.mark.long
def test_an_opc_ua_server_is_read_again_after_a_loss(until, tmp_path):
    port = free_port()
    settings = OpcUaSource(
        type="opcua", machine="pump", url=f"opc.tcp://127.0.0.1:{port}",
        values=[{"point": "t", "node": "ns=2;s=Pump.T"}],
    )  # fmt: skip
    source = opcua_client.KIND.open(settings, context(machine("t"), tmp_path))
    with Received(source) as got:
        until(lambda: "link_down" in got.faults("t"), 10, "no server yet")
        with OpcUaPeer(port):
            until(lambda: got.values("t"), 20, "the first value")
        until(lambda: got.faults("t").count("link_down") >= 2, 20, "the loss")
        with OpcUaPeer(port):
            count = len(got.values("t"))
            until(lambda: len(got.values("t")) > count, 30, "values again")


# ------------------------------------------------------------------ HTTP


def test_values_are_pushed_with_a_token(until, tmp_path):
    token = "a-long-secret"
    settings = HttpSource(
        type="http", machine="pump", port=0,
        token_sha256=hashlib.sha256(token.encode()).hexdigest(),
        values=[{"point": "t"}],
    )  # fmt: skip
    source = http_push.KIND.open(settings, context(machine("t"), tmp_path))

    def post(body: bytes, given: str = token, path: str = "/values") -> tuple[int, dict]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{source.port}{path}", body, {"Authorization": f"Bearer {given}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    with Received(source) as got:
        until(lambda: source.port != 0)
        assert post(b'{"t": 61.5}') == (200, {"taken": 1, "problems": {}})
        now = datetime.now(UTC).isoformat()
        timed = json.dumps([{"t": {"value": "62", "time": now, "unit": "°C"}}]).encode()
        assert post(timed)[0] == 200
        until(lambda: got.values("t") == [61.5, 62.0])
        assert post(b'{"t": 1}', given="wrong")[0] == 401
        assert post(b"{")[0] == 400
        assert post(b'{"t": 1}', path="/other")[0] == 404
        code, answer = post(b'{"t": "NaN", "u": 2}')
        assert code == 422
        assert set(answer["problems"]) == {"t", "u"}
        ahead = json.dumps({"t": {"value": 1, "time": "2031-01-01T00:00:00Z"}}).encode()
        assert post(ahead)[0] == 422
        assert got.values("t") == [61.5, 62.0]


def test_a_value_too_large_for_its_scale_does_not_leave_the_one_before(tmp_path):
    node = {"point": "t", "node": "ns=2;s=Pump.T", "scale": 10}
    settings = OpcUaSource(type="opcua", machine="pump", url="opc.tcp://h", values=[node])
    source = opcua_client.KIND.open(settings, context(machine("t"), tmp_path))
    inlet = Inlet()
    for number in (4.0, 1e308):
        source.take("t", ua.DataValue(ua.Variant(number)), inlet)
    value, fault = inlet.take(1)
    assert (value.value, fault.said.code) == (40.0, "not_a_number")


def test_slow_and_many_senders_do_not_keep_others_out(until, tmp_path, monkeypatch):
    monkeypatch.setattr(http_push, "REQUEST_S", 2.0)
    monkeypatch.setattr(http_push, "MOST_OF_ONE", 4)
    digest = hashlib.sha256(b"secret").hexdigest()
    settings = HttpSource(
        type="http", machine="pump", port=0, token_sha256=digest, values=[{"point": "t"}]
    )
    source = http_push.KIND.open(settings, context(machine("t"), tmp_path))

    def begun(text: bytes) -> socket.socket:
        """Return a connection that sent the begin of a request."""
        one = socket.create_connection(("127.0.0.1", source.port), timeout=10)
        with contextlib.suppress(ConnectionError):
            one.sendall(text)
        return one

    def is_ended(one: socket.socket) -> bool:
        try:
            return one.recv(1) == b""
        except ConnectionError:
            return True

    def is_answered(text: bytes) -> bool:
        with begun(head + b"\r\n" + text) as one, contextlib.suppress(ConnectionError):
            return one.recv(100).startswith(b"HTTP/1.0 200")
        return False

    head = b"POST /values HTTP/1.0\r\nAuthorization: Bearer secret\r\nContent-Length: 9\r\n"
    with Received(source) as got:
        until(lambda: source.port != 0)
        slow = begun(head + b"\r\n{")
        assert is_answered(b'{"t": 62}'), "another body is awaited meanwhile"
        until(lambda: got.values("t") == [62.0])
        many = [begun(b"POST /val") for _ in range(6)]
        assert all(map(is_ended, (slow, *many)))
        until(lambda: is_answered(b'{"t": 63}'))
    for one in (slow, *many):
        one.close()


def test_templates_and_maps_are_files_that_a_plant_can_read():
    folder = resources.files("auscult.gateway.sources")
    for name in ("templates", "register_maps"):
        for file in (folder / name).iterdir():
            assert tomllib.loads(file.read_text(encoding="utf-8"))["title"]
