"""p-values are uniform on healthy scores, valid on short baselines, and never 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, t

from auscult.models.baseline.calibration import (
    Calibration,
    CalibrationStack,
    Persistence,
    StatePrior,
)


def _autoregressive(rng, n, rho):
    x = np.empty(n)
    x[0] = rng.standard_normal()
    for i in range(1, n):
        x[i] = rho * x[i - 1] + np.sqrt(1 - rho**2) * rng.standard_normal()
    return x


def test_p_values_of_healthy_scores_are_uniform() -> None:
    rng = np.random.default_rng(1)
    calibration = Calibration.fit(0.4 * rng.standard_normal(2000))
    p = np.exp(calibration.ln_p_of(0.4 * rng.standard_normal(2000)))
    assert kstest(p, "uniform").pvalue > 0.01
    assert (p < 0.01).mean() == pytest.approx(0.01, abs=0.007)


@pytest.mark.parametrize("n", [14, 50, 200])
@pytest.mark.parametrize("draw", ["standard_normal", "standard_exponential"])
def test_p_values_of_a_short_baseline_are_valid(n, draw) -> None:
    """Over many baselines, the share of healthy windows below p is at most p."""
    rng = np.random.default_rng(2)
    below = {0.05: 0, 0.01: 0, 0.002: 0}
    tried = 0
    for _ in range(300):
        calibration = Calibration.fit(getattr(rng, draw)(n))
        ln_p = calibration.ln_p_of(getattr(rng, draw)(200))
        tried += 200
        for limit in below:
            below[limit] += int((ln_p < np.log(limit)).sum())
    for limit, count in below.items():
        assert count / tried <= 1.35 * limit + 0.001


def test_a_clear_fault_is_far_below_the_limit_even_with_14_windows() -> None:
    rng = np.random.default_rng(3)
    calibration = Calibration.fit(0.3 * rng.standard_normal(14))
    assert calibration.ln_p_of(np.array([5.0]))[0] < np.log(0.002)


@given(st.integers(2, 60), st.floats(0.05, 3.0), st.integers(0, 9))
def test_a_higher_score_never_has_a_higher_p(n, spread, seed) -> None:
    rng = np.random.default_rng(seed)
    calibration = Calibration.fit(spread * rng.standard_normal(n))
    ln_p = calibration.ln_p_of(np.linspace(-20, 40, 500))
    assert np.isfinite(ln_p).all()
    assert (np.diff(ln_p) <= 1e-12).all()
    assert ln_p.max() <= 0


def test_points_stacked_or_alone_agree() -> None:
    rng = np.random.default_rng(4)
    parts = [Calibration.fit(rng.standard_normal(n)) for n in (20, 100)]
    stack = CalibrationStack.stack(parts)
    u = rng.standard_normal(50) * 3
    for row, part in enumerate(parts):
        np.testing.assert_array_equal(stack.ln_p(np.full(50, row), u), part.ln_p_of(u))


def test_the_calibration_of_unseen_states_sharpens_with_more_states() -> None:
    rng = np.random.default_rng(5)

    def beyond(states: int) -> float:
        state = np.repeat(np.arange(states), 30)
        scores = 0.3 * rng.standard_normal(states)[state] + 0.1 * rng.standard_normal(len(state))
        calibration = Calibration.fit_new_state(scores, state)
        return float(np.exp(calibration.ln_p_of(np.array([3.0]))[0]))

    assert beyond(2) > 0.01
    assert beyond(10) < 0.002


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_persistence_finds_the_correlation(rho) -> None:
    rng = np.random.default_rng(6)
    blocks = np.split(_autoregressive(rng, 4000, rho), 40)
    persistence = Persistence.measure(blocks, 0.9)
    assert persistence.correlation == pytest.approx(rho, abs=0.06)
    assert persistence.wander < 0.2
    each = np.concatenate(blocks)[: 2 * 1999]
    pairs = Persistence.measure(np.split(each, 1999), 0.9)
    assert pairs.correlation == pytest.approx(rho, abs=0.06), "two windows suffice for a pair"
    wandering = [
        block + offset for block, offset in zip(blocks, rng.standard_normal(40), strict=True)
    ]
    assert Persistence.measure(wandering, 0.9).wander > 0.5


@pytest.mark.parametrize(("rho", "wander"), [(0.0, 0.0), (0.5, 0.4), (0.8, 0.3)])
def test_scores_within_blocks_are_those_of_the_process_without_its_wander(rho, wander) -> None:
    """Scores of variance 1 whose means wander: a share ω² of variance and ρ is the wander's."""
    rng = np.random.default_rng(7)
    inner = np.array([_autoregressive(rng, 100, rho) for _ in range(1000)])
    offsets = wander * rng.standard_normal((1000, 1))
    scores = np.sqrt(1 - wander**2) * inner + offsets
    total_rho = float(np.corrcoef(scores[:, :-1].ravel(), scores[:, 1:].ravel())[0, 1])
    found_rho, variance = Persistence(total_rho, wander).within
    assert found_rho == pytest.approx(rho, abs=0.02)
    assert variance == pytest.approx(np.var(scores - offsets), abs=0.02)


@pytest.mark.parametrize("prior", [None, StatePrior(5.0, 0.2, 2.0)])
@pytest.mark.parametrize("states", [2, 3, 8])
def test_a_new_state_follows_the_textbooks_predictive(states, prior) -> None:
    """Student's t of scipy with the degrees of freedom of the normal-inverse-gamma model."""
    rng = np.random.default_rng(9)
    state = np.repeat(np.arange(states), 40)
    scores = 0.4 * rng.standard_normal(states)[state] + 0.1 * rng.standard_normal(len(state))
    means = np.array([scores[state == k].mean() for k in range(states)])
    within = np.mean([scores[state == k].var() for k in range(states)])
    if prior is None:
        n, freedom, centre, between = states, states - 1, means.mean(), means.var(ddof=1)
    else:
        n, freedom = states + prior.mean_states, states + prior.states
        centre = means.sum() / n
        ss = ((means - means.mean()) ** 2).sum()
        ss += states * prior.mean_states / n * means.mean() ** 2
        between = (prior.states * prior.sigma**2 + ss) / freedom
    predictive = t(freedom, centre, np.sqrt(between * (1 + 1 / n) + within))
    calibration = Calibration.fit_new_state(scores, state, prior)
    p = np.array([0.9, 0.5, 0.2, 0.1])
    found = np.exp(calibration.ln_p_of(predictive.isf(p)))
    np.testing.assert_allclose(found, p, rtol=0.02)
    # the tail begins with the same density, and decays with the same power
    edge = predictive.isf(0.1)
    ln_p = calibration.ln_p_of(np.array([edge + 1e-9, edge + 1e-4]))
    assert (ln_p[1] - ln_p[0]) / 1e-4 == pytest.approx(-predictive.pdf(edge) / 0.1, rel=0.01)
    assert calibration.shape == pytest.approx(1 / freedom)
