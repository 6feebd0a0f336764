"""Windows from blocks: any packet size gives the same windows, and no window spans a break."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.records import OperatingState
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.windows.assembler import BlockMismatchError, WindowAssembler, WindowPlan

P = PointId("pump", "drive_end")
Q = PointId("pump", "fan_end")
FS = 1000.0
PLAN = WindowPlan(FS, 0.1, 0.5, "g")
T0 = 1_700_000_000_000_000_000


def blocks(x, sizes, *, point=P, t0_ns=T0, fs=FS, rate=None):
    """Cut `x` into blocks of the given sizes; `rate` is the true rate behind the stamps."""
    at, out = 0, []
    for sequence, size in enumerate(sizes):
        t = t0_ns + round(at * 1e9 / (rate or fs))
        out.append(SampleBlock(point, fs, t, sequence, x[at : at + size], "g"))
        at += size
    return out


def windows(assembler, stream):
    rows, times = [], []
    for block in stream:
        assembler.push(block)
        for window in assembler.drain():
            rows.append(window.samples)
            times.append(window.t0_ns)
    return np.array(rows), times


@given(st.lists(st.integers(1, 350), min_size=1, max_size=20), st.sampled_from([0.0, 0.25, 0.5]))
def test_packet_sizes_do_not_matter(sizes, overlap):
    x = np.arange(sum(sizes), dtype=np.float32)
    plan = replace(PLAN, overlap=overlap)
    got, times = windows(WindowAssembler({P: plan}), blocks(x, sizes))
    starts = range(0, len(x) - plan.n_samples + 1, plan.hop)
    assert len(got) == len(starts)
    for row, t, a in zip(got, times, starts, strict=True):
        np.testing.assert_array_equal(row, x[a : a + plan.n_samples])
        assert abs(t - (T0 + a * 1_000_000)) <= 1


def test_empty_blocks_change_no_window_and_take_no_memory():
    x = np.arange(300, dtype=np.float32)
    plain = windows(WindowAssembler({P: PLAN}), blocks(x, [100, 100, 100]))
    assembler = WindowAssembler({P: PLAN, Q: PLAN})
    with_empty = windows(assembler, blocks(x, [0, 100, *[0] * 50, 100, 0, 100]))
    np.testing.assert_array_equal(with_empty[0], plain[0])
    assert with_empty[1] == plain[1]
    for sequence in range(1000):
        assembler.push(SampleBlock(Q, FS, T0, sequence, np.empty(0, np.float32), "g"))
    assert len(assembler._streams[Q].blocks) == 0, "none of them is held"


def test_start_times_follow_the_packets_not_the_nominal_rate():
    x = np.zeros(100_000, np.float32)
    stream = blocks(x, [100] * 1000, rate=FS * 1.001)  # a sensor 0.1 % fast
    _, times = windows(WindowAssembler({P: PLAN}), stream)
    true_end = T0 + (len(x) - 100) / (FS * 1.001) * 1e9
    assert abs(times[-1] - true_end) < 1e6  # 1 ms, where the nominal rate would be 100 ms off


@pytest.mark.parametrize(
    ("change", "counter"),
    [
        ({"gap": True}, "gaps"),
        ({"sequence": 9}, "gaps"),
        ({"t0_ns": T0 + 10**9}, "gaps"),
        ({"t0_ns": T0 + 10}, "overlaps"),
        ({"sequence": -5}, "restarts"),
    ],
)
def test_a_break_empties_the_window_and_is_counted(change, counter):
    first, second = blocks(np.arange(140, dtype=np.float32), [70, 70])
    second = second._replace(**change)
    third = SampleBlock(
        P, FS, second.t0_ns + 70_000_000, second.sequence + 1, np.full(70, 7, np.float32), "g"
    )
    assembler = WindowAssembler({P: PLAN})
    got, times = windows(assembler, [first, second, third])
    assert len(got) == 1
    assert got[0, 0] == 70
    assert times == [second.t0_ns]
    assert getattr(assembler.counts[P], counter) == 1


def test_duplicates_are_dropped():
    stream = blocks(np.arange(300, dtype=np.float32), [60] * 5)
    assembler = WindowAssembler({P: PLAN})
    got, _ = windows(assembler, [b for block in stream for b in (block, block)])
    once, _ = windows(WindowAssembler({P: PLAN}), stream)
    np.testing.assert_array_equal(got, once)
    assert assembler.counts[P].duplicates == 5


@pytest.mark.parametrize("window_s", [0.1, 0.4])
def test_each_burst_is_one_window_and_its_pause_no_gap(window_s):
    plan = WindowPlan(FS, window_s, 0.5, "g", burst_s=0.1)
    bursts = [
        SampleBlock(P, FS, T0 + i * 10**10, i, np.full(100, i, np.float32), "g") for i in range(5)
    ]
    assembler = WindowAssembler({P: plan})
    got, times = windows(assembler, bursts)
    np.testing.assert_array_equal(got, np.repeat(np.arange(5.0), 100).reshape(5, 100))
    assert times == [b.t0_ns for b in bursts]
    assert assembler.counts[P].gaps == 0


def test_a_burst_in_packets_is_still_one_window():
    plan = WindowPlan(FS, 0.4, 0.5, "g", burst_s=0.2)
    x = np.arange(200, dtype=np.float32)
    second = [
        b._replace(t0_ns=b.t0_ns + 10**10, sequence=b.sequence + 4) for b in blocks(x, [50] * 4)
    ]
    got, _ = windows(WindowAssembler({P: plan}), blocks(x, [50] * 4) + second)
    np.testing.assert_array_equal(got, [x, x])


def test_windows_come_in_order_of_completion_and_once():
    assembler = WindowAssembler({P: PLAN, Q: replace(PLAN, window_s=0.2)})
    for point in (P, Q):
        for block in blocks(np.zeros(200, np.float32), [200], point=point):
            assembler.push(block)
    assert [(w.point, w.samples.size) for w in assembler.drain()] == [(P, 100)] * 3 + [(Q, 200)]
    assert assembler.drain() == []


def test_windows_share_their_samples_and_keep_them():
    assembler = WindowAssembler({P: PLAN})
    x = np.arange(400, dtype=np.float32)
    first, second = blocks(x, [200, 200])
    assembler.push(first)
    kept = assembler.drain()
    assert np.shares_memory(kept[0].parts[1], kept[1].parts[0])
    assembler.push(second)
    assembler.drain()
    assert [w.samples[0] for w in kept] == [0, 50, 100]
    assert [w.samples[-1] for w in kept] == [99, 149, 199]


@given(
    st.lists(st.integers(1, 130), min_size=1, max_size=12),
    st.integers(1, 400),
    st.sampled_from([0.0, 0.25, 0.5, 0.9]),
)
def test_the_last_samples_are_those_of_the_pages_kept(sizes, n, overlap):
    x = np.arange(sum(sizes), dtype=np.float32)
    plan = replace(PLAN, overlap=overlap)
    pages = -(-250 // plan.hop) + 1
    assembler = WindowAssembler({P: plan}, {P: pages})
    for block in blocks(x, sizes):
        assembler.push(block)
    piece = assembler.last(P, n)
    assert piece.samples.size >= min(n, 250, x.size)
    np.testing.assert_array_equal(piece.samples, x[x.size - piece.samples.size :])
    assert piece.t0_ns == T0 + (x.size - piece.samples.size) * 1_000_000


def test_the_last_samples_do_not_reach_across_a_gap():
    assembler = WindowAssembler({P: PLAN}, {P: 10})
    assert assembler.last(P, 9) is None
    assembler.push(SampleBlock(P, FS, T0, 0, np.ones(300, np.float32), "g"))
    assembler.push(SampleBlock(P, FS, T0 + 10**9, 1, np.full(7, 99, np.float32), "g"))
    assert assembler.last(P, 100).samples.tolist() == [99] * 7


def test_state_and_clipping_reach_the_window():
    first, second, third = blocks(np.zeros(150, np.float32), [50] * 3)
    assembler = WindowAssembler({P: PLAN})
    assembler.push(first._replace(clipped=True))
    assembler.push(second._replace(state=OperatingState(speed_rpm=1500)))
    assembler.push(third)
    windows = assembler.drain()
    assert [w.clipped for w in windows] == [True, False]
    assert [w.state for w in windows] == [OperatingState(speed_rpm=1500)] * 2


def test_nan_passes_through():
    x = np.full(100, np.nan, np.float32)
    got, _ = windows(WindowAssembler({P: PLAN}), blocks(x, [100]))
    assert np.isnan(got).all()


@pytest.mark.parametrize(
    "change", [{"fs_hz": 1001.0}, {"unit": "m/s2"}, {"point": PointId("no", "where")}]
)
def test_what_was_not_configured_is_refused(change):
    block = blocks(np.zeros(10, np.float32), [10])[0]._replace(**change)
    with pytest.raises(BlockMismatchError, match="configured"):
        WindowAssembler({P: PLAN}).push(block)
