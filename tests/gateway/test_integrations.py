"""All protocols at once on a running gateway with recordings."""

from __future__ import annotations

import json
import socket
import sys

import pytest
from asyncua.sync import Client
from pymodbus.client import ModbusTcpClient

from auscult.app.command import main as command
from auscult.errors import UnusableSettingError
from auscult.gateway.integrations import Integrations
from tests.gateway.plant import Running, settings
from tests.ports import free_port
from tests.waiting import wait_until


def test_one_alarm_is_published_in_every_protocol(mosquitto, reader, recordings, trained):
    opcua, modbus = free_port(), free_port()
    config = settings(
        mosquitto, trained, recordings["faulty"], repeat=True,
        more={
            "sparkplug": {"enabled": True},
            "opcua": {"enabled": True, "port": opcua, "modes": ["none"], "anonymous": True},
            "modbus": {"enabled": True, "port": modbus},
        },
    )  # fmt: skip
    with Running(config) as running:
        reader.wait_for("alarm")
        assert reader.latest["auscult/v1/plant/gateway1/pump/state"]["handling"]["state"] == (
            "unacknowledged"
        )
        plc = ModbusTcpClient("127.0.0.1", port=modbus)
        wait_until(plc.connect)
        wait_until(lambda: plc.read_input_registers(100, count=16).registers[1] == 4)
        assert plc.read_input_registers(115, count=1).registers == [1], "unacknowledged"
        assert plc.write_register(100, 0).isError()
        plc.close()
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", opcua)) == 0)
        with Client(f"opc.tcp://127.0.0.1:{opcua}/auscult") as client:
            condition = client.get_node("ns=2;s=Machines/pump/Verdict/Condition")
            wait_until(lambda: condition.read_value() == "alarm")
            level = client.get_node("ns=2;s=Machines/pump/Points/de/Levels/rms")
            assert 0 < level.read_value() < 100
        # Both end with the gateway, also while a client is connected.
        running.stop()


@pytest.mark.parametrize(("extra", "module"), [("opcua", "asyncua"), ("modbus", "pymodbus")])
def test_a_missing_extra_is_named(
    extra, module, mosquitto, recordings, tmp_path, monkeypatch, capsys
):
    for name in list(sys.modules):
        if name.startswith(f"auscult.gateway.outputs.{extra}.") and not name.endswith("settings"):
            monkeypatch.delitem(sys.modules, name)
        if name.startswith(f"{module}."):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module, None)
    enabled = {"enabled": True} | ({"anonymous": True} if extra == "opcua" else {})
    config = settings(mosquitto, tmp_path, recordings["healthy"], more={extra: enabled})
    with pytest.raises(UnusableSettingError, match=rf"pip install 'auscult\[{extra}\]'"):
        Integrations(config, lambda _: "", lambda *_: None, None)

    file = tmp_path / "auscult.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in enabled.items()]
    file.write_text(f"[{extra}]\n" + "\n".join(lines))
    monkeypatch.setattr(sys, "argv", ["auscult", "gateway", "--config", str(file)])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 2
    assert f"auscult[{extra}]" in capsys.readouterr().err
