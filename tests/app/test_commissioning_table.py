"""The table of machines: what is read, written and reported by row and column."""

from __future__ import annotations

import csv
import io

import pytest

from auscult.app.commissioning import table
from auscult.app.commissioning.bearings import PUBLISHED
from auscult.contract.payloads import ProblemPart
from auscult.gateway.sources.mqtt.settings import MqttSource
from auscult.gateway.sources.sparkplug.settings import SparkplugSource
from tests.app.machine_tables import rows


def problems_of(text: str) -> set[tuple[int, str]]:
    return {(p.row, p.column) for p in table.read(text, PUBLISHED).problems}


def test_a_table_may_hold_samples_and_values_of_one_machine():
    value = {
        "machine": "pump-1", "point": "T", "kind": "value", "quantity": "temperature",
        "unit": "°C", "value_interval_s": "600", "topic": "plant/pump-1", "path": "t.bearing",
    }  # fmt: skip
    text = io.StringIO()
    writer = csv.DictWriter(text, table.COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(
        [
            {
                **table.EXAMPLE_ROWS[0],
                "baseline_days": "3",
                "consequence_cost": "high",
                "template": "P55",
                "spare_part_days": "42",
            },
            value,
        ]
    )
    read = table.read(text.getvalue(), PUBLISHED)
    assert not read.problems
    assert [source["type"] for source in read.sources] == ["mqtt", "mqtt_json"]
    assert read.machines[0].points[1].interval_s == 600
    assert (read.machines[0].criticality, read.machines[0].spare_part_days) == ("high", 42)
    assert read.machines[0].template == "P55"
    again = table.read(table.written(read.machines, read.sources, PUBLISHED), PUBLISHED)
    assert (again.machines, again.sources) == (read.machines, read.sources)


def test_cells_beyond_the_head_are_named():
    text = "machine;point;kind;unit;fs_hz;bearings\npump;p;vibration;g;2560;6205;6206\n"
    (problem,) = table.read(text, PUBLISHED).problems
    assert (problem.row, problem.said.code) == (2, "cells_beyond_head")


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
