"""Labels change scores as they should, and never as they should not."""

import threading

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.contract.records import CheckpointState
from auscult.contract.said import Said
from auscult.models.learning import head_trainer, ledger
from auscult.models.learning.checkpoints import CheckpointError
from auscult.models.learning.gate import GateDecision
from auscult.models.learning.head_trainer import HeadTrainer
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.settings import LearningSettings
from tests.models.learning.world import (
    INNER_RACE,
    NEW_SPEED,
    OUTER_RACE,
    POINTS,
    World,
    bare_scores,
    positions,
    windows,
)
from tests.waiting import DEADLINE_S

AWAY = (NEW_SPEED, 1.5)
FAULT = (INNER_RACE, 1.0)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_without_labels_the_score_is_the_same_object(world):
    bare = np.zeros(4)
    assert world.updater.heads["de"].adjust(positions(windows(4, 0)), bare) is bare


def test_a_false_alarm_does_not_come_back(world):
    new_speed = windows(200, 7, AWAY)
    assert world.beyond(new_speed) == 1.0
    update = world.false_alarm("E1", AWAY)
    assert update.accepted, update.said.text
    assert update.before.labelled_false_alarms_silenced == 0
    assert update.after.labelled_false_alarms_silenced == 1
    assert update.after.alarms_per_week < update.before.alarms_per_week
    assert update.weights_change_norm > 0
    assert world.beyond(new_speed) < 0.05


def test_a_label_is_learned_while_another_point_has_no_windows(world):
    world.open("baseline-2")
    for hop in world.hops(windows(16, 50, AWAY)):
        world.updater.remember(hop[:1], "E1")
    assert world.label("E1", Verdict.FALSE_ALARM).accepted


def test_a_fault_in_the_new_condition_is_still_seen(world):
    world.false_alarm("E1", AWAY)
    assert world.beyond(windows(200, 8, AWAY, FAULT)) > 0.98


def test_scores_rise_along_a_confirmed_fault_alone(world):
    world.false_alarm("E1", AWAY)
    fault = windows(100, 9, FAULT)
    for shifts in ((), (AWAY,), (FAULT,), (AWAY, FAULT), ((OUTER_RACE, 2.0),)):
        v = windows(100, 9, *shifts)
        assert (world.log_scores(v) <= bare_scores(v)).all()
    world.fault("E2", FAULT)
    assert (world.log_scores(fault) > bare_scores(fault)).all()
    for shifts in ((AWAY,), ((OUTER_RACE, 2.0),), (AWAY, (OUTER_RACE, 2.0))):
        v = windows(100, 9, *shifts)
        assert (world.log_scores(v) <= bare_scores(v)).all()
    assert world.beyond(windows(1000, 9)) <= 0.005


def test_a_confirmed_fault_is_found_where_it_is_weaker(world):
    """By one confirmed fault, in windows that no event would arise from; undone with it."""
    weaker = windows(300, 8, (INNER_RACE, 0.5))
    assert world.beyond(weaker) < 0.2
    world.fault("E1", FAULT)
    assert world.beyond(weaker) > 0.9
    world.label("E1", Verdict.UNSURE)
    assert world.beyond(weaker) < 0.2


def test_faults_of_one_kind_share_a_direction_and_others_have_their_own(world):
    world.fault("E1", FAULT, kind="inner")
    world.fault("E2", FAULT, seed=51, kind="inner")
    assert len(world.updater.heads["de"].directions.units) == 1
    world.fault("E3", (OUTER_RACE, 1.0), seed=52, kind="outer")
    assert len(world.updater.heads["de"].directions.units) == 2


def test_faults_elsewhere_keep_their_score(world):
    world.false_alarm("E1", AWAY)
    v = windows(100, 9, (OUTER_RACE, 1.5))
    assert world.beyond(v) == 1.0


