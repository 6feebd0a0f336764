"""Raw streams: 100,000 frames with loss, reordering and damage; the reference sender in C."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.gateway.records import SampleBlock, SourceFault
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.stream import KIND, source
from auscult.gateway.sources.stream.frames import (
    ENCODINGS,
    UNITS,
    Frame,
    FrameBuffer,
    FrameError,
    pack,
    unpack,
)
from auscult.gateway.sources.stream.settings import StreamSource
from auscult.gateway.sources.stream.source import FrameReceiver, StreamListener
from auscult.link.broker import BrokerSettings
from tests.waiting import DEADLINE_S, wait_until

SENDER = Path("docs/sensors/sender")
COUNT = 8


def settings(**more: object) -> StreamSource:
    return StreamSource.model_validate(
        {
            "type": "stream", "machine": "pump", "port": 0, "host": "127.0.0.1",
            "channels": [{"sensor": 1, "channel": 0, "point": "X"},
                         {"sensor": 1, "channel": 2, "point": "Z"}], **more,
        }
    )  # fmt: skip


def frame(sequence: int, t0_ns: int = 0) -> Frame:
    samples = np.full((3, COUNT), sequence % 1000, np.float32)
    return Frame(1, sequence, t0_ns, 3200.0, "g", samples)


def blocks_of(inlet: Inlet, point: str) -> list[SampleBlock]:
    items = []
    while taken := inlet.take(0):
        items += taken
    return [i for i in items if isinstance(i, SampleBlock) and i.point.point == point]


@pytest.mark.parametrize("sent", [20_000, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_frames_with_loss_reordering_and_damage_are_counted_right(sent, monkeypatch):
    at_s = 1.7e9  # the wall clock goes with the frames: a busy machine makes no gap
    monkeypatch.setattr(
        "auscult.gateway.sources.stream.source.time.time_ns", lambda: int(at_s * 1e9)
    )
    rng = random.Random(5)
    start = 4_294_950_000  # the sequence runs over 32 bits on the way
    fates = rng.choices(("well", "lost", "damaged", "doubled"), (97, 1, 1, 1), k=sent)
    fates[0] = fates[-1] = "well"
    datagrams: list[tuple[float, int, bytes]] = []
    for number, fate in enumerate(fates):
        data = pack(frame(start + number), "int16", 1.0)
        if fate == "lost":
            continue
        if fate == "damaged":
            at = rng.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        place = number + (rng.uniform(0, 6) if rng.random() < 0.05 and 0 < number < sent - 9 else 0)
        datagrams.append((place, number, data))
        if fate == "doubled":
            datagrams.append((place + 0.5, number, data))
    datagrams.sort(key=lambda one: one[0])
    inlet, feed = Inlet(1 << 40), Feed("stream")
    receiver = FrameReceiver(settings(), feed)
    for place, _, data in datagrams:
        now_s = place * COUNT / 3200
        at_s = 1.7e9 + now_s
        try:
            receiver.take(unpack(data), inlet, now_s)
        except FrameError:
            receiver.damaged += 1
    receiver.look(inlet, 1e9)
    count = {fate: fates.count(fate) for fate in set(fates)}
    assert receiver.damaged == count["damaged"]
    assert receiver.lost == count["lost"] + count["damaged"]
    assert receiver.doubled == count["doubled"]
    blocks = blocks_of(inlet, "Z")
    arrived = [n for n, fate in enumerate(fates) if fate in ("well", "doubled")]
    values = [float((start + n) % 1000) for n in arrived]
    assert [b.samples[0] for b in blocks] == values
    gaps = [n for n, b in zip(arrived, blocks, strict=True) if b.gap]
    assert gaps == [n for n in arrived if n == 0 or fates[n - 1] in ("lost", "damaged")]
    assert [b.sequence for b in blocks] == list(range(len(blocks)))


@given(
    encoding=st.sampled_from(ENCODINGS),
    channels=st.integers(1, 64),
    count=st.integers(1, 50),
    sensor=st.integers(0, 2**32 - 1),
    unit=st.sampled_from(UNITS),
)
def test_a_frame_comes_back_and_any_changed_bit_is_noticed(encoding, channels, count, sensor, unit):
    rng = np.random.default_rng(count)
    samples = rng.integers(-30_000, 30_000, (channels, count)).astype(np.float32)
    one = Frame(sensor, 3, 17, 1000.0, unit, samples, clipped=True)
    data = pack(one, encoding)
    back = unpack(data)
    np.testing.assert_array_equal(back.samples, samples)
    assert (back.sensor, back.unit, back.clipped, back.gap) == (sensor, unit, True, False)
    at = int(rng.integers(len(data)))
    with pytest.raises(FrameError):
        unpack(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])


@given(st.binary(max_size=300), st.lists(st.integers(1, 200), max_size=20))
def test_any_bytes_between_frames_are_survived(noise, cuts):
    good = pack(frame(5)), pack(frame(6)), pack(frame(7))
    stream = good[0] + noise + good[1] + noise[:40] + good[2]
    buffer, found, at = FrameBuffer(), [], 0
    for cut in [*cuts, len(stream)]:
        found += [f.sequence for f in buffer.add(stream[at : at + cut])]
        at += cut
    found += [f.sequence for f in buffer.add(stream[at:])]
    assert found[0] == 5
    assert set(found) <= {5, 6, 7}
    if b"AUSF" not in noise:
        assert found == [5, 6, 7]


class Listening:
    """A listener in a thread."""

    def __init__(self, tmp_path: Path, **more: object) -> None:
        context = SourceContext({}, BrokerSettings(), "t", tmp_path)
        self.source: StreamListener = KIND.open(settings(**more), context)
        self.inlet, self._stop = Inlet(1 << 30), threading.Event()
        self._thread = threading.Thread(target=self.source.run, args=(self.inlet, self._stop))

    def __enter__(self) -> Listening:
        self._thread.start()
        wait_until(lambda: self.source.port)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive()


@pytest.fixture(scope="module")
def sender(tmp_path_factory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    out = tmp_path_factory.mktemp("sender") / "sender"
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic"]
    subprocess.run([compiler, *strict, "-o", out, SENDER / "sender.c", "-lm"], check=True)
    return out


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_the_reference_sender_is_understood(tmp_path, sender, protocol):
    with Listening(tmp_path, protocol=protocol) as listening:
        target = ("127.0.0.1", str(listening.source.port))
        subprocess.run([sender, protocol, *target, "2000"], check=True, timeout=60)
        wait_until(lambda: listening.source.receiver.received == 2000)
        z = np.concatenate([b.samples for b in blocks_of(listening.inlet, "Z")])
        expected = np.trunc(2048 * np.sin(2 * np.pi * 150 * np.arange(z.size) / 3200))
        np.testing.assert_allclose(z * 2048, expected, atol=1.01)
        assert z.size == 2000 * 160
        receiver = listening.source.receiver
        assert (receiver.lost, receiver.damaged, receiver.doubled) == (0, 0, 0)


def test_strangers_wrong_times_and_silence_are_reported(tmp_path):
    with Listening(tmp_path, silent_after_s=0.5, allow=["127.0.0.0/8"]) as listening:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            to = ("127.0.0.1", listening.source.port)
            out.sendto(pack(Frame(9, 0, 0, 3200.0, "g", np.zeros((1, 4), np.float32))), to)
            out.sendto(pack(frame(0, time.time_ns() // 1_000_000)), to)  # ms instead of ns
            out.sendto(b"hello", to)
            wait_until(lambda: listening.source.receiver.damaged == 1)
        wait_until(lambda: "no frame of sensor 1" in listening.source.status.text)
        text = listening.source.status.text
        assert "sensor 9, which is not configured" in text
        assert "ns since 1970" in text
        assert "1 frame damaged" in text
        faults = [i for i in listening.inlet.take(0) if isinstance(i, SourceFault)]
        assert {f.point.point for f in faults} == {"X", "Z"}
    with Listening(tmp_path, allow=["10.0.0.0/8"]) as listening:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.sendto(pack(frame(0)), ("127.0.0.1", listening.source.port))
            time.sleep(0.4)
        assert listening.source.receiver.received == 0


def test_connections_without_frames_are_closed_and_the_sensor_stays(tmp_path, monkeypatch):
    clock_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: clock_s, time_ns=time.time_ns)
    monkeypatch.setattr(source, "time", clock)
    with Listening(tmp_path, protocol="tcp", silent_after_s=1.0) as listening:
        to = ("127.0.0.1", listening.source.port)
        idle = [socket.create_connection(to, timeout=DEADLINE_S) for _ in range(20)]
        idle[0].sendall(b"no frame")
        with socket.create_connection(to, timeout=DEADLINE_S) as sensor:
            for sequence in range(3):
                sensor.sendall(pack(frame(sequence)))
                wait_until(lambda n=sequence: listening.source.receiver.received == n + 1)
                clock_s += 0.7 * source.IDLE_S
            assert [one.recv(1) for one in idle] == [b""] * 20
            sensor.sendall(pack(frame(3)))
            wait_until(lambda: listening.source.receiver.received == 4)
        for one in idle:
            one.close()
