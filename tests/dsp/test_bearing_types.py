"""The catalogue of bearings: kinematics, sources, search."""

from __future__ import annotations

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
    """The spread between makers: where the ball count agrees, the race orders agree within 5 %."""
    agree = 0
    for exact in EXACT:
        twin = find_type(exact.name.split()[0])
        if exact.name.endswith("Timken") and twin is not None:
            same = round(exact.bearing.bpfo + exact.bearing.bpfi) == twin.geometry.balls
            agree += same
            if same:
                assert twin.bearing.bpfo == pytest.approx(exact.bearing.bpfo, rel=0.05)
    assert agree >= 20


def test_search_by_designation_and_by_comb():
    assert search("6205")[0].name == "6205-2RS JEM SKF"
    assert {one.name for one in search("er-10k")} == {"ER-10K MB"}
    assert search("zzz") == []
    inner = candidates(4.948, 0.002)
    assert ("6204 Timken", "bpfi") in [(c.type.name, c.part) for c in inner]
    assert [c.type.approximate for c in inner] == sorted(c.type.approximate for c in inner)
    balls = candidates(2 * 2.3567, 0.001)
    assert ("6205-2RS JEM SKF", "bsf") in [(c.type.name, c.part) for c in balls]