def test_a_label_that_would_silence_a_confirmed_fault_is_rejected(world):
    assert world.fault("E1", FAULT).accepted
    update = world.false_alarm("E2", FAULT, seed=51)
    assert not update.accepted
    assert "resembles a fault that was confirmed before" in update.said.text
    assert update.contradicts == ("E1",)
    assert 0 < update.duration_ms < 60_000
    insisted = world.label("E2", Verdict.FALSE_ALARM)
    assert not insisted.accepted
    assert "would lose or weaken the confirmed fault of event E1" in insisted.said.text
    assert world.beyond(windows(200, 8, FAULT)) > 0.98
    assert world.updater.checkpoints()[-1].checkpoint.state is CheckpointState.REJECTED


def test_a_person_who_insists_outweighs_a_likeness(world):
    """The same direction, weaker: the gate finds nothing lost."""
    world.fault("E1", (INNER_RACE, 3.0), n=30)
    assert not world.false_alarm("E2", (INNER_RACE, 0.8), seed=51).accepted
    assert world.label("E2", Verdict.FALSE_ALARM).accepted
    again = world.fault("E3", (INNER_RACE, 3.0), seed=52)
    assert (again.accepted, again.contradicts) == (True, ()), "E2 was given again already"


def test_a_rejected_label_does_not_come_back_with_the_next_one(world):
    world.fault("E1", FAULT)
    world.false_alarm("E2", FAULT, seed=51)
    assert world.false_alarm("E3", AWAY, seed=52).accepted
    assert world.beyond(windows(200, 8, FAULT)) > 0.98


def test_a_confirmed_fault_outweighs_an_earlier_false_alarm(world):
    world.false_alarm("E1", FAULT)
    assert world.beyond(windows(200, 8, FAULT)) < 0.1
    update = world.fault("E2", FAULT, seed=51)
    assert update.accepted, update.said.text
    assert "contradicts earlier false-alarm labels" in update.said.text
    assert "which no longer count: event E1" in update.said.text
    assert world.beyond(windows(200, 8, FAULT)) > 0.98


def test_a_false_alarm_that_departs_like_a_later_fault_is_asked_about(world):
    """At a new speed; it counts as open until a person gives it again, the unlike one counts."""
    at_new_speed = windows(200, 8, AWAY, FAULT)
    world.false_alarm("E1", AWAY, seed=50)
    world.false_alarm("E2", AWAY, FAULT, seed=51)
    update = world.fault("E3", (INNER_RACE, 1.5), seed=52)
    assert update.accepted, update.said.text
    assert update.contradicts == ("E2",)
    assert "events E2 depart like this fault" in update.said.text
    assert "1 of 1 labelled false alarms are silent" in update.said.text
    assert update.raised == ("E2",)
    assert world.beyond(at_new_speed) > 0.98
    assert world.beyond(windows(200, 9, AWAY)) < 0.05, "the right label still counts"
    world.open()
    assert world.beyond(at_new_speed) > 0.98
    assert world.label("E2", Verdict.FALSE_ALARM).accepted
    assert world.beyond(at_new_speed) < 0.3


def test_false_alarms_that_the_gate_needs_stay_and_are_asked_about(world, monkeypatch):
    world.false_alarm("E1", AWAY, seed=50)
    world.false_alarm("E2", AWAY, FAULT, seed=51)
    decided = iter((GateDecision(True, Said("done")), GateDecision(False, Said("done")),
                    GateDecision(False, Said("done"))))  # fmt: skip
    monkeypatch.setattr(head_trainer, "decide", lambda *_: next(decided))
    update = world.fault("E3", (INNER_RACE, 1.5), seed=52)
    assert (update.accepted, update.contradicts) == (True, ("E2",))
    assert world.beyond(windows(200, 8, AWAY, FAULT)) < 0.3
    world.open()
    assert world.beyond(windows(200, 8, AWAY, FAULT)) < 0.3


