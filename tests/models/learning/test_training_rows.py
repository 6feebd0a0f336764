"""What a head is trained on: few labelled windows count as much as many healthy ones."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.models.learning.head import Head
from auscult.models.learning.head_fit import training_rows_of, with_places
from auscult.models.learning.replay import Replay, RowClass
from auscult.models.learning.settings import SETTINGS

COORDINATES = 144
COUNTS = {RowClass.HEALTHY: 40, RowClass.FALSE_ALARM: 5, RowClass.CONFIRMED_FAULT: 3}


def test_each_class_counts_the_same_however_few_windows_it_has() -> None:
    rng, replay = np.random.default_rng(0), Replay(COORDINATES)
    for row_class, n in COUNTS.items():
        event = None if row_class is RowClass.HEALTHY else row_class.name
        for i in range(n):
            position = rng.standard_normal(COORDINATES).astype(np.float32) + 3 * int(row_class)
            replay.offer(position, 1.0, 100 * int(row_class) + i, event_id=event)
        if event:
            replay.mark(event, row_class)
    head = with_places(Head.start(COORDINATES), replay.rows, SETTINGS, None)
    rows = training_rows_of(head, replay.rows)
    assert len(rows.weight) == 40 + 5 + 3 + 3, "a fault counts at its place and at a normal one"
    assert rows.weight.sum() == pytest.approx(1.0)
    parts = np.split(rows.weight, [40, 45, 48])
    assert [part.sum() for part in parts] == pytest.approx([0.25] * 4)
    assert [part.tolist() for part in np.split(rows.label, [40, 45])] == [
        [1.0] * 40, [1.0] * 5, [0.0] * 6
    ]  # fmt: skip
