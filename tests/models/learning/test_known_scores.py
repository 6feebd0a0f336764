"""Scores that the gate knows from an earlier label are those that it would compute now."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np

from auscult.models.learning.head import Head
from auscult.models.learning.known_scores import KnownScores
from auscult.models.learning.replay import Replay, ReplayRows, RowClass
from auscult.models.learning.settings import SETTINGS

M = 5
SMALL = replace(SETTINGS, healthy_rows=12, open_rows=12)


def summed(rows: ReplayRows) -> np.ndarray:
    """Score of a window that depends on its position only."""
    return rows.positions.sum(1).astype(np.float64)


def test_rows_that_come_and_go_keep_their_own_scores() -> None:
    rng = np.random.default_rng(0)
    replay, known = Replay(M, settings=SMALL), KnownScores()
    heads = [Head.start(M) for _ in range(2)]
    computed = 0

    def counted(rows: ReplayRows) -> np.ndarray:
        nonlocal computed
        computed += len(rows)
        return summed(rows)

    for step in range(60):
        event = None if step % 3 else f"event-{step // 9}"
        position = rng.standard_normal(M).astype(np.float32)
        replay.offer(position, 0.0, step, event_id=event)
        if step == 30:
            replay.discard_healthy(20, 25)
        if step == 45:
            replay.mark("event-3", RowClass.FALSE_ALARM)
        for rows in (replay.held_back, deepcopy(replay).held_back):
            head = heads[step % 2]
            np.testing.assert_array_equal(known.scores_of(head, rows, counted), summed(rows))
    assert computed < 60 * 6  # not each of up to 24 rows in each of 120 calls
    np.testing.assert_array_equal(
        known.scores_of(Head.start(M), replay.rows, counted), summed(replay.rows)
    )


def test_rows_of_a_restored_replay_have_other_numbers_than_later_ones() -> None:
    replay = Replay(M)
    for step in range(10):
        replay.offer(np.full(M, step, np.float32), 0.0, step)
    again = Replay.from_bytes(replay.to_bytes())
    again.offer(np.full(M, 10, np.float32), 0.0, 10)
    assert (np.diff(again.rows.serials) > 0).all()
