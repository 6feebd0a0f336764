"""The catalogue of bearings: kinematics, sources, search."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median

import pytest

from auscult.dsp.bearing_types import CATALOGUE, candidates, find_type, search

EXACT = [one for one in CATALOGUE if not one.approximate]


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_orders_obey_the_kinematics(entry):
    """BPFO + BPFI is the number of elements, BPFO that number times the cage order."""
    bearing = entry.bearing
    total = bearing.bpfo + bearing.bpfi
    assert total == pytest.approx(round(total), abs=1e-6)
    assert bearing.bpfo == pytest.approx(total * bearing.ftf, rel=4e-3)  # three digits of the cage
    ratio = 1 - 2 * bearing.bpfo / total
    if entry.geometry is None or entry.geometry.contact_angle_deg == 0:
        assert bearing.bsf == pytest.approx((1 - ratio**2) / (2 * ratio), rel=4e-3)


def test_every_entry_names_its_source_and_is_there_once():
    assert all(len(one.source) > 20 for one in CATALOGUE)
    assert len({one.name.lower() for one in CATALOGUE}) == len(CATALOGUE)
    assert all("convention" in one.source for one in CATALOGUE if one.approximate)


def test_conventional_entries_come_near_published_ones_of_the_same_size():
    """The spread between makers: with the same ball count, the race orders agree within 2.1 %."""
    deviations = []
    for exact in EXACT:
        twin = find_type(exact.name.split()[0])
        if exact.name.endswith("Timken") and twin is not None:
            assert twin.geometry is not None
            if round(exact.bearing.bpfo + exact.bearing.bpfi) == twin.geometry.balls:
                deviations.append(twin.bearing.bpfo / exact.bearing.bpfo - 1)
    assert len(deviations) >= 20
    assert max(map(abs, deviations)) < 0.021
    assert abs(median(deviations)) < 0.005


def test_search_by_designation_and_by_comb():
    assert search("6205")[0].name == "6205-2RS JEM SKF"
    assert {one.name for one in search("er-10k")} == {"ER-10K MB"}
    assert search("zzz") == []
    inner = candidates(4.948, 0.002)
    assert ("6204 Timken", "bpfi") in [(c.type.name, c.part) for c in inner]
    assert [c.type.approximate for c in inner] == sorted(c.type.approximate for c in inner)
    balls = candidates(2 * 2.3567, 0.001)
    assert ("6205-2RS JEM SKF", "bsf") in [(c.type.name, c.part) for c in balls]


def test_conventional_sizes_are_bearings_that_can_be_built():
    """Balls leave room for the rings and go between them; rings grow with the bore (ISO 15)."""
    pitches_mm: dict[str, list[float]] = {}
    for one in CATALOGUE:
        if not one.approximate:
            continue
        assert one.geometry is not None
        pitches_mm.setdefault(one.name[:2], []).append(one.geometry.pitch_diameter_mm)
        bore_mm = BORES_MM.get(one.name[2:], 5 * int(one.name[2:]))
        section_mm = one.geometry.pitch_diameter_mm - bore_mm
        assert 0.45 < one.geometry.ball_diameter_mm / section_mm < 0.66, one.name
        each = 2 * math.asin(one.geometry.ball_diameter_mm / one.geometry.pitch_diameter_mm)
        assert 170 < math.degrees((one.geometry.balls - 1) * each) < 200, one.name
    for sizes in pitches_mm.values():
        assert all(1.5 < larger - smaller < 10.5 for smaller, larger in pairwise(sizes))


BORES_MM = {"00": 10, "01": 12, "02": 15, "03": 17}
"""Of the first bore codes; from 04 on it is five times the code."""


@pytest.mark.parametrize(
    "entry", [one for one in EXACT if one.geometry], ids=lambda entry: entry.name
)
def test_elements_of_a_published_geometry_fit_on_their_circle(entry):
    """They do not overlap, and no bearing has so few that they fill less than 0.45 of it."""
    shape = entry.geometry
    each = 2 * math.asin(shape.ball_diameter_mm / shape.pitch_diameter_mm)
    assert 0.45 < shape.balls * each / (2 * math.pi) < 1
