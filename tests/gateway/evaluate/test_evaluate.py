"""`evaluate` on small made recordings: every protocol, every field of the contract."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from auscult.gateway.evaluate import run
from auscult.gateway.evaluate.metrics import auc
from auscult.gateway.sources.dataset import COLUMNS

FS_HZ = 2560
BPFO, BPFI, BSF = 3.58, 5.42, 2.36


def _signal(rng, seconds, speed_rpm, gain=1.0, impacts=0.0):
    t = np.arange(round(seconds * FS_HZ)) / FS_HZ
    x = 0.05 * rng.standard_normal(len(t)) + 0.1 * np.sin(2 * np.pi * speed_rpm / 60 * t)
    if impacts:
        at = (np.arange(0, seconds, 60 / speed_rpm / BPFO) * FS_HZ).astype(int)
        train = np.zeros(len(t))
        train[at] = impacts
        ring = np.exp(-np.arange(60) / 12) * np.sin(2 * np.pi * 700 / FS_HZ * np.arange(60))
        x += np.convolve(train, ring)[: len(t)]
    return gain * x


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(0)
    rows = []

    def add(name, machine, x, label, fault, **more):
        soundfile.write(path / name, x / 2, FS_HZ, subtype="PCM_24")
        row = dict.fromkeys(COLUMNS, "") | {
            "recording": name, "machine": machine, "point": "de", "channel": 0,
            "kind": "vibration", "unit": "g", "full_scale": 2.0, "fs_hz": FS_HZ,
            "label": label, "fault": fault, "order": 0, "bpfo": BPFO, "bpfi": BPFI, "bsf": BSF,
        }  # fmt: skip
        rows.append(row | more)

    for speed in (1200, 1500, 1800):
        healthy = _signal(rng, 12, speed)
        add(f"h{speed}.wav", "pump", healthy, "healthy", "none", speed_rpm=speed)
        faulty = _signal(rng, 6, speed, impacts=1.0)
        add(f"f{speed}.wav", "pump", faulty, "faulty", "outer 1", speed_rpm=speed)
    bursts = [_signal(rng, 0.2, 1500, impacts=2.0 * max(0, i / 150 - 0.7)) for i in range(150)]
    add("life.wav", "fan", np.concatenate(bursts), "run_to_failure", "bearing", speed_rpm=1500,
        burst_s=0.2, interval_s=60)  # fmt: skip
    lines = [",".join(COLUMNS)] + [",".join(str(r[c]) for c in COLUMNS) for r in rows]
    (path / "manifest.csv").write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def results(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "results.json"
    run([folder], out, hold_out="speed_rpm", progress=False)
    document = json.loads(out.read_text())
    assert document["version"]
    return document["results"]


def _rows(results, protocol):
    return {row["detector"]: row for row in results if row["protocol"] == protocol}


def test_rows_name_data_set_machine_protocol_detector_and_point(results, folder) -> None:
    for row in results:
        assert row["dataset"] == folder.name
        assert row["machine"] in ("pump", "fan")
        assert row["point"] is None
    detectors = {"auscult", "rms", "mahalanobis", "isolation_forest"}
    for protocol in ("healthy_vs_faulty", "hold_out", "run_to_failure"):
        assert set(_rows(results, protocol)) == detectors


def test_a_clear_fault_is_found_and_healthy_windows_are_left_alone(results) -> None:
    ours = _rows(results, "healthy_vs_faulty")["auscult"]
    assert ours["auc"] > 0.99
    assert ours["tpr"] > 0.95
    assert ours["fpr"] < 0.05
    assert ours["by_fault"] == {"outer 1": ours["auc"]}
    assert ours["n_baseline"] == 3 * round(0.6 * 59)
    assert ours["n_healthy"] + ours["n_baseline"] == 3 * 59
    assert ours["n_faulty"] == 3 * 29


def test_an_omitted_speed_is_averaged_and_the_worst_is_reported(results) -> None:
    ours = _rows(results, "hold_out")["auscult"]
    assert ours["auc"] > 0.9
    assert ours["worst"]["auc"] <= ours["auc"]
    assert ours["worst"]["condition"] in ("1200.0", "1500.0", "1800.0")
    assert ours["events"]["false_events"] == 0


def test_a_run_to_failure_alarms_before_its_end_and_not_early(results) -> None:
    ours = _rows(results, "run_to_failure")["auscult"]
    assert ours["condition_at_end"] == "alarm"
    assert 5 <= ours["first_alarm_lead_min"] <= 60
    assert ours["first_warning_lead_min"] >= ours["first_alarm_lead_min"]
    assert ours["alarm_share_20_50"] == 0
    assert ours["warning_share_20_50"] <= 0.1


def test_the_fault_is_named_without_a_healthy_recording(results) -> None:
    ours = _rows(results, "diagnosis")["auscult"]
    assert ours["outer"] == {"recordings": 3, "named_right": 3, "named_wrong": 0, "unclear": 0}
    assert ours["inner"]["recordings"] == 0
    assert ours["healthy"] == {"recordings": 3, "accused": 0}
    faulty = [one for one in ours["each"] if one["label"] == "faulty"]
    assert {(one["fault"], one["named"], one["location"]) for one in faulty} == {
        ("outer 1", "outer", "de")
    }
    assert all(0.5 <= one["confidence"] <= 1 for one in faulty)


def test_recordings_may_have_different_points(tmp_path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for name, label, points in [
        ("h1", "healthy", "ab"),
        ("h2", "healthy", "a"),
        ("f1", "faulty", "ab"),
        ("f2", "faulty", "a"),
    ]:
        samples = 0.1 * rng.standard_normal((FS_HZ * 8, len(points)))
        if label == "faulty":  # a gain alone would be a fault of the sensor
            samples += 0.3 * np.sin(np.arange(FS_HZ * 8) * 0.7)[:, None]
        soundfile.write(tmp_path / f"{name}.wav", samples, FS_HZ)
        rows += [
            {"recording": f"{name}.wav", "machine": "m", "point": point, "channel": i,
             "kind": "vibration", "unit": "g", "full_scale": 1, "fs_hz": FS_HZ, "label": label,
             "fault": "none" if label == "healthy" else "unspecified", "order": 0}
            for i, point in enumerate(points)
        ]  # fmt: skip
    with (tmp_path / "manifest.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    found = run([tmp_path], progress=False)
    evaluated = {(r["detector"], r["point"]): r["n_faulty"] for r in found}
    assert evaluated["auscult", "a"] == evaluated["isolation_forest", "a"] == evaluated["rms", None]
    assert (
        evaluated["auscult", "b"] == evaluated["isolation_forest", "b"] < evaluated["auscult", "a"]
    )


def test_auc_counts_ties_as_half() -> None:
    assert auc(np.zeros(3), np.zeros(4)) == 0.5
    assert auc(np.zeros(3), np.ones(4)) == 1.0
    assert auc(np.empty(0), np.ones(4)) is None
