"""A gateway restored from a backup scores as the one that was backed up, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from auscult.contract.records import OperatingState
from auscult.gateway.learning.deltas import _detector
from auscult.models.records import Observation
from tests.gateway.learning.test_learned_file import auscult, config
from tests.gateway.plant import Running, settings


def learned(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "learning").rglob("*"))
        if path.is_file()
    }


def decisions(configured, folder: Path, manifest: Path) -> list[float]:
    """Decide on seeded windows with what a data folder has learned."""
    detector = _detector(configured(folder, manifest), "pump")
    random, found = np.random.default_rng(3), []
    for hop in range(50):
        windows = [
            Observation(
                point,
                10**18 + hop * 10**9,
                random.normal(1, 0.1, len(spec.names)).astype(np.float32),
                OperatingState(1500.0),
            )
            for point, spec in detector.specs.items()
        ]
        detector.observe(windows)
        found += [window.log_score for window in detector.scored_windows()]
    return found


def test_a_restored_gateway_scores_bit_for_bit_the_same(mosquitto, recordings, trained, tmp_path):
    old = config(tmp_path, trained, recordings["healthy"])
    file, blank = tmp_path / "gateway.backup", tmp_path / "blank"
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse\n")
    auscult("backup", "gateway", "-c", old, file, "--passphrase-file", passphrase)
    new = config(tmp_path, blank, recordings["healthy"], name="gateway2")
    assert "is encrypted" in auscult("restore", "gateway", "-c", new, file, code=1)
    said = auscult("restore", "gateway", "-c", new, file, "--passphrase-file", passphrase)
    assert said.startswith("restored gateway plant/gateway1 of ")
    assert learned(blank) == learned(trained) != {}

    def configured(folder: Path, manifest: Path):
        return settings(mosquitto, folder, manifest)

    first = decisions(configured, trained, recordings["faulty"])
    assert len(set(first)) > 50
    assert decisions(configured, blank, recordings["faulty"]) == first
    key = ("--passphrase-file", passphrase)
    assert "holds data" in auscult("restore", "gateway", "-c", new, file, *key, code=1)
    with Running(configured(blank, recordings["again"])):
        assert "in use" in auscult("restore", "gateway", "-c", new, file, "--replace", *key, code=1)
        auscult("backup", "gateway", "-c", new, tmp_path / "running.backup")
