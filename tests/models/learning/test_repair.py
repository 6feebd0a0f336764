"""Was the repair good: gone, unchanged or something new, within 20 windows."""

import numpy as np
import pytest

from auscult.contract.records import Condition
from auscult.models.learning.repair import WINDOWS, RepairCheck, RepairResult
from auscult.models.learning.replay import number_of
from auscult.models.records import Decision, ScoredWindow

FAULT = np.array([3.0, 0, 0], np.float32)
OTHER = np.array([0, 3.0, 0], np.float32)
STATE = "1500 r/min"


def check():
    return RepairCheck("E1", 0, {number_of(STATE): {"de": FAULT}})


def show(check, shift, p_value, n=WINDOWS, state=STATE, seen=True):
    rng = np.random.default_rng(0)
    done = False
    for k in range(n):
        position = (shift + 0.1 * rng.standard_normal(3)).astype(np.float32)
        window = ScoredWindow("de", k, position, 0.0, state, seen)
        done = check.add_hop(Decision(None, k, Condition.NORMAL, (), p_value), [window])
    return done


@pytest.mark.parametrize(
    ("shift", "p_value", "result"),
    [
        (0 * FAULT, 0.4, RepairResult.GONE),
        (FAULT, 1e-5, RepairResult.UNCHANGED),
        (2 * FAULT, 1e-9, RepairResult.UNCHANGED),
        (OTHER, 1e-5, RepairResult.NEW),
    ],
)
def test_it_decides_within_20_windows(shift, p_value, result):
    one = check()
    assert not show(one, shift, p_value, WINDOWS - 1)
    assert one.said.text.endswith("19 of 20 windows")
    assert show(one, shift, p_value, 1)
    assert one.result is result


def test_at_another_load_a_fault_may_look_less_alike():
    turned = FAULT + np.array([0, 2.0, 0], np.float32)
    one, other = check(), check()
    show(one, turned, 1e-5)
    show(other, turned, 1e-5, state="1000 r/min")
    assert (one.result, other.result) == (RepairResult.NEW, RepairResult.UNCHANGED)


def test_unseen_states_do_not_count():
    one = check()
    assert not show(one, OTHER, 1e-9, seen=False)
    assert one.windows == 0


def test_an_event_without_windows_counts_as_unchanged():
    one = RepairCheck("E1", 0, {})
    show(one, FAULT, 1e-5)
    assert one.result is RepairResult.UNCHANGED


def test_a_result_survives_a_restart_and_an_unfinished_check_begins_again():
    one, half = check(), check()
    show(one, OTHER, 1e-5)
    show(half, OTHER, 1e-5, 5)
    again = RepairCheck.from_bytes(one.to_bytes(), lambda _: {})
    assert (again.result, again.likeness, again.said) == (one.result, one.likeness, one.said)
    assert RepairCheck.from_bytes(half.to_bytes(), lambda _: half.before) == check()
