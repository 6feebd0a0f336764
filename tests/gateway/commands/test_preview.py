"""A preview of a label's effect, by a real gateway."""

from __future__ import annotations

from auscult.contract.payloads import Acknowledgement
from tests.gateway.learning.test_learning import answer, event_id, plant, versions
from tests.gateway.plant import Reader, Running
from tests.waiting import wait_until

__all__ = ["plant"]


def preview(reader: Reader, id_: str, event: str, verdict: str, **more: str) -> Acknowledgement:
    reader.command("preview_label", id_, {"event_id": event, "verdict": verdict, **more})
    return answer(reader, id_)


def test_a_preview_changes_nothing_and_the_label_then_does_what_it_said(plant, reader):
    with Running(plant()) as running:
        event = event_id(reader)
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        updater = running.gateway.machines["pump"].head_updater
        heads = updater.heads
        said = preview(reader, "p1", event, "confirmed_fault", kind="outer")
        assert said.ok
        assert said.lesson is None
        assert said.preview is not None
        assert (said.preview.verdict, said.preview.kind) == ("confirmed_fault", "outer")
        assert said.preview.waits_said is None
        foreseen = said.preview.effect
        assert foreseen is not None
        assert said.preview.said.text.startswith("it would be accepted: ")
        assert foreseen.checkpoint_id == ""
        assert updater.heads is heads
        assert updater.waiting == ()
        assert len(updater.checkpoints()) == 1
        assert reader.of("lesson") == []

        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        lesson = answer(reader, "l1").lesson
        assert lesson is not None
        assert lesson.accepted == foreseen.accepted
        assert lesson.after.threshold == foreseen.after.threshold
        assert lesson.after.faults_total == foreseen.after.faults_total == 1
        assert lesson.after.alarms_per_week == foreseen.after.alarms_per_week


def test_a_preview_that_comes_again_gets_the_same_answer(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        first = preview(reader, "p1", event, "false_alarm")
        reader.latest.clear()
        assert preview(reader, "p1", event, "false_alarm") == first


def test_a_verdict_without_effect_is_answered_in_words(plant, reader):
    with Running(plant()):
        event = event_id(reader)
        unsure = preview(reader, "p1", event, "unsure").preview
        assert unsure is not None
        assert (unsure.effect, unsure.waits_said) == (None, None)
        assert unsure.said.text == "it would be stored, and change nothing"
        planned = preview(reader, "p2", event, "planned_work").preview
        assert planned is not None
        assert (planned.effect, planned.offer) == (None, "new_baseline")


def test_a_preview_reports_the_labels_it_waits_for(plant, reader):
    with Running(plant(min_new_labels=3)):
        event = event_id(reader)
        said = preview(reader, "p1", event, "false_alarm")
        assert said.preview is not None
        assert said.preview.waits_said.text == "waits for 2 more labels"
        assert said.preview.effect is None
        assert said.text == "nothing yet: waits for 2 more labels"
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").text == "waits for 2 more labels"
        again = preview(reader, "p2", event, "false_alarm").preview
        assert again is not None
        assert again.waits_said.text == "waits for 1 more label"


def test_a_long_cool_down_is_reported_beside_the_effect(plant, reader):
    with Running(plant(cooldown_s=86_400)):
        event = event_id(reader)
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").lesson is not None
        said = preview(reader, "p1", event, "unsure").preview
        assert said is not None
        assert "until the last training has cooled down" in said.waits_said.text
        assert said.effect is not None
        assert "replaces the verdict of anna" in said.effect.said.text


def test_heat_delays_a_preview_too(plant, reader, monkeypatch):
    monkeypatch.setattr(
        "auscult.models.learning.budget.PsutilSensors.temperature_c", lambda _: 91.0
    )
    with Running(plant()):
        said = preview(reader, "hot", event_id(reader), "confirmed_fault").preview
        assert said is not None
        assert said.effect is None
        assert "91 °C, the limit is 80 °C" in said.waits_said.text


def test_an_unknown_event_is_rejected(plant, reader):
    with Running(plant()):
        event_id(reader)
        said = preview(reader, "p1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "false_alarm")
        assert not said.ok
        assert "no event" in said.text
