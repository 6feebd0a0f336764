"""Wireless sensors and process tags over a real broker: in order, lost, doubled, damaged."""

from __future__ import annotations

import json
import queue
import random
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt.settings import MqttSource
from auscult.gateway.sources.mqtt.source import MqttListener
from auscult.gateway.sources.mqtt.waveform import read_waveform
from auscult.gateway.sources.support import sequencer
from auscult.gateway.sources.support.process_tags import ProcessTags, TagError, value_at
from auscult.gateway.sources.support.samples import WaveformError
from auscult.gateway.sources.support.sequencer import Sequencer
from auscult.link.link import Link
from tests.gateway.plant import TOPICS, Running
from tests.waiting import DEADLINE_S, wait_until

FS_HZ = 1000
SOURCE = {
    "type": "mqtt",
    "machine": "pump",
    "waveforms": [{"point": "de", "topic": "s/de"}, {"point": "nde", "topic": "s/nde"}],
    "tags": [
        {"name": "speed_rpm", "topic": "plc/pump", "pointer": "/drive/speed", "scale": 60},
        {"name": "running", "topic": "plc/pump", "pointer": "/drive/on"},
        {"name": "load", "topic": "plc/load"},
    ],
}


def encode(signal: np.ndarray, encoding: str, scale: float) -> bytes:
    if encoding == "float32":
        return (signal / scale).astype("<f4").tobytes()
    counts = np.rint(signal / scale).astype("<i4")
    if encoding == "int16":
        return counts.astype("<i2").tobytes()
    return counts.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def waveform(seq: int, signal: np.ndarray, encoding: str = "int16", scale: float = 1e-3, **more):
    header = {
        "seq": seq, "t0_ns": 10**18 + seq * len(signal) * 10**6, "fs_hz": FS_HZ, "unit": "g",
        "encoding": encoding, "scale": scale, "n": len(signal), **more,
    }  # fmt: skip
    return json.dumps(header).encode() + b"\n" + encode(signal, encoding, scale)


@pytest.mark.parametrize("encoding", ["int16", "int24", "float32"])
def test_each_encoding_gives_the_signal_back(encoding):
    signal = np.random.default_rng(1).normal(0, 1, 500).astype(np.float32)
    header, samples = read_waveform(waveform(3, signal, encoding, 1e-4))
    assert header.seq == 3
    assert samples.dtype == np.float32
    assert np.abs(samples - signal).max() <= 0.6e-4


def test_a_drive_that_turns_backwards_has_a_speed():
    source = MqttSource.model_validate(SOURCE)
    tags = ProcessTags(10)
    tags.put(source.tags[0], -25, 0)
    assert tags.state(0).speed_rpm == 1500


def test_a_time_whose_nanoseconds_would_not_fit_is_refused():
    with pytest.raises(WaveformError, match="t0_ns"):
        read_waveform(waveform(1, np.zeros(9), t0_ns=(1 << 63) - 1))


@given(st.binary(max_size=300))
def test_malformed_messages_are_rejected_with_a_reason(payload):
    with pytest.raises(WaveformError, match=r"."):
        read_waveform(payload)


@given(st.permutations(range(12)), st.integers(0, 11))
def test_what_comes_in_disorder_leaves_in_order(order, doubled):
    one, got = Sequencer(), []
    one.push(0, -1, 0)
    for seq in [*order, doubled]:
        got += one.push(seq + 1, seq, 0)
    assert [item for item, _ in got] == list(range(12))
    assert not any(gap for _, gap in got)
    assert (one.lost, one.doubled) == (0, 1)


def test_a_restarted_sensor_continues():
    one = Sequencer()
    one.push(5000, "a", 0)
    assert one.push(0, "b", 0) == [("b", True)]
    assert one.push(1, "c", 0) == [("c", False)]


def test_tags_make_the_operating_state():
    settings = {tag.name: tag for tag in MqttSource.model_validate(SOURCE).tags}
    tags = ProcessTags(stale_after_s=10)
    assert tags.state(0) is None
    tags.put(settings["speed_rpm"], 25, 0)
    tags.put(settings["running"], True, 0)
    tags.put(settings["load"], 80.5, 5)
    state = tags.state(9)
    assert (state.speed_rpm, state.load, state.tags) == (1500, 80.5, {"running": "yes"})
    state = tags.state(11)
    assert (state.speed_rpm, state.load, state.tags) == (None, 80.5, {}), "old values are unknown"
    for value in (float("nan"), "fast", [1], None):
        with pytest.raises(TagError, match="number"):
            tags.put(settings["load"], value, 12)
    tags.discard("load")
    assert tags.state(12) is None
    assert value_at(b'{"drive": {"speed": 25}}', "/drive/speed") == 25
    with pytest.raises(TagError, match="no JSON"):
        value_at(b"", "")


