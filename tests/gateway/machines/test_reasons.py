"""What a technician reads, from recorded signals through the running gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auscult.contract.said import Said
from auscult.dsp.bearing import Bearing
from auscult.gateway.settings.gateway import GatewaySettings
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS, Reader, Running, settings
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set
from tests.waiting import wait_until

BEARING = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
GEOMETRY = {"name": "6205", "balls": 9, "ball_diameter_mm": 7.94, "pitch_diameter_mm": 39.04}
SHAFT_HZ = 25.0


def struck(seconds: float, seed: int, growth: bool = False) -> np.ndarray:
    """The turning machine with a ring-down each time a ball passes a spot of the outer race."""
    signal = shaft_noise(seconds, seed)
    t = np.arange(60)
    ring = np.exp(-t / 8) * np.sin(2 * np.pi * 600 * t / FS_HZ)
    train = np.zeros(len(signal))
    assert BEARING.bpfo is not None
    at = (np.arange(0, seconds, 1 / (BEARING.bpfo * SHAFT_HZ)) * FS_HZ).astype(int)
    train[at] = 3.0
    if growth:
        train *= np.linspace(0, 1, len(train))
    return signal + np.convolve(train, ring)[: len(signal), None]


def plant(
    broker: Mosquitto, folder: Path, manifest: Path, limits: list[dict[str, Any]]
) -> GatewaySettings:
    plain = settings(broker, folder, manifest).model_dump(mode="json")
    machine = plain["machines"][0]
    machine["bearings"] = [GEOMETRY]
    machine["points"][0]["limits"] = limits
    plain["sources"][0]["order"] = "manifest"
    plain["detector"]["window_s"] = 0.5
    plain["gateway"]["trend_interval_s"] = 1
    return GatewaySettings.model_validate(plain)


@pytest.fixture(scope="module")
def machine_that_fails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recordings = {
        "healthy": shaft_noise(40, 1),
        "faulty_growing": struck(40, 2, growth=True),
        "faulty_full": struck(15, 3),
        "healthy_again": shaft_noise(30, 4),
    }
    return write_data_set(tmp_path_factory.mktemp("fails"), recordings)


def reasons_of(reader: Reader, kind: str) -> list[dict[str, Any]]:
    """All reasons of a kind in the events so far."""
    return [r for e in reader.of("event") for r in e["reasons"] if r["kind"] == kind]


def milder(reader: Reader) -> list[dict[str, Any]]:
    """Messages of the event after its peak."""
    return [
        e
        for e in reader.of("event")
        if (e["condition"], e["peak_condition"]) == ("warning", "alarm")
    ]


def test_the_bearing_the_features_and_the_time_to_the_limit_reach_the_event(
    mosquitto, reader, machine_that_fails, tmp_path
):
    limits = [{"feature": "rms", "warning": 1.5, "alarm": 3.0}]
    with Running(plant(mosquitto, tmp_path / "data", machine_that_fails, limits)):
        wait_until(lambda: milder(reader), timeout_s=240, what="an alarm that became a warning")
        (event, *_) = milder(reader)
        named = [r for r in event["reasons"] if r.get("fault")]
        assert [r["fault"] for r in named] == ["outer"]
        assert "outer-race defect of 6205" in named[0]["text"]
        assert named[0]["point"] in ("de", "nde")
        assert {"code": "harmonic", "values": {"line": "BPFO", "order": 1}} in named[0]["matched"]
        assert named[0]["confidence"] > 0.5
        assert not any(r["text"].startswith("unclear") for r in event["reasons"])

        moved = next(r for r in event["reasons"] if r["contributions"])
        assert all(c["title"] and "_" not in c["title"] for c in moved["contributions"])
        assert moved["condition"] == "alarm", "the reasons stay those of the peak"

        forecasts = reasons_of(reader, "trend")
        assert forecasts
        assert forecasts[0]["condition"] == "normal", "a forecast is no condition"
        assert forecasts[0]["limit"] in (1.5, 3.0)
        assert "warning limit of 1.5 g is reached in about" in forecasts[0]["text"]

        trends = reader.of("trend")
        with_evidence = [t for t in trends if "evidence" in t["values"]]
        assert with_evidence
        assert "evidence" not in trends[0]["values"], "there is none before a baseline"
        assert max(t["values"]["evidence"][2] for t in with_evidence) >= 2.0, "the alarm level"


def test_an_unseen_speed_is_uncertain_and_a_healthy_bearing_is_not_named(
    mosquitto, reader, trained, tmp_path
):
    manifest = write_data_set(tmp_path / "other", {"healthy": shaft_noise(20, 5)})
    manifest.write_text(manifest.read_text().replace(",1500,", ",2500,"))
    with Running(settings(mosquitto, trained, manifest)):
        reader.wait_for("unknown")
        wait_until(lambda: reader.condition("de") == "unknown")
        state = reader.latest[TOPICS.point_state("pump", "de")]
        assert state["quality"] == "uncertain"
        assert state["reasons"][0]["kind"] == "state"
        machine = TOPICS.machine_state("pump")
        wait_until(lambda: reader.latest[machine]["quality"] == "uncertain")


def test_a_machine_that_learns_again_because_a_point_was_added_says_so(
    mosquitto, reader, recordings, trained
):
    config = settings(mosquitto, trained, recordings["again"]).model_dump(mode="json")
    points = config["machines"][0]["points"]
    points.append({**points[0], "id": "top"})
    for start in ("the first", "a later one"):
        reader.latest.clear()
        with Running(GatewaySettings.model_validate(config)):
            wait_until(lambda: TOPICS.machine_state("pump") in reader.latest)
            coverage = reader.latest[TOPICS.machine_state("pump")]["coverage"]
            assert coverage["phase"] == "collecting"
            assert coverage["because"]["code"] == "state_of_other", start
            assert (
                "with other points, units or window lengths (top)"
                in Said(**coverage["because"]).text
            )
