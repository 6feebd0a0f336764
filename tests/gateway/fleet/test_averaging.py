"""The average of deltas: what it keeps, what it bounds, what it hides."""

import numpy as np
import pytest

from auscult.gateway.fleet.averaging import AveragingSettings, average, countable, epsilon
from auscult.models.learning.delta import Delta, DeltaAbout, DeltaError, PointDelta

WIDTH, SIZE = 144, 65
PLAIN = AveragingSettings(clip_norm=100.0)
RNG = np.random.default_rng(5)
HERE, THERE = RNG.standard_normal((2, WIDTH)).astype(np.float16)


def delta(
    machine, weights=0.0, places=(HERE,), faults=(), base="base-1", at=0, points=("de",), reports=()
):
    def stack(vectors):
        return np.array(vectors, np.float16).reshape(-1, WIDTH)

    gate = np.full(SIZE, weights, np.float16)
    own = PointDelta(stack(places), stack(faults), gate, stack(reports))
    about = DeltaAbout("gateway-" + machine, machine, base, "spec-1", "c", at, 3, "sha", None, None)
    return Delta(about, dict.fromkeys(points, own))


def test_weights_are_averaged_and_places_joined():
    made = average([delta("a", 1.0), delta("b", 3.0, [HERE, THERE])], PLAIN, 7)
    np.testing.assert_array_equal(made.points["de"].weights, np.full(SIZE, 2.0))
    assert len(made.points["de"].places) == 2
    assert (made.about.device, made.about.machine) == ("fleet", "2 machines")
    assert (made.about.labels, made.about.base_id, made.about.created_ns) == (6, "base-1", 7)


def test_confirmed_and_reported_faults_of_all_machines_are_kept():
    made = average(
        [delta("a", faults=[HERE], reports=[HERE]), delta("b", faults=[THERE])], PLAIN, 0
    )
    assert len(made.points["de"].faults) == 2
    np.testing.assert_array_equal(made.points["de"].reports, [HERE])


def test_what_one_machine_calls_normal_and_another_a_fault_is_a_fault():
    made = average([delta("a", places=[HERE, THERE]), delta("b", faults=[THERE])], PLAIN, 0)
    np.testing.assert_array_equal(made.points["de"].places, [HERE])
    np.testing.assert_array_equal(made.points["de"].faults, [THERE])


def test_more_places_than_a_head_holds_are_joined():
    many = [RNG.standard_normal((12, WIDTH)) for _ in range(2)]
    made = average([delta("a", places=many[0]), delta("b", places=many[1])], PLAIN, 0)
    assert len(made.points["de"].places) == 16


def test_one_machine_cannot_pull_the_average_far():
    others = [delta("a"), delta("b"), delta("c")]
    made = average([*others, delta("hostile", 1000.0)], AveragingSettings(clip_norm=2.0), 0)
    assert np.linalg.norm(made.points["de"].weights.astype(float)) == pytest.approx(0.5, rel=1e-2)


def test_clipping_leaves_a_small_change_as_it_is():
    made = average([delta("a", 0.1), delta("b", 0.1)], AveragingSettings(clip_norm=2.0), 0)
    np.testing.assert_array_equal(made.points["de"].weights, np.full(SIZE, np.float16(0.1)))


def test_noise_has_the_promised_size_and_only_weights_leave():
    deltas = [delta(str(i), faults=[THERE], points=("de", "nde")) for i in range(4)]
    settings = AveragingSettings(clip_norm=2.0, noise=3.0)
    drawn = [average(deltas, settings, 0, np.random.default_rng(seed)) for seed in range(40)]
    noise = np.concatenate([own.weights for made in drawn for own in made.points.values()])
    assert noise.astype(float).std() == pytest.approx(3.0 * 2.0 * np.sqrt(2) / 4, rel=0.03)
    for made in drawn:
        assert all(len(own.places) == len(own.faults) == 0 for own in made.points.values())
        assert (made.about.labels, made.about.data_sha256) == (0, "")


def test_noise_is_not_the_same_twice():
    deltas = [delta("a"), delta("b")]
    settings = AveragingSettings(noise=1.0)
    first, second = (average(deltas, settings, 0).points["de"].weights for _ in range(2))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(("noise", "releases"), [(0.5, 1), (2.0, 1), (5.0, 10)])
def test_epsilon_bounds_the_difference_between_two_fleets(noise, releases):
    """Against the definition: δ = ∫ max(0, p − e^ε q), with the releases taken together."""
    shift = 2 * np.sqrt(releases) / noise
    x = np.linspace(-40, 40 + shift, 400_001)
    p, q = (np.exp(-((x - m) ** 2) / 2) / np.sqrt(2 * np.pi) for m in (shift, 0.0))
    e = epsilon(noise, releases)
    failing = np.trapezoid(np.maximum(0.0, p - np.exp(e) * q), x)
    assert failing == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize(
    ("deltas", "message"),
    [
        ([delta("a")], "needs 2"),
        ([delta("a"), delta("a")], "two deltas of one machine"),
        ([delta("a"), delta("b", base="base-2")], "no average"),
        ([delta("a"), delta("b", points=("nde",))], "no average"),
    ],
)
def test_deltas_without_an_average_are_rejected(deltas, message):
    with pytest.raises(DeltaError, match=message):
        average(deltas, PLAIN, 0)


def test_the_newest_sound_delta_of_a_machine_counts():
    kept = countable([delta("a", at=2), delta("a", at=1), delta("b", np.nan), delta("c")])
    assert [(one.about.machine, one.about.created_ns) for one in kept] == [("c", 0), ("a", 2)]
