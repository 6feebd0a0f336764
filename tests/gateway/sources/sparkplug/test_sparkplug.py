"""Sensors of other Sparkplug edge nodes, encoded by npm's package, over a real broker."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.machines import MachineSettings
from auscult.gateway.records import SampleBlock, SourceFault
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.sparkplug import source as sparkplug
from auscult.gateway.sources.sparkplug.node import (
    ForeignNode,
    ForeignPayloadError,
    Gone,
    MetricValue,
)
from auscult.gateway.sources.sparkplug.settings import SparkplugSource, SparkplugWaveform
from auscult.gateway.sources.sparkplug.source import SparkplugListener
from auscult.gateway.sources.sparkplug.values import ARRAYS, samples_of
from auscult.gateway.sources.support import sequencer
from auscult.gateway.sources.support.samples import WaveformError
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.foreign_sensor import GROUP, NODE, Encoder, ForeignSensor, as_bytes, as_table
from tests.waiting import wait_until

FS_HZ = 1000
MACHINE = MachineSettings.model_validate({
    "id": "fan",
    "points": [
        {"id": p, "kind": "vibration", "unit": "g", "fs_hz": FS_HZ} for p in ("de", "nde", "top")
    ],
})  # fmt: skip
SOURCE = SparkplugSource.model_validate({
    "type": "sparkplug", "machine": "fan", "group_id": GROUP, "edge_node_id": NODE,
    "waveforms": [
        {"point": "de", "device_id": "4711", "metric": "Waveform/Z", "scale": 0.01},
        {"point": "nde", "device_id": "4712", "metric": "Wave", "column": "z",
         "rate_metric": "Rate"},
        {"point": "top", "metric": "Top", "encoding": "float32"},
    ],
    "tags": [
        {"name": "speed_rpm", "device_id": "drive", "metric": "Speed", "scale": 60},
        {"name": "running", "device_id": "drive", "metric": "On"},
        {"name": "recipe", "device_id": "drive", "metric": "Recipe"},
    ],
})  # fmt: skip
NONE = as_bytes(np.zeros(0))
BORN = {
    "4711": {"Waveform/Z": NONE},
    "4712": {"Wave": as_table(np.zeros(1)), "Rate": ("Float", 1000.0)},
    "drive": {"Speed": ("Float", 25.0), "On": ("Boolean", True), "Recipe": ("String", "B")},
}
OWN = {"Top": NONE}


@pytest.fixture(scope="module")
def encode() -> Iterator[Encoder]:
    encoder = Encoder()
    yield encoder
    encoder.end()


class Bench:
    """A listener on a real broker, and what it delivers."""

    def __init__(self, broker, encode) -> None:
        self.sensor = ForeignSensor(broker, encode)
        self.inlet = Inlet()
        self.items: list = []
        self.listener = SparkplugListener(SOURCE, MACHINE, broker.settings, "gw")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.listener.run, args=(self.inlet, self._stop))
        self._thread.start()

    def begin(self) -> None:
        """Births, as the listener asks for them when it is new."""
        wait_until(lambda: self.sensor.births_asked)
        self.sensor.birth(BORN, OWN)

    def take(self, count: int, kind: type = SampleBlock, point: str = "de") -> list:
        def mine() -> list:
            self.items += self.inlet.take(0)
            return [i for i in self.items if isinstance(i, kind) and i.point.point == point]

        wait_until(lambda: len(mine()) >= count, what=f"{count} × {kind.__name__} of {point}")
        return mine()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.sensor.close()


@pytest.fixture
def bench(mosquitto, encode, monkeypatch) -> Iterator[Bench]:
    monkeypatch.setattr(sparkplug, "ASK_AGAIN_S", 0.2)
    # on a busy machine the births come late, and the pause would double to more than a test waits
    monkeypatch.setattr(sparkplug, "ASK_SELDOM_S", 1.0)
    monkeypatch.setattr(sequencer, "PATIENCE_S", 0.5)
    bench = Bench(mosquitto, encode)
    yield bench
    bench.close()


def wave(first: float) -> np.ndarray:
    return first + np.arange(-50, 50)


def say_wave(bench: Bench, first: int, **how) -> None:
    bench.sensor.say("DDATA", "4711", {"Waveform/Z": as_bytes(wave(first))}, **how)


def test_waveforms_and_process_values_arrive_as_they_were_sent(bench):
    bench.begin()
    say_wave(bench, 7, t_ms=1_700_000_000_123)
    (block,) = bench.take(1)
    assert block.samples == pytest.approx(wave(7) * 0.01)
    assert (block.t0_ns, block.fs_hz, block.unit) == (1_700_000_000_123 * 10**6, FS_HZ, "g")
    assert block.state.speed_rpm == 1500
    assert block.state.tags == {"running": "yes", "recipe": "B"}
    bench.sensor.say("DDATA", "4712", {"Wave": as_table(wave(0.5))})
    assert bench.take(1, point="nde")[0].samples == pytest.approx(wave(0.5))
    bench.sensor.say(
        "DDATA", "4712", {"Rate": ("Float", 512.0), "Wave": as_table(wave(0), "Int16")}
    )
    block = bench.take(2, point="nde")[1]
    assert block.samples == pytest.approx(wave(0)), "negative integers too"
    assert block.fs_hz == 512
    bench.sensor.say("NDATA", "", {"Top": as_bytes(wave(0) / 3, "<f4")})
    assert bench.take(1, point="top")[0].samples == pytest.approx(wave(0) / 3)
    bench.sensor.say("DDATA", "drive", {"On": ("Boolean", False), "Speed": ("Float", 0.0)})
    say_wave(bench, 8)
    block = bench.take(2)[1]
    assert (block.state.speed_rpm, block.state.tags["running"]) == (0, "no")
    assert bench.listener.status.text == "ok"


def test_data_of_an_unknown_node_requests_a_rebirth(bench):
    wait_until(lambda: bench.sensor.births_asked)
    say_wave(bench, 1)
    bench.sensor.wait_asked()
    bench.begin()
    say_wave(bench, 2)
    assert bench.take(1)[0].samples[50] == pytest.approx(0.02)
    # an alias that no birth has named
    bench.sensor.say("DDATA", "4711", {"New": ("Float", 1.0)})
    bench.sensor.wait_asked()


def test_messages_are_reordered_and_a_loss_is_a_gap(bench):
    bench.begin()
    made = {}
    for seq in (4, 5, 6, 7, 8, 9):
        metrics = {"Waveform/Z": as_bytes(wave(seq))}
        made[seq] = bench.sensor.payload("4711", metrics, seq=seq, t_ms=10**12 + seq * 100)
    for seq in (4, 6, 5, 5, 7, 9):
        bench.sensor.publish("DDATA", "4711", made[seq])
    blocks = bench.take(5)
    assert [round(100 * float(b.samples[50])) for b in blocks] == [4, 5, 6, 7, 9]
    assert [b.gap for b in blocks[1:]] == [False, False, False, True]
    assert [b.sequence for b in blocks] == list(range(5))
    assert "1 message lost" in bench.listener.status.text
    bench.sensor.wait_asked()


def test_duplicates_and_late_messages_are_dropped(bench):
    bench.begin()
    say_wave(bench, 1, t_ms=10**12)
    say_wave(bench, 1, t_ms=10**12)
    say_wave(bench, 3, t_ms=10**12 - 500, historical=True)
    say_wave(bench, 2, t_ms=10**12 + 100, historical=True)
    say_wave(bench, 4, t_ms=10**12 + 200)
    blocks = bench.take(3)
    assert [round(100 * float(b.samples[50])) for b in blocks] == [1, 2, 4]


def test_a_death_is_a_fault_of_its_points_until_the_next_birth(bench):
    bench.begin()
    say_wave(bench, 1)
    bench.take(1)
    bench.sensor.say("DDEATH", "4711", {})
    (fault,) = bench.take(1, SourceFault)
    assert fault.said.text == "device 4711 is dead"
    assert not [i for i in bench.items if isinstance(i, SourceFault) and i.point.point == "nde"]
    bench.sensor.say("DBIRTH", "4711", BORN["4711"], named=True)
    say_wave(bench, 2)
    assert bench.take(2)[1].gap
    bench.sensor.die(bd_seq=2)  # of an earlier connection
    say_wave(bench, 3)
    assert len(bench.take(3)) == 3
    bench.sensor.die()
    assert bench.take(2, SourceFault)[1].said.text == f"edge node {NODE} is dead"
    assert bench.take(1, SourceFault, "nde")
    bench.begin()
    bench.sensor.say("DDATA", "drive", {"Speed": ("Float", 30.0)})
    say_wave(bench, 4)
    assert bench.take(4)[3].state.speed_rpm == 1800


def test_a_malformed_waveform_is_a_fault_of_its_point(bench):
    bench.begin()
    bench.sensor.say("DDATA", "4711", {"Waveform/Z": as_bytes(wave(1), "<i1")})
    bench.sensor.say("DDATA", "4711", {"Waveform/Z": ("String", "much")})
    bench.sensor.say("DDATA", "4711", {"Waveform/Z": ("Bytes", None)})
    say_wave(bench, 1, t_ms=1_700_000_000_000_000)  # a clock in microseconds
    say_wave(bench, 1, t_ms=4_070_908_800_000)  # in the year 2099
    say_wave(bench, 1, t_ms=86_400_000)  # a clock that was never set
    odd = {"bytes": base64.b64encode(b"abc").decode()}
    bench.sensor.say("DDATA", "4711", {"Waveform/Z": ("Bytes", odd)})
    faults = bench.take(6, SourceFault)
    texts = " ".join(fault.said.text for fault in faults)
    for reason in (
        "string_value", "has no value", "3 bytes are no whole number of int16",
        "1700000000000000, is not in ms since 1970",
        "4070908800000, is not in ms since 1970 or of a wrong clock",
        "86400000, is not in ms since 1970 or of a wrong clock",
    ):  # fmt: skip
        assert reason in texts
    assert "radio-1/4711/Waveform/Z" in bench.listener.status.text
    for number in range(50):
        bench.sensor.publish("DDATA", f"device-{number}", b"\xff\xff malformed")
    wait_until(lambda: "no Sparkplug B payload" in bench.listener.status.text)
    bench.sensor.wait_asked()
    bench.begin()
    say_wave(bench, 5)
    wait_until(lambda: bench.listener.status.text == "ok")


@pytest.mark.parametrize("datatype", ARRAYS)
def test_arrays_of_every_numeric_type(datatype):
    kind = np.dtype(ARRAYS[datatype])
    values = np.array([1, 2, 100], kind) if kind.kind == "u" else np.array([-1, 2, 100], kind)
    metric = Payload.Metric(bytes_value=values.tobytes())
    settings = SparkplugWaveform(point="de", metric="x", scale=0.5)
    assert samples_of(metric, datatype, settings) == pytest.approx(values * 0.5)
    with pytest.raises(WaveformError, match="type 33"):
        samples_of(metric, 33, settings)


def test_bad_quality_is_no_measurement():
    metric = Payload.Metric(bytes_value=b"\1\2")
    metric.properties.keys.append("Quality")
    metric.properties.values.add(int_value=500)
    with pytest.raises(WaveformError, match="quality"):
        samples_of(metric, 17, SparkplugWaveform(point="de", metric="x"))


def message(seq: int, alias: int, value: float) -> bytes:
    payload = Payload(seq=seq % 256, timestamp=1 + seq)
    payload.metrics.add(alias=alias, float_value=value)
    return payload.SerializeToString()


def born() -> ForeignNode:
    node = ForeignNode(("", "d"))
    birth = Payload(seq=0, timestamp=1)
    birth.metrics.add(name="x", alias=1, datatype=9)
    node.take("NBIRTH", "", birth.SerializeToString(), 0)
    return node


@given(st.permutations(range(1, 13)), st.integers(1, 12), st.integers(0, 600))
def test_a_few_messages_in_any_order_are_sorted(order, doubled, before):
    node, received = born(), []
    for seq in range(1, before + 1):
        node.take("NDATA", "", message(seq, 1, 0), 0)
    for seq in [*order, doubled]:
        received += node.take("NDATA", "", message(before + seq, 1, before + seq), 0)
    assert [t.metric.float_value for t in received] == [before + n for n in range(1, 13)]
    assert (node.lost, node.doubled, node.wants_birth) == (0, 1, False)


@given(
    st.sampled_from(["NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH"]),
    st.binary(max_size=200),
)
def test_malformed_messages_are_rejected_or_skipped(kind, body):
    node = born()
    try:
        news = node.take(kind, "" if kind.startswith("N") else "d", body, 0)
    except ForeignPayloadError:
        return
    assert all(isinstance(one, MetricValue | Gone) for one in news)


def test_unused_devices_fill_no_memory_and_cost_no_rebirth():
    node = born()
    birth = Payload(timestamp=1)
    birth.metrics.add(name="y", alias=2, datatype=9)
    for seq in range(1, 2001):
        birth.seq = seq % 256
        assert node.take("DBIRTH", f"other-{seq}", birth.SerializeToString(), 0) == []
    assert node.take("DDATA", "never-born", message(2001, 7, 1.0), 0) == []
    assert (node.wants_birth, node.lost, set(node._names)) == (False, 0, {""})
    assert node.take("NDATA", "", message(2002, 1, 1.0), 0)[0].name == "x"


def test_settings_name_each_point_once():
    given = SOURCE.model_dump()
    given["waveforms"][1]["point"] = "de"
    with pytest.raises(ValueError, match="de is named twice"):
        SparkplugSource.model_validate(given)
    given["group_id"] = "a/b"
    with pytest.raises(ValueError, match="Sparkplug id"):
        SparkplugSource.model_validate(given)
    with pytest.raises(ValueError, match="no point top"):
        GatewaySettings.model_validate({
            "machines": [{"id": "fan", "points": [p.model_dump() for p in MACHINE.points[:2]]}],
            "sources": [SOURCE.model_dump()],
        })  # fmt: skip
