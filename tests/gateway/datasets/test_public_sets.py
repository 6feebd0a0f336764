"""Converters of public sets, on excerpts in the original formats."""

from __future__ import annotations

import json
import struct
import tomllib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.io import savemat
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.contract.machines import MachineSettings
from auscult.gateway.datasets.dataset import Recording, RecordingLabel, read_manifest
from auscult.gateway.datasets.public_files import paderborn
from auscult.gateway.datasets.public_sets import SETS, SUMS, convert
from auscult.gateway.datasets.skab import COLUMNS as SKAB_COLUMNS
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.files.records import FileError
from auscult.gateway.sources.http.settings import HttpSource

RNG = np.random.default_rng(0)
X = RNG.standard_normal(3000).astype(np.float32)


def table(path: Path, rows: np.ndarray, separator: str = ",", header: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, rows, "%.6g", separator, header=header, comments="")


def converted(name: str, folder: Path) -> dict[str, Recording]:
    target = folder.parent / "out"
    convert(SETS[name], folder, target)
    assert len((target / SUMS).read_text().splitlines()) > 0
    return {r.path.stem: r for r in read_manifest(target).recordings}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "downloaded"
    path.mkdir()
    return path


def test_cwru(folder):
    savemat(folder / "97.mat", {"X097_DE_time": X[:, None], "X097_FE_time": X[:2500, None],
                                "X097RPM": 1796})  # fmt: skip
    savemat(folder / "131.mat", {"X131_DE_time": X[:, None], "X131RPM": 1772})
    savemat(folder / "999.mat", {"X999_DE_time": X[:, None]})
    found = converted("cwru", folder)
    assert found.keys() == {"97", "131"}, "a file that no table lists is left out"
    assert [str(c.point) for c in found["97"].channels] == ["rig_48k/DE", "rig_48k/FE"]
    outer = found["131"]
    assert (outer.fs_hz, outer.fault, outer.state.speed_rpm, outer.state.load) == (
        12_000, "outer 0.007 at 6", 1772, 1,
    )  # fmt: skip
    assert outer.channels[0].bearing.bpfo == pytest.approx(3.585, abs=2e-3)
    np.testing.assert_array_equal(outer.read()[0], X)


def test_mfpt(folder):
    for name, rate in (("baseline_1", 97_656.0), ("InnerRaceFault_vload_1", 48_828.0)):
        bearing = {"sr": rate, "rate": 25.0, "load": 270.0, "gs": X[:, None]}
        savemat(folder / f"{name}.mat", {"bearing": bearing})
    found = converted("mfpt", folder)
    assert {n: (r.fs_hz, r.fault_class) for n, r in found.items()} == {
        "baseline_1": (97_656, "none"), "InnerRaceFault_vload_1": (48_828, "inner"),
    }  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";"])
def test_pronostia_in_order_of_its_numbers(folder, separator):
    for number in (1, 2, 10):
        rows = np.tile([9, 39, 39, 65_664, number, -number], (2560, 1)).astype(float)
        rows[:, 3] += np.arange(2560)
        table(folder / "Learning_set/Bearing1_1" / f"acc_{number:05d}.csv", rows, separator)
    (run,) = converted("pronostia", folder).values()
    assert (run.label, run.burst_s, run.interval_s) == (RecordingLabel.RUN_TO_FAILURE, 0.1, 10)
    np.testing.assert_array_equal(run.read()[:, ::2560], [[1, 2, 10], [-1, -2, -10]])
    assert run.channels[0].bearing.bpfo == pytest.approx(5.61, abs=0.01)


def test_xjtu(folder):
    header = "Horizontal_vibration_signals,Vertical_vibration_signals"
    for number in (1, 2, 11):
        path = folder / "37.5Hz11kN/Bearing2_1" / f"{number}.csv"
        table(path, np.full((320, 2), number), header=header)
    (run,) = converted("xjtu", folder).values()
    assert (run.machine, run.state.speed_rpm, run.state.load) == ("Bearing2_1", 2250, 11)
    assert run.read()[0, ::320].tolist() == [1, 2, 11]


def test_ims(folder):
    for name, value in (("2004.02.12.10.32.39", 1), ("2004.02.12.10.42.39", 2)):
        table(folder / "2nd_test" / name, np.full((2048, 4), value), "\t")
    (run,) = converted("ims", folder).values()
    assert [c.point.point for c in run.channels] == ["ch1", "ch2", "ch3", "ch4"]
    assert run.read()[3, ::2048].tolist() == [1, 2]
    assert (run.burst_s, run.interval_s) == (0.1024, 600)


def test_paderborn(folder):
    channels = np.array(
        [{"Name": "force", "Data": X[:10]}, {"Name": "vibration_1", "Data": X}], object
    )
    for name in ("N15_M07_F10_K001_1", "N09_M01_F10_KI04_2"):
        savemat(folder / f"{name}.mat", {name: {"Info": 1, "Y": channels}})
    found = converted("paderborn", folder)
    assert {r.fault_class for r in found.values()} == {"none", "inner"}
    inner = found["N09_M01_F10_KI04_2"]
    assert (inner.fs_hz, inner.state.speed_rpm, inner.state.load) == (64_000, 900, 0.1)
    np.testing.assert_array_equal(inner.read()[0], X)


def test_a_wrong_byte_of_paderborn_ends_a_reader_of_its_own(folder):
    path = folder / "N15_M07_F10_K001_1.mat"
    savemat(path, {path.stem: {"Y": np.array([{"Name": "vibration_1", "Data": X}], object)}})
    whole = path.read_bytes()
    at = whole.rindex(struct.pack("<II", 7, 4 * len(X)))  # miSINGLE and the length
    path.write_bytes(whole[:at] + bytes([200]) + whole[at + 1 :])
    with pytest.raises(FileError, match="can't be read as MAT"):
        list(paderborn([path]))


