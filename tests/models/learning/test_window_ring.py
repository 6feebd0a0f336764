"""The ring of windows: it reaches back hours, is bounded, and survives a power cut."""

import numpy as np
import pytest

from auscult.contract.times import HOUR_NS
from auscult.models.learning.window_ring import EVERY_NS, HOURS, WindowRing
from auscult.models.records import ScoredWindow

ZERO = np.zeros(4, np.float32)


def window(t_ns, point="de", z=1.5):
    return ScoredWindow(point, t_ns, ZERO, 0.0, "1500 r/min", True, z * np.ones(3, np.float32))


@pytest.fixture
def ring(tmp_path):
    return WindowRing(tmp_path, ("de", "nde"), 3, "baseline-1")


def test_what_was_flushed_is_there_after_a_power_cut(ring, tmp_path):
    ring.add([window(10 * EVERY_NS), window(10 * EVERY_NS, "nde", 2.5)])
    ring.flush()
    ring.add([window(20 * EVERY_NS)])
    assert len(ring.between(0, HOUR_NS)) == 3, "those in memory count too"
    again = WindowRing(tmp_path, ("de", "nde"), 3, "baseline-1")
    found = again.between(10 * EVERY_NS, 10 * EVERY_NS)
    assert [(w.point, w.state, w.seen, w.z.tolist()) for w in found] == [
        ("de", "1500 r/min", True, [1.5] * 3),
        ("nde", "1500 r/min", True, [2.5] * 3),
    ]
    assert again.since_ns == 10 * EVERY_NS


def test_a_torn_frame_costs_itself_only(ring, tmp_path):
    ring.add([window(0)])
    ring.flush()
    (path,) = tmp_path.glob("windows-*")
    path.write_bytes(path.read_bytes()[:-5])
    ring.add([window(EVERY_NS)])
    ring.flush()
    assert [w.t_ns for w in ring.between(0, HOUR_NS)] == [EVERY_NS]


def test_it_thins_out_and_forgets_the_oldest_hours(ring, tmp_path):
    for k in range(50):
        ring.add([window(k * EVERY_NS // 5)])
    assert len(ring.between(0, HOUR_NS)) == 10
    for hour in range(HOURS + 5):
        ring.add([window(hour * HOUR_NS + HOUR_NS // 2)])
        ring.flush()
    assert len(list(tmp_path.iterdir())) == HOURS
    assert ring.since_ns == 5 * HOUR_NS + HOUR_NS // 2


def test_another_baseline_begins_anew(ring, tmp_path):
    ring.add([window(0)])
    ring.flush()
    assert WindowRing(tmp_path, ("de", "nde"), 3, "baseline-2").since_ns is None
    assert list(tmp_path.iterdir()) == []


def test_hours_of_a_clock_that_was_ahead_make_room(ring, tmp_path):
    ahead = 1000
    for hour in [*range(ahead, ahead + HOURS), *range(3)]:
        ring.add([window(hour * HOUR_NS)])
        ring.flush()
    assert len(list(tmp_path.iterdir())) == HOURS
    assert [w.t_ns for w in ring.between(0, 3 * HOUR_NS)] == [h * HOUR_NS for h in range(3)]
    assert ring.since_ns == 0
