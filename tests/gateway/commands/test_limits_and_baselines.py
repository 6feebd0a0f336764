"""Commands that change the decisions on a machine: fixed limits, the end of a healthy period."""

from __future__ import annotations

import sqlite3
import time

import pytest

from auscult.gateway.commands import queue
from auscult.gateway.machines.fixed_limits import LimitsWrite
from auscult.gateway.storage.store import FILE_NAME
from tests.gateway.plant import TOPICS, Running, settings
from tests.reasons import text_of
from tests.waiting import wait_until

HIGH = {"feature": "rms", "warning": 1e-6, "alarm": None, "direction": "above"}


def limits_of(reader):
    points = reader.latest[TOPICS.inventory]["machines"][0]["points"]
    return {point["id"]: point["limits"] for point in points}


def reasons(reader):
    state = reader.latest.get(TOPICS.point_state("pump", "de"), {})
    return {reason["kind"] for reason in state.get("reasons", [])}


def test_limits_are_set_published_stored_and_reset(mosquitto, reader, recordings, trained):
    config = settings(mosquitto, trained, recordings["healthy"], pace=1, repeat=True)
    with Running(config):
        reader.wait_for("normal")
        args = {"machine": "pump", "point": "de", "limits": [HIGH]}
        reader.command("set_limits", "l1", args)
        assert reader.answer("l1")["ok"]
        wait_until(lambda: [x["feature"] for x in limits_of(reader)["de"]] == ["rms"])
        wait_until(lambda: "fixed_limit" in reasons(reader))
    reader.latest.clear()
    with Running(config):
        wait_until(lambda: TOPICS.inventory in reader.latest)
        assert limits_of(reader)["de"][0]["warning"] == 1e-6
        wait_until(lambda: "fixed_limit" in reasons(reader), what="kept over a restart")
        reader.command("set_limits", "l2", {**args, "limits": None})
        assert reader.answer("l2")["ok"]
        wait_until(lambda: limits_of(reader)["de"] == [])
        wait_until(lambda: "fixed_limit" not in reasons(reader))


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"point": "de", "limits": [{**HIGH, "feature": "nonsense"}]}, "no feature nonsense"),
        ({"point": "de", "limits": [{**HIGH, "alarm": 1e-9}]}, "before"),
        ({"point": "x", "limits": []}, "no point x"),
        ({"point": "de"}, "limits"),
    ],
)
def test_limits_out_of_bounds_are_rejected(mosquitto, reader, recordings, trained, args, reason):
    with Running(settings(mosquitto, trained, recordings["healthy"], pace=1)):
        wait_until(lambda: TOPICS.machine_state("pump") in reader.latest)
        reader.command("set_limits", "l1", {"machine": "pump", **args})
        answer = reader.answer("l1")
        assert not answer["ok"]
        assert reason in text_of(answer)


@pytest.fixture
def nearly_full(monkeypatch):
    """`nearly_full(gateway)`: the database has room for some messages, not for set limits."""
    monkeypatch.setattr(queue, "RETRY_S", 0.2)
    write_to = LimitsWrite.write_to

    def large(self, db):
        write_to(self, db)
        db.execute("INSERT INTO counters VALUES (?, 1)", ["x" * 8_000_000])
        db.execute("DELETE FROM counters WHERE name LIKE 'xxx%'")

    def limit(gateway, pages=1000):
        gateway.store.write(
            lambda db: db.execute(
                f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0] + pages}"
            )
        ).result()

    monkeypatch.setattr(LimitsWrite, "write_to", large)
    return limit


@pytest.fixture
def healthy(mosquitto, reader, recordings, trained):
    """A running gateway of a healthy machine."""
    with Running(settings(mosquitto, trained, recordings["healthy"], pace=1)) as running:
        wait_until(lambda: TOPICS.inventory in reader.latest)
        wait_until(lambda: TOPICS.machine_state("pump") in reader.latest)
        yield running.gateway


