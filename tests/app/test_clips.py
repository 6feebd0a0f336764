"""Clips at the dashboard: stored within bounds, listed, played."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest

from auscult.app.store.clips import view_newest
from auscult.app.store.retention import RetentionPeriods, delete_old
from auscult.contract.payloads import Clip
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.waiting import eventually

PATH = "/api/v1/machines/plant~gw1~pump-3/points/DE-H/clips"


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


def tone(amplitude, n=1000):
    return (np.sin(np.arange(n) / 5) * amplitude + 50).astype("<i2").tobytes()


def frames(content):
    with wave.open(io.BytesIO(content)) as wav:
        assert (wav.getnchannels(), wav.getsampwidth(), wav.getframerate()) == (1, 2, 1000)
        return np.frombuffer(wav.readframes(wav.getnframes()), "<i2").astype(float)


@pytest.fixture
def clips(dashboard, gateway):
    gateway.say_hello("pump-3")
    gateway.publish(m.clip("pump-3", "DE-H", tone(1000), id="quiet", ts=m.now_ms() - 1000))
    gateway.publish(m.clip("pump-3", "DE-H", tone(4000), id="loud", kind="healthy"))
    gateway.publish(m.clip("pump-3", "DE-H", tone(9), id="loud"))
    eventually(lambda: dashboard.count("clip"), 2)


def test_clips_are_listed_and_returned_as_sound(dashboard, clips):
    assert [c["id"] for c in dashboard.get(PATH)["items"]] == ["loud", "quiet"]
    assert [c["id"] for c in dashboard.get("/api/v1/clips")["items"]] == ["loud", "quiet"]
    quiet, loud = (dashboard.get(f"/api/v1/clips/{name}") for name in ("quiet", "loud"))
    assert quiet["peak"] == pytest.approx(1.0, rel=0.01)
    assert quiet["rms"] == pytest.approx(0.7, rel=0.02)
    assert loud["duration_s"] == 1
    own = dashboard.client.get("/api/v1/clips/quiet.wav")
    assert own.headers["content-type"] == "audio/wav"
    assert np.abs(frames(own.content)).max() == pytest.approx(0.9 * 32767, rel=0.001)
    same = {"full_scale": loud["peak"]}
    pair = [dashboard.client.get(f"/api/v1/clips/{n}.wav", params=same) for n in ("quiet", "loud")]
    peaks = [np.abs(frames(answer.content)).max() for answer in pair]
    assert peaks[1] / peaks[0] == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize("path", ["/api/v1/clips/none", "/api/v1/clips/none.wav"])
def test_an_unknown_clip_is_not_found(dashboard, path):
    assert dashboard.client.get(path).status_code == 404


def test_a_damaged_clip_is_rejected(dashboard, gateway, clips):
    whole = m.clip("pump-3", "DE-H", id="short").payload()
    gateway.send(gateway.topics.clip("pump-3", "DE-H"), whole[:-1])
    gateway.publish(m.clip("pump-3", "DE-H", id="next"))
    eventually(lambda: dashboard.count("clip"), 3)
    assert dashboard.client.get("/api/v1/clips/short").status_code == 404
    assert 'rejected_total{reason="malformed"} 1.0' in dashboard.client.get("/metrics").text


@pytest.mark.parametrize(
    "hostile", [{"fs_hz": 1e300}, {"fs_hz": 1e-300}, {"scale": 1e300}, {"scale": 1e-300}]
)
def test_a_hostile_clip_breaks_no_answer(dashboard, gateway, clips, hostile):
    fields = dict(m.clip("pump-3", "DE-H", id="hostile")) | hostile
    gateway.publish(Clip.model_construct(**fields))
    gateway.publish(m.clip("pump-3", "DE-H", id="next"))
    eventually(lambda: dashboard.client.get("/api/v1/clips/next").status_code, 200)
    for path in ("/api/v1/clips", "/api/v1/clips/hostile", "/api/v1/clips/hostile.wav"):
        assert dashboard.client.get(path).status_code in (200, 404)


def test_asking_is_a_command(dashboard, gateway, clips):
    body = {"id": "some-uuid-1", "actor": "eva", "seconds": 2}
    answer = dashboard.client.post(PATH, json=body)
    assert answer.json()["state"] == "acknowledged"
    name, asked = gateway.commands[-1]
    assert (name, asked["id"], asked["actor"]) == ("request_clip", "some-uuid-1", "eva")
    assert asked["args"] == {
        "machine": "pump-3", "point": "DE-H", "kind": "recent", "seconds": 2.0,
    }  # fmt: skip


def test_the_newest_are_kept(opened_store):
    from auscult.app.store.intake import store_message
    from auscult.app.store.received import Origin

    origin = Origin("plant", "gw1", 0)
    made = [m.clip("pump-3", "DE-H", id=f"c{i}") for i in range(9)]
    opened_store.write(lambda db: [store_message(db, origin, clip) for clip in made])
    delete_old(opened_store, RetentionPeriods(30, 1830, 3650, 100, 3), m.now_ms())
    assert [c.id for c in view_newest(opened_store.read(), None, None, 50)] == ["c8", "c7", "c6"]


def test_two_points_with_one_clock_have_a_phase_and_an_orbit(dashboard, gateway):
    machine = "pump-3"
    gateway.say_hello(machine)
    path = f"/api/v1/machines/plant~gw1~{machine}/phase"
    asked = {"x": "DE-H", "y": "NDE-H"}

    begin_s = m.now_ms() // 1000

    def answer(**more):
        return dashboard.client.get(path, params={**asked, **more})

    def send(point, phase_deg, late=0, **more):
        gateway.publish(m.turning(machine, point, phase_deg, late, begin_s, **more))

    def code():
        return answer().json()["code"]

    eventually(code, "pair_no_clips")
    eventually(lambda: "Point DE-H and Point NDE-H" in answer().text, True)
    send("DE-H", 20)
    send("NDE-H", 20)
    eventually(code, "pair_no_clock")
    send("DE-H", 20, clock="ni:pump-3")
    send("NDE-H", -70, late=1501, clock="ni:pump-3")
    eventually(lambda: answer().status_code, 200)
    found = answer(hz=600).json()
    assert found["shaft_hz"] == pytest.approx(24.6, abs=found["df_hz"])
    assert found["duration_s"] == pytest.approx(5 - 1501 / 5120, abs=0.001)
    first, second = found["orbits"]
    assert first["line"]["phase_deg"] == pytest.approx(-90, abs=2)
    assert first["line"]["coherence"] > 0.95
    assert second["order"] == 2
    assert found["line"]["coherence"] < 0.6
    # both see the same amplitude: the orbit of 1x is a circle
    radius = np.hypot(first["x"], first["y"])
    assert radius == pytest.approx(radius.mean(), rel=0.1)
    assert answer(shaft_hz=0.3).json()["code"] == "pair_too_short"
    # the healthy machine, to draw beneath
    assert answer(kind="healthy").json()["code"] == "pair_no_clips"
    for point, phase_deg in (("DE-H", 20), ("NDE-H", 50)):
        send(point, phase_deg, clock="ni:pump-3", kind="healthy")
    eventually(lambda: answer(kind="healthy").status_code, 200)
    healthy = answer(kind="healthy").json()["orbits"][0]["line"]
    assert healthy["phase_deg"] == pytest.approx(30, abs=2)
    assert answer().json()["orbits"][0]["line"] == first["line"]
    gone = dashboard.client.get(path.replace("pump-3", "none"), params=asked)
    assert gone.status_code == 404
