"""The shipped artefacts: their operators, and their agreement with the numpy reference.

Runs in the gateway's environment (ai-edge-litert) and, as it is, in one with tflite-runtime.
"""

import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from auscult.dsp.units import SAMPLED
from auscult.models.network import engines
from auscult.models.network.architecture import Architecture, split
from auscult.models.network.artefact import ARTEFACTS, TRAINING, Manifest, load
from auscult.models.network.errors import ModelError
from auscult.models.network.shipped_weights import shipped_weights
from lab.oracle import network

ROOT = Path(__file__).parents[3]
ARCH = Architecture()

ALLOWED = {"FULLY_CONNECTED": 4, "DEQUANTIZE": 2, "ADD": 2}
"""Highest operator versions that tflite-runtime 2.13 loads; 1 for all others."""


@pytest.fixture(params=SAMPLED)
def kind(request):
    return request.param


@pytest.fixture
def model(kind, engine):
    return engines.inference(kind, shipped_weights(ARCH, kind))


@pytest.fixture
def training(engine):
    return engines.training()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def windows(rng, n=32):
    mask = (rng.random((n, ARCH.width)) < 0.7).astype(np.float32)
    return rng.standard_normal((n, ARCH.width)).astype(np.float32) * mask, mask


def some_theta(rng):
    return (0.1 * rng.standard_normal(ARCH.base_size)).astype(np.float32)


def test_operators_are_builtins_of_old_versions(kind):
    for manifest in (load(kind)[1], load(TRAINING)[1]):
        assert "CUSTOM" not in manifest.operators
        for operator, version in manifest.operators.items():
            assert version <= ALLOWED.get(operator, 1), operator


def test_shipped_weights_are_the_start(kind):
    data, manifest = load(kind)
    assert len(data) == manifest.size_bytes
    start = split(shipped_weights(manifest.architecture, kind), ARCH.base_shapes)
    for name, value in manifest.weights(data).items():
        np.testing.assert_array_equal(value, start[name], err_msg=name)


def test_start_is_a_linear_autoencoder(kind, rng):
    """Residual and latent together then hold all of the input, as a distance needs it."""
    theta = shipped_weights(ARCH, kind).astype(float)
    x = rng.standard_normal((5, ARCH.width))
    residual, latent = network.infer(ARCH, theta, x, np.ones_like(x))
    parts = split(theta, ARCH.base_shapes)
    np.testing.assert_allclose(residual + latent @ parts["D"].T, x, atol=1e-12)
    np.testing.assert_allclose(parts["E"] @ parts["D"], np.eye(ARCH.latent), atol=1e-4)


def test_infer_agrees_with_reference(kind, engine, rng):
    theta = some_theta(rng)
    x, mask = windows(rng)
    out = engines.inference(kind, theta)("infer", x=x, mask=mask)
    wanted = network.infer(ARCH, theta.astype(float), x.astype(float), mask.astype(float))
    for name, value in zip(("residual", "latent"), wanted, strict=True):
        np.testing.assert_allclose(out[name], value, atol=1e-5, err_msg=name)
    assert not out["residual"][mask == 0].any()


def test_absent_features_change_nothing(model, rng):
    x, mask = windows(rng)
    noise = x + (1 - mask) * 1e3
    np.testing.assert_array_equal(
        model("infer", x=noise, mask=mask)["residual"], model("infer", x=x, mask=mask)["residual"]
    )


def numeric_gradient(loss, theta, picks, step=1e-6):
    out = []
    for i in picks:
        up, down = theta.copy(), theta.copy()
        up[i] += step
        down[i] -= step
        out.append((loss(up) - loss(down)) / (2 * step))
    return np.array(out)


def test_reference_gradients_are_the_losses_slopes(rng):
    x, mask = (a.astype(float) for a in windows(rng, 6))
    target = x + 0.1 * mask * rng.standard_normal(x.shape)
    theta = some_theta(rng).astype(float)
    picks = rng.integers(0, theta.size, 60)
    _, gradient = network.base_gradient(ARCH, theta, x, target, mask)
    slopes = numeric_gradient(
        lambda t: network.base_gradient(ARCH, t, x, target, mask)[0], theta, picks
    )
    np.testing.assert_allclose(gradient[picks], slopes, atol=1e-7)

    weight = rng.random(6)

    head = rng.standard_normal(ARCH.head_size)
    features, label = rng.standard_normal((6, ARCH.head_width)), np.array([0, 1, 0, 1, 1, 0.5])
    _, gradient = network.head_gradient(head, features, label, weight)
    slopes = numeric_gradient(
        lambda t: network.head_gradient(t, features, label, weight)[0], head, range(head.size)
    )
    np.testing.assert_allclose(gradient, slopes, atol=1e-7)


