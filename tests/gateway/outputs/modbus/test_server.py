"""The register map, and the server read by a foreign client (npm's modbus-serial)."""

from __future__ import annotations

import csv
import math
import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.contract.parts import Level
from auscult.dsp.quantities import QUANTITIES
from auscult.gateway.outputs.modbus.registers import (
    FAULT_CODES,
    GATEWAY,
    HEAD,
    MACHINE,
    POINT,
    UNKNOWN,
    RegisterBank,
    ServedRegister,
)
from auscult.gateway.outputs.modbus.server import ModbusServer
from auscult.gateway.outputs.modbus.settings import ModbusSettings
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.mapping import machine_readings, point_readings, status_readings
from auscult.gateway.tags.metrics import Quality, Reading
from auscult.gateway.tags.readings import tags_of
from auscult.models.decision.diagnosis import FAULT_CLASS, MATRIX
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    INVENTORY,
    machine_state,
    point_state,
    status,
)
from tests.gateway.programs import Program, install, program
from tests.ports import free_port
from tests.waiting import DEADLINE_S

FOREIGN = Path(__file__).parent / "foreign"


@pytest.fixture
def served(tmp_path):
    settings = ModbusSettings(enabled=True, port=free_port(), unit_id=7)
    server = ModbusServer(settings, INVENTORY, tmp_path / "modbus")
    server.start()
    assert server.ready.wait(DEADLINE_S)
    yield server, settings
    server.stop()


def floats(registers):
    return struct.unpack(">f", struct.pack(">HH", *registers))[0]


def test_a_foreign_client_reads_the_map_and_can_change_nothing(served, tmp_path):
    install(FOREIGN, "modbus-serial")
    server, settings = served
    state = point_state(velocity=2.5, condition="alarm", reasons=(BEARING,), evidence=7.5)
    shown = machine_state(condition="alarm", fraction=0.25, event_id="01EV")
    for message in (state, shown, status(windows=70_000)):
        server.publish(message)
    client = Program(program("node"), FOREIGN / "client.js", str(settings.port), "7")
    try:
        client.wait_for("done")
        head = client.of("head")[0]
        assert (head[0], *head[2:7]) == (1, 2, 3, 2, 1, 1)
        assert (head[18] << 16) + head[19] == 70_000
        assert client.of("same") == [True]
        machine = client.of("machine")[0]
        assert machine[:3] == [2, 4, 2]
        assert client.of("evidence") == [pytest.approx(0.1)]
        assert client.of("warning") == [3.0]
        assert client.of("at_s") == [shown.ts // 1000]
        assert machine[14:19] == [1, 0, 0, 0, 250]
        point = client.of("point")[0]
        assert point[:4] == [2, 4, 2 | 4, 1]
        assert point[12:14] == [1, 800]
        assert client.of("speed") == [1480.0]
        # JSON has no NaN: what is not known comes as null.
        assert client.of("load") == [None]
        assert client.of("last") == [[UNKNOWN]]
        denied = {line["denied"]: line["code"] for line in client.lines if "denied" in line}
        past = [code for name, code in denied.items() if name.startswith("past the end")]
        assert past == [2] * 6
        assert {denied[k] for k in ("write", "write many", "coils", "write coil")} == {1}
        assert denied["another unit"] == 11
        assert not client.of("allowed")
    finally:
        client.end()
    table = list(csv.DictReader((tmp_path / "modbus" / "registers.csv").open()))
    assert {"address": "20018", "machine": "pump-3", "tag": "Points/DE/Levels/velocity_rms_mm_s"} \
        .items() <= next(row for row in table if row["address"] == "20018").items()  # fmt: skip


def test_noise_on_the_port_does_not_end_the_server(served):
    _, settings = served
    for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 4000, bytes(range(256)) * 300):
        with socket.create_connection(("127.0.0.1", settings.port)) as connection:
            connection.sendall(noise)
    with socket.create_connection(("127.0.0.1", settings.port)) as connection:
        connection.settimeout(20)
        connection.sendall(bytes.fromhex("000100000006070400000001"))
        assert connection.recv(64) == bytes.fromhex("0001000000050704020001")


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_level_of_each_quantity_has_a_register(quantity):
    feature = QUANTITIES[quantity].feature
    unit = QUANTITIES[quantity].unit or "kN"
    part = PointPart(id="T", name="", kind="value", unit=unit, fs_hz=0, quantity=quantity)
    bank = RegisterBank(Inventory(ts=0, machines=(MachinePart(id="m", name="", points=(part,)),)))
    state = point_state("m", "T").model_copy(
        update={"levels": {feature: Level(value=71.5, unit=unit)}}
    )
    bank.update("m", point_readings(state))
    assert floats(bank.read(20_038, 2)) == 71.5
    rows = [row for row in csv.DictReader(bank.table().splitlines()) if "Levels/" in row["tag"]]
    assert {row["tag"] for row in rows} == {f"Points/T/Levels/{feature}"}
    assert {row["unit"] for row in rows} == {unit}


