"""Commissioning by the dashboard: what is asked of the gateway."""

from __future__ import annotations

import csv
import io
import threading

import pytest

from auscult.app.commissioning import table
from auscult.app.commissioning.bearings import PUBLISHED
from auscult.contract.inventory import Configuration
from auscult.contract.machines import MachineSettings
from auscult.contract.payloads import Acknowledgement, ProblemPart
from auscult.gateway import service
from tests.app import messages as m
from tests.app.machine_tables import rows
from tests.gateway.commands.test_commissioning import empty
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set
from tests.waiting import DEADLINE_S, eventually, wait_until

GATEWAY = "/api/v1/gateways/plant~gw1/configuration"
FIXED = MachineSettings.model_validate(
    {"id": "old-1", "points": [{"id": "p", "kind": "sound", "unit": "Pa", "fs_hz": 16_000}]}
)


@pytest.fixture
def configured(dashboard, gateway):
    gateway.say_hello("old-1")
    gateway.publish(Configuration(ts=m.now_ms(), version="v1", fixed=(FIXED,)))
    eventually(lambda: dashboard.count("configuration"), 1)
    return dashboard


def imported(dashboard, text, identity="import-01", **more):
    body = {"id": identity, "actor": "eva", "table": text, **more}
    answer = dashboard.client.post(f"{GATEWAY}/table", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_configuration_is_served_with_an_etag(configured):
    first = configured.client.get(GATEWAY)
    body = first.json()
    assert (body["version"], body["fixed"][0]["id"], body["machines"]) == ("v1", "old-1", [])
    again = configured.client.get(GATEWAY, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert configured.client.get(GATEWAY.replace("gw1", "gw2")).status_code == 404


def test_a_wrong_table_asks_nothing_of_the_gateway(configured, gateway):
    result = imported(configured, rows({"power_kw": "much"}))
    assert [(p["row"], p["column"]) for p in result["problems"]] == [(2, "power_kw")]
    assert result["command"] is None
    assert gateway.commands == []


def test_a_table_becomes_one_command(configured, gateway):
    result = imported(configured, rows(), dry_run=False)
    assert result["problems"] == []
    assert (result["machines"], result["points"]) == (1, 2)
    assert result["command"]["state"] == "acknowledged"
    assert result["command"]["args"] == {
        "machines": ["pump-1"], "base": "v1", "dry_run": False,
    }  # fmt: skip
    assert imported(configured, rows(), dry_run=False)["command"] == result["command"]
    ((name, command),) = gateway.commands
    assert (name, command["actor"], command["args"]["base"]) == ("configure", "eva", "v1")
    machine = MachineSettings.model_validate(command["args"]["machines"][0])
    assert machine == table.read(rows(), PUBLISHED).machines[0]


def test_problems_from_the_gateway_are_reported_by_row(configured, gateway):
    found = (
        ProblemPart(path=("machines", 0, "points", 1, "limits"), text="no such feature"),
        ProblemPart(path=("machines", 0, "id"), text="in the file"),
        ProblemPart(path=("sources", 0, "manifest"), text="not there"),
        ProblemPart(path=("sources", 0, "points", "NDE-H"), text="not recorded"),
    )
    gateway.answer = lambda name, c: Acknowledgement(
        ts=m.now_ms(), id=c["id"], command=name, ok=False, reason="4 problems", problems=found
    )
    result = imported(configured, rows({"recordings": "pumps/manifest.csv"}))
    assert [(p["row"], p["column"], p["text"]) for p in result["problems"]] == [
        (3, "limits", "no such feature"),
        (2, "machine", "in the file"),
        (2, "recordings", "not there"),
        (3, "recorded_point", "not recorded"),
    ]
    assert result["command"]["state"] == "refused"


def test_other_machines_and_their_sources_stay(configured, gateway):
    other = FIXED.model_copy(update={"id": "fan-1"})
    kept = {"type": "recordings", "manifest": "m.csv", "machine": "fan-1"}
    gateway.publish(Configuration(ts=m.now_ms(), version="v2", machines=(other,), sources=(kept,)))
    eventually(lambda: configured.get(GATEWAY)["version"], "v2")
    imported(configured, rows())
    args = gateway.commands[-1][1]["args"]
    assert [machine["id"] for machine in args["machines"]] == ["pump-1", "fan-1"]
    assert args["sources"] == [kept]
    again = configured.client.get(f"{GATEWAY}.csv").text
    assert [machine.id for machine in table.read(again, PUBLISHED).machines] == ["fan-1"]


def test_a_baseline_is_approved(configured, gateway):
    answer = configured.client.post(
        "/api/v1/machines/plant~gw1~old-1/baseline/approve",
        json={"id": "approve-1", "actor": "eva", "baseline_id": "base-1"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["state"] == "acknowledged"
    ((name, command),) = gateway.commands
    assert (name, command["args"]) == (
        "approve_baseline", {"machine": "old-1", "baseline_id": "base-1"},
    )  # fmt: skip


@pytest.mark.slow
def test_twenty_machines_are_imported_and_learn(dashboard, mosquitto, tmp_path):
    """The whole way on real parts: table, dry run, command, gateway, baseline, page's data."""
    data_set = write_data_set(tmp_path / "recordings" / "rig", {"healthy": shaft_noise(120, 1)})
    own = empty(mosquitto, tmp_path, data_set.parent.parent)
    stop = threading.Event()
    thread = threading.Thread(target=service.run, args=(own, stop))
    thread.start()
    try:
        path = "/api/v1/gateways/plant~gateway1/configuration"
        client = dashboard.client
        wait_until(lambda: client.get(path).status_code == 200, what="the configuration")
        assert len(dashboard.get(path)["channels"]) == 2
        text = io.StringIO()
        writer = csv.DictWriter(text, table.COLUMNS, restval="")
        writer.writeheader()
        for number in range(20):
            writer.writerow({
                "machine": f"pump-{number}", "area": f"Hall {number % 3}", "speed_rpm": 1500,
                "bearings": "6205-2RS JEM SKF", "baseline_windows": 40,
                "point": "DE", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ,
                "recordings": "rig/manifest.csv", "recorded_machine": "pump",
                "recorded_point": "de", "pace": 0,
            })  # fmt: skip
        ask = {"actor": "eva", "table": text.getvalue()}
        for identity, dry_run in (("dry-run-01", True), ("apply-0001", False)):
            body = ask | {"id": identity, "dry_run": dry_run}
            result = client.post(f"{path}/table", json=body, params={"wait_s": 30}).json()
            assert result["problems"] == []
            assert result["command"]["state"] == "acknowledged", result
            assert result["machines"] == 20

        def all_normal() -> bool:
            items = dashboard.get("/api/v1/machines")["items"]
            return [i["condition"] for i in items].count("normal") == 20

        wait_until(all_normal, what="twenty baselines")
    finally:
        stop.set()
        thread.join(DEADLINE_S)
    assert not thread.is_alive()
