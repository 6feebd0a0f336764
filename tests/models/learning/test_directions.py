"""Windows that did not give a direction decide how clear its fault is."""

import numpy as np
import pytest

from auscult.models.learning.directions import LOOKS, SIGMAS, Directions, find_directions
from auscult.models.learning.replay import Replay, RowClass
from auscult.models.learning.settings import SETTINGS

COORDINATES = 144
STATES = 4
LIMIT = 2.878
"""σ at which p = 0.002."""
TABLE = SIGMAS.astype(np.float32)
"""Log scores that are normal scores."""
FAULT = np.random.default_rng(7).standard_normal(COORDINATES)
FAULT /= np.linalg.norm(FAULT)


def windows(n: int, seed: int, shift: float = 0.0, state_shift: float = 0.0) -> np.ndarray:
    """Whitened windows [shape=(n, m)], a fault of so many σ, and the offset of their state."""
    x = np.random.default_rng(seed).standard_normal((n, COORDINATES)) + shift * FAULT
    x[:, 0] += state_shift
    return x.astype(np.float32)


def found(
    reported: np.ndarray, state: int = 0, state_shift: float = 0.0, seed: int = 1
) -> Directions:
    """Directions of a report of these windows, among 192 healthy windows of four states."""
    replay = Replay(COORDINATES, 0, SETTINGS)
    healthy = windows(192, seed)
    for i, x in enumerate(healthy):
        x[0] += state_shift * (i % STATES == state)
        replay.offer(x, 0.0, i, seen=True, state=str(i % STATES))
    for i, x in enumerate(reported):
        replay.offer(x, 0.0, 1000 + i, seen=True, state=str(state), event_id="report-1")
    replay.mark("report-1", RowClass.CONFIRMED_FAULT)
    return find_directions(replay.rows, TABLE)


def beyond(directions: Directions, x: np.ndarray) -> float:
    """Share of windows that the directions raise beyond the limit."""
    return float((directions.raised(x, np.zeros(len(x))) > LIMIT).mean())


def test_a_weak_fault_is_not_taken_for_a_clear_one() -> None:
    """Its own windows lie 4 σ along the direction found from them, others 2.5 σ."""
    draws = [found(windows(51, 20 + i, 3.0), seed=40 + i) for i in range(20)]
    for directions in draws:
        assert np.exp(directions.tails[0, 3]) == pytest.approx(LOOKS)
    assert np.mean([beyond(one, windows(2000, 3, 3.0)) for one in draws]) > 0.2
    healthy = windows(10_000, 4)
    assert np.mean([beyond(one, healthy) for one in draws]) < 1.25 * 0.002 / LOOKS


def test_a_clear_fault_costs_no_false_alarm_and_is_found_at_half_its_strength() -> None:
    directions = found(windows(51, 2, 20.0))
    assert np.exp(directions.tails[0, 3]) > 1000
    assert beyond(directions, windows(2000, 3, 10.0)) > 0.99
    assert beyond(directions, windows(20_000, 4)) == 0


def test_a_report_is_compared_with_the_healthy_windows_of_its_state() -> None:
    """A state's own offset is no part of the fault."""
    alone, offset = found(windows(51, 2, 6.0)), found(windows(51, 2, 6.0, 3.0), 0, 3.0)
    assert abs(float(offset.units[0, 0])) < abs(float(alone.units[0, 0])) + 0.15


@pytest.mark.parametrize("n", [6, 7, 8])
def test_few_windows_do_not_make_a_fault_clear(n: int) -> None:
    """They lie far along the direction found from them; held out, they do not."""
    draws = [found(windows(n, i, 8.0)) for i in range(60)]
    some = [beyond(one, windows(500, 3, 5.0)) for one in draws if len(one.units)]
    assert np.median(some) > 0.5, "of windows at five eighths of the reported strength"


def test_windows_that_depart_the_other_way_keep_their_scores() -> None:
    """Half of all healthy windows lie on the other side: none of their scores may rise."""
    away = windows(200, 5, -20.0)
    scores = np.full(len(away), -3.0)
    assert (found(windows(51, 2, 20.0)).raised(away, scores) == scores).all()
