"""A manifest is read into records, and refused in one line when it lies."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from auscult.gateway.datasets.dataset import (
    COLUMNS,
    ManifestError,
    RecordingError,
    RecordingLabel,
    read_manifest,
)

FS_HZ = 2000


def _row(**changes: object) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(COLUMNS, "")
    row |= {
        "recording": "run.wav", "machine": "pump", "point": "drive_end", "channel": 0,
        "kind": "vibration", "unit": "g", "full_scale": 4.0, "fs_hz": FS_HZ, "speed_rpm": 1500,
        "load": "40%", "label": "healthy", "fault": "none", "order": 0,
    }  # fmt: skip
    return row | changes


def _write(folder: Path, *rows: dict[str, object], header: tuple[str, ...] = COLUMNS) -> Path:
    lines = [",".join(header)] + [",".join(str(row[name]) for name in header) for row in rows]
    (folder / "manifest.csv").write_text("\n".join(lines))
    return folder / "manifest.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    samples = np.stack([np.linspace(-0.5, 0.5, FS_HZ), np.full(FS_HZ, 0.25)], axis=1)
    soundfile.write(tmp_path / "run.wav", samples, FS_HZ, subtype="FLOAT")
    return tmp_path


def test_rows_of_one_file_become_one_recording_in_physical_units(folder: Path) -> None:
    manifest = _write(
        folder, _row(point="b", channel=1, full_scale=2.0, bpfo=3.58), _row(point="a", channel=0)
    )
    data = read_manifest(manifest)
    assert data.name == folder.name
    assert data.machines == ("pump",)
    (recording,) = data.recordings
    assert [str(channel.point) for channel in recording.channels] == ["pump/b", "pump/a"]
    assert recording.channels[0].bearing is not None
    assert recording.channels[0].bearing.bpfo == 3.58
    assert recording.channels[1].bearing is None
    samples = recording.read()
    assert samples.dtype == np.float32
    assert samples.shape == (2, FS_HZ)
    np.testing.assert_allclose(samples[0], 0.5)
    assert samples[1, 0] == -2.0
    np.testing.assert_array_equal(recording.read(10, 5), samples[:, 10:15])


@pytest.mark.parametrize(
    ("load", "number", "tags"),
    [("40%", 40.0, {}), ("4000N", 4000.0, {}), ("0 HP", 0.0, {}), ("", None, {}),
     ("propeller", None, {"load": "propeller"})],
)  # fmt: skip
def test_load_is_a_number_or_a_tag(folder: Path, load, number, tags) -> None:
    (recording,) = read_manifest(_write(folder, _row(load=load))).recordings
    assert recording.state.load == number
    assert dict(recording.state.tags) == tags
    assert recording.state.speed_rpm == 1500


def test_bursts_have_a_length_and_an_interval(folder: Path) -> None:
    row = _row(label="run_to_failure", fault="bearing", burst_s=0.1, interval_s=10)
    (recording,) = read_manifest(_write(folder, row)).recordings
    assert recording.label is RecordingLabel.RUN_TO_FAILURE
    assert (recording.burst_s, recording.interval_s) == (0.1, 10)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"recording": "no.wav"}, "recording = 'no.wav'"),
        ({"channel": 2}, "from 0 to 1"),
        ({"fs_hz": 1000}, "2000 Hz; correct the manifest"),
        ({"unit": "furlong"}, "must be one of: g,"),
        ({"kind": "smell"}, "vibration, sound"),
        ({"full_scale": "nan"}, "full_scale = 'nan'"),
        ({"full_scale": ""}, "must not be empty"),
        ({"speed_rpm": -3}, "speed_rpm = '-3'"),
        ({"label": "fine"}, "label = 'fine'"),
        ({"fault": "gremlins"}, "first word"),
        ({"burst_s": 0.1}, "together"),
        ({"machine": ""}, "machine = ''"),
        ({"bpfo": "x"}, "bpfo = 'x'"),
    ],
)
def test_impossible_rows_are_refused_with_place_and_remedy(folder: Path, changes, says) -> None:
    manifest = _write(folder, _row(**changes))
    with pytest.raises(ManifestError) as caught:
        read_manifest(manifest)
    message = str(caught.value)
    assert says in message
    assert f"{manifest}: row 2" in message
    assert "\n" not in message


def test_rows_of_one_file_must_agree(folder: Path) -> None:
    manifest = _write(folder, _row(), _row(point="b", channel=1, speed_rpm=900))
    with pytest.raises(ManifestError, match=r"row 3: speed_rpm = '900': row 2 .* has '1500'"):
        read_manifest(manifest)
    manifest = _write(folder, _row(), _row(point="b"))
    with pytest.raises(ManifestError, match="used twice"):
        read_manifest(manifest)


def test_a_missing_manifest_or_column_is_named(folder: Path) -> None:
    with pytest.raises(ManifestError, match=r"manifest\.csv: can't be read"):
        read_manifest(folder)
    manifest = _write(folder, _row(), header=tuple(name for name in COLUMNS if name != "label"))
    with pytest.raises(ManifestError, match="column label is missing"):
        read_manifest(manifest)
    with pytest.raises(ManifestError, match="no recordings"):
        read_manifest(_write(folder))


def test_a_damaged_file_is_named_when_it_is_read(folder: Path) -> None:
    (recording,) = read_manifest(_write(folder, _row())).recordings
    recording.path.write_bytes(b"RIFF")
    with pytest.raises(RecordingError, match=r"run\.wav: can't be read"):
        recording.read()
