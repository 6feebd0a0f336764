"""The whole gateway over a real broker and a real database: messages, restarts and damage."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import soundfile

from auscult.contract.payloads import EventMessage, MachineStateMessage, PointStateMessage, Trend
from auscult.gateway import loop
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.storage.store import FILE_NAME
from tests.gateway.plant import TOPICS, Process, Running, settings
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set
from tests.waiting import DEADLINE_S, wait_until


def test_a_fault_becomes_an_event_with_reasons_and_evidence(mosquitto, reader, recordings, trained):
    with Running(settings(mosquitto, trained, recordings["faulty"])):
        wait_until(lambda: len(reader.of("spectrum")) >= 2)
        reader.wait_for("alarm")
        start = EventMessage.model_validate(reader.of("event")[0])
        assert (start.phase, start.machine) == ("start", "pump")
        assert start.reasons
        assert start.ids.model_id
        assert start.ids.baseline_id
        kinds = {s["kind"] for s in reader.of("spectrum")}
        assert kinds == {"spectrum", "envelope"}
        assert all(s["event_id"] == start.event_id for s in reader.of("spectrum"))
        state = PointStateMessage.model_validate(reader.latest[TOPICS.point_state("pump", "de")])
        assert state.levels["rms"].unit == "g"
        assert state.speed_rpm == 1500
        machine = MachineStateMessage.model_validate(reader.latest[TOPICS.machine_state("pump")])
        assert machine.event_id == start.event_id
        wait_until(lambda: reader.of("trend"))
        trend = Trend.model_validate(reader.of("trend")[0])
        low, mean, high = trend.values["rms"]
        assert low <= mean <= high
        assert trend.end_ms % 5000 == 0
        assert 0 < trend.end_ms - trend.start_ms <= 5000, "the first begins with its first window"


def test_a_healthy_machine_stays_normal(mosquitto, reader, recordings, trained):
    with Running(settings(mosquitto, trained, recordings["again"])) as running:
        reader.wait_for("normal")
        wait_until(lambda: "ended" in reader.latest[TOPICS.status]["sources"].values())
        running.stop()
    wait_until(lambda: reader.latest[TOPICS.status]["state"] == "offline")
    assert not reader.of("event")


def test_it_ends_in_order_and_quickly(mosquitto, reader, recordings, trained, tmp_path):
    config = settings(mosquitto, trained, recordings["again"], repeat=True)
    process = Process(config, tmp_path / "log")
    wait_until(lambda: reader.latest.get(TOPICS.status, {}).get("state") == "online")
    reader.wait_for("normal")
    process.terminate()
    wait_until(lambda: reader.latest[TOPICS.status]["state"] == "offline")
    assert reader.latest[TOPICS.status]["started_ms"] > 0, "published by itself, not its last will"


def test_its_last_will_reports_offline(mosquitto, reader, recordings, trained, tmp_path):
    process = Process(settings(mosquitto, trained, recordings["again"]), tmp_path / "log")
    wait_until(lambda: reader.latest.get(TOPICS.status, {}).get("state") == "online")
    process.kill()
    wait_until(lambda: reader.latest[TOPICS.status]["state"] == "offline")


def test_what_was_learned_survives_a_restart(mosquitto, reader, recordings, trained):
    with Running(settings(mosquitto, trained, recordings["again"])):
        reader.wait_for("normal")
        coverage = reader.latest[TOPICS.machine_state("pump")]["coverage"]
        assert coverage["phase"] == "ready"


def test_stream_time_continues_after_a_restart(mosquitto, reader, recordings, trained):
    config = settings(mosquitto, trained, recordings["again"], pace=1)
    before_ns = _stream_end_ns(trained)
    with Running(config):
        wait_until(lambda: TOPICS.point_state("pump", "de") in reader.latest)
        state = reader.latest[TOPICS.point_state("pump", "de")]
        assert state["window_ms"] >= before_ns // 1_000_000
        assert abs(state["ts"] - state["window_ms"]) < 5000, "real time is stamped with real time"


def test_an_open_event_continues_through_random_kills(
    mosquitto, reader, recordings, trained, tmp_path
):
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    rng = random.Random(1)
    for _ in range(12):
        process = Process(config, tmp_path / "log")
        time.sleep(rng.uniform(0.8, 2.2))
        process.kill()
    reader.latest.clear()
    process = Process(config, tmp_path / "log")
    reader.wait_for("alarm")
    wait_until(lambda: reader.of("event"), what="the event, which is stored before it is sent")
    wait_until(lambda: _outbox(trained) == 0, what="an empty outbox")
    process.terminate()

    events = reader.of("event")
    assert len({e["event_id"] for e in events}) == 1, "one departure is one event"
    assert [e["phase"] for e in events].count("start") == 1
    stored = _rows(trained, "SELECT event_id, phase FROM events")
    assert [row[0] for row in stored] == [events[0]["event_id"]]
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_nothing_is_lost_while_the_broker_comes_and_goes(mosquitto, reader, recordings, trained):
    config = settings(
        mosquitto, trained, recordings["faulty"], pace=20, repeat=True,
        more={"gateway": {"data_dir": trained, "trend_interval_s": 1}},
    )  # fmt: skip
    [(processed_ns,)] = _rows(trained, "SELECT max(stream_ns) FROM detector_states")
    mosquitto.stop()
    with Running(config) as running:
        time.sleep(0.5)
        for _ in range(3):
            mosquitto.start()
            time.sleep(0.7)
            mosquitto.stop()
            time.sleep(0.3)
        mosquitto.start()
        wait_until(lambda: reader.link.connected and running.gateway.connected)
        running.stop()
    # A second gateway sends what the first one could not any more.
    with Running(config):
        wait_until(lambda: _outbox(trained) == 0)
    # QoS 1: what was on its way when the broker died may come again, known by its id
    trends = {t["id"]: t for t in reader.of("trend") if t["point"] == "de"}.values()
    # what the gateway that trained could not send any more comes first, and is not ours
    starts = [t["start_ms"] for t in trends if t["start_ms"] >= processed_ns / 1e6]
    assert len(starts) > 1
    assert starts == sorted(starts), "in order"
    assert len(starts) == len(set(starts)), "none doubled"
    gaps = np.diff(starts)
    assert gaps.max() <= 1000, "none lost"


def test_a_damaged_state_is_skipped_for_the_one_before(
    mosquitto, reader, recordings, trained, caplog
):
    with Running(settings(mosquitto, trained, recordings["again"])) as running:
        reader.wait_for("normal")
        running.stop()
    reader.latest.clear()
    assert len(_rows(trained, "SELECT id FROM detector_states")) >= 2
    with sqlite3.connect(trained / FILE_NAME) as db:
        db.execute(
            "UPDATE detector_states SET state = zeroblob(length(state))"
            " WHERE id = (SELECT max(id) FROM detector_states)"
        )
    with Running(settings(mosquitto, trained, recordings["again"])):
        reader.wait_for("normal")
    assert "is damaged; the one before is used" in caplog.text


def test_a_destroyed_database_is_renamed_and_learning_restarts(
    mosquitto, reader, recordings, trained, caplog
):
    (trained / FILE_NAME).write_bytes(b"\xff" * 100_000)
    with Running(settings(mosquitto, trained, recordings["healthy"])):
        reader.wait_for("learning")
    assert "was damaged and is kept as" in caplog.text


def test_a_wrong_rate_makes_only_its_points_unknown(mosquitto, reader, trained, tmp_path):
    manifest = write_data_set(
        tmp_path / "rates",
        {"healthy_slow": shaft_noise(5, 3), "healthy_fast": shaft_noise(5, 4)},
        fs_hz={"healthy_fast": 2 * FS_HZ},
    )
    with Running(settings(mosquitto, trained, manifest, pace=5)):
        reader.wait_for("normal", "de")
        reader.wait_for("unknown", "de")
        state = reader.latest[TOPICS.point_state("pump", "de")]
        assert state["quality"] == "bad"
        assert state["reasons"][0]["kind"] == "sensor"
        assert "4000 Hz, the point is configured with 2000 Hz" in state["reasons"][0]["text"]


def test_a_damaged_recording_makes_its_points_unknown_until_data_returns(
    mosquitto, reader, trained, tmp_path
):
    names = ("healthy_a", "healthy_b", "healthy_c")
    manifest = write_data_set(
        tmp_path / "damaged", {name: shaft_noise(5, seed) for seed, name in enumerate(names)}
    )
    (manifest.parent / "healthy_b.flac").write_bytes(b"fLaC and then nothing")
    with Running(settings(mosquitto, trained, manifest, pace=5)):
        reader.wait_for("normal", "de")
        reader.wait_for("unknown", "de")
        reason = reader.latest[TOPICS.point_state("pump", "de")]["reasons"][0]
        assert reason["kind"] == "sensor"
        assert "healthy_b.flac: can't be read" in reason["text"]
        reader.wait_for("normal", "de")
        assert not reader.of("event")


def test_a_source_that_cannot_start_is_reported_and_others_continue(
    mosquitto, reader, recordings, trained, tmp_path
):
    fan = {"id": "fan", "points": [{"id": "x", "kind": "vibration", "unit": "g", "fs_hz": 2000}]}
    config = settings(mosquitto, trained, recordings["again"])
    changed = config.model_dump(mode="json")
    changed["machines"].append(fan)
    changed["sources"].append(
        {"type": "recordings", "manifest": str(tmp_path / "none.csv"), "machine": "fan"}
    )
    with Running(type(config).model_validate(changed)):
        reader.wait_for("normal")
        topic = TOPICS.point_state("fan", "x")
        wait_until(lambda: reader.latest.get(topic, {}).get("condition") == "unknown")
        assert "none.csv" in reader.latest[topic]["reasons"][0]["text"]
        wait_until(lambda: "fan" in str(reader.latest.get(TOPICS.status, {}).get("sources")))


def test_nan_samples_are_the_sensors_fault(mosquitto, reader, trained, tmp_path):
    manifest = write_data_set(tmp_path / "nan", {"healthy": shaft_noise(10, 3)})
    signal = (shaft_noise(10, 3) / 20).astype(np.float32)
    signal[4 * FS_HZ :, 0] = np.nan
    soundfile.write(manifest.parent / "healthy.wav", signal, FS_HZ, subtype="FLOAT")
    manifest.write_text(manifest.read_text().replace("healthy.flac", "healthy.wav"))
    with Running(settings(mosquitto, trained, manifest, pace=5)):
        reader.wait_for("unknown", "de")
        state = reader.latest[TOPICS.point_state("pump", "de")]
        assert state["reasons"][0]["kind"] == "sensor"
        assert "not_finite" in state["sensor"]
        assert reader.condition("nde") == "normal", "the other sensor works"
        assert not reader.of("event"), "a sensor fault is no machine fault"


def test_a_silent_point_becomes_unknown(mosquitto, reader, recordings, trained, monkeypatch):
    monkeypatch.setattr("auscult.gateway.machines.silence.STALE_AT_LEAST_S", 1.0)
    with Running(settings(mosquitto, trained, recordings["again"])):
        reader.wait_for("normal")
        reader.wait_for("unknown")
        state = reader.latest[TOPICS.point_state("pump", "de")]
        assert "no window for more than 1 s" in state["reasons"][0]["text"]


def test_a_full_disk_does_not_silence_the_verdict(mosquitto, reader, recordings, trained, tmp_path):
    limit = sum(p.stat().st_size for p in trained.glob(f"{FILE_NAME}*")) // 2
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    process = Process(config, tmp_path / "log", str(limit))
    reader.wait_for("alarm")
    wait_until(lambda: reader.of("event"), what="the event itself")
    wait_until(lambda: reader.latest[TOPICS.status].get("storing") is False)
    process.terminate()
    text = (tmp_path / "log").read_text()
    assert text.count("nothing can be stored") == 1
    assert "Traceback" not in text


def _rows(folder: Path, query: str) -> list[tuple]:
    db = sqlite3.connect(folder / FILE_NAME)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def _outbox(folder: Path) -> int:
    return int(_rows(folder, "SELECT messages FROM outbox_size")[0][0])


def _stream_end_ns(folder: Path) -> int:
    return int(_rows(folder, "SELECT max(stream_ns) FROM detector_states")[0][0])


def test_states_do_not_pile_up_behind_a_slow_disk(mosquitto, recordings, trained, monkeypatch):
    monkeypatch.setattr(loop, "SAVE_S", 0.05)
    made, state_write = [], MonitoredMachine.state_write

    def counted(self, *, only_changes=False):
        made.append(self.id)
        return state_write(self, only_changes=only_changes)

    monkeypatch.setattr(loop, "CHECK_S", 0.05)
    monkeypatch.setattr(MonitoredMachine, "state_write", counted)
    with Running(settings(mosquitto, trained, recordings["healthy"], pace=1)) as running:
        wait_until(lambda: len(made) > 2, what="states are stored")
        held, free = threading.Event(), threading.Event()
        running.gateway.store.write(lambda _: (held.set(), free.wait(DEADLINE_S)))
        assert held.wait(DEADLINE_S)
        made.clear()
        time.sleep(1.5)
        waiting = len(made)
        free.set()
        assert waiting <= 1, "one waits, not one for each time"
        wait_until(lambda: len(made) > 2, what="and it continues")
