"""`auscult evaluate --hold-out --labels`: the effect of a simulated technician's labels."""

import csv

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.gateway.datasets.dataset import read_manifest
from auscult.gateway.evaluate.conditions import half_left_out, one_left_out
from auscult.gateway.evaluate.features import machine_data
from auscult.gateway.evaluate.labels import labelled_results, run_trial
from auscult.gateway.evaluate.technician import Technician
from lab.studies import learning_ablation, stream
from lab.studies.transfer import transfer, twins
from tests.gateway.recorded import impacts, shaft_noise, write_data_set


def at_new_load(seconds, seed):
    """The machine at a load that excites other resonances than its other loads."""
    signal = shaft_noise(seconds, seed, level=2.5)
    t = np.arange(len(signal))
    return signal + 1.5 * np.sin(2 * np.pi * 0.11 * t)[:, None]


LOADS = (0, 25, 50, 75, 100)
NEW = 50


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    recordings = {
        f"healthy{load}": at_new_load(20, load) if load == NEW else shaft_noise(20, load)
        for load in LOADS
    }
    recordings |= {f"faulty{load}": impacts(10, 200 + load) for load in (0, 100)}
    manifest = write_data_set(folder / "set", recordings)
    with manifest.open() as file:
        rows = list(csv.DictReader(file))
    with manifest.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        for row in rows:
            load = row["recording"].removesuffix(".flac").lstrip("healtyfu")
            writer.writerow({**row, "load": load})
    return machine_data(read_manifest(manifest), "pump", 0.4, lambda: None)


def without_new_load(data):
    return [pair for pair in one_left_out(data, "load") if float(pair[0]) == NEW]


@pytest.fixture(scope="module")
def results(data):
    """Rows with only the unlike load left out, to save time."""
    with pytest.MonkeyPatch.context() as patch:
        one = without_new_load(data)
        patch.setattr("auscult.gateway.evaluate.labels.PROTOCOLS", {"hold_out": lambda *_: one})
        return [row.to_json() for row in labelled_results(data, "load", 5, lambda: None)]


def test_half_of_the_conditions_are_the_baseline_without_states(data):
    for (_, split), known in zip(half_left_out(data, "load"), (LOADS[:2], LOADS[-2:]), strict=True):
        baseline = {s.recording.path.stem for s, _ in split.baseline}
        assert baseline == {f"healthy{load}" for load in known}
        whole = {s.recording.path.stem for s, start in split.evaluated if start == 0}
        assert whole == {f"healthy{load}" for load in LOADS if load not in known} | {
            "faulty0",
            "faulty100",
        }
        assert all(s.recording.state == OperatingState() for s, _ in split.evaluated)


def test_a_share_of_a_technicians_labels_is_wrong():
    assert Technician(5).wrong_labels() == set()
    assert len(Technician(20, wrong=0.2, seed=3).wrong_labels()) == 4


def test_two_machines_are_made_of_the_halves_of_each_recording(data):
    first, second = twins(data)
    for whole, a, b in zip(data.stretches, first.stretches, second.stretches, strict=True):
        assert len(a) + len(b) == len(whole)
        assert a.t_ns[-1] < b.t_ns[0]
        np.testing.assert_array_equal(np.concatenate([a.t_ns, b.t_ns]), whole.t_ns)


@pytest.mark.slow
def test_the_delta_of_the_first_machine_reduces_false_alarms_of_the_second(data, monkeypatch):
    monkeypatch.setattr("lab.studies.transfer.BASELINES", (50,))
    rows = {row.start: row for row in transfer(*twins(data), "load")}
    assert set(rows) == {"from scratch", "first one's base", "base and delta"}
    updated = rows["base and delta"]
    assert updated.verdict == "accepted"
    assert updated.fpr_new <= 0.2 * rows["from scratch"].fpr_new
    assert updated.tpr >= rows["from scratch"].tpr - 0.02


