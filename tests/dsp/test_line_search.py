"""The search of lines agrees with its slow twin, on spectra with a shaft, races and balls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from auscult.dsp.line_search import BALL, FAMILIES, INNER, OUTER, TOP_ORDER, LineSearch
from lab.oracle.line_search import Spectrum

PER_ORDER = 21.3


@dataclass
class Lines:
    """The part of `EnvelopeLines` that a search reads."""

    heights: np.ndarray
    per_order: float = PER_ORDER

    def peaks(self) -> np.ndarray:
        return self.heights

    @property
    def plain(self) -> np.ndarray:
        return np.zeros((1, self.heights.size - 1), np.float32)


def heights(seed: int, orders: list[float]) -> np.ndarray:
    """Lines of random height at the orders, at others, and at the shaft's harmonics."""
    rng = np.random.default_rng(seed)
    found = np.zeros(round(TOP_ORDER * PER_ORDER * 1.2), np.float32)
    every = [*orders, *rng.uniform(0.3, TOP_ORDER, 12), *range(1, 14)]
    for order in every:
        if rng.random() < 0.8 and order * PER_ORDER < found.size - 3:
            at = round(order * PER_ORDER)
            found[at - 1 : at + 2] = rng.uniform(0.5, 14)
    found[0] = found[-1] = 0
    return found


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.fault)
@pytest.mark.parametrize("seed", range(4))
def test_a_family_is_worth_what_the_slow_twin_finds(family, seed):
    bases = np.array([3.05, 2.51, 3.98, 5.43, 4.0])
    spacing = 0.4 if family is BALL else 1.0
    around = [n * bases[0] + m * spacing for n in family.harmonics for m in range(-3, 4)]
    spectrum = heights(seed, around)
    search = LineSearch(Lines(spectrum))  # type: ignore[arg-type]
    found = search.explain(family, bases[None, :], spacing)
    top = search.top_order
    carried = {
        n for n in family.harmonics if n == family.harmonics[0] or (n * bases < 0.99 * top).any()
    }
    twin = Spectrum(spectrum.astype(np.float64), PER_ORDER, top)
    counted = dict.fromkeys(("line", "none"), 0)
    for row in range(search.speed.size):
        for column, base in enumerate(bases):
            speed = float(search.speed[row, 0])
            worth, lines = twin.explained(family, speed, float(base), spacing, carried)
            assert found.worth[row, column] == pytest.approx(worth, abs=1e-4), (speed, base)
            for n, height in lines.items():
                assert found.harmonics[n][row, column] == pytest.approx(height, abs=1e-4)
                counted["line" if height else "none"] += 1
    assert min(counted.values()) > 20, "both cases are met"


def test_an_absent_sideband_costs_only_where_it_is_expected():
    spectrum = np.zeros(400, np.float32)
    spectrum[round(3.12 * PER_ORDER)] = 10  # no harmonic of 3.12 is one of the shaft
    search = LineSearch(Lines(spectrum))  # type: ignore[arg-type]
    at = int(np.argmin(np.abs(search.speed - 1)))
    turns = np.array([[3.12]])
    outer, inner = (search.explain(one, turns, 1.0).worth[at, 0] for one in (OUTER, INNER))
    # the carrier, four absent harmonics; six sidebands of each of three harmonics for an inner race
    assert outer == pytest.approx(10 - 3 - 4 * 3)
    unshared = [
        (n, m)
        for n, m in INNER.sidebands
        if abs(n * 3.12 + m - round(n * 3.12 + m)) * PER_ORDER >= 2.5
    ]
    assert inner == pytest.approx(outer - 1.5 * len(unshared))


def test_families_explain_the_lines_of_the_textbook():
    """Races strike once an element; a ball hits both races; sidebands turn with the damage.

    Randall, Antoni: Rolling element bearing diagnostics, MSSP 25 (2011) 485.
    """
    for race, reach in ((OUTER, 2), (INNER, 3)):
        assert race.harmonics == tuple(range(1, 6))
        beside = {(n, m) for n in (1, 2, 3) for m in range(-reach, reach + 1)}
        assert set(race.sidebands) == beside - {(1, 0), (2, 0), (3, 0)}
        assert not race.cage_sidebands
    assert BALL.cage_sidebands
    assert all(n % 2 == 0 for n in BALL.harmonics)
    assert {n for n, _ in BALL.sidebands} < set(BALL.harmonics)
    assert not OUTER.sidebands_expected
    assert INNER.sidebands_expected
    assert BALL.sidebands_expected
