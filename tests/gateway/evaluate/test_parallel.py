"""`evaluate` side by side, taken up again, with a damaged file, and in pieces of a long file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from auscult.gateway.datasets.dataset import read_manifest
from auscult.gateway.evaluate import features
from auscult.gateway.evaluate.run import run

FS_HZ = 2560
SECONDS = 30
WINDOW_S = 0.5


@pytest.fixture(scope="module")
def fleet(tmp_path_factory) -> Path:
    """Three fans, each with a healthy and a faulty recording; two more files are damaged."""
    folder = tmp_path_factory.mktemp("fleet")
    rng = np.random.default_rng(0)
    lines = ["recording,machine,point,channel,kind,unit,full_scale,label,fault"]
    for machine in ("a", "b", "c"):
        for label, level, seconds in (("healthy", 0.1, SECONDS), ("faulty", 0.4, 5)):
            name = f"{machine}_{label}.wav"
            x = level * rng.standard_normal(seconds * FS_HZ)
            soundfile.write(folder / name, x / 4, FS_HZ, subtype="PCM_24")
            fault = "imbalance" if label == "faulty" else "none"
            lines.append(f"{name},{machine},de,0,vibration,g,4.0,{label},{fault}")
    (folder / "b_broken.wav").write_bytes(b"RIFF, and no more")
    lines.append("b_broken.wav,b,de,0,vibration,g,4.0,faulty,imbalance")
    soundfile.write(folder / "whole.flac", 0.1 * rng.standard_normal(5 * FS_HZ), FS_HZ)
    half = (folder / "whole.flac").read_bytes()
    (folder / "c_torn.flac").write_bytes(half[: len(half) // 2])
    lines.append("c_torn.flac,c,de,0,vibration,g,4.0,faulty,imbalance")
    (folder / "manifest.csv").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def alone(fleet):
    """The results without anything beside."""
    return run([fleet], window_s=WINDOW_S, progress=False)


def test_two_processes_find_the_same_and_a_damaged_file_costs_one_line(
    fleet, alone, tmp_path, capsys
):
    found = run([fleet], tmp_path / "out.json", window_s=WINDOW_S, progress=False, workers=2)
    assert found == alone
    assert {row["machine"] for row in found} == {"a", "b", "c"}
    lines = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert ["b_broken.wav" in lines[0], "c_torn.flac" in lines[1]] == [True, True]
    left_out = json.loads((tmp_path / "out.json").read_text())["left_out"]
    assert [one in line for one, line in zip(left_out, lines, strict=True)] == [True, True]


def test_an_interrupted_run_is_taken_up_where_it_ended(fleet, alone, tmp_path, monkeypatch):
    done = []
    whole = features.machine_data

    def counted(data, machine, *rest):
        done.append(machine)
        if machine == "c" and done.count("c") == 1:
            raise KeyboardInterrupt
        return whole(data, machine, *rest)

    monkeypatch.setattr("auscult.gateway.evaluate.job.machine_data", counted)
    with pytest.raises(KeyboardInterrupt):
        run([fleet], window_s=WINDOW_S, progress=False, resume=tmp_path)
    assert run([fleet], window_s=WINDOW_S, progress=False, resume=tmp_path) == alone
    assert done == ["a", "b", "c", "c"]
    changed = tmp_path / "changed" / fleet.name
    shutil.copytree(fleet, changed)
    shutil.copy(changed / "a_faulty.wav", changed / "b_faulty.wav")
    run([changed], window_s=WINDOW_S, progress=False, resume=tmp_path)
    assert done == ["a", "b", "c", "c", "b"], "only what changed is evaluated again"


def test_a_long_file_is_read_in_pieces_with_the_same_features(fleet, monkeypatch):
    data = read_manifest(fleet, lenient=True)
    read = []
    whole = type(data.recordings[0]).read

    def watched(self, start=0, frames=None):
        read.append(self.frames if frames is None else frames)
        return whole(self, start, frames)

    monkeypatch.setattr(type(data.recordings[0]), "read", watched)
    in_pieces = features.machine_data(data, "a", 0.2, lambda: None).stretches[0]
    assert max(read) == (features.BATCH - 1) * 256 + 512 < SECONDS * FS_HZ
    samples = whole(data.recordings[0])
    n = in_pieces.features["de"].shape[0]
    assert n == (SECONDS * FS_HZ - 512) // 256 + 1
    spec = features.machine_data(data, "a", 0.2, lambda: None).specs["de"]
    windows = np.lib.stride_tricks.sliding_window_view(samples[0], 512)[::256]
    expected = features.FeaturePipeline(spec).extract(np.ascontiguousarray(windows))
    np.testing.assert_allclose(in_pieces.features["de"], expected.values, rtol=1e-5, atol=1e-6)