@pytest.mark.slow
def test_labels_reduce_false_alarms_in_the_next_weeks(data, monkeypatch):
    for name, few in {"DAYS": 4, "LABELS_FROM": 1, "FAULT_WEEKS": 2, "FAULTS_A_WEEK": 1}.items():
        monkeypatch.setattr(stream, name, few)
    weeks = list(stream.weeks_of(data, "load"))
    assert len(weeks) == 5
    assert weeks[0].false_with == weeks[0].false_without
    labelled = weeks[1:]
    assert sum(w.false_with for w in labelled) < sum(w.false_without for w in labelled)
    assert [week.faults for week in weeks] == [0, 0, 0, 1, 1]
    assert all(week.found_with == week.found_without == week.faults for week in weeks)


@pytest.mark.slow
def test_places_silence_what_thresholds_alone_do_not(data, monkeypatch):
    few = {name: learning_ablation.VARIANTS[name] for name in ("shipped", "thresholds only")}
    monkeypatch.setattr(learning_ablation, "VARIANTS", few)
    monkeypatch.setattr(learning_ablation, "SEEDS", (0,))
    first = [next(half_left_out(data, "load"))]
    monkeypatch.setattr(learning_ablation, "half_left_out", lambda *_: first)
    rows = {(row.variant, row.wrong): row for row in learning_ablation.ablation([data], "load")}
    assert set(rows) == {(name, wrong) for name in few for wrong in (0.0, 0.2)}
    shipped, thresholds = rows["shipped", 0.0], rows["thresholds only", 0.0]
    assert shipped.held_out <= 0.2 * shipped.held_out_before
    assert thresholds.held_out > 0.5 * thresholds.held_out_before
    assert all(row.lost == 0 < row.confirmed for row in rows.values())


@pytest.mark.slow
def test_labels_silence_the_new_load_and_lose_no_fault(results):
    machine = next(r for r in results if r["detector"] == "auscult" and r["point"] is None)
    before, after = machine["before"], machine["after"]
    assert before["fpr_held_out"] > 0.2
    assert after["fpr_held_out"] <= 0.2 * before["fpr_held_out"]
    assert after["tpr"] >= before["tpr"] - 0.02
    assert after["fpr_elsewhere"] <= before["fpr_elsewhere"] + 0.005
    assert machine["false_alarms_left"] <= 0.2
    assert machine["accepted"] > 0
    assert machine["faults_lost"] == 0 < machine["faults_confirmed"]
    assert machine["update_ms"] > 0


@pytest.mark.slow
def test_a_false_alarm_that_is_given_again_when_asked_stays_learned(data):
    [(_, split)] = without_new_load(data)
    trial = run_trial(data, split, Technician(5))
    assert [event.update.accepted for event in trial.labelled if event.asked_again] == [True]
    assert trial.after[None]["fpr_held_out"] <= 0.2 * trial.before[None]["fpr_held_out"]


@pytest.mark.slow
def test_false_alarms_like_a_fault_come_back_if_no_question_is_answered(data):
    """Each later fault departs as the new load does; all that is confirmed stays found."""
    [(_, split)] = without_new_load(data)
    trial = run_trial(data, split, Technician(5, rechecks=False))
    before, after = trial.before[None], trial.after[None]
    assert after["fpr_held_out"] == before["fpr_held_out"] > 0.2
    assert after["fpr_elsewhere"] <= before["fpr_elsewhere"]
    assert after["tpr"] == before["tpr"]
    assert trial.lost == 0 < trial.confirmed


@pytest.mark.slow
def test_each_point_and_reference_has_its_row(results):
    ours = [r for r in results if r["detector"] == "auscult"]
    assert {r["point"] for r in ours} == {None, "de", "nde"}
    assert all("before" in r and "after" in r for r in ours)
    others = [r for r in results if r["detector"] != "auscult"]
    assert {r["detector"] for r in others} == {"rms", "mahalanobis", "isolation_forest"}
    assert not any("after" in r for r in others)
