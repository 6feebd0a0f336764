"""A returning fault is named by the event that it resembles; another one is not."""

from auscult.contract.label import Verdict
from auscult.models.learning.recognition import DepartureSum, resemblance
from tests.models.learning.world import INNER_RACE, OUTER_RACE, POINTS, World, windows

MARCH_NS = 1_772_539_200 * 10**9  # 3 March 2026, 12:00 UTC


def test_a_weaker_return_is_named_with_event_kind_person_and_day(tmp_path):
    world = World(tmp_path)
    world.t_ns = MARCH_NS - 16 * 3600 * 10**9
    world.event("E1", (INNER_RACE, 1.5), verdict=Verdict.CONFIRMED_FAULT, kind="inner")
    world.event("E2", (OUTER_RACE, 1.5), seed=60, verdict=Verdict.CONFIRMED_FAULT, kind="outer")
    world.open()
    reason = resemblance(departure(world, (INNER_RACE, 0.8)), world.updater.known_faults, 0.8)
    assert reason is not None
    assert reason.text.startswith(
        "resembles an earlier event, confirmed as a fault (inner) by ada on 3 March 2026: "
    )
    assert reason.fault is None, "alike is no diagnosis"
    assert 0.8 <= reason.value <= 1


def test_another_departure_is_not_named(tmp_path):
    world = World(tmp_path)
    world.event("E1", (INNER_RACE, 1.5), verdict=Verdict.CONFIRMED_FAULT)
    assert resemblance(departure(world, (7, 1.5)), world.updater.known_faults, 0.8) is None
    assert resemblance(DepartureSum(), world.updater.known_faults, 0.8) is None


def test_a_withdrawn_fault_is_not_known_any_more(tmp_path):
    world = World(tmp_path)
    world.event("E1", (INNER_RACE, 1.5), verdict=Verdict.CONFIRMED_FAULT)
    assert len(world.updater.known_faults) == 1
    world.label("E1", Verdict.FALSE_ALARM)
    assert world.updater.known_faults == ()


def departure(world, *shifts):
    seen = DepartureSum()
    for hop in world.hops(windows(10, 90, *shifts)):
        seen.add(hop)
    assert set(seen.sums) == set(POINTS)
    return seen
