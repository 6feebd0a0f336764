"""What labels do on a running gateway: they wait, run in the shadow, and can be rolled back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auscult.contract.label import Label, Verdict
from auscult.contract.learning import Checkpoints, Lesson
from auscult.contract.payloads import Acknowledgement
from auscult.models.records import ScoredWindow
from tests.gateway.plant import TOPICS, Process, Reader, Running, settings
from tests.gateway.recorded import impacts, shaft_noise, write_data_set
from tests.waiting import wait_until

LISTED = TOPICS.checkpoints("pump")


def event_id(reader: Reader) -> str:
    wait_until(lambda: reader.of("event"))
    return str(reader.of("event")[0]["event_id"])


def versions(reader: Reader) -> Checkpoints:
    wait_until(lambda: LISTED in reader.latest)
    return Checkpoints.model_validate(reader.latest[LISTED])


def answer(reader: Reader, id_: str) -> Acknowledgement:
    return Acknowledgement.model_validate(reader.answer(id_))


def lessons(reader: Reader, label_id: str) -> list[Lesson]:
    found = [Lesson.model_validate(body) for body in reader.of("lesson")]
    return [lesson for lesson in found if lesson.label_id == label_id]


@pytest.fixture
def plant(mosquitto, reader, recordings, trained):
    """`plant(**learning)` returns the settings of a gateway that measures the faulty machine."""
    reader.latest.clear()
    return lambda **learning: settings(
        mosquitto, trained, recordings["faulty"], repeat=True, more={"learning": learning}
    )


def test_a_label_is_listed_with_what_it_changed_and_rolled_back(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        start = versions(reader)
        assert start.checkpoints[0].state == "active"
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        lesson = answer(reader, "l1").lesson
        assert lesson is not None
        wait_until(lambda: len(versions(reader).checkpoints) == 2)
        newest = versions(reader).checkpoints[0]
        assert versions(reader).waiting == (), "a learned label does not wait"
        assert (newest.label_id, newest.event_id, newest.actor) == ("l1", event, "anna")
        assert newest.after == lesson.after
        assert newest.kept
        back = {"machine": "pump", "checkpoint_id": start.active}
        reader.command("roll_back", "r1", back)
        assert answer(reader, "r1").ok
        wait_until(lambda: versions(reader).checkpoints[0].said.text == f"back to {start.active}")


def test_a_label_waits_for_others_through_a_kill_and_is_published_when_learned(
    plant, reader, tmp_path
):
    config = plant(min_new_labels=2)
    process = Process(config, tmp_path / "log")
    event = event_id(reader)
    reader.command("label", "first", {"event_id": event, "verdict": "confirmed_fault"})
    said = answer(reader, "first")
    assert said.ok
    assert said.lesson is None
    assert said.text == "waits for 1 more label"
    wait_until(lambda: len(versions(reader).waiting) == 1)
    process.kill()
    process = Process(config, tmp_path / "log")
    reader.command("label", "second", {"event_id": event, "verdict": "confirmed_fault"})
    assert answer(reader, "second").lesson is not None
    wait_until(lambda: any(lesson.lesson for lesson in lessons(reader, "first")))
    wait_until(lambda: not versions(reader).waiting)
    process.terminate()
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_heat_makes_a_label_wait_with_the_reason(plant, reader, monkeypatch):
    monkeypatch.setattr(
        "auscult.models.learning.budget.PsutilSensors.temperature_c", lambda _: 91.0, raising=True
    )
    with Running(plant()) as running:
        event = event_id(reader)
        reader.command("label", "hot", {"event_id": event, "verdict": "confirmed_fault"})
        said = answer(reader, "hot")
        assert said.lesson is None
        assert "91 °C, the limit is 80 °C" in said.text
        monkeypatch.setattr(
            "auscult.models.learning.budget.PsutilSensors.temperature_c", lambda _: 40.0
        )
        wait_until(lambda: any(lesson.lesson for lesson in lessons(reader, "hot")))
        updater = running.gateway.machines["pump"].head_updater
        wait_until(lambda: updater.waiting == ())


def test_a_candidate_runs_in_the_shadow_and_survives_a_restart(plant, reader, tmp_path):
    config = plant(shadow_windows=1_000_000)
    process = Process(config, tmp_path / "log")
    event = event_id(reader)
    reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
    lesson = answer(reader, "l1").lesson
    assert lesson is not None
    assert lesson.accepted
    assert "runs in the shadow" in lesson.said.text
    wait_until(lambda: versions(reader).candidate is not None)
    candidate = versions(reader)
    assert candidate.candidate == lesson.checkpoint_id
    assert candidate.active == lesson.parent_id
    process.terminate()
    reader.latest.pop(LISTED)
    process = Process(config, tmp_path / "log")
    wait_until(lambda: LISTED in reader.latest)
    assert versions(reader).candidate == lesson.checkpoint_id
    asked = {"machine": "pump", "checkpoint_id": "another"}
    reader.command("promote", "p0", asked)
    assert not answer(reader, "p0").ok
    reader.command("promote", "p1", asked | {"checkpoint_id": lesson.checkpoint_id})
    assert answer(reader, "p1").ok
    wait_until(lambda: versions(reader).candidate is None)
    assert versions(reader).checkpoints[0].state == "active"
    assert versions(reader).checkpoints[0].said.text == "promoted by anna"
    process.terminate()


def test_a_shadow_run_ends_by_itself(plant, reader):
    with Running(plant(shadow_windows=5)):
        event = event_id(reader)
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").ok
        wait_until(lambda: "shadow run passed" in versions(reader).checkpoints[0].said.text)
        assert versions(reader).checkpoints[0].state == "active"


def test_a_correction_names_what_it_replaces_and_a_withdrawal_undoes(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        first = answer(reader, "l1").lesson
        assert first is not None
        assert first.after.faults_total == 1
        reader.command("label", "l2", {"event_id": event, "verdict": "unsure"})
        withdrawn = answer(reader, "l2")
        assert withdrawn.lesson is not None
        assert withdrawn.lesson.accepted
        assert withdrawn.lesson.after.faults_total == 0
        assert withdrawn.said is not None
        parts = withdrawn.said.values["parts"]
        assert [part.code for part in parts] == ["gate_no_labels", "replaces_verdict"]


def test_labels_that_contradict_each_other_are_reported(plant, reader):
    """The same condition called a false alarm and then, when it came again, a fault."""
    with Running(plant()) as running:
        event = event_id(reader)
        machine = running.gateway.machines["pump"]
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").ok
        updater = machine.head_updater
        assert updater is not None
        [fault] = updater.known_faults
        for t_ns in range(4):
            windows = [
                ScoredWindow(point, t_ns, centre, float(np.log(centre @ centre)), "", True)
                for point, centre in fault.centres.items()
            ]
            updater.remember(windows, "again")
        wrong = Label(
            label_id="l2", event_id="again", machine="pump", verdict=Verdict.FALSE_ALARM,
            actor="ben", created_ms=fault.label.created_ms + 1,
        )  # fmt: skip
        update = updater.learn(wrong)
        assert not update.accepted
        assert update.contradicts == (event,)
        assert update.said.code == "gate_resembles_fault"
        assert update.said.values["event"] == event


def state(reader: Reader) -> dict[str, Any]:
    return reader.latest[TOPICS.machine_state("pump")]


def repair(reader: Reader) -> dict[str, Any]:
    return state(reader).get("repair") or {}


def test_planned_work_lasts_until_it_is_finished_and_is_checked_then(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        reader.command("label", "w", {"event_id": event, "verdict": "planned_work"})
        assert "until the work is finished, nothing alarms" in answer(reader, "w").text
        wait_until(lambda: lessons(reader, "w"))
        assert lessons(reader, "w")[0].offer == "new_baseline"
        wait_until(lambda: state(reader)["handling"]["state"] == "planned_work")
        wait_until(lambda: state(reader)["condition"] == "unknown")
        held = state(reader)["suppression"]
        assert (held["kind"], held["actor"], held["event_id"]) == ("planned_work", "anna", event)
        reported = len(reader.of("event"))
        trends = len(reader.of("trend"))
        wait_until(lambda: len(reader.of("trend")) > trends + 4)  # 10 s of the faulty machine
        assert (len(reader.of("event")), repair(reader)) == (reported, {}), "all is quiet"
        reader.command("finish_work", "f", {"machine": "pump", "comment": "bearing changed"})
        assert answer(reader, "f").ok
        wait_until(lambda: repair(reader).get("result"))
        assert repair(reader)["event_id"] == event
        assert repair(reader)["result"] == "unchanged", "the fault is still there"
        wait_until(lambda: state(reader)["handling"]["state"] == "unacknowledged")
        assert state(reader)["event_id"] == event, "it is the same event"


def test_planned_work_that_is_finished_already_is_checked_at_once(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        args = {"event_id": event, "verdict": "planned_work", "work_s": 0}
        reader.command("label", "w", args)
        assert "start a new baseline" in answer(reader, "w").text
        wait_until(lambda: repair(reader).get("result"))
        assert "suppression" not in state(reader)


def test_planned_work_that_is_taken_back_was_none(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        args = {"event_id": event, "verdict": "planned_work", "work_s": 3600}
        reader.command("label", "w", args)
        assert answer(reader, "w").ok
        wait_until(lambda: "suppression" in state(reader))
        reader.command("label", "u", {"event_id": event, "verdict": "unsure"})
        assert answer(reader, "u").ok
        wait_until(lambda: "suppression" not in state(reader))
        wait_until(lambda: state(reader)["condition"] in ("warning", "alarm"))
        assert repair(reader) == {}


def test_a_repair_is_compared_with_the_fault_before_it(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        reader.command("check_repair", "r", {"event_id": event})
        assert answer(reader, "r").ok
        reader.command("check_repair", "r2", {"event_id": "unknown"})
        assert "unknown" in answer(reader, "r2").text
        wait_until(lambda: repair(reader).get("result"))
        assert (repair(reader)["event_id"], repair(reader)["result"]) == (event, "unchanged")


@pytest.mark.slow
def test_a_fault_that_returns_is_named_with_its_event(mosquitto, reader, trained, tmp_path):
    parts = {"healthy": shaft_noise(15, 1), "faulty": impacts(6, 2)}
    manifest = write_data_set(tmp_path / "returning", parts)
    with Running(settings(mosquitto, trained, manifest, repeat=True)):
        event = event_id(reader)
        args = {"event_id": event, "verdict": "confirmed_fault", "kind": "outer"}
        reader.command("label", "l1", args)
        assert answer(reader, "l1").ok

        def resembling() -> set[str]:
            return {
                message["event_id"]
                for message in reader.of("event")
                for reason in message["reasons"]
                if reason["said"]["code"] == "resembles"
                and reason["said"]["values"]["event_id"] == event
            }

        wait_until(resembling)
    assert event not in resembling(), "an event does not resemble itself"


@pytest.mark.slow
def test_a_return_to_an_old_baseline(mosquitto, reader, recordings, trained):
    with Running(settings(mosquitto, trained, recordings["again"], repeat=True)):
        wait_until(lambda: versions(reader).baselines)
        old = versions(reader).baselines[0]
        assert old.active
        reader.command("start_baseline", "b", {"machine": "pump", "reason": "new bearing"})
        assert answer(reader, "b").ok
        wait_until(lambda: len(versions(reader).baselines) == 2)
        assert [one.active for one in versions(reader).baselines] == [True, False]
        reader.command("roll_back", "r", {"machine": "pump", "baseline_id": old.id})
        assert answer(reader, "r").ok
        wait_until(lambda: versions(reader).baselines[0].id == old.id)
        assert versions(reader).baselines[0].active
        topic = TOPICS.machine_state("pump")
        wait_until(lambda: reader.latest[topic]["ids"]["baseline_id"] == old.id)
        reader.command("roll_back", "x", {"machine": "pump", "baseline_id": "none"})
        assert "is not kept" in answer(reader, "x").text


def test_a_correction_that_comes_again_after_it_was_learned_gets_its_update(plant, reader):
    with Running(plant()) as running:
        event = event_id(reader)
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").ok
        withdrawn = {"event_id": event, "verdict": "unsure"}
        reader.command("label", "l2", withdrawn)
        said = answer(reader, "l2")
        assert said.lesson is not None
        unanswered = "UPDATE commands SET answer = NULL WHERE id = 'l2'"
        running.gateway.store.write(lambda db: db.execute(unanswered)).result()
        running.stop()
    reader.latest.pop(TOPICS.acknowledgement("l2"))
    with Running(plant()):
        again = answer(reader, "l2")
        assert again.lesson == said.lesson