def test_no_two_values_share_a_register_and_every_tag_exists(tmp_path):
    head = [ServedRegister(i, name) for i, (name, _, _) in enumerate(HEAD)]
    for block in ([*head, *GATEWAY], MACHINE, POINT):
        taken = [r.offset + i for r in block for i in range(r.size)]
        assert len(taken) == len(set(taken))
        assert max(taken) < 40
    tags = {(unit, tag.name) for unit, tag in tags_of(INVENTORY, KnownLevels(tmp_path / "x"), "")}
    for machine, folder, block in (
        (None, "", GATEWAY), ("pump-3", "", MACHINE), ("pump-3", "Points/DE/", POINT),
    ):  # fmt: skip
        names = {folder + r.tag for r in block if not r.tag.startswith("Levels/")}
        assert names <= {name for unit, name in tags if unit == machine}


def test_unknown_values_are_marked_unknown():
    bank = RegisterBank(INVENTORY)
    assert bank.read(100, 4) == [0, UNKNOWN, UNKNOWN, UNKNOWN]
    assert math.isnan(floats(bank.read(104, 2)))
    assert list(bank.read(110, 2)) == [UNKNOWN, UNKNOWN]


def test_a_lost_sensor_keeps_its_words_and_loses_its_quality():
    bank = RegisterBank(INVENTORY)
    bank.update("pump-3", point_readings(point_state(quality="bad", condition="unknown",
                                                   sensor=("no signal",))))  # fmt: skip
    bank.update("pump-3", machine_readings(machine_state()))
    bank.update(None, status_readings(status()))
    assert list(bank.read(20_000, 4)) == [0, 2, 256, 0]


@given(st.floats(), st.integers(0, 2**64), st.sampled_from(list(Quality)))
def test_any_value_fits_its_registers(value, t_ms, quality):
    for block in (GATEWAY, MACHINE, POINT):
        for register in block:
            for content in (value, None, "nonsense", True, t_ms):
                if isinstance(content, float) and abs(content) > 3e38 and math.isfinite(content):
                    continue  # metrics.Metric.check makes these None
                words = register.encode(Reading(content, t_ms, quality))
                assert len(words) == register.size
                assert all(0 <= word <= 0xFFFF for word in words)


def test_a_plant_that_does_not_fit_is_refused():
    point = PointPart(id="p", name="", kind="vibration", unit="g", fs_hz=1000)
    machines = tuple(MachinePart(id=f"m{i}", name="", points=(point,)) for i in range(600))
    with pytest.raises(ValueError, match="use OPC UA or Sparkplug"):
        RegisterBank(Inventory(ts=0, machines=machines))


def test_every_fault_that_can_be_named_has_a_code():
    assert {*MATRIX, *FAULT_CLASS.values()} <= set(FAULT_CODES)
