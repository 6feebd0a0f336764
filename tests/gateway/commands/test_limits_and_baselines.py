"""Commands that change the decisions on a machine: fixed limits, the end of a healthy period."""

from __future__ import annotations

import pytest

from tests.conftest import wait_until
from tests.gateway.plant import TOPICS, Running, settings

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
        reader.wait_for("normal", timeout_s=30)
        args = {"machine": "pump", "point": "de", "limits": [HIGH]}
        reader.command("set_limits", "l1", args)
        assert reader.answer("l1")["ok"]
        wait_until(lambda: [x["feature"] for x in limits_of(reader)["de"]] == ["rms"])
        wait_until(lambda: "fixed_limit" in reasons(reader))
    reader.latest.clear()
    with Running(config):
        wait_until(lambda: TOPICS.inventory in reader.latest)
        assert limits_of(reader)["de"][0]["warning"] == 1e-6
        wait_until(lambda: "fixed_limit" in reasons(reader), 20, "kept over a restart")
        reader.command("set_limits", "l2", {**args, "limits": None})
        assert reader.answer("l2")["ok"]
        wait_until(lambda: limits_of(reader)["de"] == [])
        wait_until(lambda: "fixed_limit" not in reasons(reader), 20)


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
        wait_until(lambda: TOPICS.machine_state("pump") in reader.latest, 20)
        reader.command("set_limits", "l1", {"machine": "pump", **args})
        answer = reader.answer("l1")
        assert not answer["ok"]
        assert reason in answer["reason"]


def test_a_healthy_period_is_discarded_or_finished(mosquitto, reader, recordings, trained):
    topic = TOPICS.machine_state("pump")

    def coverage():
        return reader.latest.get(topic, {}).get("coverage", {"phase": "", "windows": 0})

    config = settings(mosquitto, trained, recordings["healthy"], pace=4, repeat=True)
    config = config.model_copy(
        update={"detector": config.detector.model_copy(update={"baseline_windows": 5000})}
    )
    with Running(config):
        reader.wait_for("normal", timeout_s=30)
        reader.command("stop_baseline", "s0", {"machine": "pump"})
        assert "ready" in reader.answer("s0")["reason"]
        reader.command("start_baseline", "b1", {"machine": "pump"})
        assert reader.answer("b1")["ok"]
        wait_until(lambda: coverage()["phase"] == "collecting")
        reader.command("stop_baseline", "s1", {"machine": "pump"})
        assert reader.answer("s1")["ok"]
        wait_until(lambda: coverage()["phase"] == "ready")
        before = reader.latest[topic]["ids"]["baseline_id"]
        reader.command("start_baseline", "b2", {"machine": "pump"})
        wait_until(lambda: coverage()["phase"] == "collecting" and coverage()["windows"] > 60, 60)
        reader.command("stop_baseline", "s2", {"machine": "pump", "finish": True})
        assert reader.answer("s2")["ok"]
        wait_until(lambda: coverage()["phase"] == "ready", 60, "trained with what there is")
        assert reader.latest[topic]["ids"]["baseline_id"] != before
