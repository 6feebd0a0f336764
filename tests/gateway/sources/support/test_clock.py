"""A simulated day of a sampling clock and a sender's clock that are 100 ppm off."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.message import NS_PER_S
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.sources.support.clock import SampleClock, SenderClock
from auscult.gateway.windows.assembler import WindowAssembler, WindowPlan

FS_HZ, BLOCK_S = 200.0, 5.0
POINT = PointId("pump", "de")
START_NS = 1_700_000_000 * NS_PER_S


@pytest.mark.parametrize("ppm", [-100, 100])
@pytest.mark.parametrize("has_clock", [False, True])
def test_a_day_has_no_gap_and_no_slip(ppm: int, has_clock: bool) -> None:
    rng = np.random.default_rng(0)
    blocks = int(86_400 / BLOCK_S)
    true_ns = np.arange(blocks) * BLOCK_S * NS_PER_S / (1 + ppm * 1e-6)
    arrives_ns = true_ns + (BLOCK_S + 0.02 + rng.exponential(0.03, blocks)) * NS_PER_S
    stated_ns = (np.arange(blocks) * BLOCK_S * NS_PER_S).astype(np.int64)
    assembler = WindowAssembler({POINT: WindowPlan(FS_HZ, 1.0, 0.5, "g")})
    samples = np.zeros(round(BLOCK_S * FS_HZ), np.float32)
    counted, sender = SampleClock(FS_HZ), SenderClock()
    slip_ns = np.empty(blocks)
    for n in range(blocks):
        arrival_ns = START_NS + round(arrives_ns[n])
        if has_clock:
            t0_ns = sender.stamp(START_NS + int(stated_ns[n]), BLOCK_S * NS_PER_S, arrival_ns)
        else:
            t0_ns, broke = counted.stamp(samples.size, arrival_ns)
            assert broke == (n == 0)
        slip_ns[n] = t0_ns - START_NS - true_ns[n]
        assembler.push(SampleBlock(POINT, FS_HZ, t0_ns, n, samples, "g"))
        assembler.drain()
    counts = assembler.counts[POINT]
    assert (counts.gaps, counts.overlaps, counts.restarts) == (0, 0, 0)
    assert np.ptp(slip_ns) < 0.2 * NS_PER_S  # 8.64 s without


def test_a_block_that_was_stored_for_an_hour_keeps_its_time() -> None:
    clock = SenderClock()
    for n in range(50):
        clock.stamp(START_NS + n * NS_PER_S, NS_PER_S, START_NS + (n + 1) * NS_PER_S)
    late_ns = clock.stamp(START_NS, NS_PER_S, START_NS + 3600 * NS_PER_S)
    assert abs(late_ns - START_NS) < 1_000_000
