"""Commissioning by the dashboard: the table, the bearings, what is asked of the gateway."""

from __future__ import annotations

import csv
import io
import threading

import pytest

from auscult.app.commissioning import table
from auscult.app.commissioning.bearings import PUBLISHED
from auscult.gateway import service
from auscult.gateway.messages.inventory import Configuration
from auscult.gateway.messages.machines import MachineSettings
from auscult.gateway.messages.payloads import Acknowledgement, ProblemPart
from auscult.gateway.settings.mqtt_source import MqttSource
from auscult.gateway.settings.sparkplug_source import SparkplugSource
from tests.app import messages as m
from tests.app.conftest import eventually
from tests.conftest import wait_until
from tests.gateway.commands.test_commissioning import empty
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set

GATEWAY = "/api/v1/gateways/plant~gw1/configuration"
FIXED = MachineSettings.model_validate(
    {"id": "old-1", "points": [{"id": "p", "kind": "sound", "unit": "Pa", "fs_hz": 16_000}]}
)


def rows(*changes: dict[str, str]) -> str:
    """A table of a machine with two points that hear nothing, changed row by row."""
    base = [{**row, "topic": "", "tags": ""} for row in table.EXAMPLE_ROWS]
    for row, change in zip(base, changes, strict=False):
        row.update(change)
    text = io.StringIO()
    writer = csv.DictWriter(text, table.COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(base)
    return text.getvalue()


def problems_of(text: str) -> set[tuple[int, str]]:
    return {(p.row, p.column) for p in table.read(text, PUBLISHED).problems}


# --- tables with overall values ---------------------------------------------------------------


def test_a_table_may_hold_samples_and_values_of_one_machine():
    value = {
        "machine": "pump-1", "point": "T", "kind": "value", "quantity": "temperature",
        "unit": "°C", "value_interval_s": "600", "topic": "plant/pump-1", "path": "t.bearing",
    }  # fmt: skip
    text = io.StringIO()
    writer = csv.DictWriter(text, table.COLUMNS, restval="")
    writer.writeheader()
    writer.writerows([{**table.EXAMPLE_ROWS[0], "baseline_days": "3"}, value])
    read = table.read(text.getvalue(), PUBLISHED)
    assert not read.problems
    assert [source["type"] for source in read.sources] == ["mqtt", "mqtt_json"]
    assert read.machines[0].points[1].interval_s == 600
    again = table.read(table.written(read.machines, read.sources, PUBLISHED), PUBLISHED)
    assert (again.machines, again.sources) == (read.machines, read.sources)


def test_cells_beyond_the_head_are_named():
    text = "machine;point;kind;unit;fs_hz;bearings\npump;p;vibration;g;2560;6205;6206\n"
    (problem,) = table.read(text, PUBLISHED).problems
    assert (problem.row, problem.said.code) == (2, "cells_beyond_head")


# --- the bearings -----------------------------------------------------------------------------


def test_orders_are_those_that_were_published():
    """The multiples that the Bearing Data Center states for its two bearings."""
    stated = {
        "6205-2RS JEM SKF": (3.5848, 5.4152, 4.7135, 0.39828),
        "6203-2RS JEM SKF": (3.0530, 4.9469, 3.9874, 0.3817),
    }
    for bearing in PUBLISHED:
        if bearing.name in stated:
            o = bearing.orders
            got = (o.bpfo, o.bpfi, 2 * o.bsf, o.ftf)
            assert got == pytest.approx(stated[bearing.name], rel=3e-4)


def test_bearings_are_searched_by_designation_and_by_comb(dashboard):
    named = dashboard.get("/api/v1/bearings", text="6309-2Z/C3")["items"]
    assert [(one["name"], one["approximate"]) for one in named] == [
        ("6309 Timken", False), ("6309", True),
    ]  # fmt: skip
    found = dashboard.get("/api/v1/bearings/candidates", order=4.95, tolerance=0.002)["items"]
    assert ("ER-10K MB", "bpfi") in [(one["bearing"]["name"], one["part"]) for one in found]


def test_an_own_bearing_by_its_makers_orders(dashboard):
    body = {"name": "FAG 22310", "bpfo": 5.99, "bpfi": 9.01, "actor": "eva"}
    answer = dashboard.client.post("/api/v1/bearings", json=body)
    assert answer.status_code == 201, answer.text
    first = dashboard.get("/api/v1/bearings")["items"][0]
    assert first["balls"] is None
    assert first["orders"] == {"bpfo": 5.99, "bpfi": 9.01, "bsf": None, "ftf": None}
    for wrong in ({"bpfo": None, "bpfi": None}, {"bpfo": 9.01, "bpfi": 5.99}):
        assert dashboard.client.post("/api/v1/bearings", json=body | wrong).status_code == 422


def test_own_bearings(dashboard):
    body = {"name": "6305 ours", "balls": 8, "ball_diameter_mm": 10.3, "pitch_diameter_mm": 43.5}
    answer = dashboard.client.post("/api/v1/bearings", json=body | {"actor": "eva"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["orders"]["bpfo"] == pytest.approx(4 * (1 - 10.3 / 43.5))
    first = dashboard.get("/api/v1/bearings")["items"][0]
    assert (first["name"], first["origin"], first["source"]) == (
        "6305 ours", "own", "entered by eva",
    )  # fmt: skip
    wrong = dashboard.client.post("/api/v1/bearings", json=body | {"ball_diameter_mm": 50})
    assert wrong.status_code == 422
    taken = dashboard.client.post("/api/v1/bearings", json=body | {"name": PUBLISHED[0].name})
    assert taken.status_code == 409
    assert dashboard.client.delete("/api/v1/bearings/6305 OURS").status_code == 204
    assert dashboard.client.delete("/api/v1/bearings/6305 ours").status_code == 404


# --- the table --------------------------------------------------------------------------------


def test_the_template_is_a_good_table():
    read = table.read(table.template(), PUBLISHED)
    assert read.problems == []
    (machine,) = read.machines
    assert [point.id for point in machine.points] == ["DE-H", "NDE-H"]
    assert machine.bearings[0].balls == 9
    assert machine.approve_baseline
    (limit,) = machine.points[0].limits
    assert (limit.feature, limit.warning, limit.alarm) == ("velocity_rms_mm_s", 4.5, 7.1)


def test_what_is_exported_can_be_imported():
    text = rows(
        {"recordings": "pumps/manifest.csv", "recorded_machine": "pump", "recorded_point": "de",
         "gear_teeth": "20;35", "limits": "kurtosis>4/8|rms</0.1", "pace": "2"},
        {"recorded_point": "nde"},
    )  # fmt: skip
    first = table.read(text, PUBLISHED)
    assert first.problems == []
    again = table.read(table.written(first.machines, first.sources), PUBLISHED)
    assert (again.machines, again.sources) == (first.machines, first.sources)


def test_a_train_is_exported_and_imported():
    text = rows(
        {"bearings": "6205-2RS JEM SKF; 22310=5.99/9.01/2.5/0.4@2; mine=9x7.94/39.04/0@2",
         "shafts": "2=0.5675675675675675", "gears": "21/37@1>2", "belts": "200/2000@2",
         "blades": "6@2", "line_hz": "50", "pole_pairs": "2", "topic": "a", "direction": "axial",
         "shaft": "2", "point_bearings": "22310|mine"},
        {"topic": "b", "direction": "vertical"},
    )  # fmt: skip
    read = table.read(text, PUBLISHED)
    assert read.problems == []
    (machine,) = read.machines
    assert [(b.name, b.shaft, b.bpfo, b.balls) for b in machine.bearings] == [
        ("6205-2RS JEM SKF", "1", None, 9), ("22310", "2", 5.99, None), ("mine", "2", None, 9),
    ]  # fmt: skip
    assert (machine.gears[0].driven_shaft, machine.blades[0].count) == ("2", 6)
    assert machine.points[0].bearings == ("22310", "mine")
    cells = table.written(read.machines, read.sources, PUBLISHED)
    assert "6205-2RS JEM SKF;22310=5.99/9.01/2.5/0.4@2" in cells
    again = table.read(cells, PUBLISHED)
    assert (again.problems, again.machines) == ([], read.machines)


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"bearings": "6205=1/2/3/4/5"}, "bearings"),
        ({"bearings": "6205=5.4/3.6"}, "bearings"),
        ({"gears": "21"}, "gears"),
        ({"shafts": "2=0.5", "gears": "21/37@1>2"}, "machine"),
        ({"blades": "6@3"}, "machine"),
        ({"point_bearings": "6310"}, "machine"),
    ],
)
def test_a_train_that_contradicts_itself_is_rejected(cells, column):
    assert problems_of(rows(cells | {"topic": "a"})) == {(2, column)}