def test_openei_gearbox(folder):
    table(folder / "Healthy/h30hz0.txt", RNG.standard_normal((500, 4)), "\t")
    table(folder / "BrokenTooth/b30hz90.csv", RNG.standard_normal((500, 4)), header="a1,a2,a3,a4")
    found = converted("openei623", folder)
    assert {r.fault_class for r in found.values()} == {"none", "gear"}
    assert {c.point.point for c in found["b30hz90"].channels} == {"a1", "a2", "a3", "a4"}


def test_sounds_of_mimii_and_dcase(folder):
    names = ("6_dB/fan/id_00/normal/00000000.wav", "6_dB/fan/id_00/abnormal/00000000.wav",
             "fan/test/anomaly_id_02_00000001.wav")  # fmt: skip
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / name, RNG.uniform(-0.5, 0.5, (1600, 2)), 16_000)
    out = folder.parent / "out"
    assert convert(SETS["mimii"], folder, out) == 3
    data = read_manifest(out)
    assert set(data.machines) == {"fan_id_00", "fan_id_02"}
    assert {r.label.value for r in data.of_machine("fan_id_00")} == {"healthy", "faulty"}
    assert data.recordings[0].channels[0].kind == "sound"


def test_uestc_and_harbin_by_their_file_names(folder):
    for name in ("N_800rpm_rec1", "O_1400rpm_rec3"):
        savemat(folder / f"{name}.mat", {"data": X[:, None]})
    found = converted("uestc", folder)
    outer = found["O_1400rpm_rec3"]
    assert (outer.fault_class, outer.fs_hz, outer.state.speed_rpm) == ("outer", 20_000, 1400)
    assert found["N_800rpm_rec1"].label is RecordingLabel.HEALTHY
    np.testing.assert_array_equal(outer.read()[0], X)
    table(folder / "selfbuilt_900rpm_IR5.csv", X[:500, None])
    (inner,) = converted("harbin", folder).values()
    assert (inner.machine, inner.fault, inner.fs_hz) == ("selfbuilt", "inner 5 deg", 51_200)
    assert inner.channels[0].bearing.bpfo == pytest.approx(3.585, abs=1e-3)


def test_skab_becomes_lines_to_push_and_a_configuration(folder):
    """An excerpt of data/valve2/0.csv as its authors publish it."""
    path = folder / "data/valve2/0.csv"
    path.parent.mkdir(parents=True)
    header = ";".join(["datetime", *SKAB_COLUMNS, "is_anomaly", "is_pa"])
    values = "0.0274;0.0397;0.718;0.0547;69.5702;24.3857;228.42;32.9644"
    marks = ("0.0", "1.0", "1.0", "0.0")
    rows = [f"2020-03-09 15:56:3{i};{values};{mark};0.0" for i, mark in enumerate(marks)]
    path.write_text("\n".join([header, *rows]) + "\n")
    out = folder.parent / "out"
    assert convert(SETS["skab"], folder, out) == 1
    lines = (out / "valve2_0.jsonl").read_text().splitlines()
    assert [json.loads(line)["motor_temperature"] for line in lines] == [69.5702] * 4
    assert (out / "labels.csv").read_text().splitlines()[1:] == ["valve2_0.jsonl,2,3"]
    document = tomllib.loads(
        (out / "gateway.toml").read_text().replace("PUT THE HASH OF YOUR TOKEN HERE", "0" * 64)
    )
    (machine,) = document["machines"]
    points = MachineSettings.model_validate(machine).points
    assert {one.id for one in points} == json.loads(lines[0]).keys()
    HttpSource.model_validate(document["sources"][0])
    history = read_history(out, read_description(out), "valve2_0")
    assert history.truth.tolist() == [False, True, True, False]
    assert history.values[0, 4] == 69.5702
    assert history.table.healthy_rows == 400
    path.write_text("datetime;Current\n")
    with pytest.raises(FileError, match="no channel Accelerometer1RMS"):
        convert(SETS["skab"], folder, out)


def test_nab_becomes_tables_with_the_windows_of_the_benchmark(folder):
    name = "machine_temperature_system_failure.csv"
    path = folder / "data/realKnownCause" / name
    path.parent.mkdir(parents=True)
    path.write_text("timestamp,value\n2013-12-02 21:15:00,73.9\n2013-12-02 21:20:00,74.9\n")
    out = folder.parent / "out"
    with pytest.raises(FileError, match="combined_windows"):
        convert(SETS["nab"], folder, out)
    windows = {f"realKnownCause/{name}": [["2013-12-10 06:25:00.000000", "2013-12-12 05:35:00"]]}
    (folder / "labels").mkdir()
    (folder / "labels/combined_windows.json").write_text(json.dumps(windows))
    assert convert(SETS["nab"], folder, out) == 1
    history = read_history(out, read_description(out), path.stem)
    assert history.values[:, 0].tolist() == [73.9, 74.9]
    assert history.settings.points[0].interval_s == 300
    (event,) = history.events
    assert (event.to_ns - event.from_ns) / 3600e9 == pytest.approx(47 + 10 / 60)


def test_what_can_not_be_converted_is_named(folder):
    with pytest.raises(FileError, match="no file matches"):
        convert(SETS["cwru"], folder, folder)
    shown = CliRunner().invoke(cli, ["datasets"], env={"COLUMNS": "250"})
    assert shown.exit_code == 0
    for name in ("cwru", "skab", "xjtu", "CC BY 4.0"):
        assert name in shown.output
    assert CliRunner().invoke(cli, ["datasets", "none"]).exit_code == 2
