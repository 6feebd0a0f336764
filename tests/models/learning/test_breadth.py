"""A false alarm in which many features leave the healthy range by far is labelled twice."""

from dataclasses import replace

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.models.learning.breadth import breadth
from auscult.models.learning.replay import Replay, RowClass
from tests.models.learning.world import CONTEXT, COORDINATES, NEW_SPEED, World

SLOTS = 20
AWAY = (NEW_SPEED, 1.5)


class WideWorld(World):
    """Windows of events have so many features beyond ten healthy spreads."""

    context = replace(CONTEXT, slots=SLOTS)
    wide = 0

    def hops(self, v, state=""):
        z = np.where(np.arange(SLOTS) < self.wide, -12.0, 9.0).astype(np.float32)
        for hop in super().hops(v, state):
            yield [window._replace(z=z) for window in hop]


def test_breadth_is_the_share_of_features_beyond_the_limit_of_z_scores():
    replay = Replay(COORDINATES, 4)
    position = np.zeros(COORDINATES, np.float32)
    for z in ([0, 0, 0, 30], [0, -11, 0, 30], [9, -11, 2, 30], [np.nan] * 4):
        replay.offer(position, 0.0, 1, event_id="E", z=np.array(z, np.float32))
    replay.mark("E", RowClass.FALSE_ALARM)
    assert breadth(replay.rows) == 0.5
    assert breadth(Replay(COORDINATES, 4).rows) == 0.0


@pytest.mark.parametrize(("wide", "accepted"), [(4, True), (5, False), (SLOTS, False)])
def test_a_wide_departure_is_no_false_alarm_at_once(tmp_path, wide, accepted):
    world = WideWorld(tmp_path)
    world.wide = wide
    update = world.false_alarm("E1", AWAY)
    assert update.accepted is accepted
    if not accepted:
        assert update.said.code == "gate_departs_widely"
        assert update.said.values["share"] == wide / SLOTS
        assert not world.updater.is_labelled("E1")


def test_a_second_label_insists_also_after_a_restart(tmp_path):
    world = WideWorld(tmp_path)
    world.wide = SLOTS
    assert not world.false_alarm("E1", AWAY).accepted
    world.open()
    assert world.label("E1", Verdict.FALSE_ALARM).accepted


def test_a_wide_departure_is_a_fault_at_once(tmp_path):
    world = WideWorld(tmp_path)
    world.wide = SLOTS
    assert world.fault("E1", AWAY).accepted
