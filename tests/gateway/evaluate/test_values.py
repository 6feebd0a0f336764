"""`evaluate` on tables of overall values: every field of the contract, events, run state."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.contract.times import DAY_NS
from auscult.errors import ConfigurationError
from auscult.gateway.datasets.value_tables import KnownEvent, read_description, read_history
from auscult.gateway.evaluate.rehearsal import RehearsedCase, RehearsedMachine, report
from auscult.gateway.evaluate.run import run
from auscult.gateway.evaluate.values import Tally, figures
from auscult.gateway.files.records import FileError

FIELDS = {
    "dataset", "machine", "protocol", "detector", "point", "ready_h", "machine_years", "events",
    "alarms", "events_per_year", "alarms_per_year", "share_in_event", "share_in_alarm",
}  # fmt: skip
TRUTH = {"f1", "far", "mar", "alarm_f1", "alarm_far", "alarm_mar"}
EVENTS = {"true_events", "found", "false_events"}
EPOCH = 1_700_000_000
DESCRIPTION = """
[[machine]]
id = "pump"
table = "pump.csv"
points = [
    { id = "v", column = "velocity", quantity = "velocity_rms", unit = "mm/s" },
    { id = "t", column = "temperature", quantity = "temperature", unit = "degC" },
]
healthy_rows = 300
truth = "anomaly"
events = "events.csv"

