"""The detector and its tables in a notebook's habits: kept, copied, selected, rejected in words."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import auscult
from auscult.models.learning.learned_file import LearnedFile
from auscult.models.name_plate import Train

FS_HZ = 4096


def signal(seed: int, seconds: float = 60, **kwargs: float) -> auscult.FeatureTable:
    rng = np.random.default_rng(seed)
    t_s = np.arange(int(seconds * FS_HZ)) / FS_HZ
    x = np.sin(2 * np.pi * 25 * t_s) + 0.3 * rng.standard_normal(len(t_s))
    bearing = auscult.Bearing("6205", bpfo=3.58, bpfi=5.42)
    return auscult.features(
        x, FS_HZ, unit="g", nominal_speed_rpm=1500, bearings=[bearing], **kwargs
    )


@pytest.fixture(scope="module")
def fitted() -> auscult.Detector:
    plate = auscult.NamePlate(
        "pump", power_kw=45.0, speed_rpm=1500.0, support="rigid", train=Train(line_hz=50.0)
    )
    return auscult.Detector(plate, false_alarms_per_year=2.0, seed=3).fit(signal(0))


def saved(detector, tmp_path):
    detector.save(tmp_path / "pump.auscult")
    return auscult.Detector.load(tmp_path / "pump.auscult")


@pytest.mark.parametrize(
    "kept",
    [saved, lambda d, _: pickle.loads(pickle.dumps(d)), lambda d, _: copy.deepcopy(d)],
    ids=["saved", "pickled", "copied"],
)
def test_a_kept_detector_scores_and_decides_the_same(fitted, tmp_path, kept):
    again = kept(fitted, tmp_path)
    assert again.get_params() == fitted.get_params()
    table = signal(1, 20)
    np.testing.assert_array_equal(again.score(table), fitted.score(table))
    assert again.coverage == fitted.coverage
    assert repr(again) == repr(fitted)


def test_evidence_so_far_is_kept(tmp_path):
    detector = auscult.Detector().fit(signal(0))
    shifted = replace(signal(1, 30), values=signal(1, 30).values * np.float32(1.5))
    first, second = shifted[:40], shifted[40:]
    detector.decide(first)
    again = saved(detector, tmp_path)
    assert [d.evidence for d in again.decide(second)] == [
        d.evidence for d in detector.decide(second)
    ]


def test_a_healthy_period_continues_after_loading(tmp_path):
    detector = auscult.Detector()
    table = signal(0)
    for window in table[:50]:
        detector.learn_one(window)
    again = saved(detector, tmp_path)
    assert not again.ready
    assert again.coverage.windows == 50
    for window in table[50:]:
        again.learn_one(window)
    assert again.ready


@pytest.mark.parametrize("damage", [b"", b"no detector", None])
def test_a_file_that_is_no_detector_is_rejected(fitted, tmp_path, damage):
    path = tmp_path / "pump.auscult"
    fitted.save(path)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(bytes(content) if damage is None else damage)
    with pytest.raises(auscult.InputError):
        auscult.Detector.load(path)


def test_a_file_without_a_state_is_rejected(fitted, tmp_path):
    fitted.save(tmp_path / "whole")
    whole = LearnedFile.read(tmp_path / "whole")
    LearnedFile({}, whole.about).write(tmp_path / "empty")
    with pytest.raises(auscult.InputError, match="not a detector state"):
        auscult.Detector.load(tmp_path / "empty")


def test_there_is_nothing_to_save_before_the_first_window(tmp_path):
    with pytest.raises(auscult.InputError, match="call fit"):
        auscult.Detector().save(tmp_path / "x")
    assert not list(tmp_path.iterdir())
    assert not pickle.loads(pickle.dumps(auscult.Detector(seed=7))).ready


def test_scikit_learn_clones_it_without_its_baseline(fitted):
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    assert not again.ready
    again.set_params(seed=4)
    assert again.seed == 4
    with pytest.raises(auscult.InputError, match="no parameter alpha"):
        again.set_params(alpha=1)
    with pytest.raises(auscult.InputError, match="not above 0"):
        again.set_params(false_alarms_per_year=0)


def test_scikit_learn_cross_validates_it_in_a_pipeline():
    table = auscult.concat([signal(0, 30), faulty(1, 10)])
    y = np.r_[np.zeros(149), np.ones(49)]
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    steps = make_pipeline(FunctionTransformer(lambda t: t[t.health == 0]), auscult.Detector())
    assert cross_val_score(steps, table, y, scoring="roc_auc", cv=folds).min() > 0.95
    learned = steps.fit(table, y).named_steps["detector"]
    assert learned.coverage.windows == 149
    with pytest.raises(auscult.InputError, match="mask of that length"):
        auscult.Detector().fit(table, y[:-1])


@pytest.mark.parametrize("wrong", [np.ones((20, 5)), None, {"a": np.ones(3)}, "table"])
def test_what_is_no_table_is_rejected_in_words(fitted, wrong):
    for call in (auscult.Detector().fit, fitted.score, fitted.decide, fitted.learn_one):
        if call == fitted.learn_one:
            continue  # it takes nothing more once it is ready
        with pytest.raises(auscult.InputError, match="no table of features"):
            call(wrong)


def test_a_table_is_selected_by_slice_number_numbers_and_mask():
    table = replace(signal(0, 10), health=np.r_[np.zeros(40, np.uint16), np.ones(9, np.uint16)])
    for selected, rows in (
        (table[3], [3]),
        (table[-1], [48]),
        (table[[5, 2]], [5, 2]),
        (table[table.health == 0], range(40)),
        (table[40:], range(40, 49)),
    ):
        np.testing.assert_array_equal(selected.values, table.values[list(rows)])
        np.testing.assert_array_equal(selected.t_ns, table.t_ns[list(rows)])
        assert len(selected.states) == len(selected) == len(rows)
    assert "9 with a sensor fault" in repr(table)


@pytest.mark.parametrize("wrong", [49, np.ones(3, bool), "rms", 1.5])
def test_a_selection_beyond_the_table_is_rejected(wrong):
    with pytest.raises(auscult.InputError, match="selects no windows"):
        signal(0, 10)[wrong]


def faulty(seed: int, seconds: float = 20) -> auscult.FeatureTable:
    table = signal(seed, seconds)
    return replace(table, values=table.values * np.float32(1.5))


def test_a_batch_scores_as_window_by_window_does(fitted):
    table, healthy = faulty(1), signal(2, 10)
    one_by_one = np.concatenate([fitted.p_values(window) for window in table])
    np.testing.assert_allclose(fitted.p_values(table), one_by_one, rtol=1e-4)
    again = copy.deepcopy(fitted)
    decided = [d.p_value for d in again.decide(healthy)]
    np.testing.assert_allclose(fitted.p_values(healthy), decided, rtol=0.2)


def test_windows_without_a_measurement_have_no_score(fitted):
    table = signal(2, 10)
    health = np.zeros(len(table), np.uint16)
    health[3] = int(auscult.SensorHealth.FLAT_LINE)
    scores = fitted.score(replace(table, health=health))
    assert np.flatnonzero(np.isnan(scores)).tolist() == [3]


def test_a_false_alarm_is_learned_and_taken_back(fitted):
    detector = copy.deepcopy(fitted)
    event, later = faulty(1), faulty(2)
    before = detector.score(later)
    asked = detector.false_alarm(event, preview=True)
    np.testing.assert_array_equal(detector.score(later), before)
    update = detector.false_alarm(event)
    assert (asked.accepted, update.accepted) == (True, True), update.said.text
    assert np.median(detector.score(later)) < 1 < np.median(before)
    kept = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(kept.score(later), detector.score(later))
    for one in (detector, kept):
        assert one.undo()
        np.testing.assert_array_equal(one.score(later), before)
        assert not one.undo()


def test_a_confirmed_fault_is_not_silenced_by_its_twin(fitted):
    detector = copy.deepcopy(fitted)
    assert detector.confirm(faulty(1), "looseness").accepted
    update = detector.false_alarm(faulty(2))
    assert not update.accepted
    assert update.said.text
    assert np.median(detector.score(faulty(3))) > 2


def test_the_same_windows_again_replace_the_verdict(fitted):
    detector = copy.deepcopy(fitted)
    assert detector.confirm(faulty(1)).accepted
    update = detector.false_alarm(faulty(1))
    assert update.accepted, update.said.text
    assert np.median(detector.score(faulty(2))) < 1


def test_labels_need_a_baseline():
    with pytest.raises(auscult.InputError, match="no baseline"):
        auscult.Detector().confirm(signal(0, 10))


def test_a_table_goes_through_pandas_and_back():
    table = signal(0, 10)
    frame = table.to_pandas()
    again = auscult.FeatureTable.from_pandas(frame[frame.columns[::-1]], table.spec, table.states)
    for name in ("values", "t_ns", "health"):
        np.testing.assert_array_equal(getattr(again, name), getattr(table, name))
    for wrong, message in (
        (frame.drop(columns="rms"), "no column rms"),
        (frame.assign(rms=np.nan), "NaN"),
        (frame.assign(rms="x"), "numbers"),
    ):
        with pytest.raises(auscult.InputError, match=message):
            auscult.FeatureTable.from_pandas(wrong, table.spec)
    with pytest.raises(auscult.InputError, match="one a row"):
        auscult.FeatureTable.from_pandas(frame, table.spec, [None])
