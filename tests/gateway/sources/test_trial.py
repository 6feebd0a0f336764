"""Sources of values tried before they are set up, each against a real peer on this computer."""

from __future__ import annotations

import hashlib
import socket
import threading
import time
import urllib.request

import pytest

from auscult.contract.said import Rejection
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.http import KIND
from auscult.gateway.sources.http.settings import HttpSource
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.modbus.settings import ModbusSource
from auscult.gateway.sources.opcua.settings import OpcUaSource
from auscult.gateway.sources.trial import Trials
from auscult.link.broker import BrokerSettings
from tests.gateway.sources.peers import OpcUaPeer, machine, modbus_device
from tests.ports import free_port
from tests.waiting import DEADLINE_S


def trials(*running) -> Trials:
    return Trials(BrokerSettings(), "test", lambda: running, threading.Event())


def tried(settings, *points: str):
    """Try a source: values by point."""
    return {one.point: one for one in trials().run(settings, machine(*points))}


def modbus(port: int, *values: dict, **keys) -> ModbusSource:
    where = {"host": "127.0.0.1", "port": port} | keys
    return ModbusSource(type="modbus", machine="pump", values=values, **where)


def opcua(url: str, *nodes: str) -> OpcUaSource:
    values = [{"point": f"p{i}", "node": node} for i, node in enumerate(nodes)]
    return OpcUaSource(type="opcua", machine="pump", url=url, values=values)


def test_a_modbus_trial_shows_raw_and_converted_values_and_the_wrong_register() -> None:
    port = free_port()
    good = {"point": "t", "address": 10, "scale": 0.1, "offset": -5.0, "unit": "°C"}
    with modbus_device(port, {10: 455}):
        found = tried(modbus(port, good, {"point": "x", "address": 9000}), "t", "x")
    assert (found["t"].raw, found["t"].value, found["t"].unit) == (455, 40.5, "°C")
    assert found["t"].at_ms is not None
    problem = found["x"].said
    assert problem is not None
    assert problem.code == "register_refused"
    assert "has no register there" in problem.text


def test_a_trial_names_why_a_device_is_not_reached() -> None:
    value = {"point": "t", "address": 1}
    refused = tried(modbus(free_port(), value), "t")["t"].said
    assert refused is not None
    assert "refuses the connection" in refused.text
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = tried(modbus(mute.getsockname()[1], value, timeout_s=0.5), "t")["t"].said
    assert silent is not None
    assert "does not answer" in silent.text
    gone = tried(modbus(1, value, host="", serial_port="/dev/ttyUSB97"), "t")["t"].said
    assert gone is not None
    assert "no serial line /dev/ttyUSB97" in gone.text


def test_an_opc_ua_trial_shows_quality_and_wrong_nodes() -> None:
    with OpcUaPeer(free_port()) as peer:
        found = tried(opcua(peer.url, "ns=2;s=Pump.T", "ns=2;s=No", "Pump.T"), "p0", "p1", "p2")
    assert (found["p0"].raw, found["p0"].value, found["p0"].uncertain) == (40.0, 40.0, False)
    assert found["p0"].measured
    codes = [one.said.code for one in found.values() if one.said]
    assert codes == ["node_unknown", "node_malformed"]


def test_an_opc_ua_trial_ends_soon_where_nothing_answers() -> None:
    refused = tried(opcua(f"opc.tcp://127.0.0.1:{free_port()}", "ns=2;s=T"), "p0")["p0"].said
    assert refused is not None
    assert "refuses the connection" in refused.text


def test_what_was_pushed_to_a_tried_port_is_shown_and_the_port_is_free_again() -> None:
    port = free_port()
    settings = HttpSource(
        type="http", machine="pump", port=port, values=[{"point": "t"}],
        token_sha256=hashlib.sha256(b"secret").hexdigest(),
    )  # fmt: skip
    threading.Thread(target=_push, args=(port,), daemon=True).start()
    assert tried(settings, "t")["t"].value == 61.5
    socket.create_server(("127.0.0.1", port)).close()


def test_a_trial_at_the_port_of_a_running_source_shows_what_it_receives(tmp_path) -> None:
    settings = HttpSource(
        type="http", machine="pump", port=free_port(), values=[{"point": "t", "scale": 2.0}],
        token_sha256=hashlib.sha256(b"secret").hexdigest(),
    )  # fmt: skip
    own = machine("t")
    context = SourceContext({"pump": own}, BrokerSettings(), "test", tmp_path)
    receiver, stop = KIND.open(settings, context), threading.Event()
    thread = threading.Thread(target=receiver.run, args=(Inlet(), stop))
    thread.start()
    try:
        _push(settings.port)
        (value,) = trials(receiver).run(settings, own)
        assert (value.raw, value.value) == (61.5, 123.0)
        corrected = {**settings.model_dump(), "values": [{"point": "t", "unit": "no unit"}]}
        (value,) = trials(receiver).run(HttpSource.model_validate(corrected), own)
        assert value.said is not None
        assert value.said.code == "wrong_unit"
        other = settings.model_copy(update={"machine": "fan"})
        with pytest.raises(Rejection, match="machine pump receives at port"):
            trials(receiver).run(other, own)
    finally:
        stop.set()
        thread.join(DEADLINE_S)


def test_one_trial_at_a_time_and_the_end_of_the_gateway_ends_it() -> None:
    ending = threading.Event()
    one = Trials(BrokerSettings(), "test", tuple, ending)
    settings = HttpSource(
        type="http", machine="pump", port=free_port(), values=[{"point": "t"}],
        token_sha256="0" * 64,
    )  # fmt: skip
    thread = threading.Thread(target=one.run, args=(settings, machine("t")))
    thread.start()
    _await_port(settings.port)
    with pytest.raises(Rejection, match="another source is tried"):
        one.run(settings, machine("t"))
    ending.set()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


def _await_port(port: int) -> None:
    until_s = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S).close()
        except OSError:
            assert time.monotonic() < until_s
            time.sleep(0.02)
        else:
            return


def _push(port: int) -> None:
    _await_port(port)
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/values", b'{"t": 61.5}', {"Authorization": "Bearer secret"}
    )
    urllib.request.urlopen(request, timeout=DEADLINE_S).close()


def test_trials_can_not_scan_a_network() -> None:
    one = trials()
    codes = []
    for port in range(1, 14):
        try:
            one.run(modbus(port, {"point": "t", "address": 1}), machine("t"))
        except Rejection as rejected:
            codes.append(rejected.said.code)
    assert codes == ["trial_often"] * 3


def test_a_password_in_an_address_is_not_shown() -> None:
    url = f"opc.tcp://eva:secret@127.0.0.1:{free_port()}"
    said = tried(opcua(url, "ns=2;s=Pump.T"), "p0")["p0"].said
    assert said is not None
    assert said.code == "link_down"
    assert "127.0.0.1" in said.text
    assert "secret" not in said.text
    assert "again" not in said.text, "the trial has ended"
