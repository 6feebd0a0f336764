"""Raw signals stay home: a clip leaves only when asked for, bounded, and audited."""

from __future__ import annotations

import json

import numpy as np
import pytest

from auscult.contract.payloads import Clip, Command
from auscult.contract.requests import ClipArgs
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.clips import AT_ONCE, ClipError, Clips, clip_seconds
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_points
from auscult.gateway.windows.recent import pages_kept
from tests.gateway.commands.test_commands import audit
from tests.gateway.plant import TOPICS, Reader, Running, settings
from tests.gateway.recorded import FS_HZ
from tests.reasons import text_of
from tests.waiting import wait_until

POINT = PointId("pump", "de")
COMMAND = Command(ts=0, id="c1", actor="anna", expires_ms=1)


def block(n, t0_ns=0, sequence=0, value=1.0, gap=False):
    samples = np.full(n, value, np.float32)
    return SampleBlock(POINT, 1000, t0_ns, sequence, samples, "g", gap)


def gateway(**section):
    points = [
        {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 1000},
        {"id": "mic", "kind": "sound", "unit": "Pa", "fs_hz": 1000},
    ]
    return GatewaySettings.model_validate(
        {"gateway": section, "machines": [{"id": "pump", "points": points}]}
    )


@pytest.fixture
def make(tmp_path):
    stores = []

    def clips(**section):
        config = gateway(data_dir=tmp_path, **section)
        stores.append(Store(tmp_path))
        plans = plan_points(config, {})
        pipeline = Pipeline(plans, clip_seconds(config.gateway, plans), 1e6)
        clocks = {POINT: "ni:pump"}
        return Clips(config.gateway, plans, pipeline, stores[-1], clocks), pipeline

    yield clips
    for store in stores:
        store.close()


def push(pipeline, one):
    assert list(pipeline.process([one])) is not None


def test_memory_is_bounded_over_all_points():
    plans = plan_points(gateway(), {})
    clip_s = dict.fromkeys(plans, 10.0)

    def kept_bytes(max_bytes):
        pages = pages_kept(plans, clip_s, max_bytes)
        return sum(4 * plans[point].window.hop * count for point, count in pages.items())

    page = 2 * 500 * 4
    assert kept_bytes(1e9) == 2 * 10 * 1000 * 4 + page, "all that was asked for"
    assert kept_bytes(40_000) == 40_000
    assert kept_bytes(0) == 3 * page, "a window, and the one that is being filled"


def test_a_clip_gives_the_signal_back(make):
    clips, pipeline = make()
    signal = np.sin(np.arange(1000) / 7).astype(np.float32) * 3
    push(pipeline, SampleBlock(POINT, 1000, 5_000_000_000, 0, signal, "g"))
    made = clips.cut(ClipArgs(machine="pump", point="de", seconds=0.5), COMMAND, ts=7)
    clip = Clip.read(made.payload())
    assert (clip.n, clip.t0_ms, clip.unit, clip.actor, clip.id) == (500, 5500, "g", "anna", "c1")
    assert (clip.t0_ns, clip.clock) == (5_500_000_000, "ni:pump")
    back = np.frombuffer(clip.samples, "<i2") * clip.scale
    assert np.abs(back - signal[500:]).max() < 3 / 32767


@pytest.mark.parametrize(
    ("section", "point", "reason"),
    [
        ({"clips": "off"}, "de", "stay on this gateway"),
        ({}, "mic", "microphone"),
        ({}, "de", "no signal"),
    ],
)
def test_what_is_refused(make, section, point, reason):
    clips, pipeline = make(**section)
    if section:
        push(pipeline, SampleBlock(POINT, 1000, 0, 0, np.ones(10, np.float32), "g"))
    with pytest.raises(ClipError, match=reason):
        clips.cut(ClipArgs(machine="pump", point=point), COMMAND, ts=0)


def test_microphones_may_be_allowed(make):
    clips, pipeline = make(sound_clips=True)
    mic = PointId("pump", "mic")
    push(pipeline, SampleBlock(mic, 1000, 0, 0, np.ones(10, np.float32), "Pa"))
    assert clips.cut(ClipArgs(machine="pump", point="mic"), COMMAND, ts=0).n == 10


def test_clips_are_bounded_in_length_and_rate(make):
    clips, pipeline = make(clip_max_s=0.1)
    push(pipeline, block(1000))
    asked = ClipArgs(machine="pump", point="de", seconds=60)
    assert clips.cut(asked, COMMAND, ts=0).n == 100
    for _ in range(AT_ONCE - 1):
        clips.cut(asked, COMMAND, ts=0)
    with pytest.raises(ClipError, match="60 clips an hour"):
        clips.cut(asked, COMMAND, ts=0)


@pytest.mark.parametrize("payload", [b"", b"[]\n", b"{}\n", b"{", b"\n\n", b"\xff\n12"])
def test_a_damaged_clip_is_a_value_error(payload):
    with pytest.raises(ValueError, match=r"\w"):
        Clip.read(payload)


class ClipReader(Reader):
    """Keeps clips as they came."""

    def __init__(self, broker):
        self.clips = []
        super().__init__(broker)

    def _take(self, message):
        if message.topic.endswith("/clip"):
            self.clips.append(message)
        super()._take(message)


def test_clips_over_a_broker(mosquitto, recordings, trained):
    reader = ClipReader(mosquitto)
    with Running(settings(mosquitto, trained, recordings["healthy"], pace=1)):
        reader.wait_for("normal")
        wait_until(lambda: TOPICS.point_state("pump", "de") in reader.latest)
        reader.command("request_clip", "c1", {"machine": "pump", "point": "de", "seconds": 0.2})
        assert "a clip of" in text_of(reader.answer("c1"))
        wait_until(lambda: reader.clips)
        received = reader.clips[0]
        assert received.topic == TOPICS.clip("pump", "de")
        assert not received.retained
        clip = Clip.read(received.payload)
        assert clip.id == "c1"
        assert clip.n == len(clip.samples) // 2 == round(0.2 * FS_HZ)
        header = json.loads(received.payload.partition(b"\n")[0])
        assert header["encoding"] == "int16"
        reader.command("request_clip", "c2", {"machine": "pump", "point": "de", "kind": "healthy"})
        assert reader.answer("c2")["ok"], reader.answer("c2")
        wait_until(lambda: len(reader.clips) == 2)
        healthy = Clip.read(reader.clips[1].payload)
        assert healthy.kind == "healthy"
        assert healthy.baseline_id
        wait_until(lambda: ("anna", "request_clip c2") in [line[:2] for line in audit(trained)])
    reader.close()
