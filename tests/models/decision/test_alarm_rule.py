"""The rule by which conditions and events begin and end, against the earlier five places."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.records import Condition
from auscult.models.decision.alarm_rule import RULE, worst

CONDITIONS = st.sampled_from(Condition)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 1.5)), min_size=1))
def test_evidence_begins_a_condition_at_its_level_and_ends_it_below_half(rows):
    on, share = (np.array(column) for column in zip(*rows, strict=True))
    expected = [s >= 1.0 or (was and s >= 0.5) for was, s in rows]
    assert RULE.on_by_evidence(on, share).tolist() == expected


@pytest.mark.parametrize("level", [4.0, -4.0, 0.0])
def test_a_limited_value_ends_its_condition_five_percent_below_the_level(level):
    off = level - 0.05 * abs(level)
    assert RULE.on_by_value(False, level, level)
    assert RULE.on_by_value(True, off, level)
    assert not RULE.on_by_value(True, off - 1e-9, level)
    assert not RULE.on_by_value(False, level - 1e-9, level)


@pytest.mark.parametrize("on", [False, True])
def test_a_level_that_is_not_in_use_is_never_reached(on):
    assert not RULE.on_by_value(on, 1e300, inf)


def test_unknown_neither_opens_nor_closes_and_all_others_do_one_of_both():
    for condition in Condition:
        assert RULE.opens(condition) + RULE.closes(condition) == (condition != Condition.UNKNOWN)
    assert RULE.opens(Condition.WARNING)
    assert RULE.closes(Condition.LEARNING)


@given(CONDITIONS, st.sampled_from((Condition.WARNING, Condition.ALARM)))
def test_an_open_event_shows_its_condition_until_a_decision_is_known(present, opened):
    unknown = present in (Condition.LEARNING, Condition.UNKNOWN)
    assert RULE.shown(present, opened) is (opened if unknown else present)


@given(st.lists(CONDITIONS, min_size=1))
def test_the_worst_condition_has_the_highest_severity(conditions):
    order = ["normal", "learning", "unknown", "warning", "alarm"]
    assert worst(*conditions).value == max((c.value for c in conditions), key=order.index)
