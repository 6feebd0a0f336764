"""A candidate decides beside the active heads until it is promoted or rejected."""

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.contract.records import CheckpointState
from auscult.contract.said import Said
from auscult.models.learning.checkpoints import CheckpointError
from auscult.models.learning.head import Head
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.shadow import ShadowRun
from auscult.models.records import ScoredWindow
from tests.models.learning.world import (
    CONTEXT,
    COORDINATES,
    INNER_RACE,
    NEW_SPEED,
    OUTER_RACE,
    World,
    windows,
)

AWAY = (NEW_SPEED, 1.5)
FAULT = (INNER_RACE, 1.0)
PROMOTED = Said("promoted_by", {"actor": "ada"})
SHADOW = LearningSettings(shadow_windows=100)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path, settings=SHADOW)


def states(world):
    return [entry.checkpoint.state.value for entry in world.updater.checkpoints()]


def test_a_candidate_changes_no_score_until_it_is_promoted(world):
    update = world.event("E1", AWAY, verdict=Verdict.FALSE_ALARM)
    assert update.accepted
    assert states(world) == ["active", "candidate"]
    assert world.beyond(windows(100, 7, AWAY)) == 1.0
    assert world.updater.resolve_shadow(world.t_ns) is None
    world.show(windows(30, 70))
    world.updater.save()
    world.open()
    assert world.updater.shadow.windows == 60, "two points of 30 windows each"
    world.show(windows(30, 71))
    done = world.updater.resolve_shadow(world.t_ns)
    assert done.state is CheckpointState.ACTIVE
    assert "shadow run passed: 120 live windows" in done.reason.text
    assert states(world) == ["retired", "retired", "active"]
    assert world.beyond(windows(100, 7, AWAY)) < 0.05
    scores = world.log_scores(windows(20, 7, AWAY))
    world.open()
    np.testing.assert_array_equal(world.log_scores(windows(20, 7, AWAY)), scores)


def test_a_person_can_reject_a_candidate(world):
    world.event("E1", AWAY, verdict=Verdict.FALSE_ALARM)
    world.updater.reject(world.t_ns, Said("rejected_by", {"actor": "ada"}))
    assert states(world) == ["active", "retired", "rejected"]
    world.open()
    assert world.updater.shadow is None
    assert world.beyond(windows(100, 7, AWAY)) == 1.0
    with pytest.raises(CheckpointError, match="no candidate"):
        world.updater.promote(world.t_ns, PROMOTED)
    world.event("E2", (OUTER_RACE, 1.5), verdict=Verdict.FALSE_ALARM)
    world.updater.promote(world.t_ns, PROMOTED)
    assert world.beyond(windows(100, 7, AWAY)) == 1.0, "the dropped label does not come back"
    assert world.beyond(windows(100, 7, (OUTER_RACE, 1.5))) < 0.05


def open_a_false_alarm(world):
    """E2 is a false alarm at a new speed until the fault E3, a candidate, is like it."""
    for event, *shifts in ("E1", AWAY), ("E2", AWAY, FAULT), ("E3", (INNER_RACE, 1.5)):
        verdict = Verdict.CONFIRMED_FAULT if event == "E3" else Verdict.FALSE_ALARM
        update = world.event(event, *shifts, seed=int(event[1:]), verdict=verdict)
        if event != "E3":
            world.updater.promote(world.t_ns, PROMOTED)
    assert update.contradicts == ("E2",)


def test_a_rejected_candidate_opens_no_false_alarm(world):
    """The next label does not bring back what a rejected confirmed fault had opened."""
    open_a_false_alarm(world)
    world.updater.reject(world.t_ns, Said("rejected_by", {"actor": "ada"}))
    world.open()
    world.event("E4", (OUTER_RACE, 1.5), verdict=Verdict.FALSE_ALARM)
    world.updater.promote(world.t_ns, PROMOTED)
    assert world.beyond(windows(200, 8, AWAY, FAULT)) < 0.3


def test_a_rejected_candidate_brings_no_withdrawn_answer_back(world):
    """Its fault had opened E2, and a person withdrew the false alarm E2 since."""
    open_a_false_alarm(world)
    world.label("E2", Verdict.UNSURE)
    world.updater.reject(world.t_ns, Said("rejected_by", {"actor": "ada"}))
    world.event("E4", (OUTER_RACE, 1.5), verdict=Verdict.FALSE_ALARM)
    world.updater.promote(world.t_ns, PROMOTED)
    assert world.beyond(windows(200, 8, AWAY, FAULT)) > 0.98


def test_the_next_label_builds_on_the_candidate(world):
    world.event("E1", AWAY, verdict=Verdict.FALSE_ALARM)
    world.event("E2", (OUTER_RACE, 1.5), verdict=Verdict.FALSE_ALARM)
    assert states(world) == ["active", "retired", "candidate"]
    world.updater.promote(world.t_ns, PROMOTED)
    for shift in (AWAY, (OUTER_RACE, 1.5)):
        assert world.beyond(windows(100, 7, shift)) < 0.05


def test_an_undoing_does_not_wait(world):
    world.event("E1", AWAY, verdict=Verdict.FALSE_ALARM)
    world.updater.promote(world.t_ns, PROMOTED)
    assert world.label("E1", Verdict.UNSURE).accepted
    assert world.beyond(windows(100, 7, AWAY)) == 1.0


def test_a_candidate_that_hides_a_known_fault_is_rejected(tmp_path):
    """The gate was off, so a wrong label reached the shadow run."""
    settings = LearningSettings(shadow_windows=100, gate=False, resembles=0.6)
    world = World(tmp_path, settings=settings)
    world.event("E1", FAULT, verdict=Verdict.CONFIRMED_FAULT)
    world.updater.promote(world.t_ns, PROMOTED)
    world.event("E2", FAULT, seed=51, verdict=Verdict.FALSE_ALARM)
    world.show(windows(20, 52, FAULT), "E3")
    done = world.updater.resolve_shadow(world.t_ns)
    assert done.state is CheckpointState.REJECTED
    assert "like a confirmed fault hidden" in done.reason.text
    assert world.beyond(windows(100, 8, FAULT)) > 0.98


def test_hours_count_as_well(world):
    run = ShadowRun("c", windows=1000, first_ns=0, last_ns=3600 * 10**9)
    assert run.decision(LearningSettings(shadow_windows=100, shadow_hours=2)) is None
    assert run.decision(LearningSettings(shadow_windows=100, shadow_hours=1)).accepted


def test_a_clock_that_is_set_back_does_not_hold_up_the_hours():
    head = Head.start(COORDINATES)
    heads, points, run = {"de": head}, {"de": CONTEXT}, ShadowRun("c")
    hour_ns = 3600 * 10**9
    position = windows(1, 70)[0]
    for at_ns in (20_000 * hour_ns, 10_000 * hour_ns, 10_001 * hour_ns):
        window = ScoredWindow("de", at_ns, position, 0.0, "", True)
        run.compare([window], False, heads, heads, points, SHADOW)
    assert run.last_ns - run.first_ns == hour_ns
