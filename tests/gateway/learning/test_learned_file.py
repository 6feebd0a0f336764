"""`auscult export`, `import` and `delta` on the data of a gateway that has learned."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult import Detector, FeatureTable, NamePlate, features
from auscult.app.command.main import cli
from auscult.gateway.storage.lock import locked
from auscult.models.learning.learned_file import LearnedFile
from tests.gateway.plant import Running, settings
from tests.gateway.recorded import FS_HZ
from tests.waiting import wait_until

CONFIG = """
[gateway]
id = "{gateway}"
data_dir = "{data}"
[detector]
window_s = 0.25
baseline_windows = 60
{more}
[[machines]]
id = "pump"
speed_rpm = {speed}
{points}
[[sources]]
type = "recordings"
manifest = "{manifest}"
machine = "pump"
"""
POINTS = "".join(
    f'[[machines.points]]\nid = "{p}"\nkind = "vibration"\nunit = "g"\nfs_hz = {FS_HZ}\n'
    for p in ("de", "nde")
)


def config(
    folder: Path, data: Path, manifest: Path, name: str = "gateway1", more: str = "",
    speed: int = 1500,
) -> Path:  # fmt: skip
    path = folder / f"{name}.toml"
    text = CONFIG.format(
        gateway=name, data=data, manifest=manifest, more=more, points=POINTS, speed=speed
    )
    path.write_text(text)
    return path


def auscult(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def learned_folder(mosquitto, reader, recordings, trained):
    """Data of a gateway that has confirmed a fault."""
    with Running(settings(mosquitto, trained, recordings["faulty"], repeat=True)):
        wait_until(lambda: reader.of("event"))
        event = reader.of("event")[0]["event_id"]
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert reader.answer("l1")["lesson"]["accepted"]
    return trained


def test_all_that_is_learned_moves_to_another_gateway(
    tmp_path, learned_folder, recordings, trained_folder
):
    here = config(tmp_path, learned_folder, recordings["again"])
    file, again = tmp_path / "pump.auscult", tmp_path / "again.auscult"
    auscult("export", "-c", here, "-m", "pump", file)
    there = config(tmp_path, tmp_path / "new", recordings["again"], "gateway2")
    said = auscult("import", "-c", there, "-m", "pump", file)
    assert "imported what pump of plant/gateway1 had learned into pump" in said
    learned = {
        path.name: path.read_bytes() for path in (learned_folder / "learning/pump").iterdir()
    }
    moved = {path.name: path.read_bytes() for path in (tmp_path / "new/learning/pump").iterdir()}
    assert moved == learned
    auscult("export", "-c", there, "-m", "pump", again)
    assert "is in" in auscult("import", "-c", there, "-m", "pump", again), "the old one is kept"

    # What was learned from labels alone goes to a machine with the same baseline.
    receiver = tmp_path / "receiver"
    shutil.copytree(trained_folder, receiver)
    key = auscult("delta", "key", "-c", here).strip()
    assert stat.S_IMODE((learned_folder / "delta.key").stat().st_mode) == 0o600
    delta = tmp_path / "pump.delta"
    auscult("delta", "make", "-c", here, "-m", "pump", delta)
    assert delta.stat().st_size < 2 * 8192
    untrusting = config(tmp_path, receiver, recordings["again"], "gateway3")
    assert "not trusted" in auscult("delta", "apply", "-c", untrusting, "-m", "pump", delta, code=1)
    trusting = f'[learning]\ntrusted_keys = ["{key}"]'
    trusted = config(tmp_path, receiver, recordings["again"], "gateway3", trusting)
    said = auscult("delta", "apply", "-c", trusted, "-m", "pump", delta)
    assert "delta of pump at plant/gateway1" in said
    assert "1 of 1 confirmed faults still alarm" in said
    damaged = tmp_path / "damaged.delta"
    whole = delta.read_bytes()
    damaged.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    said = auscult("delta", "apply", "-c", trusted, "-m", "pump", damaged, code=1)
    assert "changed or damaged" in said


def test_a_disk_that_fails_leaves_the_former_export(tmp_path, monkeypatch):
    file = tmp_path / "pump.auscult"
    LearnedFile({"state": b"before"}, {"machine": "pump"}).write(file)

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        LearnedFile({"state": b"after"}, {"machine": "pump"}).write(file)
    assert LearnedFile.read(file).parts == {"state": b"before"}


def test_an_unfit_file_is_rejected_in_one_line(tmp_path, learned_folder, recordings):
    here = config(tmp_path, learned_folder, recordings["again"])
    file = tmp_path / "pump.auscult"
    auscult("export", "-c", here, "-m", "pump", file)
    other = config(tmp_path, tmp_path / "other", recordings["again"], "gateway2", speed=900)
    assert "learned again" in auscult("import", "-c", other, "-m", "pump", file, code=1)
    assert "no baseline yet" in auscult("export", "-c", other, "-m", "pump", file, code=1)
    assert "not configured" in auscult("export", "-c", here, "-m", "fan", file, code=1)
    file.write_bytes(file.read_bytes()[:-9])
    assert "damaged" in auscult("import", "-c", here, "-m", "pump", file, code=1)
    with locked(learned_folder):
        assert "stop its gateway first" in auscult("import", "-c", here, "-m", "pump", file, code=1)


def test_a_notebook_and_a_gateway_share_what_was_learned(tmp_path, recordings):
    def table(seed: int) -> FeatureTable:
        x = np.random.default_rng(seed).standard_normal(60 * FS_HZ)
        return features(x, FS_HZ, unit="g", window_s=0.25, nominal_speed_rpm=1500)

    points = {"de": table(0), "nde": table(1)}
    louder = {point: replace(t, values=1.5 * t.values) for point, t in points.items()}
    mine = Detector(NamePlate("mine", speed_rpm=1500)).fit(points)
    assert mine.confirm(louder).accepted
    file, back = tmp_path / "mine.auscult", tmp_path / "back.auscult"
    mine.save(file)
    there = config(tmp_path, tmp_path / "data", recordings["again"])
    assert "what mine of a notebook had learned" in auscult(
        "import", "-c", there, "-m", "pump", file
    )
    auscult("export", "-c", there, "-m", "pump", back)
    again = Detector.load(back)
    assert again.name_plate.machine == "pump"
    np.testing.assert_array_equal(again.score(louder), mine.score(louder))
    assert not again.false_alarm(louder, preview=True).contradicts
    assert again.undo()

    other = config(tmp_path, tmp_path / "other", recordings["again"], "gateway2", speed=3000)
    said = auscult("import", "-c", other, "-m", "pump", file, code=1)
    assert "machine pump can't use the file" in said
