"""Settings of one machine for many, across gateways; the gateways check with their real command."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from auscult.contract.inventory import Configuration
from auscult.contract.payloads import Acknowledgement, Command
from auscult.contract.requests import ConfigureArgs
from auscult.gateway.commands.commissioning import Commissioned, Commissioning
from auscult.gateway.commands.handler import CommandRejection
from tests.app import messages as m
from tests.app.messages import FakeGateway
from tests.gateway.commands.test_commissioning import empty, machine
from tests.waiting import eventually

LIMIT = {"feature": "kurtosis", "warning": 5.0, "alarm": 8.0}


class CommissionedGateway(FakeGateway):
    """A gateway made of messages, whose `configure` is the real one."""

    def __init__(self, broker, gateway: str, folder: Path, *machines: dict) -> None:
        super().__init__(broker, gateway=gateway)
        settings = empty(None, folder, folder)
        self.own = Commissioning(settings, renew=lambda _gone: None)
        self._configured(ConfigureArgs.model_validate({"machines": machines}))
        self.answer = self._configure
        self.publish(m.status())
        current = Commissioned(machines=self.own._file.load().machines)
        self.publish(
            Configuration(ts=m.now_ms(), version=current.version, machines=current.machines)
        )

    def stored(self, machine: str) -> dict:
        return next(one.model_dump() for one in self.own._file.load().machines if one.id == machine)

    def _configured(self, args: ConfigureArgs):
        self.own.current = self.own._file.load()
        return self.own.configure(None, args)

    def _configure(self, name: str, command: dict) -> Acknowledgement:
        asked = Command.model_validate(command)
        answer = {"ts": m.now_ms(), "id": asked.id, "command": name}
        try:
            done = self._configured(ConfigureArgs.model_validate(asked.args))
        except (CommandRejection, ValidationError) as error:
            found = getattr(error, "problems", ())
            return Acknowledgement(**answer, ok=False, reason=str(error), problems=found)
        return Acknowledgement(**answer, ok=True, said=done.reason)


def limited(name: str, **more: object) -> dict:
    whole = machine(name, **more)
    return {**whole, "points": [{**point, "limits": [LIMIT]} for point in whole["points"]]}


@pytest.fixture
def plant(dashboard, mosquitto, tmp_path):
    """Two gateways; the template is `gw1/pump-1`."""
    others = machine("fan-1"), machine("fan-2", speed_rpm=900)
    lacking = {**machine("fan-3"), "points": machine("x")["points"][:1]}
    gateways = [
        CommissionedGateway(
            mosquitto.settings, "gw1", tmp_path / "1", limited("pump-1", baseline_days=7), others[0]
        ),
        CommissionedGateway(mosquitto.settings, "gw2", tmp_path / "2", others[1], lacking),
    ]
    eventually(lambda: dashboard.count("configuration"), 2)
    yield dashboard, *gateways
    for gateway in gateways:
        gateway.stop()


MACHINES = ["plant~gw1~fan-1", "plant~gw2~fan-2", "plant~gw2~fan-3", "plant~gw1~pump-1"]


def asked(dashboard, **more: object) -> dict[str, dict]:
    body = {
        "id": "bulk-0001", "actor": "eva", "template": "plant~gw1~pump-1", "machines": MACHINES,
        "parts": ["limits", "baseline"], **more,
    }  # fmt: skip
    answer = dashboard.client.post("/api/v1/commissioning/bulk", json=body)
    assert answer.status_code == 200, answer.text
    return {one["machine_id"]: one for one in answer.json()["items"]}


def test_the_preview_shows_each_change_and_the_application_makes_it(plant):
    dashboard, first, second = plant
    shown = asked(dashboard)
    assert [one["state"] for one in shown.values()] == [
        "changes", "changes", "rejected", "unchanged",
    ]  # fmt: skip
    assert shown[MACHINES[2]]["said"]["code"] == "template_point_missing"
    changes = {one["setting"]: one["after"] for one in shown[MACHINES[1]]["changes"]}
    assert set(changes) == {"DE/limits", "NDE/limits", "baseline_days"}
    assert changes["baseline_days"] == 7
    assert second.stored("fan-2")["baseline_days"] == 0, "a preview changes nothing"

    done = asked(dashboard, id="bulk-0002", dry_run=False)
    assert [one["state"] for one in done.values()] == [
        "changed", "changed", "rejected", "unchanged",
    ]  # fmt: skip
    for gateway, name in ((first, "fan-1"), (second, "fan-2")):
        stored = gateway.stored(name)
        assert stored["baseline_days"] == 7
        assert [point["limits"][0]["alarm"] for point in stored["points"]] == [8.0, 8.0]
    assert second.stored("fan-2")["speed_rpm"] == 900, "what was not chosen stays"
    assert second.stored("fan-3")["baseline_days"] == 0
    assert all(command["signature"] for _, command in second.commands)
    sent = len(second.commands)
    assert asked(dashboard, id="bulk-0002", dry_run=False) == done
    assert len(second.commands) == sent, "a repeated request is done once"


def test_who_takes_the_name_plate_of_a_machine_is_its_sister(plant):
    dashboard, _, second = plant
    asked(dashboard, id="bulk-0003", machines=[MACHINES[1]], parts=["name_plate"], dry_run=False)
    assert second.stored("fan-2")["template"] == "plant~gw1~pump-1"


def test_what_a_gateway_rejects_stops_no_other_machine(plant):
    dashboard, _, second = plant
    before = second.answer

    def reject_fan_2(name: str, command: dict) -> Acknowledgement:
        if any(
            one["id"] == "fan-2" and one["baseline_days"] for one in command["args"]["machines"]
        ):
            problem = {"path": ["machines", 0, "baseline_days"], "text": "not here"}
            return Acknowledgement(
                ts=m.now_ms(), id=command["id"], command=name, ok=False, reason="1 problem",
                problems=(problem,),
            )  # fmt: skip
        return before(name, command)

    second.answer = reject_fan_2
    done = asked(dashboard, parts=["baseline"], dry_run=False)
    assert [one["state"] for one in done.values()] == [
        "changed", "rejected", "changed", "unchanged",
    ]  # fmt: skip
    assert done[MACHINES[1]]["text"] == "not here"
    assert second.stored("fan-3")["baseline_days"] == 7
    assert second.stored("fan-2")["baseline_days"] == 0


def test_a_gateway_that_is_away_gets_nothing(plant):
    dashboard, _, second = plant
    second.answer = m.ignore
    body = {"machines": MACHINES[:2], "dry_run": False}
    url = "/api/v1/commissioning/bulk"
    template = {"id": "bulk-0003", "actor": "eva", "template": "plant~gw1~pump-1"}
    answer = dashboard.client.post(
        url, json={**template, **body, "parts": ["baseline"]}, params={"wait_s": 1}
    )
    states = {one["machine_id"]: one["state"] for one in answer.json()["items"]}
    assert states == {MACHINES[0]: "changed", MACHINES[1]: "rejected"}
    assert [c["args"]["dry_run"] for _, c in second.commands] == [True]
    gone = dashboard.client.post(
        url, json={**template, **body, "parts": ["limits"], "template": "a~b~c"}
    )
    assert gone.status_code == 404
