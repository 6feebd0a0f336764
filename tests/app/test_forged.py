"""One gateway can't speak for another's machines, nor in the name of a person."""

from __future__ import annotations

from auscult.contract.topics import Topics
from tests.app import messages as m
from tests.waiting import eventually


def known_event(dashboard, gateway) -> str:
    event = m.ulid()
    gateway.say_hello("pump-3")
    gateway.publish(m.event("pump-3", event))
    eventually(lambda: dashboard.count("event"), 1)
    return event


def test_a_lesson_for_another_gateways_event_is_rejected(dashboard, gateway):
    event = known_event(dashboard, gateway)
    foreign = Topics("plant", "ghost")
    forged = m.lesson("pump-3", event, "forged-1", actor="shift leader")
    gateway.send(foreign.lesson("pump-3"), forged)
    gateway.send(foreign.spectrum("pump-3", "DE-H"), m.spectrum("pump-3", "DE-H", event_id=event))
    gateway.publish(m.lesson("pump-3", event, "own-1", actor="panel"))
    eventually(lambda: dashboard.count("label"), 1)
    shown = dashboard.get(f"/api/v1/events/{event}")
    assert [label["id"] for label in shown["labels"]] == ["own-1"]
    assert shown["spectra"] == []


def test_a_label_that_was_not_given_here_names_its_gateway(dashboard, gateway):
    event = known_event(dashboard, gateway)
    gateway.publish(m.lesson("pump-3", event, "own-1", actor="shift leader"))
    eventually(lambda: dashboard.count("label"), 1)
    label = dashboard.get("/api/v1/labels/own-1")
    assert label["actor"] == f"shift leader (reported by {gateway.topics.gateway})"