@pytest.mark.parametrize("again", [True, False])
def test_a_false_alarm_counts_again_when_the_faults_like_it_are_withdrawn(world, again):
    """Not if someone withdrew the false alarm as well."""
    at_new_speed = windows(200, 8, AWAY, FAULT)
    world.false_alarm("E1", AWAY)
    world.false_alarm("E2", AWAY, FAULT, seed=51)
    for event in ("E3", "E4"):
        world.fault(event, (INNER_RACE, 1.5), seed=int(event[1:]))
    if not again:
        world.label("E2", Verdict.UNSURE)
    world.label("E3", Verdict.UNSURE)
    assert world.beyond(at_new_speed) > 0.98, "the other fault is like it"
    world.open()
    world.label("E4", Verdict.UNSURE)
    assert (world.beyond(at_new_speed) < 0.3) is again
    world.open()
    assert (world.beyond(at_new_speed) < 0.3) is again


def test_a_fault_confirmed_long_ago_is_not_withdrawn(world, monkeypatch):
    """Its label left memory; the checkpoints hold it."""
    monkeypatch.setattr(ledger, "KNOWN_LABELS", 1)
    at_new_speed = windows(200, 8, AWAY, FAULT)
    world.false_alarm("E1", AWAY)
    world.false_alarm("E2", AWAY, FAULT, seed=51)
    world.fault("E3", (INNER_RACE, 1.5), seed=52)
    world.fault("E4", (OUTER_RACE, 1.5), seed=53)
    monkeypatch.setattr(MachineReplay, "fault_like", lambda *_: None)  # its windows left too
    world.label("E4", Verdict.UNSURE)
    assert world.beyond(at_new_speed) > 0.98
    world.label("E3", Verdict.UNSURE)
    assert world.beyond(at_new_speed) < 0.3


def test_a_false_alarm_that_was_checked_is_not_asked_about_again(world):
    world.false_alarm("E1", AWAY, seed=50)
    world.false_alarm("E2", AWAY, FAULT, seed=51)
    world.label("E2", Verdict.FALSE_ALARM)
    fault = (INNER_RACE, 1.5)
    assert world.fault("E3", fault, seed=52).contradicts == ("E2",), "no question came before"
    world.label("E2", Verdict.FALSE_ALARM)
    world.open()
    again = world.fault("E4", fault, seed=53)
    assert again.accepted, again.said.text
    assert again.contradicts == ()


def test_two_false_alarms_of_one_fault_do_not_explain_each_other(tmp_path):
    world = World(tmp_path)
    fault = (NEW_SPEED, 1.0), (INNER_RACE, 2.0)
    world.false_alarm("E1", *fault, (OUTER_RACE, 0.6))
    world.false_alarm("E2", *fault, (OUTER_RACE, -0.6), seed=51)
    assert len(world.updater.heads["de"].places) == 2
    update = world.fault("E3", (INNER_RACE, 1.5), seed=52)
    assert update.accepted, update.said.text
    assert set(update.contradicts) == {"E1", "E2"}


def test_a_correction_undoes_what_the_label_did(world):
    v = windows(50, 8, AWAY)
    before = world.log_scores(v)
    world.false_alarm("E1", AWAY)
    assert not np.array_equal(world.log_scores(v), before)
    update = world.label("E1", Verdict.UNSURE)
    assert update.accepted, update.said.text
    np.testing.assert_array_equal(world.log_scores(v), before)


def test_a_correction_keeps_what_other_labels_did(world):
    world.false_alarm("E1", AWAY)
    world.false_alarm("E2", (OUTER_RACE, 1.5))
    world.label("E2", Verdict.CONFIRMED_FAULT)
    assert world.beyond(windows(200, 8, AWAY)) < 0.05
    assert world.beyond(windows(200, 8, (OUTER_RACE, 1.5))) > 0.98


@pytest.mark.parametrize("verdict", [Verdict.UNSURE, Verdict.PLANNED_WORK])
def test_other_verdicts_change_nothing(world, verdict):
    v = windows(5, 8, AWAY)
    before = world.log_scores(v)
    update = world.event("E1", AWAY, verdict=verdict)
    assert not update.accepted
    assert update.weights_change_norm == 0
    np.testing.assert_array_equal(world.log_scores(v), before)


def test_an_event_without_windows_is_reported(world):
    update = world.label("never seen", Verdict.FALSE_ALARM)
    assert not update.accepted
    assert "no window of this event" in update.said.text


