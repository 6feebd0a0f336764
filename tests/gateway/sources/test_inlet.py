"""The queue between sources and the pipeline."""

from __future__ import annotations

import tracemalloc

import numpy as np

from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.sources import inlet
from auscult.gateway.sources.feed import Feed
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


def test_blocks_that_wait_keep_no_more_than_themselves_in_memory(monkeypatch):
    """A full inlet takes few blocks of what a source reads at once; each kept all of that."""
    monkeypatch.setattr(inlet, "TAKE_BYTES", 30_000)
    queue, feed = Inlet(max_bytes=1_000_000), Feed("test")
    tracemalloc.start()
    try:
        for _ in range(20):
            whole = np.ones((4, 65_536), np.float32)  # 1 MB
            for number in range(32):
                piece = whole[:, 2048 * number : 2048 * (number + 1)]
                points = [PointId("pump", f"p{row}") for row in range(4)]
                blocks = [feed.block(p, 25_600.0, 0, piece[i], "g") for i, p in enumerate(points)]
                feed.deliver(queue, blocks)
                if number % 3 == 0:  # a consumer that is too slow
                    queue.take(0)
        del whole, piece, blocks
        assert feed.dropped > 1000
        assert tracemalloc.get_traced_memory()[0] < 1.5 * queue.waiting_bytes
    finally:
        tracemalloc.stop()


def test_channels_that_were_read_together_are_not_copied():
    read = np.ones((4, 2560), np.float32)
    block = Feed("test").block(PointId("pump", "p0"), 25_600.0, 0, read[0], "g")
    assert np.shares_memory(block.samples, read)
