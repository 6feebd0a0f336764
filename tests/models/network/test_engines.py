"""LiteRT serves a file whose hash is right; where it can't, numpy gives the same but rounding."""

import shutil

import numpy as np
import pytest

from auscult.models.network import artefact, engines, litert
from auscult.models.network.architecture import Architecture
from auscult.models.network.autoencoder import Autoencoder
from auscult.models.network.errors import ModelError
from auscult.models.network.numpy_engine import NumpyEngine
from auscult.models.network.shipped_weights import shipped_weights

ARCH = Architecture()
DATA, MANIFEST = artefact.load("vibration")


def windows(n=64, seed=0):
    rng = np.random.default_rng(seed)
    mask = (rng.random((n, ARCH.width)) < 0.7).astype(np.float32)
    return rng.standard_normal((n, ARCH.width)).astype(np.float32) * mask, mask


@pytest.fixture
def artefacts(tmp_path, monkeypatch):
    """A copy of the shipped files that a test may damage."""
    folder = tmp_path / "artefacts"
    shutil.copytree(artefact.ARTEFACTS, folder)
    monkeypatch.setattr(artefact, "ARTEFACTS", folder)
    engines.warn.cache_clear()
    return folder


def test_a_damaged_file_is_rejected_before_loading():
    damaged = bytearray(DATA)
    damaged[5000] ^= 1
    with pytest.raises(ModelError, match="damaged"):
        artefact.verify(bytes(damaged), MANIFEST.sha256)


@pytest.mark.parametrize(
    "data", [b"", b"hello world" * 100, bytes(4096), b"\x18\x00\x00\x00TFL3", DATA[:40]]
)
def test_other_files_are_rejected(data):
    with pytest.raises(ModelError):
        artefact.verify(data, MANIFEST.sha256)


@pytest.mark.parametrize("fault", ["flipped", "absent", "manifest"])
def test_numpy_serves_where_a_file_is_damaged_and_it_is_reported(artefacts, fault, caplog):
    wanted = Autoencoder.shipped("vibration").infer(*windows()).residual
    assert not caplog.records
    path = artefacts / ("vibration.json" if fault == "manifest" else "vibration.tflite")
    if fault == "absent":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[300] ^= 1
        path.write_bytes(content)
    served = Autoencoder.shipped("vibration")
    assert isinstance(served._model._engine, NumpyEngine)
    np.testing.assert_allclose(served.infer(*windows()).residual, wanted, atol=1e-5)
    assert "the network is computed with numpy" in caplog.text


def test_both_engines_take_the_same_inputs(monkeypatch):
    both = []
    for missing in (False, True):
        if missing:
            monkeypatch.setattr(litert, "_litert", None)
        base = engines.inference("sound", shipped_weights(ARCH, "sound"))
        both.append(
            {
                name: dict(inputs)
                for model in (base, engines.training())
                for name, inputs in model.signatures.items()
            }
        )
    assert both[0] == both[1]


def test_a_whole_training_agrees(monkeypatch):
    """Rounding grows over the steps: scores stay within a hundredth of their spread."""
    mix = np.random.default_rng(1).standard_normal((6, ARCH.width)) / 2

    def healthy(seed):
        rng = np.random.default_rng(seed)
        x = np.tanh(rng.standard_normal((300, 6))) @ mix
        return (x + 0.3 * rng.standard_normal(x.shape)).astype(np.float32)

    mask = np.ones((300, ARCH.width), np.float32)
    residuals = []
    for missing in (False, True):
        if missing:
            monkeypatch.setattr(litert, "_litert", None)
        autoencoder = Autoencoder.shipped("vibration")
        autoencoder.fit(healthy(2), mask, seed=0)
        residuals.append(autoencoder.infer(healthy(3), mask).residual)
    away = np.abs(residuals[0] - residuals[1])
    assert np.sqrt((away**2).mean()) < 0.01 * residuals[0].std()
