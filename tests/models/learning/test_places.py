"""A place is a state: the net scores windows again from there, up to the place's reach."""

from dataclasses import replace

import numpy as np

from auscult.models.baseline.kind_model import Rescored
from auscult.models.learning.head import Head
from auscult.models.learning.head_fit import with_places
from auscult.models.learning.replay import Replay, RowClass
from auscult.models.learning.settings import SETTINGS
from auscult.models.learning.stored_head import read_head

M, W = 144, 6
AWAY = np.full((1, W), 40.0, np.float32)
"""Far beyond the clip: the position of such a window says little."""


def rescore(z):
    """Score by the distance alone, about 1 for a healthy window."""
    position = np.zeros((len(z), M), np.float32)
    position[:, :W] = z / np.sqrt(W)
    return Rescored(position, np.log((z**2).mean(1)).astype(float))


def head_at(centre):
    start = Head.start(M)
    return replace(
        start,
        places=np.ones((1, M), np.float16),
        spread=np.ones(1, np.float32),
        centres=centre.astype(np.float16),
        own_scores=np.zeros(1, np.float32),
    )


def score(head, z):
    position = np.ones((1, M), np.float32)  # clipped: the same for all
    return float(head.adjust(position, np.array([4.0]), z, rescore)[0])


def test_a_window_of_the_place_gets_the_score_from_there():
    assert score(head_at(AWAY), AWAY + 1.0) < 0.1


def test_what_was_never_there_stays_an_anomaly():
    far = AWAY + np.exp((SETTINGS.reach + SETTINGS.reach_fade + 0.1) / 2).astype(np.float32)
    assert score(head_at(AWAY), far) == 4.0
    assert score(head_at(AWAY), AWAY + 30.0) == 4.0


def test_a_heads_own_reach_survives_its_bytes():
    near = replace(head_at(AWAY), reach=0.5, reach_fade=0.25)
    assert score(head_at(AWAY), AWAY + 2.0) < 1.5
    assert score(near, AWAY + 2.0) == 4.0
    assert score(read_head(near.to_bytes()), AWAY + 2.0) == 4.0


def test_a_place_with_wider_windows_reaches_farther():
    wide = replace(head_at(AWAY), own_scores=np.array([2.0], np.float32))
    assert score(head_at(AWAY), AWAY + 5.0) == 4.0
    assert score(wide, AWAY + 5.0) < 3.3


def test_half_of_what_a_places_own_windows_scatter_counts_as_normal():
    scatters = replace(head_at(AWAY), own_scores=np.array([1.0], np.float32))
    usual = AWAY + np.float32(np.exp(0.5))
    assert abs(score(scatters, usual) - 0.5) < 0.1


def test_a_place_survives_its_bytes_and_the_format_before():
    head = head_at(AWAY)
    assert score(read_head(head.to_bytes()), AWAY + 1.0) == score(head, AWAY + 1.0)
    bare = replace(head, centres=np.full_like(head.centres, np.nan))
    assert score(bare, AWAY + 1.0) < 0.1, "the position takes the part of the state"


def test_an_event_over_two_states_has_a_place_in_each():
    """Windows are measured from the location of their state; those of a rare state count not."""
    replay = Replay(M, W)
    for i in range(16):
        for state, z in (("a", AWAY), ("b", -AWAY), *[("c", AWAY)] * (i < 4)):
            z = z[0] + np.float32(1 - 2 * (i % 2))
            position = rescore(z[None]).position[0]
            replay.offer(position, 4.0, i, state=state, event_id="E1", z=z)
    replay.mark("E1", RowClass.FALSE_ALARM)
    head = with_places(Head.start(M), replay.rows, rescore=rescore)
    assert len(head.places) == 2
    assert score(head, AWAY + 1.0) < 0.1
    assert score(head, -AWAY + 1.0) < 0.1
