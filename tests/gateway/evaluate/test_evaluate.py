"""`evaluate` on small made recordings: every protocol, every field of the contract."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from rich.console import Console

from auscult.gateway.datasets.dataset import COLUMNS
from auscult.gateway.evaluate.metrics import auc
from auscult.gateway.evaluate.records import Result
from auscult.gateway.evaluate.report import tables
from auscult.gateway.evaluate.run import run

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


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory) -> list[dict[str, object]]:
    """Rows of a pump whose sensor is dead in a third of the faulty and a tenth of the rest."""
    path, rng = tmp_path_factory.mktemp("interrupted"), np.random.default_rng(0)
    healthy, faulty = _signal(rng, 24, 1500), _signal(rng, 12, 1500, impacts=1.0)
    healthy[-round(0.1 * 0.4 * len(healthy)) :] = 0.0
    faulty[: len(faulty) // 3] = 0.0
    rows = [",".join(COLUMNS[:12])]
    for name, x in (("healthy", healthy), ("faulty", faulty)):
        soundfile.write(path / f"{name}.wav", x / 2, FS_HZ, subtype="PCM_24")
        fault = "none" if name == "healthy" else "outer 1"
        values = [f"{name}.wav", "pump", "de", 0, "vibration", "g", 2.0, FS_HZ, 1500, "", name]
        rows.append(",".join(map(str, [*values, fault])))
    (path / "manifest.csv").write_text("\n".join(rows))
    return run([path], progress=False)


@pytest.mark.parametrize("detector", ["auscult", "rms", "mahalanobis", "isolation_forest"])
def test_a_withheld_window_is_counted_as_not_flagged(interrupted, detector) -> None:
    [row] = [r for r in interrupted if r["detector"] == detector and "tpr" in r]
    assert (row["n_healthy"], row["n_faulty"]) == (119 - 71, 59)
    assert row["withheld_healthy"] == 5  # all that touch the last 0.96 s
    assert row["withheld_faulty"] == 20  # the first 4 s
    assert sum(row["withheld_because"].values()) == 25
    assert set(row["withheld_because"]) <= {"flat_line", "dropout"}
    assert row["tpr"] == pytest.approx(39 / 59)
    assert row["auc"] < 0.75
    assert row["fpr"] <= (48 - 5) / 48


def test_the_withheld_windows_are_printed_with_their_causes(interrupted, capsys) -> None:
    rows = [Result.from_json(row) for row in interrupted]
    Console(width=300).print(*tables(rows))
    printed = capsys.readouterr().out
    assert "5 of 48 healthy and 20 of 59 faulty windows (" in printed
    assert "flat_line 2" in printed
    whole = [replace(row, figures=row.figures | {"withheld_because": {}}) for row in rows]
    Console(width=300).print(*tables(whole))
    assert "no window was withheld" in capsys.readouterr().out


def test_auc_counts_ties_as_half() -> None:
    assert auc(np.zeros(3), np.zeros(4)) == 0.5
    assert auc(np.zeros(3), np.ones(4)) == 1.0
    assert auc(np.empty(0), np.ones(4)) is None
