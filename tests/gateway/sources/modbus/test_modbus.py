"""Values of Modbus devices, read from pymodbus over TCP and a serial line."""

from __future__ import annotations

from functools import partial

from auscult.gateway.records import PointValue
from auscult.gateway.sources.modbus import KIND
from auscult.gateway.sources.modbus.settings import ModbusSource
from tests.gateway.sources.peers import Received, context, machine, modbus_device, serial_pair
from tests.ports import free_port
from tests.waiting import wait_until


def test_a_modbus_device_is_read_by_its_map_and_again_after_a_loss(tmp_path):
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
    source = KIND.open(settings, context(machine("v", "t", "odd"), tmp_path))
    words = {5200 + i: 1000 + i for i in range(22)} | {5203: 0xFC18}
    with Received(source) as got:
        wait_until(lambda: "link_down" in got.faults("v"), what="no device yet")
        with modbus_device(port, words):
            wait_until(lambda: got.values("v") and got.values("t"), what="values")
            assert got.values("v")[0] == 1.001
            assert got.values("t")[0] == -10.0
            wait_until(lambda: "register_refused" in got.faults("odd"))
        count = len(got.values("v"))
        wait_until(lambda: got.faults("v").count("link_down") >= 2, what="the loss")
        with modbus_device(port, words):
            wait_until(lambda: len(got.values("v")) > count, what="values again")
    unit = next(i.unit for i in got.items if isinstance(i, PointValue) and i.point.point == "v")
    assert unit == "mm/s"


def test_a_modbus_device_is_read_over_a_serial_line(tmp_path):
    from pymodbus.server import ModbusSerialServer

    values = [
        {"point": "v", "register_name": "z_velocity_rms"}, {"point": "odd", "address": 9000},
    ]  # fmt: skip
    with serial_pair() as (near, far):
        settings = ModbusSource(
            type="modbus", machine="pump", serial_port=near, baud_rate=19_200,
            register_map="banner-qm30vt2", timeout_s=0.5, values=values,
        )  # fmt: skip
        source = KIND.open(settings, context(machine("v", "odd"), tmp_path))
        serve = partial(ModbusSerialServer, port=far, baudrate=19_200)
        with Received(source) as got:
            wait_until(lambda: "link_down" in got.faults("v"), what="nothing answers yet")
            with modbus_device(0, {5201: 1250}, serve):
                wait_until(lambda: got.values("v"), what="values")
                wait_until(lambda: "register_refused" in got.faults("odd"))
            assert got.values("v")[0] == 1.25
