"""The queue between sources and the pipeline."""

from __future__ import annotations

import numpy as np

from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.sources import inlet
from auscult.gateway.sources.inlet import Inlet


def test_a_backlog_of_slow_points_is_taken_a_second_at_a_time(monkeypatch):
    """Taken at once, minutes of them kept status, trends and overload waiting."""
    now_s = 0.0
    monkeypatch.setattr(inlet.time, "monotonic", lambda: now_s)
    queue = Inlet()
    for number in range(40):
        now_s = 0.25 * number
        samples = np.zeros(500, np.float32)
        block = SampleBlock(PointId("pump", "de"), 2000.0, 0, number, samples, "g")
        assert queue.put([block], wait=False)
    taken, waited = [], []
    while items := queue.take(0):
        taken.append([item.sequence for item in items])
        waited.append(queue.waited_s)
    assert [number for turn in taken for number in turn] == list(range(40))
    assert max(map(len, taken)) == 5, "one second, both ends included"
    assert waited[0] == now_s - 1.25
