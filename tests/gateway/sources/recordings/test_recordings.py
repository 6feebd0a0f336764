"""Recordings played as a source: order, stamps, pace, pressure and damage."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.times import NS_PER_S
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.sources.contract import Bursts
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.recordings.settings import RecordingsSource
from auscult.gateway.sources.recordings.source import RecordingsPlayer
from auscult.gateway.sources.support.stream_clock import StreamClock
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set
from tests.waiting import DEADLINE_S


def machine(*points: str) -> MachineSettings:
    return MachineSettings(
        id="p1",
        points=[
            PointSettings(id=p, kind="vibration", unit="g", fs_hz=FS_HZ)
            for p in points or ("de", "nde")
        ],
    )


def play(manifest: Path, *, points=("de", "nde"), earliest_ns: int = 0, pace: float = 0, **more):
    """All that a source delivers, as fast as it can."""
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=pace, **more
    )
    player = RecordingsPlayer(settings, machine(*points), earliest_ns)
    inlet, stop = Inlet(1 << 40), threading.Event()
    player.run(inlet, stop)
    return player, everything(inlet)


def everything(inlet: Inlet) -> list:
    items = []
    while taken := inlet.take(0):
        items += taken
    return items


def blocks_of(items, point: str) -> list[SampleBlock]:
    wanted = PointId("p1", point)
    return [i for i in items if isinstance(i, SampleBlock) and i.point == wanted]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return write_data_set(
        tmp_path,
        {
            "faulty1": shaft_noise(1.1, 3, 5.0),
            "healthy1": shaft_noise(2.0, 1),
            "healthy2": shaft_noise(1.5, 2),
        },
    )


def test_healthy_recordings_come_first_and_all_samples_arrive(manifest):
    _, items = play(manifest, healthy_repeats=2, faulty_repeats=2)
    de, nde = blocks_of(items, "de"), blocks_of(items, "nde")
    assert sum(b.samples.size for b in de) == FS_HZ * (2 * 3.5 + 2 * 1.1)
    assert [b.t0_ns for b in de] == [b.t0_ns for b in nde]
    assert [b.sequence for b in de] == list(range(len(de)))
    assert sum(b.gap for b in de) == 5, "each recording but the first begins after a gap"
    levels = [float(np.std(b.samples)) for b in de]
    assert max(levels[:-10]) < min(levels[-10:]), "the faulty recording is last"
    assert de[0].unit == "g"
    assert de[0].state.speed_rpm == 1500
    assert de[0].samples.dtype == np.float32


def test_what_follows_the_baseline_share_was_not_in_it(manifest):
    """With a share, the first part of each healthy recording comes before the rest of any."""
    _, whole = play(manifest)
    _, items = play(manifest, baseline_share=0.5, healthy_repeats=2)
    samples = np.concatenate([b.samples for b in blocks_of(whole, "de")])
    split = np.concatenate([b.samples for b in blocks_of(items, "de")])
    healthy = read_manifest(manifest).of_machine("pump")
    lengths = [r.frames for r in healthy if r.label is RecordingLabel.HEALTHY]
    starts = np.cumsum([0, *lengths])
    halves = [(s, s + n // 2, s + n) for s, n in zip(starts, lengths, strict=False)]
    first = np.concatenate([samples[a:b] for a, b, _ in halves])
    rest = np.concatenate([samples[b:c] for _, b, c in halves])
    np.testing.assert_array_equal(
        split, np.concatenate([first, rest, rest, samples[sum(lengths) :]])
    )


def test_stream_time_is_true_and_ends_now(manifest):
    before_ns = time.time_ns()
    _, items = play(manifest)
    de = blocks_of(items, "de")
    steps = np.diff([b.t0_ns for b in de])
    lengths = np.array([round(b.samples.size / FS_HZ * NS_PER_S) for b in de[:-1]])
    np.testing.assert_allclose(steps, lengths, atol=2)
    end_ns = de[-1].t0_ns + de[-1].samples.size / FS_HZ * 1e9
    assert 0 <= time.time_ns() - end_ns < time.time_ns() - before_ns + 1e6


def test_a_second_run_continues_after_the_first(manifest):
    _, first = play(manifest)
    last_ns = blocks_of(first, "de")[-1].t0_ns + NS_PER_S
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=0
    )
    player = RecordingsPlayer(settings, machine(), last_ns)
    inlet, stop = Inlet(), threading.Event()
    thread = threading.Thread(target=player.run, args=(inlet, stop))
    thread.start()
    items = []
    while not blocks_of(items, "de"):
        items += inlet.take(1)
    stop.set()
    thread.join(DEADLINE_S)
    assert blocks_of(items, "de")[0].t0_ns == last_ns


def test_real_time_stamps_follow_the_wall_clock(tmp_path):
    manifest = write_data_set(tmp_path, {"healthy": shaft_noise(1.2, 1)})
    player, inlet, stop = None, Inlet(), threading.Event()
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=1
    )
    player = RecordingsPlayer(settings, machine())
    thread = threading.Thread(target=player.run, args=(inlet, stop))
    thread.start()
    late = []
    while len(late) < 5:
        for block in blocks_of(inlet.take(1), "de"):
            end_ns = block.t0_ns + block.samples.size / FS_HZ * 1e9
            late.append((time.time_ns() - end_ns) / 1e9)
    thread.join(DEADLINE_S)
    assert min(late) > -0.001, "no block comes before its last sample was taken"
    assert sorted(late)[2] < 0.2
    assert player.status.text == "ended"


def test_real_time_does_not_wait_for_a_slow_gateway(tmp_path):
    manifest = write_data_set(tmp_path, {"healthy": shaft_noise(1.5, 1)})
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=1
    )
    player = RecordingsPlayer(settings, machine())
    inlet, stop = Inlet(max_bytes=10_000), threading.Event()
    player.run(inlet, stop)
    blocks = blocks_of(inlet.take(0), "de")
    assert len(blocks) < 6
    assert "dropped" in player.status.text


def test_as_fast_as_possible_waits_for_room(manifest):
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=0
    )
    player = RecordingsPlayer(settings, machine())
    inlet, stop = Inlet(max_bytes=20_000), threading.Event()
    thread = threading.Thread(target=player.run, args=(inlet, stop))
    thread.start()
    seen = 0
    while thread.is_alive() or seen == 0:
        items = inlet.take(0.2)
        assert sum(i.samples.nbytes for i in items) <= 20_000
        seen += len(blocks_of(items, "de"))
    assert seen == len(blocks_of(play(manifest)[1], "de"))


def test_stop_ends_a_waiting_source(manifest):
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=0, repeat=True
    )
    player = RecordingsPlayer(settings, machine())
    inlet, stop = Inlet(max_bytes=10_000), threading.Event()
    thread = threading.Thread(target=player.run, args=(inlet, stop))
    thread.start()
    time.sleep(0.2)
    stop.set()
    inlet.close()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


def test_bursts_keep_their_interval(tmp_path):
    manifest = write_data_set(
        tmp_path,
        {"run": shaft_noise(1.0, 1)},
        labels={"run": "run_to_failure"},
        burst_s=0.1,
        interval_s=10,
    )
    player, items = play(manifest)
    de = blocks_of(items, "de")
    assert len(de) == 10
    assert set(np.diff([b.t0_ns for b in de])) == {10 * NS_PER_S}
    bursts = Bursts(0.1, 10)
    assert player.bursts == {PointId("p1", "de"): bursts, PointId("p1", "nde"): bursts}


def test_a_damaged_recording_is_reported_and_the_next_is_played(manifest, caplog):
    path = manifest.parent / "healthy2.flac"
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xa5" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    player, items = play(manifest)
    faults = [i for i in items if isinstance(i, SourceFault)]
    assert {str(f.point) for f in faults} == {"p1/de", "p1/nde"}
    assert "healthy2.flac" in faults[0].said.text
    de = blocks_of(items, "de")
    faulty = [b for b in de if np.std(b.samples) > 0.8]
    assert len(faulty) == 5, "the faulty recording was played too"
    assert de[0].t0_ns + 7 * NS_PER_S // 2 == faulty[0].t0_ns, "stream time continued"
    assert player.status.text == "ended"


def test_a_missing_recording_is_reported(manifest):
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=0
    )
    player = RecordingsPlayer(settings, machine())
    (manifest.parent / "healthy1.flac").unlink()
    inlet = Inlet()
    player.run(inlet, threading.Event())
    items = inlet.take(0)
    assert isinstance(items[0], SourceFault)
    assert blocks_of(items, "de")


def test_a_configured_point_without_a_recording_is_reported(manifest):
    _, items = play(manifest, points=("de", "axial"))
    [fault] = [i for i in items if isinstance(i, SourceFault)]
    assert fault.point == PointId("p1", "axial")
    assert "no point axial" in fault.said.text
    assert not blocks_of(items, "nde"), "what is not configured is not played"


def test_a_machine_without_recordings_is_refused(manifest):
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="fan", as_machine="p1"
    )
    with pytest.raises(ValueError, match="machine fan has no recordings; it has pump"):
        RecordingsPlayer(settings, machine())


@given(
    pace=st.sampled_from([0.0, 0.5, 1.0, 4.0, 100.0]),
    span_s=st.integers(1, 10**6),
    earliest_s=st.integers(-(10**6), 2 * 10**6),
    offsets=st.lists(st.integers(0, 10**7), min_size=2),
)
def test_no_stamp_lies_in_the_future_and_none_goes_back(pace, span_s, earliest_s, offsets):
    now_ns = 10**6 * NS_PER_S
    clock = StreamClock.begin(pace, span_s * NS_PER_S, earliest_s * NS_PER_S, now_ns, 5.0)
    assert clock.start_ns >= earliest_s * NS_PER_S
    ahead_ns = max(0, clock.start_ns - now_ns)
    offsets.sort()
    due = [clock.due_s(o * NS_PER_S) for o in offsets]
    assert due == sorted(due)
    for offset, at_s in zip(offsets, due, strict=True):
        wall_ns = now_ns + (at_s - 5.0) * 1e9
        assert clock.start_ns + offset * NS_PER_S <= wall_ns + ahead_ns + 1000


def test_the_present_can_begin_with_the_first_fault(tmp_path: Path) -> None:
    """Then an alarm carries the time of the clock, and what follows plays in real time."""
    manifest = write_data_set(
        tmp_path, {"healthy": shaft_noise(1.2, 1), "faulty": shaft_noise(0.3, 2)}
    )
    before_ns = time.time_ns()
    _, items = play(manifest, pace=4, healthy_repeats=2, present_from="first_fault")
    fault_ns = blocks_of(items, "de")[-2].t0_ns  # 0.3 s are two blocks
    assert fault_ns - before_ns >= 0.6e9, "2.4 s of history at pace 4"
    assert time.time_ns() - fault_ns >= 0.29e9, "no time lies in the future"


def test_a_new_run_of_the_gateway_continues_the_recordings(manifest: Path) -> None:
    """Adding a machine restarts the gateway's run, not what the other machines play."""
    settings = RecordingsSource(
        type="recordings", manifest=manifest, machine="pump", as_machine="p1", pace=0
    )
    inlet, stop = Inlet(1 << 40), threading.Event()
    first = RecordingsPlayer(settings, machine())
    first.run(inlet, stop)
    before = blocks_of(everything(inlet), "de")
    processed_ns = before[len(before) // 2].t0_ns
    second = RecordingsPlayer(settings, machine(), processed_ns, first)
    second.run(inlet, stop)
    after = blocks_of(everything(inlet), "de")
    assert [b.t0_ns for b in after] == [b.t0_ns for b in before if b.t0_ns >= processed_ns]
    assert all(np.array_equal(a.samples, b.samples)
               for a, b in zip(after, before[-len(after):], strict=True))  # fmt: skip
