"""Recordings in a notebook: cut as the gateway cuts them."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

import auscult

FS_HZ = 2048


def recording(folder, seconds: float, burst: str = ","):
    x = 0.1 * np.random.default_rng(0).standard_normal(int(seconds * FS_HZ))
    soundfile.write(folder / "pump.wav", x, FS_HZ, subtype="FLOAT")
    (folder / "manifest.csv").write_text(
        "recording,machine,point,channel,kind,unit,full_scale,label,fault,burst_s,interval_s\n"
        f"pump.wav,pump,de,0,vibration,g,1,run_to_failure,none,{burst}\n"
    )
    return auscult.read_recordings(folder).recordings[0]


def test_no_window_mixes_two_bursts(tmp_path):
    table = auscult.features_of(recording(tmp_path, 6, "1.0,600"), window_s=0.5)["de"]
    assert (table.t_ns / 1e9).tolist() == [
        600 * burst + start for burst in range(6) for start in (0, 0.25, 0.5)
    ]
    whole = auscult.features_of(recording(tmp_path, 6, "1.0,600"), window_s=2.0)["de"]
    assert len(whole) == 6, "a window is at most a burst long"


def test_a_recording_that_is_too_short_is_rejected(tmp_path):
    with pytest.raises(auscult.InputError, match="shorter than a window"):
        auscult.features_of(recording(tmp_path, 0.2))
