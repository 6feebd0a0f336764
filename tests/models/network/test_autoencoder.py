"""The autoencoder learns a healthy machine on the device, reproducibly."""

import numpy as np
import pytest

from auscult.models.network import engines
from auscult.models.network.autoencoder import CLIP, MIN_ROWS, Autoencoder, soft_clip
from auscult.models.network.errors import ModelError
from auscult.models.network.training import Adam, Schedule, held_back_rows

WIDTH = 128
SHORT = Schedule(max_steps=200)


def healthy(n, seed=0, features=70):
    """Windows of a machine whose features follow five hidden causes, with noise."""
    cause = np.random.default_rng(0)
    mix1, mix2 = cause.standard_normal((5, 24)), cause.standard_normal((24, WIDTH)) / 4
    rng = np.random.default_rng(seed)
    x = np.tanh(rng.standard_normal((n, 5)) @ mix1) @ mix2 + 0.5 * rng.standard_normal((n, WIDTH))
    mask = np.zeros((n, WIDTH), np.float32)
    mask[:, :features] = 1
    return x.astype(np.float32) * mask, mask


@pytest.fixture
def autoencoder(engine):
    return Autoencoder.shipped("vibration")


def error(autoencoder, x, mask):
    return float((autoencoder.infer(x, mask).residual ** 2).sum() / mask.sum())


def test_training_explains_unseen_healthy_windows(autoencoder):
    x, mask = healthy(300)
    unseen = healthy(500, seed=1)
    before = error(autoencoder, *unseen)
    report = autoencoder.fit(x, mask, seed=0)
    after = error(autoencoder, *unseen)
    assert after < 0.35 * before
    assert report.loss_after < report.loss_before
    assert report.loss_after == pytest.approx(after, rel=0.2)


@pytest.mark.usefixtures("engine")
def test_same_seed_same_bits_other_seed_others():
    x, mask = healthy(100)
    ids = []
    for seed in (3, 3, 4):
        autoencoder = Autoencoder.shipped("sound")
        autoencoder.fit(x, mask, seed=seed, schedule=SHORT)
        ids.append(autoencoder.weights_id)
    assert ids[0] == ids[1] != ids[2]


def test_short_baseline_is_not_copied(autoencoder):
    """Thirty windows must not make unseen healthy ones look worse than no training does."""
    unseen = healthy(500, seed=1)
    before = error(autoencoder, *unseen)
    autoencoder.fit(*healthy(30), seed=0)
    assert error(autoencoder, *unseen) < before


def test_masked_slots_add_nothing_to_loss_and_residual(autoencoder):
    x, mask = healthy(60)
    other = Autoencoder.shipped("vibration")
    autoencoder.fit(x, mask, seed=0, schedule=SHORT)
    other.fit(x + 50 * (1 - mask), mask, seed=0, schedule=SHORT)
    assert autoencoder.weights_id == other.weights_id
    assert not autoencoder.infer(x, mask).residual[:, 70:].any()


def test_rows_may_have_different_features(autoencoder):
    x, mask = healthy(60)
    mask[::2, 10:30] = 0
    autoencoder.fit(x, mask, seed=0, schedule=SHORT)
    assert not autoencoder.infer(x, mask).residual[::2, 10:30].any()


def test_weights_go_out_and_in(autoencoder):
    x, mask = healthy(60)
    autoencoder.fit(x, mask, seed=0, schedule=SHORT)
    other = Autoencoder.shipped("vibration")
    other.set_weights(autoencoder.weights())
    assert other.weights_id == autoencoder.weights_id
    np.testing.assert_array_equal(
        other.infer(x, mask).residual, autoencoder.infer(x, mask).residual
    )


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(22816, np.nan), np.zeros((1, 22816))])
def test_invalid_weights_are_rejected_and_change_nothing(autoencoder, bad):
    before = autoencoder.weights_id
    with pytest.raises(ModelError):
        autoencoder.set_weights(bad)
    assert autoencoder.weights_id == before


def test_progress_rises_to_one(autoencoder):
    seen = []
    autoencoder.fit(*healthy(60), seed=0, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(seen) > 2


@pytest.mark.parametrize("n", [0, MIN_ROWS - 1])
def test_too_few_rows_are_rejected(autoencoder, n):
    with pytest.raises(ModelError, match="training rows"):
        autoencoder.fit(*healthy(n), seed=0)


def test_training_that_diverges_keeps_the_last_good_weights(autoencoder):
    x, mask = healthy(60)
    start = autoencoder.weights_id
    report = autoencoder.fit(x, mask, seed=0, schedule=Schedule(lr=1e30))
    assert report.stopped == "not finite"
    assert autoencoder.weights_id == start
    assert np.isfinite(autoencoder.infer(x, mask).residual).all()


def test_a_step_that_is_not_finite_changes_nothing(autoencoder):
    x, mask = healthy(20)
    adam = Adam(engines.training(), "train_base", autoencoder.weights())
    assert not adam.step(1e38, x=x, target=x + 1e18 * mask, mask=mask, weight_decay=1e30)
    np.testing.assert_array_equal(adam.theta, autoencoder.weights())
    assert adam.steps == 0


@pytest.mark.parametrize("n", [MIN_ROWS, 57, 1000])
def test_held_back_is_a_tenth_in_runs(n):
    held_back = held_back_rows(n, 0.1)
    assert held_back.sum() == pytest.approx(max(5, n / 10), abs=3)
    assert (np.diff(held_back.astype(int)) == 1).sum() <= 5


def test_soft_clip_keeps_order_and_small_values():
    z = np.linspace(-30, 30, 601)
    clipped = soft_clip(z)
    assert (np.diff(clipped) > 0).all()
    assert np.abs(clipped).max() <= CLIP
    np.testing.assert_allclose(clipped[np.abs(z) < 2], z[np.abs(z) < 2], rtol=0.02)