def test_earlier_conditions_are_kept_over_twenty_labels(world):
    """Twenty conditions, one label each: healthy stays healthy, and each stays learned."""
    healthy = windows(500, 3)
    before = world.beyond(healthy)
    for i in range(20):
        world.false_alarm(f"E{i}", (10 + i % 8, 1.5), seed=200 + i)
    assert world.beyond(healthy) <= before + 0.005
    for i in range(8):
        assert world.beyond(windows(100, 9, (10 + i, 1.5))) < 0.1
    assert world.beyond(windows(100, 9, FAULT)) > 0.98


def test_wrong_labels_lose_no_confirmed_fault(world):
    """A fifth of forty labels is wrong; the gate keeps what was confirmed detected."""
    rng = np.random.default_rng(5)
    rejected = 0
    for i in range(40):
        is_fault = i % 4 == 0
        shifts = ((30 + i % 3, 1.2),) if is_fault else ((10 + i % 8, 1.5),)
        truth = Verdict.CONFIRMED_FAULT if is_fault else Verdict.FALSE_ALARM
        other = Verdict.FALSE_ALARM if is_fault else Verdict.CONFIRMED_FAULT
        update = world.event(
            f"E{i}", *shifts, seed=300 + i, n=8, verdict=other if rng.random() < 0.2 else truth
        )
        assert update.after.faults_detected >= update.before.faults_detected or not update.accepted
        rejected += not update.accepted
    assert rejected > 0
    for which in range(3):
        assert world.beyond(windows(100, 9, (30 + which, 1.2))) > 0.98


def test_a_head_stays_small_however_many_labels(world):
    for i in range(40):
        world.false_alarm(f"E{i}", (10 + i, 1.5), seed=200 + i, n=4)
    head = world.updater.heads[POINTS[0]]
    assert len(head.places) <= 16
    assert len(head.to_bytes()) <= 8192


def test_restart_resumes_bit_for_bit(world):
    world.false_alarm("E1", AWAY)
    world.fault("E2", FAULT)
    v = windows(20, 8, AWAY)
    before, checkpoint = world.log_scores(v), world.updater.checkpoint_id
    world.open()
    np.testing.assert_array_equal(world.log_scores(v), before)
    assert world.updater.checkpoint_id == checkpoint
    assert world.label("E1", Verdict.UNSURE).accepted  # its windows are still there


def test_a_label_that_is_repeated_is_learned_once(world):
    first = world.false_alarm("E1", AWAY)
    for _ in range(2):
        world.labels = 0
        assert world.label("E1", Verdict.FALSE_ALARM) == first
        world.open()
    assert len(world.updater.checkpoints()) == 2


def test_windows_may_come_while_a_label_is_learned(world, monkeypatch):
    """The window loop never waits for learning."""
    began, may_go_on = threading.Event(), threading.Event()
    train = HeadTrainer.train

    def train_slowly(*args):
        began.set()
        assert may_go_on.wait(DEADLINE_S)
        return train(*args)

    monkeypatch.setattr(HeadTrainer, "train", train_slowly)
    world.event("E1", AWAY)
    updates = []
    learning = threading.Thread(
        target=lambda: updates.append(world.label("E1", Verdict.FALSE_ALARM))
    )
    learning.start()
    assert began.wait(DEADLINE_S)
    world.show(windows(20, 5, AWAY), "E2")
    may_go_on.set()
    learning.join()
    assert updates[0].accepted
    assert world.label("E2", Verdict.FALSE_ALARM).accepted, "the windows were not lost"


def test_same_history_same_heads(tmp_path):
    heads = []
    for name in ("a", "b"):
        world = World(tmp_path / name)
        world.false_alarm("E1", AWAY)
        world.fault("E2", FAULT)
        heads.append([head.to_bytes() for head in world.updater.heads.values()])
    assert heads[0] == heads[1]


def test_roll_back_is_bit_identical(world):
    v = windows(20, 8, AWAY, FAULT)
    first = world.false_alarm("E1", AWAY)
    scores = world.log_scores(v)
    world.false_alarm("E2", (OUTER_RACE, 1.5))
    world.fault("E3", FAULT)
    checkpoint = world.updater.roll_back(first.checkpoint_id, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(v), scores)
    assert checkpoint.state is CheckpointState.ACTIVE
    world.open()
    np.testing.assert_array_equal(world.log_scores(v), scores)


