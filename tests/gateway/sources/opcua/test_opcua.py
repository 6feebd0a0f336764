"""Values of OPC UA servers, read from asyncua."""

from __future__ import annotations

import pytest
from asyncua import ua

from auscult.gateway.records import MOST_VALUE, PointValue
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.opcua import KIND
from auscult.gateway.sources.opcua.settings import OpcUaSource
from tests.gateway.sources.peers import OpcUaPeer, Received, context, machine
from tests.ports import free_port
from tests.waiting import wait_until


def test_an_opc_ua_server_is_read_with_the_quality_of_its_values(tmp_path):
    port = free_port()
    settings = OpcUaSource(
        type="opcua", machine="pump", url=f"opc.tcp://127.0.0.1:{port}",
        values=[{"point": "t", "node": "ns=2;s=Pump.T"}, {"point": "x", "node": "ns=2;s=None"}],
    )  # fmt: skip
    source = KIND.open(settings, context(machine("t", "x"), tmp_path))
    slow = KIND.open(settings, context(machine("t", "x", interval_s=3600), tmp_path))
    with OpcUaPeer(port) as peer, Received(slow) as once, Received(source) as got:
        wait_until(lambda: 40.0 in got.values("t"), what="the first value")
        wait_until(
            lambda: once.values("t"), what="the first value long before the first notification"
        )
        wait_until(lambda: got.values("t").count(40.0) >= 2, what="an unchanged value, repeated")
        wait_until(lambda: "node_unknown" in got.faults("x"))
        peer.write(55.5)
        wait_until(lambda: 55.5 in got.values("t"))
        peer.write(56.5, ua.StatusCodes.UncertainLastUsableValue)
        wait_until(lambda: 56.5 in got.values("t"))
        assert next(i for i in got.items if getattr(i, "value", 0) == 56.5).uncertain
        peer.write(99.0, ua.StatusCodes.BadSensorFailure)
        wait_until(lambda: "value_quality" in got.faults("t"))
        peer.write(float("nan"))
        wait_until(lambda: "not_a_number" in got.faults("t"))
        assert 99.0 not in got.values("t")
        assert once.values("t") == [40.0]
    measured = [i.value for i in got.items if isinstance(i, PointValue) and i.measured]
    assert measured == [40.0], "its notification does not count again; the test's have no time"


def test_many_nodes_are_subscribed_together_and_one_node_may_feed_two_points(tmp_path):
    port, count = free_port(), 250
    nodes = {f"p{n}": f"ns=2;s=Pump.{n}" for n in range(count)} | {"twin": "ns=2;s=Pump.7"}
    settings = OpcUaSource(
        type="opcua", machine="pump", url=f"opc.tcp://127.0.0.1:{port}",
        values=[{"point": point, "node": node} for point, node in nodes.items()],
    )  # fmt: skip
    source = KIND.open(settings, context(machine(*nodes), tmp_path))
    with OpcUaPeer(port, count) as peer, Received(source) as got:
        wait_until(lambda: len({i.point for i in got.items}) == len(nodes), what="all values")
        assert peer.subscribed == [100, 100, 50]
        assert sorted(peer.read)[-3:] == [50, 100, 100]
    values = {i.point.point: i.value for i in got.items if isinstance(i, PointValue)}
    assert values == {f"p{n}": float(n) for n in range(count)} | {"twin": 7.0}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1.0, 2.0],
        "warm",
        b"\xff",
        ua.LocalizedText("x"),
        10**18,
        float("inf"),
        -1e308,
        5e-324,
    ],
)
def test_no_kind_of_value_ends_the_subscription(value, tmp_path):
    node = {"point": "t", "node": "ns=2;s=Pump.T"}
    settings = OpcUaSource(type="opcua", machine="pump", url="opc.tcp://h", values=[node])
    source = KIND.open(settings, context(machine("t"), tmp_path))
    inlet = Inlet()
    data = ua.DataValue(ua.Variant(value)) if value is not None else ua.DataValue()
    source.take("t", data, inlet)
    (item,) = inlet.take(1)
    usable = isinstance(value, int | float) and abs(value) <= MOST_VALUE
    assert isinstance(item, PointValue) == usable


@pytest.mark.nightly
def test_an_opc_ua_server_is_read_again_after_a_loss(tmp_path):
    port = free_port()
    settings = OpcUaSource(
        type="opcua", machine="pump", url=f"opc.tcp://127.0.0.1:{port}",
        values=[{"point": "t", "node": "ns=2;s=Pump.T"}],
    )  # fmt: skip
    source = KIND.open(settings, context(machine("t"), tmp_path))
    with Received(source) as got:
        wait_until(lambda: "link_down" in got.faults("t"), what="no server yet")
        with OpcUaPeer(port):
            wait_until(lambda: got.values("t"), what="the first value")
        wait_until(lambda: got.faults("t").count("link_down") >= 2, what="the loss")
        with OpcUaPeer(port):
            count = len(got.values("t"))
            wait_until(lambda: len(got.values("t")) > count, what="values again")


def test_a_value_too_large_for_its_scale_does_not_leave_the_one_before(tmp_path):
    node = {"point": "t", "node": "ns=2;s=Pump.T", "scale": 10}
    settings = OpcUaSource(type="opcua", machine="pump", url="opc.tcp://h", values=[node])
    source = KIND.open(settings, context(machine("t"), tmp_path))
    inlet = Inlet()
    for number in (4.0, 1e308):
        source.take("t", ua.DataValue(ua.Variant(number)), inlet)
    value, fault = inlet.take(1)
    assert (value.value, fault.said.code) == (40.0, "value_too_large")
