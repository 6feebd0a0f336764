"""Several machines on one Modbus line, against pymodbus' servers."""

from __future__ import annotations

import socket
import threading
from functools import partial
from typing import Any

import pytest
from pydantic import ValidationError

from auscult.contract.machines import MachineSettings
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.modbus import KIND
from auscult.gateway.sources.modbus.settings import ModbusSource
from auscult.gateway.sources.support.reach import why_unopened
from auscult.gateway.sources.trial import Trials
from auscult.link.broker import BrokerSettings
from tests.gateway.sources.peers import Received, machine, modbus_device, serial_pair
from tests.ports import free_port
from tests.waiting import wait_until

DEAD_S = 0.3
"""Longest wait for a device that never answers; the others have the usual time, and lose none."""


def named(machine_id: str) -> MachineSettings:
    return machine("v").model_copy(update={"id": machine_id})


def source(machine_id: str, unit_id: int, **keys: Any) -> ModbusSource:
    value = {"point": "v", "address": 10, "scale": 0.1}
    return ModbusSource(type="modbus", machine=machine_id, unit_id=unit_id, values=[value], **keys)


@pytest.fixture
def received(tmp_path):
    def opened(settings: ModbusSource) -> Received:
        machines = {settings.machine: named(settings.machine)}
        context = SourceContext(machines, BrokerSettings(), "test", tmp_path)
        return Received(KIND.open(settings, context))

    return opened


def tried(settings: ModbusSource):
    trials = Trials(BrokerSettings(), "test", tuple, threading.Event())
    (value,) = trials.run(settings, named(settings.machine))
    return value


def test_machines_share_a_serial_line_and_a_dead_one_holds_up_no_other(received):
    from pymodbus.server import ModbusSerialServer

    with serial_pair() as (near, far):
        serve = partial(
            ModbusSerialServer, port=far, baudrate=19_200,
            trace_packet=lambda sent, data: b"" if sent and data[0] == 2 else data,
        )  # fmt: skip
        on = partial(source, serial_port=near)
        with modbus_device(0, {10: 455}, serve), received(on("pump", 1)) as pump:
            wait_until(lambda: pump.values("v"), what="values")
            with received(on("fan", 2, timeout_s=DEAD_S)) as fan, received(on("mill", 1)) as mill:
                wait_until(lambda: "link_down" in fan.faults("v"), what="the dead device")
                count = len(pump.values("v"))
                wait_until(
                    lambda: len(pump.values("v")) > count and mill.values("v"), what="the others"
                )
            assert not pump.faults("v")
            assert not mill.faults("v")
            assert not fan.values("v")
            assert tried(on("mill", 1)).raw == 455
            other = tried(on("fan", 1, baud_rate=9600)).said
            assert other is not None
            assert "baud_rate is 19200 for one and 9600 for the other" in other.text
            assert why_unopened(near).code == "reach_line_used"
        wait_until(lambda: why_unopened(near).code == "reach_ended", what="the last has left")


def test_sources_of_one_line_must_name_equal_settings(tmp_path):
    (tmp_path / "by-id").symlink_to("/dev/ttyUSB7")
    given = {
        "machines": [named("pump"), named("fan")],
        "sources": [
            source("pump", 1, serial_port="/dev/ttyUSB7"),
            source("fan", 2, serial_port=str(tmp_path / "by-id"), parity="even"),
        ],
    }
    with pytest.raises(ValidationError, match=r"pump and fan share the line .* parity is none"):
        GatewaySettings.model_validate(given)


def test_machines_share_one_connection_to_a_modbus_gateway(received):
    port = free_port()
    on = partial(source, host="127.0.0.1", port=port)
    device = modbus_device(port, {10: 455})
    with device, received(on("pump", 1)) as pump, received(on("mill", 1)) as mill:
        wait_until(lambda: pump.values("v") and mill.values("v"), what="values")
        assert len(connections(port)) == 1


def test_a_silent_unit_behind_a_modbus_gateway_costs_the_others_no_connection(received):
    from pymodbus.server import ModbusTcpServer

    port, silent = free_port(), []

    def lose(sent: bool, data: bytes) -> bytes:
        if sent and data[6] == 2:
            silent.append(data)
            return b""
        return data

    serve = partial(ModbusTcpServer, address=("127.0.0.1", port), trace_packet=lose)
    on = partial(source, host="127.0.0.1", port=port)
    with modbus_device(port, {10: 455}, serve), received(on("pump", 1)) as pump:
        wait_until(lambda: pump.values("v"), what="values")
        [before] = connections(port)
        with received(on("fan", 2, timeout_s=DEAD_S)) as fan:
            wait_until(lambda: "link_down" in fan.faults("v"), what="the silent unit")
            wait_until(
                lambda: len(silent) > 2 and len(pump.values("v")) > 3, what="more polls of both"
            )
            [after] = connections(port)
            assert after.laddr == before.laddr, "one connection all the time"
        assert not pump.faults("v")


def test_a_connection_that_no_unit_answers_over_is_made_again(received):
    from pymodbus.server import ModbusTcpServer

    port, lost = free_port(), threading.Event()
    serve = partial(
        ModbusTcpServer, address=("127.0.0.1", port),
        trace_packet=lambda sent, data: b"" if sent and lost.is_set() else data,
    )  # fmt: skip
    on = partial(source, host="127.0.0.1", port=port, timeout_s=DEAD_S)
    with (
        modbus_device(port, {10: 455}, serve),
        received(on("pump", 1)) as pump,
        received(on("mill", 1)) as mill,
    ):
        wait_until(lambda: pump.values("v") and mill.values("v"), what="values")
        [before] = connections(port)
        lost.set()
        wait_until(lambda: "link_down" in pump.faults("v") + mill.faults("v"), what="the loss")
        lost.clear()
        wait_until(lambda: [one.laddr for one in connections(port)] not in ([], [before.laddr]))
        count = len(pump.values("v"))
        wait_until(lambda: len(pump.values("v")) > count, what="values again")


def test_a_device_that_trickles_bytes_ends_a_trial_in_time():
    ended = threading.Event()

    def trickle(server: socket.socket) -> None:
        peer, _ = server.accept()
        with peer:
            while not ended.wait(0.1):
                try:
                    peer.send(b"\0")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=trickle, args=(server,), daemon=True).start()
        port = server.getsockname()[1]
        try:
            on = source("pump", 1, host="127.0.0.1", port=port, timeout_s=DEAD_S)
            assert tried(on).said is not None
        finally:
            ended.set()


def connections(port: int) -> list[Any]:
    """Established connections of this process to a port of its own."""
    import psutil

    return [
        one
        for one in psutil.Process().net_connections("tcp")
        if one.raddr and one.raddr.port == port
    ]
