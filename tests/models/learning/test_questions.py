"""Questions: few, the most informative, never the same twice, and answered as a label."""

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.contract.records import Condition
from auscult.contract.times import WEEK_NS
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.learning.questions import KEPT, MOST, PER_WEEK, Cause, Questions
from auscult.models.records import Decision, ScoredWindow
from tests.models.learning.test_reports import Reporting
from tests.models.learning.world import INNER_RACE, NEW_SPEED, windows

COORDINATES = 12
HOUR_NS = 3600 * 10**9


class Machine:
    """Hops of one point; a departure is a direction with a p-value."""

    def __init__(self, path):
        self.questions = Questions(path)
        self.now_ns = 0

    def hop(self, direction, p_value, evidence, *, seen=True, has_event=False):
        self.now_ns += 10**9
        position = np.eye(COORDINATES, dtype=np.float32)[direction]
        window = ScoredWindow("de", self.now_ns, position, 0.0, "", seen=seen)
        decision = Decision(None, self.now_ns, Condition.NORMAL, (), p_value, evidence, 1.0, 2.0)
        return self.questions.follow(decision, [window], self.now_ns, has_event=has_event)

    def stretch(self, direction, p_value=0.01, n=8, **more):
        asked = [self.hop(direction, p_value, 0.8, **more) for _ in range(n)]
        asked.append(self.hop(direction, 0.5, 0.0))
        return next((one for one in asked if one is not None), None)

    @property
    def open(self):
        return self.questions.open(self.now_ns)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path / "questions")


def test_a_near_miss_is_asked_about_when_it_is_over(machine):
    question, hops = machine.stretch(1)
    assert (question.cause, question.windows, len(hops)) == (Cause.NEAR_MISS, 8, 8)
    assert question.information == pytest.approx(2.33, abs=0.01)
    assert "80% of the warning level" in question.said.text
    assert machine.open == (question,)


def test_a_new_state_is_asked_about_while_it_lasts(machine):
    asked = [machine.hop(1, 0.01, 0.0, seen=False) for _ in range(2 * MOST)]
    (found,) = [one for one in asked if one is not None]
    assert found[0].cause is Cause.NEW_STATE
    assert len(found[1]) <= KEPT
    assert machine.open == (found[0],), "the rest of it is the same"


@pytest.mark.parametrize(
    "stretch",
    [
        {"p_value": 0.4},
        {"n": 3},
        {"has_event": True},
    ],
    ids=["looks normal", "too short", "belongs to an event"],
)
def test_what_an_answer_would_not_change_is_not_asked(machine, stretch):
    assert machine.stretch(1, **stretch) is None


def test_the_best_of_a_week_are_asked_first_whatever_their_order(machine):
    for direction, p_value in enumerate([0.1, 0.02, 0.05, 0.2, 0.001, 0.01]):
        machine.stretch(direction, p_value)
    waiting = machine.open
    assert [round(one.information, 1) for one in waiting] == [3.1, 2.3, 2.1]
    assert len(waiting) == PER_WEEK


def test_an_answer_frees_no_further_question_in_its_week(machine):
    for direction in range(PER_WEEK):
        question, _ = machine.stretch(direction)
        machine.questions.answer(question.question_id)
    assert machine.stretch(5, 1e-6) is None
    machine.now_ns += WEEK_NS
    assert machine.stretch(5, 1e-6) is not None


def test_the_same_is_not_asked_again(machine):
    question, _ = machine.stretch(1)
    assert machine.stretch(1) is None
    machine.questions.answer(question.question_id)
    machine.now_ns += WEEK_NS
    assert machine.stretch(1) is None
    assert machine.open == ()


def test_questions_survive_a_restart_and_expire(machine, tmp_path):
    question, _ = machine.stretch(1)
    again = Questions(tmp_path / "questions")
    assert again.open(machine.now_ns) == (question,)
    assert again.open(machine.now_ns + 3 * WEEK_NS) == ()
    (tmp_path / "questions").write_bytes(b"damaged")
    assert Questions(tmp_path / "questions").open(0) == ()


def departing(world, *shifts, n=24, seed=60):
    """Pass hops through the learning of a machine as a near-miss."""
    learning = MachineLearning(world.folder, "pump")
    learning._updater = world.updater
    learning._questions = Questions(world.folder / "questions")
    for i, hop in enumerate(world.hops(windows(n + 1, seed, *shifts))):
        evidence = 0.8 if i < n else 0.0
        decision = Decision(None, world.t_ns, Condition.NORMAL, (), 0.01, evidence, 1.0, 2.0)
        learning.ask(decision, hop, None)
    (question,) = learning.questions
    return question


@pytest.fixture
def world(tmp_path):
    return Reporting(tmp_path)


def test_normal_is_learned_as_a_false_alarm(world):
    question = departing(world, (NEW_SPEED, 0.7))
    before = world.beyond(windows(200, 7, (NEW_SPEED, 0.7)))
    update = world.label(question.question_id, Verdict.FALSE_ALARM)
    assert update.accepted, update.said.text
    assert world.beyond(windows(200, 7, (NEW_SPEED, 0.7))) < before / 5


def test_a_fault_is_learned_as_a_reported_one(world):
    question = departing(world, (INNER_RACE, 0.4))
    healthy = world.beyond(windows(300, 7))
    update = world.label(question.question_id, Verdict.CONFIRMED_FAULT)
    assert update.accepted, update.said.text
    assert world.beyond(windows(300, 8, (INNER_RACE, 0.4))) > 0.3
    assert world.beyond(windows(300, 7)) <= healthy + 0.005
    assert world.label(question.question_id, Verdict.UNSURE).accepted, "it can be withdrawn"
    assert all(head.is_start for head in world.updater.heads.values())


def test_the_nearest_to_the_limit_comes_first(machine):
    (clear, _), (near, _) = machine.stretch(0, 1e-9), machine.stretch(1, 0.003)
    assert clear.information > near.information
    assert machine.open == (near, clear)


def test_questions_of_a_clock_that_was_ahead_hold_up_no_others(machine):
    machine.now_ns = 52 * WEEK_NS
    for direction in range(PER_WEEK):
        assert machine.stretch(direction, 0.01) is not None
    machine.now_ns = 0
    assert machine.open == ()
    question, _ = machine.stretch(PER_WEEK, 0.02)
    assert machine.open == (question,)
