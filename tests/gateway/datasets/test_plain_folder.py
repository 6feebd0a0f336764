"""`auscult evaluate` on a plain folder of files, and `auscult import-files`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.errors import ConfigurationError
from auscult.gateway.datasets.dataset import ManifestError, read_manifest

FS_HZ = 4000


def table(path: Path, level: float, seed: int, seconds: float = 12.0) -> None:
    """Write what a logger with German settings writes."""
    t = np.arange(round(FS_HZ * seconds)) / FS_HZ
    noise = np.random.default_rng(seed).standard_normal(t.size)
    x = np.sin(2 * np.pi * 50 * t) + level * noise
    rows = "\n".join(f"{a:.6f};{b:.5f}".replace(".", ",") for a, b in zip(t, x, strict=True))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"time [s];DE [m/s²]\n{rows}\n", encoding="utf-8")


def run(*arguments: str):
    return CliRunner().invoke(cli, arguments, catch_exceptions=True)


def test_two_lines_describe_a_folder_and_a_damaged_file_costs_one_line(tmp_path):
    folder = tmp_path / "fan"
    table(folder / "normal_1.csv", 0.1, 1, 16)
    table(folder / "outer_1.csv", 0.8, 2, 4)
    (folder / "normal_2.csv").write_text("time;DE\nno numbers\n")
    (folder / "recordings.toml").write_text('healthy = ["normal*"]\nfaulty = ["outer*"]\n')
    result = run("evaluate", str(folder), "--json", str(tmp_path / "out.json"))
    assert result.exit_code == 0, result.output
    written = json.loads((tmp_path / "out.json").read_text())
    assert [("normal_2.csv" in line) for line in written["left_out"]] == [True]
    assert "left out: " in result.stderr
    rows = written["results"]
    ours = next(r for r in rows if r["detector"] == "auscult" and r["point"] is None)
    assert (ours["dataset"], ours["machine"], ours["protocol"]) == (
        "fan", "fan", "healthy_vs_faulty",
    )  # fmt: skip
    assert ours["auc"] > 0.99
    assert ours["by_fault"].keys() == {"outer"}
    assert sorted(p.name for p in folder.iterdir()) == [
        "normal_1.csv", "normal_2.csv", "outer_1.csv", "recordings.toml",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('health = ["a"]', "recordings.toml: health: Extra inputs"),
        ('healthy = ["x*"]', "no file matches x*"),
        ("healthy = [", "recordings.toml"),
        ('channels = { XX = "DE" }', "no channel XX; it holds DE"),
        ('unit = "bar"', "the unit bar"),
    ],
)
def test_a_wrong_description_is_one_line(tmp_path, line, words):
    table(tmp_path / "healthy" / "a.csv", 0.1, 1, 1)
    table(tmp_path / "faulty" / "b.csv", 0.1, 1, 1)
    (tmp_path / "recordings.toml").write_text(line)
    result = run("evaluate", str(tmp_path))
    assert isinstance(result.exception, ConfigurationError)
    assert words in str(result.exception)
    assert "\n" not in str(result.exception)


def test_import_shows_what_files_hold_and_makes_a_data_set(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    good, bad = tmp_path / "run1.csv", tmp_path / "run2.csv"
    table(good, 0.1, 1, 1)
    bad.write_text("time;DE\nno numbers\n")
    shown = run("import-files", str(good), str(bad), "--preview")
    assert shown.exit_code == 1
    for words in ("run1.csv", "DE", "m/s2", "4000", "1.000"):
        assert words in shown.output
    assert "run2.csv: no line of numbers" in shown.stderr
    samples = np.loadtxt(
        good.read_text(encoding="utf-8").replace(",", ".").splitlines()[1:], delimiter=";"
    )[:, 1]
    rms, peak = np.linalg.norm(samples) / np.sqrt(samples.size), abs(samples).max()
    assert f" {rms:.4g} " in shown.output
    assert f" {peak:.4g} " in shown.output
    made = run("import-files", str(good), "--into", str(tmp_path / "same"), "--channel", "DE")
    assert made.exit_code == 0, made.output
    (recording,) = read_manifest(tmp_path / "same").recordings
    assert recording.channels[0].point.point == "DE"
    made = run(
        "import-files", str(good), "--into", str(tmp_path / "set"), "--label", "faulty",
        "--fault", "inner race", "--speed-rpm", "1500", "--channel", "DE=drive_end",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    (recording,) = read_manifest(tmp_path / "set").recordings
    (channel,) = recording.channels
    assert (channel.point.machine, channel.point.point, channel.unit) == (
        "set",
        "drive_end",
        "m/s2",
    )
    assert (recording.fault_class, recording.state.speed_rpm) == ("inner", 1500)
    expected = np.loadtxt(
        good.read_text(encoding="utf-8").replace(",", ".").splitlines()[1:], delimiter=";"
    )[:, 1].astype(np.float32)
    np.testing.assert_array_equal(recording.read()[0], expected)
    again = run("import-files", str(good), "--into", str(tmp_path / "set"))
    assert again.exit_code == 2
    assert "holds a data set already" in again.output


def test_a_manifest_needs_two_columns_and_any_separator(tmp_path):
    table(tmp_path / "a.csv", 0.1, 1, 1)
    run("import-files", str(tmp_path / "a.csv"), "--into", str(tmp_path / "rig"))
    manifest = tmp_path / "rig" / "manifest.csv"
    manifest.write_text("\ufeffrecording;label;fault\na.wav;healthy;none\n", encoding="utf-8")
    (recording,) = read_manifest(manifest).recordings
    assert (recording.machine, recording.fs_hz) == ("rig", FS_HZ)
    assert recording.channels[0].point.point == "p0"
    manifest.write_text("recording;label\na.wav;healthy;0,5\n")
    with pytest.raises(ManifestError, match="row 2 has more cells than the header"):
        read_manifest(manifest)
    manifest.write_text("recording;fault\na.wav;none\n")
    with pytest.raises(ManifestError, match="column label is missing"):
        read_manifest(manifest)
