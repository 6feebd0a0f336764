"""Labels and commands: stored, sent, answered, none lost and none done twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auscult.app.mqtt import commands
from auscult.contract.payloads import Acknowledgement, Command
from auscult.contract.requests import COMMANDS, Commands, SetLimitsArgs
from auscult.contract.said import Said
from auscult.link.signing import is_signed
from tests.app import messages as m
from tests.reasons import text_of
from tests.waiting import eventually, wait_until

MACHINE = "plant~gw1~pump-3"


@pytest.fixture
def event_id(dashboard, gateway):
    identity = m.ulid()
    gateway.say_hello("pump-3")
    gateway.publish(m.event("pump-3", identity))
    eventually(lambda: dashboard.count("event"), 1)
    return identity


def label(identity, **more):
    return {"id": identity, "actor": "eva", "verdict": "false_alarm", **more}


def test_a_label_is_answered_with_what_it_changed(dashboard, gateway, event_id):
    body = label("label-0001", note="wind")
    answer = dashboard.client.post(f"/api/v1/events/{event_id}/labels", json=body)
    assert answer.status_code == 201, answer.text
    got = answer.json()
    assert (got["state"], got["verdict"], got["note"]) == ("acknowledged", "false_alarm", "wind")
    assert got["lesson"]["accepted"] is True
    assert got["lesson"]["before"]["alarms_per_week"] == 3.0
    assert got["lesson"]["after"]["alarms_per_week"] == 0.2
    (command,) = [command for name, command in gateway.commands if name == "label"]
    assert command["actor"] == "eva"
    assert is_signed(Command.model_validate(command), gateway.topics.command("label"))
    assert command["args"] == {"event_id": event_id, "verdict": "false_alarm", "note": "wind"}
    event = dashboard.get(f"/api/v1/events/{event_id}")
    assert event["label"]["id"] == "label-0001"
    assert [i["id"] for i in event["labels"]] == ["label-0001"]


def test_a_double_click_is_one_label(dashboard, gateway, event_id):
    path = f"/api/v1/events/{event_id}/labels"
    answers = [dashboard.client.post(path, json=label("label-0001")) for _ in range(3)]
    assert [a.status_code for a in answers] == [201, 200, 200]
    assert answers[0].json() == answers[2].json()
    eventually(lambda: [name for name, _ in gateway.commands], ["label", "acknowledge"])
    other = dashboard.client.post(path, json=label("label-0001", verdict="unsure"))
    assert other.status_code == 409
    assert other.headers["content-type"] == "application/problem+json"
    assert "label-0001" in other.json()["detail"]


def test_limits_of_the_configuration_count_again(dashboard, gateway, event_id):
    path = f"/api/v1/machines/{MACHINE}/points/DE-H/limits"
    body = {"id": "limits-01", "actor": "ada", "limits": None}
    answer = dashboard.client.put(path, json=body)
    assert answer.status_code in (200, 201), answer.text
    ((name, command),) = gateway.commands
    assert name == "set_limits"
    assert SetLimitsArgs(**command["args"]).limits is None
    assert is_signed(Command.model_validate(command), gateway.topics.command(name))


def test_a_rejected_label_has_the_reason(dashboard, gateway, event_id):
    gateway.answer = lambda name, c: Acknowledgement(
        ts=m.now_ms(), id=c["id"], command=name, ok=False, reason="this event is unknown here"
    )
    path = f"/api/v1/events/{event_id}/labels"
    got = dashboard.client.post(path, json=label("label-0001")).json()
    assert (got["state"], text_of(got)) == ("refused", "this event is unknown here")
    assert got["lesson"] is None


def test_a_label_waits_for_a_gateway_that_is_away(dashboard, gateway, event_id, mosquitto):
    mosquitto.stop()
    wait_until(lambda: dashboard.get("/api/health")["broker"] != "connected")
    path = f"/api/v1/events/{event_id}/labels"
    answer = dashboard.client.post(path, json=label("label-0001"), params={"wait_s": 0})
    assert (answer.status_code, answer.json()["state"]) == (201, "pending")
    mosquitto.start()
    eventually(lambda: dashboard.get("/api/v1/labels/label-0001")["state"], "acknowledged")
    assert [name for name, _ in gateway.commands].count("label") == 1


def test_a_label_survives_the_dashboards_end(dashboards, gateway, mosquitto):
    first = dashboards()
    first.wait_connected()
    event_id = m.ulid()
    gateway.publish(m.event("pump-3", event_id))
    eventually(lambda: first.count("event"), 1)
    mosquitto.stop()
    wait_until(lambda: first.get("/api/health")["broker"] != "connected")
    path = f"/api/v1/events/{event_id}/labels?wait_s=0"
    assert first.client.post(path, json=label("label-0001")).json()["state"] == "pending"
    first.stop()
    mosquitto.start()
    second = dashboards()
    eventually(lambda: second.get("/api/v1/labels/label-0001")["state"], "acknowledged")


def test_a_silent_gateway_is_asked_again(dashboard, gateway, event_id, monkeypatch):
    monkeypatch.setattr(commands, "RESEND_S", (0.2, 0.4))
    monkeypatch.setattr(commands, "LOOK_EACH_S", 0.05)
    gateway.answer = m.ignore
    path = f"/api/v1/events/{event_id}/labels"
    dashboard.client.post(path, json=label("label-0001"), params={"wait_s": 0})
    wait_until(lambda: len(gateway.arguments_of("label")) >= 3, what="the label again")
    assert {c["id"] for name, c in gateway.commands if name == "label"} == {"label-0001"}
    eventually(lambda: dashboard.get("/api/v1/labels/label-0001")["state"], "sent")
    gateway.answer = m.acknowledge
    eventually(lambda: dashboard.get("/api/v1/labels/label-0001")["state"], "acknowledged")
    # a gateway that refuses the doubles changes nothing any more
    gateway.publish(
        Acknowledgement(ts=m.now_ms(), id="label-0001", command="label", ok=False, reason="double")
    )
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 2)
    assert dashboard.get("/api/v1/labels/label-0001")["state"] == "acknowledged"


def test_a_command_that_is_never_answered_expires(dashboard, gateway, event_id, monkeypatch):
    hurried = replace(Commands.ACKNOWLEDGE, lifetime_s=0.5)
    monkeypatch.setattr(Commands, "ACKNOWLEDGE", hurried)
    gateway.answer = m.ignore
    body = {"id": "command-1", "actor": "eva"}
    path = f"/api/v1/events/{event_id}/acknowledge"
    got = dashboard.client.post(path, json=body, params={"wait_s": 30}).json()
    assert got["state"] == "expired"
    assert "did not answer" in text_of(got)


def test_an_effect_that_was_not_stored_after_all_corrects_the_answer(dashboard, gateway, event_id):
    path = f"/api/v1/events/{event_id}/labels"
    assert dashboard.client.post(path, json=label("label-0001")).json()["state"] == "acknowledged"

    def stored(query: str) -> list[str]:
        return [row[0] for row in dashboard.dashboard.store.read().execute(query)]

    def answered(said: Said | None) -> None:
        answer = Acknowledgement(
            ts=m.now_ms(), id="label-0001", command="label", ok=said is None, said=said,
        )  # fmt: skip
        gateway.send(gateway.topics.acknowledgement("label-0001"), answer)

    answered(Said("command_failed"))  # any other late answer changes nothing
    answered(Said("command_not_stored"))
    state = "SELECT state || ' ' || said FROM command WHERE id = 'label-0001'"
    not_stored = 'refused {"code":"command_not_stored","values":{}}'
    eventually(lambda: stored(state), [not_stored])
    said = dashboard.get("/api/v1/commands/label-0001")["said"]
    assert said == {"code": "command_not_stored", "values": {}}, "the page has it in its language"
    answered(None)
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 2)
    assert stored(state) == [not_stored], "nor does an older one that comes again"
    outcomes = stored("SELECT outcome FROM audit WHERE action = 'label' ORDER BY number")
    assert outcomes == ["sent", "done", f"rejected: {Said('command_not_stored')}"]


def test_another_gateway_cannot_answer(dashboard, gateway, event_id):
    gateway.answer = m.ignore
    path = f"/api/v1/events/{event_id}/labels"
    dashboard.client.post(path, json=label("label-0001"), params={"wait_s": 0})
    forged = m.acknowledge("label", {"id": "label-0001"})
    gateway.send("auscult/v1/plant/gw2/ack/label-0001", forged)
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 2)
    assert dashboard.get("/api/v1/labels/label-0001")["state"] in ("pending", "sent")


def test_the_effect_of_any_label_reaches_the_ledger(dashboard, gateway, event_id):
    gateway.publish(m.lesson("pump-3", event_id, "given-at-the-gateway", note="bearing is new"))
    gateway.publish(m.lesson("pump-3", event_id, "given-at-the-gateway", note="bearing is new"))
    eventually(lambda: dashboard.count("label"), 1)
    (entry,) = dashboard.get("/api/v1/labels", machine_id=MACHINE)["items"]
    assert (entry["state"], entry["note"], entry["actor"]) == (
        "acknowledged", "bearing is new", "eva (reported by gw1)",
    )  # fmt: skip
    assert entry["lesson"]["weights_change_norm"] == 0.02


def test_a_lesson_without_acknowledgement_answers_the_label(dashboard, gateway, event_id):
    gateway.answer = m.ignore
    path = f"/api/v1/events/{event_id}/labels"
    dashboard.client.post(path, json=label("label-0001"), params={"wait_s": 0})
    gateway.publish(m.lesson("pump-3", event_id, "label-0001"))
    eventually(lambda: dashboard.get("/api/v1/labels/label-0001")["state"], "acknowledged")
    assert dashboard.get("/api/v1/labels/label-0001")["lesson"]["accepted"] is True


def test_a_lesson_that_is_quicker_than_its_acknowledgement_hides_no_reason(
    dashboard, gateway, event_id
):
    gateway.answer = m.ignore
    path = f"/api/v1/events/{event_id}/labels"
    dashboard.client.post(path, json=label("label-0001", verdict="unsure"), params={"wait_s": 0})
    gateway.publish(m.lesson("pump-3", event_id, "label-0001", verdict="unsure", lesson=None))
    gateway.publish(m.acknowledge("start_baseline", {"id": "label-0001"}))
    eventually(lambda: text_of(dashboard.get("/api/v1/labels/label-0001")), "done")
    assert dashboard.count("label") == 1, "known by its label_id"


@pytest.mark.parametrize(
    ("path", "name", "more", "args"),
    [
        (
            f"/api/v1/machines/{MACHINE}/baseline",
            "start_baseline",
            {"reason": "new bearing"},
            {"machine": "pump-3", "reason": "new bearing"},
        ),
        (
            f"/api/v1/machines/{MACHINE}/roll-back",
            "roll_back",
            {"checkpoint_id": "chk-1"},
            {"machine": "pump-3", "checkpoint_id": "chk-1"},
        ),
        (
            f"/api/v1/machines/{MACHINE}/points/DE-H/spectra",
            "request_spectrum",
            {"kind": "envelope"},
            {"machine": "pump-3", "point": "DE-H", "kind": "envelope"},
        ),
    ],
)
def test_commands_reach_the_gateway_as_it_reads_them(
    dashboard, gateway, event_id, path, name, more, args
):
    from auscult.contract.payloads import Command

    answer = dashboard.client.post(path, json={"id": "command-1", "actor": "eva", **more})
    assert (answer.status_code, answer.json()["state"]) == (201, "acknowledged"), answer.text
    ((got_name, got),) = gateway.commands
    assert (got_name, got["args"]) == (name, args)
    Command.model_validate(got)
    COMMANDS[name].args.model_validate(got["args"])
    assert dashboard.get("/api/v1/commands/command-1")["state"] == "acknowledged"
    assert len(dashboard.get("/api/v1/commands", machine_id=MACHINE)["items"]) == 1


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/api/v1/events/none/labels", label("label-0001"), 404, "no event none"),
        ("/api/v1/machines/a~b~c/baseline", {"id": "command-1", "actor": "e"}, 404, "no machine"),
        ("/api/v1/events/none/labels", label("short"), 422, "body.id"),
        ("/api/v1/events/none/labels", label("label-0001", kind="inner"), 422, "leave it out"),
        ("/api/v1/events/none/labels", label("label-0001", colour="red"), 422, "body.colour"),
    ],
)
def test_wrong_requests_are_rejected_with_the_reason(dashboard, path, body, status, words):
    answer = dashboard.client.post(path, json=body)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert dashboard.count("command") == 0


def test_a_command_is_sent_by_its_name_and_by_its_path_of_version_0_3(dashboard, gateway, event_id):
    point = f"/api/v1/machines/{MACHINE}/points/DE-H"
    body = {"actor": "eva", "kind": "healthy", "seconds": 3.5}
    for i, path in enumerate(("commands/request_clip", "clips")):
        answer = dashboard.client.post(f"{point}/{path}", json=body | {"id": f"clip-000{i}"})
        assert answer.status_code == 201
        assert answer.json()["state"] == "acknowledged"
    sent = [command["args"] for name, command in gateway.commands if name == "request_clip"]
    args = {"machine": "pump-3", "point": "DE-H", "kind": "healthy", "seconds": 3.5}
    assert sent == [args, args]
    long = dashboard.client.post(
        f"{point}/commands/request_clip", json=body | {"id": "clip-0003", "seconds": 61}
    )
    assert long.status_code == 422