class Bench:
    """A listener on a real broker, and what it delivers."""

    def __init__(self, broker) -> None:
        self.sensor = Link(broker.settings, "sensor")
        self.listener = MqttListener(MqttSource.model_validate(SOURCE), broker.settings, "gw")
        self.inlet, self._stop = Inlet(), threading.Event()
        self._thread = threading.Thread(
            target=self.listener.run, args=(self.inlet, self._stop), daemon=True
        )
        self.sensor.start()
        self._thread.start()
        assert self.sensor.wait_connected(DEADLINE_S)
        self.items: list = []
        # the subscription is there when something comes through
        wait_until(lambda: (self.send("plc/load", b"1"), self.listener._tags.state(0))[1])

    def send(self, topic: str, payload: bytes) -> None:
        self.sensor.publish(topic, payload)

    def take(self, number: int, kind: type = SampleBlock, point: str = "de") -> list:
        def mine() -> list:
            self.items += self.inlet.take(0.05)
            where = PointId("pump", point)
            return [i for i in self.items if isinstance(i, kind) and i.point == where]

        wait_until(lambda: len(mine()) >= number)
        return mine()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(DEADLINE_S)
        self.sensor.stop()


@pytest.fixture
def bench(mosquitto, monkeypatch) -> Iterator[Bench]:
    monkeypatch.setattr(sequencer, "PATIENCE_S", 0.5)
    bench = Bench(mosquitto)
    yield bench
    bench.close()


def part(seq: int) -> np.ndarray:
    return np.full(100, seq / 100, np.float32)


def test_lost_doubled_and_disordered_messages(bench):
    for seq in (10, 12, 11, 11, 13, 15, 16):
        bench.send("s/de", waveform(seq, part(seq)))
    blocks = bench.take(6)
    assert [round(100 * float(b.samples[0])) for b in blocks] == [10, 11, 12, 13, 15, 16]
    assert [b.gap for b in blocks] == [False, False, False, False, True, False]
    assert [b.sequence for b in blocks] == list(range(6))
    assert "1 message lost" in bench.listener.status.text


def test_a_damaged_message_is_a_fault_of_its_point_only(bench):
    bench.send("plc/pump", b'{"drive": {"speed": 24.9, "on": true}}')
    bench.send("s/nde", waveform(1, part(1)))
    bench.send("s/de", waveform(1, part(1))[:-1])
    (fault,) = bench.take(1, SourceFault)
    assert "s/de is no waveform" in fault.said.text
    (block,) = bench.take(1, point="nde")
    assert block.state.speed_rpm == pytest.approx(1494)
    assert block.state.tags == {"running": "yes"}
    assert "s/de: 199 bytes follow" in bench.listener.status.text
    bench.send("s/de", waveform(2, part(2)))
    bench.take(1)
    wait_until(lambda: bench.listener.status.text == "ok")


def test_a_bad_tag_is_reported_and_the_signal_is_unaffected(bench):
    bench.send("plc/load", b"much")
    bench.send("s/de", waveform(1, part(1)))
    (block,) = bench.take(1)
    assert block.state is None
    assert "load: no JSON" in bench.listener.status.text


def test_a_machine_is_monitored_over_mqtt(mosquitto, reader, tmp_path):
    points = [{"id": p, "kind": "vibration", "unit": "g", "fs_hz": FS_HZ} for p in ("de", "nde")]
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path / "gateway", "heartbeat_s": 5},
        "detector": {"window_s": 0.25, "baseline_windows": 60},
        "machines": [{"id": "pump", "points": points}],
        "sources": [SOURCE],
    })  # fmt: skip
    sensor, noise = Link(mosquitto.settings, "sensor"), random.Random(5)
    stop, broken = threading.Event(), threading.Event()
    sensor.start()
    assert sensor.wait_connected(DEADLINE_S)

    def measure() -> None:
        rng = np.random.default_rng(2)
        late: queue.SimpleQueue = queue.SimpleQueue()
        for seq in range(100_000):
            if stop.wait(0.02):
                return
            sensor.publish("plc/pump", b'{"drive": {"speed": 25, "on": true}}')
            for topic in ("s/de", "s/nde"):
                payload = waveform(seq, rng.normal(0, 1, 250).astype(np.float32))
                if broken.is_set() and topic == "s/nde":
                    payload = b"malformed"
                if noise.random() < 0.05:
                    late.put((topic, payload))
                    continue
                sensor.publish(topic, payload)
            while not late.empty() and noise.random() < 0.7:
                sensor.publish(*late.get())

    with Running(config):
        thread = threading.Thread(target=measure)
        thread.start()
        try:
            reader.wait_for("normal", "de")
            state = reader.latest[TOPICS.point_state("pump", "de")]
            assert state["speed_rpm"] == 1500
            broken.set()
            wait_until(
                lambda: any(
                    "no waveform" in reason["text"]
                    for reason in reader.latest[TOPICS.point_state("pump", "nde")]["reasons"]
                ),
            )
            assert reader.condition("de") != "unknown"
            broken.clear()
            reader.wait_for("normal", "nde")
        finally:
            stop.set()
            thread.join()
    sensor.stop()
