"""An alarm is confirmed by later windows alone."""

import numpy as np
from scipy.special import ndtr

from auscult.contract.records import Condition
from auscult.models.decision.confirmation import WINDOWS, Confirmation
from auscult.models.records import Decision


def stays(confirmation, score, condition=Condition.ALARM):
    decision = Decision(None, 0, condition, (), float(ndtr(-score)), 3.0, 1.0, 2.0)
    codes = [reason.said.code for reason in confirmation.follow(decision).reasons]
    return codes == ["level_stays"]


def test_a_level_that_stays_is_confirmed_after_its_windows():
    confirmation = Confirmation()
    found = [stays(confirmation, 2.0) for _ in range(WINDOWS + 10)]
    assert found.index(True) == WINDOWS, "the window that opened the alarm does not count"
    assert all(found[WINDOWS:])


def test_a_passing_disturbance_is_not():
    confirmation = Confirmation()
    scores = np.r_[np.full(10, 4.0), np.random.default_rng(0).standard_normal(5 * WINDOWS)]
    assert not any(stays(confirmation, score) for score in scores)


def test_a_new_alarm_is_confirmed_anew():
    confirmation = Confirmation()
    assert any(stays(confirmation, 3.0) for _ in range(2 * WINDOWS))
    assert not stays(confirmation, 0.0, Condition.NORMAL)
    assert not any(stays(confirmation, 3.0) for _ in range(WINDOWS))


def test_a_gap_in_the_scores_proves_nothing():
    confirmation = Confirmation()
    silent = Decision(None, 0, Condition.ALARM, ())
    assert all(not confirmation.follow(silent).reasons for _ in range(2 * WINDOWS))
