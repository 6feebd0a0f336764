"""All outputs at once on a running gateway; how one that is slow or fails is run."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time

import pytest
from asyncua.sync import Client
from pymodbus.client import ModbusTcpClient

from auscult.app.command import main as command
from auscult.errors import UnusableSettingError
from auscult.gateway.outputs import running as runner
from auscult.gateway.outputs.contract import Output
from tests.gateway.plant import Running, settings
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until


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
        runner.Outputs(config, lambda _: "", lambda *_: None, None)

    file = tmp_path / "auscult.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in enabled.items()]
    file.write_text(f"[{extra}]\n" + "\n".join(lines))
    monkeypatch.setattr(sys, "argv", ["auscult", "gateway", "--config", str(file)])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 2
    assert f"auscult[{extra}]" in capsys.readouterr().err


class Recorded(Output):
    """Keeps what it gets; `wait` is called before each message."""

    def __init__(self, wait=lambda: None, starts_at=1):
        self.messages, self.calls = [], []
        self._wait, self._starts_at = wait, starts_at

    def start(self):
        self.calls.append("start")
        if self.calls.count("start") < self._starts_at:
            raise OSError("port 502 is in use")

    def publish(self, message):
        self._wait()
        self.messages.append(message)

    def stop(self):
        self.calls.append("stop")


@pytest.fixture
def run():
    """Runs an output, and ends it with the test."""
    all_of_them = []

    def start(output, name="ours"):
        one = runner.RunningOutput(name, output)
        one.thread.start()
        all_of_them.append(one)
        return one

    yield start
    for one in all_of_them:
        one.end()
        one.join(time.monotonic() + DEADLINE_S)


def put(one, *messages):
    for message in messages:
        one.put(lambda output, message=message: output.publish(message))


def test_a_slow_output_loses_the_oldest_and_says_so_until_it_keeps_up(run, monkeypatch, caplog):
    monkeypatch.setattr(runner, "MAX_WAITING", 3)
    free = threading.Event()
    slow, quick = Recorded(free.wait), Recorded()
    held, other = run(slow, "slow"), run(quick, "quick")
    put(held, 0)
    wait_until(lambda: not held._waiting)
    put(held, *range(1, 7))  # no one waits for it
    put(other, 1, 2)
    wait_until(lambda: quick.messages == [1, 2])
    assert held.trouble == "it is too slow: 3 messages were discarded"
    free.set()
    wait_until(lambda: slow.messages == [0, 4, 5, 6])
    wait_until(lambda: not held.trouble)
    assert caplog.text.count("output slow is too slow") == 1


def test_a_message_that_fails_is_reported_once_and_the_next_ones_follow(run, caplog):
    def wait():
        if not failing.messages:
            failing.messages.append("tried")
            raise ValueError("no such tag")

    failing = Recorded(wait)
    one = run(failing)
    put(one, 1, 2, 3)
    wait_until(lambda: failing.messages == ["tried", 2, 3])
    assert one.trouble == "ValueError: no such tag"
    assert caplog.text.count("ours failed") == 1
    assert failing.calls == ["start"], "it continues without another start"


def test_an_output_starts_again_until_it_can_and_gets_what_came_meanwhile(run, monkeypatch):
    monkeypatch.setattr("auscult.host.supervised.FIRST_PAUSE_S", 0.05)
    late = Recorded(starts_at=3)
    one = run(late)
    put(one, 1, 2)
    wait_until(lambda: late.messages == [1, 2])
    assert late.calls == ["start"] * 3
    assert one.trouble == "OSError: port 502 is in use"


def test_the_last_messages_are_published_before_an_output_stops(run):
    last = Recorded(lambda: time.sleep(0.02))
    one = run(last)
    put(one, *range(10))
    one.end()
    one.join(time.monotonic() + DEADLINE_S)
    assert last.messages == list(range(10))
    assert last.calls == ["start", "stop"]


def test_an_output_that_hangs_does_not_hold_up_the_end(run, monkeypatch, caplog):
    free = threading.Event()
    one = run(Recorded(free.wait))
    put(one, 1)
    one.end()
    one.join(time.monotonic() + 0.2)
    assert "output ours does not end" in caplog.text
    free.set()


def test_what_an_output_subscribes_to_comes_in_its_own_thread(run):
    class Ear(Recorded):
        def receive(self, topic, payload):
            self.messages.append((topic, payload, threading.current_thread().name))

    ear = Ear()
    one = run(ear, "ear")
    one.receiver("home/status")(b"online")
    wait_until(lambda: ear.messages == [("home/status", b"online", "ear")])