def test_the_first_label_can_be_taken_back(world):
    start = world.updater.checkpoint_id
    v = windows(20, 8, AWAY)
    scores = world.log_scores(v)
    world.false_alarm("E1", AWAY)
    world.updater.roll_back(start, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(v), scores)


def test_a_label_that_was_rolled_back_does_not_come_back_with_the_next_label(world):
    start = world.updater.checkpoint_id
    world.false_alarm("E1", AWAY)
    world.fault("E2", FAULT)
    world.updater.roll_back(start, world.t_ns)
    world.open()
    assert world.false_alarm("E3", (OUTER_RACE, 1.5)).accepted
    assert world.beyond(windows(200, 7, AWAY)) > 0.98
    assert not world.false_alarm("E4", FAULT, seed=51).accepted  # the fault is still guarded


def test_roll_back_to_a_missing_checkpoint_is_rejected(world):
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        world.updater.roll_back("000099-abc", 0)


def test_a_new_baseline_starts_afresh_and_keeps_the_ledger(world):
    first = world.false_alarm("E1", AWAY)
    world.open("baseline-2")
    assert all(head.is_start for head in world.updater.heads.values())
    entries = world.updater.checkpoints()
    assert [entry.label is None for entry in entries] == [True, False, True]
    with pytest.raises(CheckpointError, match="another baseline"):
        world.updater.roll_back(first.checkpoint_id, 0)


def test_gradients_of_small_batches_add_up_to_the_whole(tmp_path):
    heads = []
    for size in (16, 1000):
        world = World(tmp_path / str(size), settings=LearningSettings(micro_batch=size))
        world.fault("E1", FAULT)
        world.false_alarm("E2", AWAY)
        heads.append(world.updater.heads["de"])
    np.testing.assert_allclose(heads[0].weights, heads[1].weights, atol=0.02)


def test_the_ledger_lists_each_label(world):
    world.false_alarm("E1", AWAY)
    world.fault("E2", FAULT)
    world.false_alarm("E3", FAULT, seed=51)
    first, *entries = world.updater.checkpoints()
    assert first.update is None
    assert entries[0].checkpoint.parent_id == first.checkpoint.checkpoint_id
    assert [entry.update.label_id for entry in entries] == ["L1", "L2", "L3"]
    states = [entry.checkpoint.state for entry in entries]
    assert states == [CheckpointState.RETIRED, CheckpointState.ACTIVE, CheckpointState.REJECTED]
    assert entries[1].checkpoint.parent_id == entries[0].checkpoint.checkpoint_id


def test_each_part_of_the_method_can_be_switched_off(tmp_path):
    """For ablations: each part shows its purpose when it is off."""
    worlds = {
        name: World(tmp_path / name, settings=LearningSettings(**switches))
        for name, switches in {
            "all": {},
            "no replay": {"replay": False, "gate": False},
            "no gate": {"gate": False, "directions": 0},
            "limits only": {"places": 0},
            "places only": {"offset_max": 1.0},
            "no anchor": {"anchor": 0.0},
        }.items()
    }
    for world in worlds.values():
        world.false_alarm("E1", AWAY)
        world.false_alarm("E2", (OUTER_RACE, 1.5))
        world.fault("E3", FAULT)
        world.false_alarm("E4", FAULT, seed=51)
    first = {name: world.beyond(windows(200, 7, AWAY)) for name, world in worlds.items()}
    fault = {name: world.beyond(windows(200, 8, FAULT)) for name, world in worlds.items()}
    assert first["all"] < 0.05
    assert first["no replay"] > 0.98, "the first condition is lost"
    assert first["limits only"] > 0.98, "a raised limit does not reach so far"
    assert first["places only"] < 0.05
    assert first["no anchor"] < 0.05
    assert fault["all"] > 0.98
    assert fault["no gate"] < 0.1, "the wrong label silenced the fault"