def test_numbers_are_exported_as_they_are():
    text = rows(
        {"topic": "a", "sensitivity_mv": "101.2345678", "limits": "rms>1234567.5/",
         "burst_s": "0.30517578125", "tags": "load=b *1000000 -0.000012345678; x=c *-2e-9 +1e300"},
    )  # fmt: skip
    first = table.read(text, PUBLISHED)
    assert first.problems == []
    again = table.read(table.written(first.machines, first.sources), PUBLISHED)
    assert (again.machines, again.sources) == (first.machines, first.sources)
    assert first.sources[0]["tags"][0]["offset"] == -0.000012345678


def test_sensors_and_process_values_over_mqtt():
    text = rows(
        {"topic": "sensors/pump-1/de-h", "burst_s": "2", "interval_s": "600",
         "tags": "speed_rpm=plc/p1#/values/0 *60 +1.5; recipe=mes/line 1/recipe",
         "tags_stale_s": "30"},
    )  # fmt: skip
    read = table.read(text, PUBLISHED)
    assert read.problems == []
    (source,) = read.sources
    wave = {"point": "DE-H", "topic": "sensors/pump-1/de-h", "burst_s": 2.0, "interval_s": 600.0}
    speed = {"name": "speed_rpm", "topic": "plc/p1", "pointer": "/values/0", "scale": 60.0,
             "offset": 1.5}  # fmt: skip
    assert source == {
        "type": "mqtt", "machine": "pump-1", "stale_after_s": 30.0, "waveforms": [wave],
        "tags": [speed, {"name": "recipe", "topic": "mes/line 1/recipe"}],
    }  # fmt: skip
    MqttSource.model_validate(source)
    again = table.read(table.written(read.machines, read.sources), PUBLISHED)
    assert (again.machines, again.sources) == (read.machines, read.sources)
    place = read.place(problem("sources", 0, "waveforms", 0, "burst_s"), ["pump-1"])
    assert (place.row, place.column) == (2, "burst_s")
    place = read.place(problem("sources", 0, "tags", 1, "topic"), ["pump-1"])
    assert (place.row, place.column) == (2, "tags")