[[machine]]
id = "fan"
table = "pump.csv"
points = [{ id = "v", column = "velocity", quantity = "velocity_rms", unit = "mm/s" }]
running = { table = "bits.csv", column = "run" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("plant")
    rng = np.random.default_rng(0)
    rows = ["time,velocity,temperature,anomaly"]
    for i in range(600):
        faulty = 400 <= i < 500
        v = 2 * np.exp(0.05 * rng.standard_normal()) * (3 if faulty else 1)
        t = 60 + rng.standard_normal() + 30 * faulty
        rows.append(f"{EPOCH + 60 * i},{v:.4f},{t:.3f},{faulty:d}")
    (path / "pump.csv").write_text("\n".join(rows) + "\n")
    bits = [f"{EPOCH + 60 * i - 5},{i % 100 >= 20:d}" for i in range(600)]
    (path / "bits.csv").write_text("\n".join(["time,run", *bits]) + "\n")
    (path / "events.csv").write_text(
        f"from,to,what\n{EPOCH + 60 * 400},{EPOCH + 60 * 500},valve\n"
        f"{EPOCH + 60 * 50},{EPOCH + 60 * 60},unseen\n"
    )
    (path / "values.toml").write_text(DESCRIPTION)
    return path


def test_rows_have_the_fields_of_the_contract(folder, tmp_path):
    run([folder], tmp_path / "out.json", progress=False)
    document = json.loads((tmp_path / "out.json").read_text())
    rows = {(one["machine"], one["detector"]): one for one in document["results"]}
    detectors = ("auscult", "t2_q", "isolation_forest")
    assert list(rows) == [(m, d) for m in (None,) for d in detectors] + [
        (m, d) for m in ("pump", "fan") for d in detectors
    ]
    for (machine, _), row in rows.items():
        known = TRUTH | EVENTS if machine != "fan" else set()
        assert set(row) == FIELDS | known
        assert row["protocol"] == "values"
    ours = rows["pump", "auscult"]
    assert ours["ready_h"] == pytest.approx(300 / 60, abs=0.1)
    assert ours["events"] == ours["alarms"] == 1
    assert (ours["true_events"], ours["found"], ours["false_events"]) == (2, 1, 0)
    assert ours["f1"] > 0.8
    assert ours["mar"] < 0.1
    assert rows["pump", "t2_q"]["mar"] < 0.1
    assert rows[None, "auscult"]["events"] == ours["events"] + rows["fan", "auscult"]["events"]
    years = sum(rows[m, "auscult"]["machine_years"] for m in ("pump", "fan"))
    assert rows[None, "auscult"]["machine_years"] == pytest.approx(years)


def test_the_run_bit_states_rest_from_the_tables_own_times(folder):
    history = read_history(folder, read_description(folder), "fan")
    assert history.settings.points[-1].state == "running"
    assert history.settings.points[-1].interval_s == 60
    np.testing.assert_array_equal(history.running(), np.arange(600) % 100 >= 20)
    first = dict(history.items())[0]
    assert [item.point.point for item in first] == ["running", "v"]


def test_counts_of_machines_add_up():
    one = Tally(1.0, 3600.0, 36.0, 0.0, 1, 0, 2, 1, 2, 9, 1, 0)
    never = Tally(None, 0.0, 0.0, 0.0, 0, 0)
    both = figures([one, never])
    assert both["ready_h"] is None
    assert both["f1"] == pytest.approx(2 * 2 / (2 + 1 + 4))
    assert both["far"] == pytest.approx(1 / 9)
    assert both["alarm_mar"] == pytest.approx(3 / 4)
    assert both["share_in_event"] == pytest.approx(0.01)
    assert figures([never])["events_per_year"] is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('column = "velocity"', 'column = "speed"', 'no column "speed", which machine pump, '
         "points.v.column of values.toml names"),
        ('table = "pump.csv"', 'table = "none.csv"',
         'values.toml: machine pump, table = "none.csv": there is no such file; correct the name'),
        ('table = "pump.csv"', 'table = "../pump.csv"', 'values.toml: machine pump, table = '
         '"../pump.csv" lies outside '),
        ('table = "bits.csv"', 'table = "/etc/passwd"', 'machine fan, running.table = '
         '"/etc/passwd" lies outside '),
        ('events = "events.csv"', 'events = "../events.csv"', 'put the table into this folder'),
        ('quantity = "temperature"', 'quantity = "heat"', "machine.0.points.1.quantity: must be"),
        ("healthy_rows = 300", "healthy = 300", "machine.0.healthy"),
        ('id = "fan"', 'id = "pump"', "pump is used twice"),
        ('table = "bits.csv", ', "", "running: give table and column, or point"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_line(folder, tmp_path, old, new, message):
    for name in ("pump.csv", "bits.csv", "events.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "values.toml").write_text(DESCRIPTION.replace(old, new))
    done = CliRunner().invoke(cli, ["evaluate", str(tmp_path)])
    assert isinstance(done.exception, ConfigurationError)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path):
    (tmp_path / "values.toml").write_text(DESCRIPTION)
    (tmp_path / "pump.csv").symlink_to(folder / "pump.csv")
    with pytest.raises(FileError, match=r'table = "pump\.csv" lies outside .*; put the table into'):
        read_description(tmp_path)


def test_a_rehearsal_reports_cases_breakdowns_and_false_cases_by_budget(folder, tmp_path):
    path = tmp_path / "report.md"
    done = CliRunner().invoke(
        cli,
        ["rehearse", str(folder), "--report", str(path), "--pdf", str(path.with_suffix(".pdf")),
         "--budget", "1", "--budget", "4"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    pages = path.with_suffix(".pdf").read_bytes()
    assert pages.startswith(b"%PDF")
    assert pages.count(b"/Type /Page\n") == 2
    text = path.read_text()
    assert "2 machines with 1,800 values, 2023-11-14 22:13 to 2023-11-15 08:12" in text
    assert "| 1 of 2 |" in text
    (valve,) = (line for line in text.splitlines() if "| valve |" in line)
    assert valve.startswith("| pump | 2023-11-15 04:53 | valve | ")
    (unseen,) = (line for line in text.splitlines() if "| unseen |" in line)
    assert unseen.endswith("| before the first decision | before the first decision |")


def test_one_table_of_breakdowns_may_serve_all_machines(folder, tmp_path):
    for name in ("pump.csv", "bits.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "values.toml").write_text(DESCRIPTION)
    (tmp_path / "events.csv").write_text(
        "machine,from,to,what\npump,2023-11-15,2023-11-16,a\nfan,2023-11-15,2023-11-16,b\n"
    )
    history = read_history(tmp_path, read_description(tmp_path), "pump")
    assert [one.what for one in history.events] == ["a"]


def test_frequent_cases_see_breakdowns_by_chance():
    def case(first, last):
        return RehearsedCase("m", first * DAY_NS, last * DAY_NS, alarm=False)

    known = KnownEvent(50 * DAY_NS, 51 * DAY_NS, "gear")
    cases = (case(10, 12), case(15, 20), case(95, 100))
    machine = RehearsedMachine("m", 0, 100 * DAY_NS, 9, DAY_NS, (known,), ((1.0, cases),))
    # open within 7 days: days 10 to 27 and 95 to 100
    assert "| 1 | 3 | 0.21 | 0.00 | 0 of 1 | 0.2 | – | 0.21 |" in report("plant", [machine])
    german = report("plant", [machine], "de")
    assert "| 1 | 3 | 0,21 | 0,00 | 0 von 1 | 0,2 | – | 0,21 |" in german
    assert "## Bekannte Schäden" in german
