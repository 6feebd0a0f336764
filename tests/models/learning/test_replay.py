"""The replay stays bounded and balanced."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.models.learning.replay import Replay, RowClass
from auscult.models.learning.settings import SETTINGS
from tests.models.learning.world import World, windows

M = 8
CAPACITY = 576
ROOM = {
    RowClass.HEALTHY: SETTINGS.healthy_rows,
    RowClass.OPEN: SETTINGS.open_rows,
    RowClass.FALSE_ALARM: SETTINGS.false_alarm_rows,
    RowClass.CONFIRMED_FAULT: SETTINGS.fault_rows,
}


def offer(replay, n, start=0, **about):
    for i in range(start, start + n):
        replay.offer(np.full(M, i % 100, np.float32), 0.5, i, **about)


def count(replay, row_class):
    return len(replay.rows.select_classes(row_class))


def test_576_rows_at_most():
    assert sum(ROOM.values()) == CAPACITY
    replay = Replay(M)
    offer(replay, 1000)
    for i in range(100):
        offer(replay, 30, event_id=f"E{i}")
        replay.mark(f"E{i}", [RowClass.FALSE_ALARM, RowClass.CONFIRMED_FAULT][i % 2])
    offer(replay, 500, event_id="open")
    assert len(replay) == CAPACITY
    for row_class, room in ROOM.items():
        assert count(replay, row_class) == room


def test_healthy_windows_never_push_a_confirmed_fault_out():
    replay = Replay(M)
    offer(replay, 20, event_id="fault")
    replay.mark("fault", RowClass.CONFIRMED_FAULT)
    offer(replay, 20_000, state="1500 r/min")
    assert count(replay, RowClass.CONFIRMED_FAULT) == 20


def test_each_confirmed_fault_keeps_windows_however_many_there_are():
    replay = Replay(M)
    for i in range(30):
        offer(replay, 50, event_id=f"F{i}")
        replay.mark(f"F{i}", RowClass.CONFIRMED_FAULT)
    rows = replay.rows.select_classes(RowClass.CONFIRMED_FAULT)
    sizes = [int((rows.info["group"] == group).sum()) for group in rows.groups]
    assert len(sizes) == 30
    assert max(sizes) - min(sizes) <= 2


def test_a_rare_kind_of_fault_keeps_its_windows_however_often_another_comes():
    replay = Replay(M)
    offer(replay, 16, event_id="rare")
    replay.mark("rare", RowClass.CONFIRMED_FAULT, "inner")
    for i in range(200):
        offer(replay, 16, event_id=f"F{i:03}")
        replay.mark(f"F{i:03}", RowClass.CONFIRMED_FAULT, "outer")
    rows = replay.rows.select_classes(RowClass.CONFIRMED_FAULT)
    assert len(rows) == SETTINGS.fault_rows
    assert (rows.info["group"] == b"rare").sum() == 16


def test_a_false_alarm_of_a_rare_state_keeps_its_windows_however_many_come_of_another():
    replay = Replay(M)
    for i in range(200):
        offer(replay, 16, event_id=f"E{i:03}", state="fast" if i else "slow")
        replay.mark(f"E{i:03}", RowClass.FALSE_ALARM)
    rows = replay.rows.select_classes(RowClass.FALSE_ALARM)
    assert len(rows) == SETTINGS.false_alarm_rows
    assert (rows.info["group"] == b"E000").sum() == 16


def test_windows_of_a_layout_without_kinds_and_states_are_read():
    replay = Replay(M)
    offer(replay, 3, event_id="E", state="slow")
    replay.mark("E", RowClass.CONFIRMED_FAULT, "outer")
    old = ["class", "seen", "group", "t_ns", "log_score"]
    replay._info = replay._info[old].astype([(name, replay._info.dtype[name]) for name in old])
    again = Replay.from_bytes(replay.to_bytes())
    assert again.class_of("E") is RowClass.CONFIRMED_FAULT
    assert (again.rows.info["kind"] == 0).all()


def test_a_long_event_does_not_crowd_out_a_short_one():
    replay = Replay(M)
    offer(replay, 5, event_id="short")
    offer(replay, 5000, event_id="long")
    rows = replay.rows.select_classes(RowClass.OPEN)
    assert (rows.info["group"] == b"short").sum() == 5


def test_a_rare_state_stays_among_the_healthy_windows():
    replay = Replay(M)
    offer(replay, 40, state="rare")
    offer(replay, 10_000, state="usual")
    rows = replay.rows.select_classes(RowClass.HEALTHY)
    assert (rows.info["group"] == b"rare").sum() >= 40


def test_old_and_new_healthy_windows_are_both_there():
    replay = Replay(M)
    offer(replay, 20_000, state="usual")
    t = np.sort(replay.rows.info["t_ns"])
    assert t[0] < 4000
    assert t[-1] > 16_000


def test_room_that_a_reported_fault_frees_is_filled_by_the_next_healthy_windows():
    replay = Replay(M)
    offer(replay, 20_000)  # hardly any later window is drawn
    replay.discard_healthy(0, 20_000)
    offer(replay, 30, start=20_001)
    assert count(replay, RowClass.HEALTHY) == 30


def test_windows_after_the_verdict_share_it():
    replay = Replay(M)
    offer(replay, 3, event_id="E")
    replay.mark("E", RowClass.FALSE_ALARM)
    offer(replay, 3, event_id="E")
    assert count(replay, RowClass.FALSE_ALARM) == 6


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["A", "B", "Grüße-µ", ""]), st.integers(1, 40))
    )
)
def test_it_is_stored_bit_for_bit_and_continues_equally(steps):
    replay = Replay(M)
    for row_class, name, n in steps:
        if row_class == RowClass.HEALTHY:
            offer(replay, n, state=name)
        else:
            offer(replay, n, event_id=name)
            replay.mark(name, RowClass(row_class))
    again = Replay.from_bytes(replay.to_bytes())
    assert again.to_bytes() == replay.to_bytes()
    for one in (replay, again):
        offer(one, 50, state="later")
    assert again.to_bytes() == replay.to_bytes()


def test_halves_split_every_event_and_share_single_rows():
    replay = Replay(M)
    offer(replay, 7, event_id="E")
    offer(replay, 1, event_id="single")
    first, second = replay.training, replay.held_back
    assert [int((half.info["group"] == b"E").sum()) for half in (first, second)] == [4, 3]
    assert [int((half.info["group"] == b"single").sum()) for half in (first, second)] == [1, 1]


def test_it_says_whether_its_rows_changed_since_they_were_stored():
    replay = Replay(M)
    assert not replay.changed
    offer(replay, 100_000)
    assert replay.changed
    replay.changed = False
    before = replay.rows.positions.tobytes()
    offer(replay, 1, start=100_000)
    assert replay.changed == (replay.rows.positions.tobytes() != before)
    assert not replay.changed, "after so many windows nearly none is kept"
    offer(replay, 1, event_id="E")
    assert replay.changed
    replay.changed = False
    replay.mark("E", RowClass.CONFIRMED_FAULT)
    assert replay.changed
    replay.changed = False
    replay.discard_healthy(0, 10**9)
    assert replay.changed


def test_a_replay_that_kept_nothing_new_is_not_written_each_minute(tmp_path):
    world = World(tmp_path)
    world.updater.save()

    def written() -> int:
        (path,) = tmp_path.glob("replay-*")
        return path.stat().st_ino

    first = written()
    world.updater.save(only_changes=True)
    assert written() == first
    world.show(windows(1, 5))
    world.updater.save(only_changes=True)
    second = written()
    assert second != first
    world.updater.save()
    assert written() != second, "the count of windows continues from here after a stop"