def test_train_base_agrees_with_reference_over_50_steps(training, kind, rng):
    theta = shipped_weights(ARCH, kind)
    m, v = np.zeros_like(theta), np.zeros_like(theta)
    wanted = network.Adam(*(a.astype(float) for a in (theta, m, v)))
    for step in range(1, 51):
        x, mask = windows(rng)
        target = x + 0.1 * mask
        out = training(
            "train_base",
            theta=theta,
            m=m,
            v=v,
            x=x,
            target=target,
            mask=mask,
            lr=1e-3,
            ic1=1 / (1 - 0.9**step),
            ic2=1 / (1 - 0.999**step),
            weight_decay=1e-2,
        )
        x64 = (a.astype(float) for a in (x, target, mask))
        loss, gradient = network.base_gradient(ARCH, wanted.theta, *x64)
        wanted = network.adamw(wanted, gradient, step, 1e-3, 1e-2)
        theta, m, v = out["theta_next"], out["m_next"], out["v_next"]
        if step == 1:
            np.testing.assert_allclose(m / 0.1, gradient, atol=1e-7)
        assert float(out["loss"]) == pytest.approx(loss, abs=1e-5)
    np.testing.assert_allclose(theta, wanted.theta, atol=1e-5)
    loss_base = training("loss_base", theta=theta, x=x, target=target, mask=mask)["loss"]
    x64 = (a.astype(float) for a in (x, target, mask))
    wanted_loss, _ = network.base_gradient(ARCH, theta.astype(float), *x64)
    assert float(loss_base) == pytest.approx(wanted_loss, abs=1e-5)


def run_small_training(model, signature, size, rng, inputs, gradient_of):
    """Twenty steps in two micro-batches each, beside the reference on the whole batch."""
    theta = (0.1 * rng.standard_normal(size)).astype(np.float32)
    anchor = theta + 0.01
    importance = rng.random(size).astype(np.float32)
    wanted = network.Adam(theta.astype(float), np.zeros(size), np.zeros(size))
    m, v = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, 21):
        carry = np.zeros_like(theta)
        for half in (slice(0, 16), slice(16, 32)):
            out = model(
                signature,
                theta=theta,
                m=m,
                v=v,
                carry=carry,
                anchor=anchor,
                **{name: value[half] for name, value in inputs.items()},
                lr=0.01,
                ic1=1 / (1 - 0.9**step),
                ic2=1 / (1 - 0.999**step),
                importance=importance,
                penalty=0.3,
            )
            carry = out["gradient"]
        _, gradient = gradient_of(wanted.theta)
        gradient = gradient + network.anchor_gradient(wanted.theta, anchor, importance, 0.3)
        wanted = network.adamw(wanted, gradient, step, 0.01, 0.0)
        theta, m, v = out["theta_next"], out["m_next"], out["v_next"]
    np.testing.assert_allclose(theta, wanted.theta, atol=2e-5)
    return theta


def test_train_head_agrees_with_reference(training, rng):
    features = rng.standard_normal((32, ARCH.head_width)).astype(np.float32)
    label = (rng.random(32) < 0.4).astype(np.float32)
    weight = (rng.random(32) / 32).astype(np.float32)
    theta = run_small_training(
        training,
        "train_head",
        ARCH.head_size,
        rng,
        {"features": features, "label": label, "weight": weight},
        lambda t: network.head_gradient(t, features.astype(float), label, weight),
    )
    logit = training("head", theta=theta, features=features)["logit"]
    np.testing.assert_allclose(logit, network.head_logit(theta, features), atol=1e-5)


def test_signatures_are_those_that_are_documented(model, training):
    assert set(model.signatures) == {"infer"}
    assert set(training.signatures) == {"loss_base", "train_base", "head", "train_head"}
    assert math.prod(training.signatures["train_base"]["theta"]) == ARCH.base_size


def test_gateway_environment_has_no_tensorflow():
    assert find_spec("tensorflow") is None


@pytest.mark.slow
def test_rebuild_gives_the_same_weights():
    """In the build environment (`make .venv-build/ready`), which alone has TensorFlow."""
    python = Path(os.environ.get("AUSCULT_BUILD_PYTHON", ROOT / ".venv-build/bin/python"))
    if not python.exists():
        pytest.skip("no build environment; `make .venv-build/ready` makes it")
    done = subprocess.run(
        [python, "-m", "auscult.models.network.build", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(reports) == len(SAMPLED) + 1 == len(list(ARTEFACTS.glob("*.tflite")))
    for report in reports:
        assert report["weights_identical"]
        assert report["operators_identical"]
        if report["tensorflow"]["here"] == report["tensorflow"]["shipped"]:
            assert report["bytes_identical"]


@pytest.mark.slow
def test_artefacts_pass_on_tflite_runtime():
    """The same tests again, in the environment with tflite-runtime (`make .venv-tflite/ready`)."""
    python = Path(os.environ.get("AUSCULT_TFLITE_PYTHON", ROOT / ".venv-tflite/bin/python"))
    if not python.exists():
        pytest.skip("no tflite-runtime environment; `make .venv-tflite/ready` makes it")
    if Path(sys.executable).parent == python.parent:
        pytest.skip("already inside it")
    names = ("guard", "engines", "artefacts", "autoencoder")
    tests = [f"tests/models/network/test_{name}.py" for name in names]
    without_conftest = ("--noconftest", "-p", "tests.models.network.conftest")
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-m", "not slow", *without_conftest, *tests],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.parametrize("position", [3, 120, 300, -20])
def test_a_flipped_bit_in_a_manifest_is_noticed(position):
    text = bytearray((ARTEFACTS / "vibration.json").read_bytes())
    text[position] ^= 1
    with pytest.raises(ModelError, match="install the software again"):
        Manifest.from_json(text.decode(errors="replace"))