def test_metrics_of_other_edge_nodes():
    text = rows(
        {"topic": "sparkplug:plant/plc 1/dev#Vib/DE", "sample_encoding": "float32",
         "sample_scale": "0.5",
         "tags": "speed_rpm=sparkplug:plant/plc 1#Motor Speed *60; load=sparkplug:plant/plc2/d#L"},
        {"topic": "sparkplug:plant/plc2#NDE"},
    )  # fmt: skip
    read = table.read(text, PUBLISHED)
    assert read.problems == []
    (source,) = read.sources
    assert source == {
        "type": "sparkplug", "machine": "pump-1", "group_id": "plant", "edge_node_id": "plc 1",
        "waveforms": [
            {"point": "DE-H", "metric": "Vib/DE", "device_id": "dev", "encoding": "float32",
             "scale": 0.5},
            {"point": "NDE-H", "metric": "NDE", "edge_node_id": "plc2"},
        ],
        "tags": [
            {"name": "speed_rpm", "metric": "Motor Speed", "scale": 60.0},
            {"name": "load", "metric": "L", "device_id": "d", "edge_node_id": "plc2"},
        ],
    }  # fmt: skip
    SparkplugSource.model_validate(source)
    again = table.read(table.written(read.machines, read.sources), PUBLISHED)
    assert (again.machines, again.sources) == (read.machines, read.sources)


