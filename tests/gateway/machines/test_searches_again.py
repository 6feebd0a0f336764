"""When the recent windows of an event are searched again for what is wrong."""

from __future__ import annotations

import numpy as np

from auscult.contract.records import Condition
from auscult.gateway.windows.pipeline import Hop
from tests.gateway.machines.test_idle import SPEC, hop, machine

__all__ = ["machine"]

CHANGE = np.exp(np.random.default_rng(1).standard_normal(len(SPEC))).astype(np.float32)
"""Another spectrum: a change of all features alike would be one of the sensor."""


def faulty(number: int) -> Hop:
    (observation,) = hop(number).observations
    return Hop("m", (observation._replace(features=observation.features * CHANGE),))


def test_a_clock_that_is_set_back_does_not_hold_up_the_next_search(machine):
    for number in range(5000, 5010):
        machine.process(hop(number))
    opened = [machine.process(faulty(number)).search_due for number in range(5010, 5020)]
    assert machine.decision.condition is Condition.ALARM
    assert any(opened)
    later = [machine.process(faulty(number)).search_due for number in range(100, 110)]
    assert any(later)
