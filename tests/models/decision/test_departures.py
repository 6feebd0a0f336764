"""What a departure is the mean of."""

from __future__ import annotations

import numpy as np

from auscult.models.decision.departures import HORIZON, Departure, Departures


def window(value: float) -> Departure:
    return Departure(1, np.full(3, value), np.full(3, value / 10))


def test_the_mean_is_that_of_all_windows_then_of_the_last_ones():
    mean = window(1.0)
    for value in (2.0, 3.0, 4.0):
        mean.add(window(value))
    assert (mean.windows, mean.z[0], mean.moved[0]) == (4, 2.5, 0.25)
    for _ in range(10 * HORIZON):
        mean.add(window(8.0))
    assert abs(mean.z[0] - 8.0) < 0.01, "a fault that changed"


def test_departures_survive_a_restart_and_end_with_the_evidence():
    stored = {"counts": np.array([[1, 7]]), "means": np.array([[[3.0, 4.0], [0.3, 0.4]]])}
    departures = Departures()
    departures.restore(stored)
    again = departures.to_arrays()
    assert {name: array.tolist() for name, array in again.items()} == {
        name: array.tolist() for name, array in stored.items()
    }
    departures.discard(np.array([True, False]))
    assert departures.departure_of(1).windows == 7
    departures.discard(np.array([False, True]))
    assert not departures
    assert departures.to_arrays() == {}