def problem(*path: str | int) -> ProblemPart:
    return ProblemPart(path=path, text="")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\r\n", "\n"),
        lambda text: text.replace("\r\n", "\r"),
        lambda text: text.replace(",", ";").replace("25600", "25600,0"),
        lambda text: text.replace(",", "\t"),
        lambda text: text + "\r\n,,,\r\n",
        lambda text: text.replace("machine,", "Machine ,", 1),
    ],
    ids=["mark", "unix", "old mac", "semicolons", "tabs", "empty rows", "spaces"],
)  # fmt: skip
def test_tables_of_spreadsheets_are_understood(spoil):
    plain = rows({"machine_name": "Pump one", "point_name": "DE"}, {"point_name": "NDE"})
    read = table.read(spoil(plain), PUBLISHED)
    assert read.problems == []
    assert read.machines == table.read(plain, PUBLISHED).machines


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        (({"power_kw": "much"},), {(2, "power_kw")}),
        (({"fs_hz": "12"}, {"unit": "furlong"}), {(2, "fs_hz"), (3, "unit")}),
        (({"bearings": "9999"},), {(2, "bearings")}),
        (({"limits": "velocity"},), {(2, "limits")}),
        (({"approve_baseline": "maybe"},), {(2, "approve_baseline")}),
        (({"machine": "a b"}, {"machine": "a b"}), {(2, "machine")}),
        (({"machine": ""},), {(2, "machine")}),
        (({}, {"point": "DE-H"}), {(2, "machine")}),
        (({}, {"point": ""}), {(3, "point")}),
        (({}, {"speed_rpm": "3000"}), {(3, "speed_rpm")}),
        (({"iso_class": "group9"},), {(2, "iso_class")}),
        (({"topic": "a", "tags": "speed_rpm"},), {(2, "tags")}),
        (({"topic": "a", "tags": "speed_rpm=a *fast"},), {(2, "tags")}),
        (({"tags": "speed_rpm=plc/speed"},), {(2, "tags")}),
        (({"topic": "a", "burst_s": "long"},), {(2, "burst_s")}),
        (({"topic": "a", "burst_s": "nan"},), {(2, "burst_s")}),
        (({"topic": "a", "tags": "speed_rpm=a *1e400"},), {(2, "tags")}),
        (({"power_kw": "1e400"},), {(2, "power_kw")}),
        (({"topic": "sparkplug:plant#x"},), {(2, "topic")}),
        (({"topic": "sparkplug:a/b#x"}, {"topic": "sparkplug:c/b#x"}), {(3, "topic")}),
        (({"topic": "sparkplug:a/b#x"}, {"topic": "plain"}), {(3, "topic")}),
        (({"topic": "sparkplug:a/b#x", "tags": "load=plain"},), {(2, "tags")}),
        (({"recordings": "pumps/manifest.csv"}, {"topic": "a"}), {(3, "topic")}),
    ],
)
def test_errors_are_reported_by_row_and_column(changes, places):
    assert problems_of(rows(*changes)) == places


def test_a_table_of_something_else():
    assert (1, "machine") in problems_of("name;age\nada;36\n")
    assert problems_of(rows().replace("machine_name", "colour", 1)) == {(1, "colour")}
    assert problems_of("") != set()
    assert problems_of("a" * 200_000) == {(1, "")}


# --- what is asked of the gateway ---------------------------------------------------------------


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
        wait_until(lambda: client.get(path).status_code == 200, 30, "the configuration")
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

        wait_until(all_normal, 120, "twenty baselines")
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()