def test_limits_are_used_once_they_are_stored(healthy, reader, trained, nearly_full, caplog):
    detector = healthy.machines["pump"].detector
    nearly_full(healthy)
    reader.command("set_limits", "l1", {"machine": "pump", "point": "de", "limits": [HIGH]})
    wait_until(lambda: healthy.store.failing)
    time.sleep(3 * queue.RETRY_S)
    assert not detector.limits["de"], "neither the machine"
    assert limits_of(reader)["de"] == [], "nor the page has them yet"
    assert caplog.text.count("trying again") == 1, "logged once, however often it is tried"
    assert TOPICS.acknowledgement("l1") not in reader.latest
    nearly_full(healthy, 1_000_000)
    assert reader.answer("l1")["ok"]
    wait_until(lambda: [x["feature"] for x in limits_of(reader)["de"]] == ["rms"])
    assert [limit.feature for limit in detector.limits["de"]] == ["rms"]
    with sqlite3.connect(trained / FILE_NAME) as db:
        assert db.execute("SELECT count(*) FROM limits").fetchone() == (1,)
        audited = db.execute("SELECT count(*) FROM audit WHERE action = 'set_limits l1'")
        assert audited.fetchone() == (1,), "done once"


def test_what_a_full_disk_held_up_waits_before_it_is_tried_again(healthy, reader, monkeypatch):
    monkeypatch.setattr(queue, "RETRY_S", 1.0)
    write_to, tried = LimitsWrite.write_to, []

    def full_once(self, db):
        tried.append(time.monotonic())
        if len(tried) == 1:
            raise sqlite3.OperationalError("database or disk is full")
        write_to(self, db)

    monkeypatch.setattr(LimitsWrite, "write_to", full_once)
    reader.command("set_limits", "l1", {"machine": "pump", "point": "de", "limits": [HIGH]})
    assert reader.answer("l1")["ok"]
    assert len(tried) == 2
    assert tried[1] - tried[0] >= 1.0


def test_a_baseline_that_was_replaced_meanwhile_is_not_approved(healthy, reader):
    reader.command("approve_baseline", "a1", {"machine": "pump", "baseline_id": "other"})
    said = reader.answer("a1")["said"]
    own = reader.latest[TOPICS.machine_state("pump")]["ids"]["baseline_id"]
    assert said["code"] == "baseline_changed"
    assert said["values"] == {"baseline_id": own, "given_id": "other"}
    reader.command("approve_baseline", "a2", {"machine": "pump", "baseline_id": own})
    assert reader.answer("a2")["ok"]


def test_limits_that_fail_to_be_stored_after_a_full_disk_are_answered(
    healthy, reader, nearly_full, monkeypatch
):
    nearly_full(healthy)
    args = {"machine": "pump", "point": "de", "limits": [HIGH]}
    reader.command("set_limits", "l1", args)
    wait_until(lambda: healthy.store.failing)
    calls = []

    def failing(_self, _db):
        calls.append(1)
        raise sqlite3.IntegrityError("a fault of the write")

    with monkeypatch.context() as patched:
        patched.setattr(LimitsWrite, "write_to", failing)
        nearly_full(healthy, 1_000_000)
        answer = reader.answer("l1")
        assert (answer["ok"], answer["said"]["code"]) == (False, "command_failed")
        time.sleep(3 * queue.RETRY_S)
        assert calls == [1], "and is not tried again"
    assert not healthy.machines["pump"].detector.limits["de"]
    reader.command("set_limits", "l2", args)
    assert reader.answer("l2")["ok"], "the next one is not held up"


def test_a_healthy_period_is_discarded_or_finished(mosquitto, reader, recordings, trained):
    topic = TOPICS.machine_state("pump")

    def coverage():
        return reader.latest.get(topic, {}).get("coverage", {"phase": "", "windows": 0})

    config = settings(mosquitto, trained, recordings["healthy"], pace=4, repeat=True)
    config = config.model_copy(
        update={"detector": config.detector.model_copy(update={"baseline_windows": 5000})}
    )
    with Running(config):
        reader.wait_for("normal")
        reader.command("stop_baseline", "s0", {"machine": "pump"})
        assert "ready" in text_of(reader.answer("s0"))
        reader.command("start_baseline", "b1", {"machine": "pump"})
        assert reader.answer("b1")["ok"]
        wait_until(lambda: coverage()["phase"] == "collecting")
        reader.command("stop_baseline", "s1", {"machine": "pump"})
        assert reader.answer("s1")["ok"]
        wait_until(lambda: coverage()["phase"] == "ready")
        before = reader.latest[topic]["ids"]["baseline_id"]
        reader.command("start_baseline", "b2", {"machine": "pump"})
        wait_until(lambda: coverage()["phase"] == "collecting" and coverage()["windows"] > 60)
        reader.command("stop_baseline", "s2", {"machine": "pump", "finish": True})
        assert reader.answer("s2")["ok"]
        wait_until(lambda: coverage()["phase"] == "ready", what="trained with what there is")
        assert reader.latest[topic]["ids"]["baseline_id"] != before
