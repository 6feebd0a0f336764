"""The changes of copies do what their names say, and the copies reach the training."""

import numpy as np
import pytest

from auscult.models.learning.replay import Replay, RowClass
from auscult.models.records import ScoredWindow
from lab.studies.learning.augmentation import Change, _with_copies

FS_HZ, N = 12_800.0, 12_800
TIME_S = np.arange(N) / FS_HZ


def tones(*hz: float) -> np.ndarray:
    x = np.sin(2 * np.pi * np.outer(hz, TIME_S)).sum(0, keepdims=True)
    return np.asarray(x, np.float32)


def level_db(x: np.ndarray, hz: int) -> float:
    return float(20 * np.log10(np.abs(np.fft.rfft(x[0]))[hz]))


def test_gain_tilt_and_noise_in_db() -> None:
    x = tones(500, 1000)
    assert Change(gain_db=1.0).applied(x, FS_HZ).std() == pytest.approx(x.std() * 10**0.05)
    tilted = Change(tilt_db_per_octave=0.5).applied(x, FS_HZ)
    assert level_db(tilted, 1000) - level_db(tilted, 500) == pytest.approx(0.5, abs=0.01)
    noise = Change(noise_db=-20.0).applied(x, FS_HZ) - x
    assert noise.std() == pytest.approx(0.1 * x.std(), rel=0.05)


def test_speed_moves_a_tone() -> None:
    faster = Change(speed=1.01).applied(tones(1000), FS_HZ)
    assert faster.shape == (1, N)
    assert np.abs(np.fft.rfft(faster[0])).argmax() == pytest.approx(1010, abs=1)


def test_copies_of_labelled_windows_join_the_training() -> None:
    replay = Replay(2, 3)
    replay.offer(np.zeros(2, np.float32), 0.0, 1, z=np.zeros(3, np.float32))
    replay.offer(np.zeros(2, np.float32), 1.0, 2, event_id="e", z=np.zeros(3, np.float32))
    replay.mark("e", RowClass.FALSE_ALARM)
    position, z = np.ones(2, np.float32), np.ones(3, np.float32)
    copies = {("p", t): ScoredWindow("p", t, position, 2.0, "", True, z) for t in (1, 2)}
    rows = _with_copies(replay.rows, "p", [copies])
    assert len(rows) == 3
    assert rows.select_classes(RowClass.FALSE_ALARM).positions.mean() == 0.5
    assert rows.select_event(b"e").log_scores.tolist() == [1.0, 2.0]
