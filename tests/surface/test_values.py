"""Overall values from a table in Python: the decisions are those of `auscult evaluate`."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pandas
import pytest

import auscult
from auscult.contract.label import Verdict
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.evaluate.played import ALARM, WARNING, Player

EPOCH = 1_700_000_000
N = 1200
DESCRIPTION = """
[[machine]]
id = "pump"
table = "pump.csv"
points = [
    { id = "v", column = "velocity", quantity = "velocity_rms", unit = "mm/s" },
    { id = "t", column = "temperature", quantity = "temperature", unit = "degC" },
]

[[machine]]
id = "known"
table = "pump.csv"
points = [
    { id = "v", column = "velocity", quantity = "velocity_rms", unit = "mm/s" },
    { id = "t", column = "temperature", quantity = "temperature", unit = "degC" },
]
running = { point = "v", above = 0.5 }
healthy_rows = 600
"""


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    """A machine that rests a fifth of the time, has gaps, and vibrates and warms in the end."""
    rng = np.random.default_rng(0)
    runs, faulty = np.arange(N) % 100 >= 20, np.arange(N) >= 900
    v = np.where(runs, 2 * np.exp(0.05 * rng.standard_normal(N)) * np.where(faulty, 4, 1), 0.05)
    t = np.where(runs, 60 + 20 * faulty, 25) + rng.standard_normal(N)
    v[rng.choice(N, 20, replace=False)] = np.nan
    times = pandas.to_datetime(EPOCH + 60 * np.arange(N), unit="s", utc=True)
    return pandas.DataFrame({"v": v.round(4), "t": t.round(3)}, index=times)


@pytest.mark.parametrize("machine", ["pump", "known"])
def test_decisions_and_events_are_those_of_the_gateways_code(frame, tmp_path, machine):
    named = frame.rename(columns={"v": "velocity", "t": "temperature"})
    named.to_csv(tmp_path / "pump.csv", index_label="time")
    (tmp_path / "values.toml").write_text(DESCRIPTION)
    history = read_history(tmp_path, read_description(tmp_path), machine)
    expected = Player(history, tmp_path / "learned").play()
    known = machine == "known"
    columns = {
        "v": auscult.ValueColumn("velocity_rms", "mm/s", running_above=0.5 if known else None),
        "t": auscult.ValueColumn("temperature", "degC"),
    }
    shuffled = frame.sample(frac=1.0, random_state=0)
    found = auscult.evaluate_values(shuffled, columns, healthy_rows=600 if known else None)
    levels = {"warning": WARNING, "alarm": ALARM}
    assert [levels.get(one.value, 0) for one in found.conditions] == expected.level.tolist()
    assert found.ready == expected.ready is not None
    assert len(expected.events) >= 1
    ours = [(one.start_ns // 10**6, one.condition.value == "alarm") for one in found.events]
    assert ours == [(one.from_ns // 10**6, one.alarm) for one in expected.events]
    shown = found.to_pandas()
    assert shown.index.equals(frame.index.rename("time"))
    assert shown["p v"].notna().sum() > 300
    assert found.events[0].reasons[0].text


class Answered(Player):
    """A gateway's machine whose person answers once, at this time."""

    at_ns, verdict = 0, Verdict.UNSURE

    def took(self, result) -> None:
        super().took(result)
        if self.machine.stream_ns == self.at_ns:
            self.machine.answer_level(self.machine.open_event.event_id, self.verdict)


HOURLY = """
[[machine]]
id = "m"
table = "t.csv"
points = [{ id = "t", column = "t", quantity = "temperature", unit = "degC" }]
"""


@pytest.mark.parametrize(
    ("answer", "verdict", "last"),
    [("false_alarm", Verdict.FALSE_ALARM, "normal"), ("confirm", Verdict.CONFIRMED_FAULT, "alarm")],
)
def test_an_answer_changes_what_follows_as_on_the_gateway(tmp_path, answer, verdict, last):
    hours = np.arange(1000)
    warm = 60 + 1.5 * np.random.default_rng(0).standard_normal(1000) + 3 * (hours >= 500)
    times = pandas.to_datetime(EPOCH + 3600 * hours, unit="s", utc=True)
    frame = pandas.DataFrame({"t": warm.round(3)}, index=times)
    frame.to_csv(tmp_path / "t.csv", index_label="time")
    (tmp_path / "values.toml").write_text(HOURLY)
    columns = {"t": auscult.ValueColumn("temperature", "degC")}

    untold = auscult.evaluate_values(frame, columns)
    assert untold.conditions[-1].value == "normal", "three events, then it is the reference"
    given = getattr(untold.events[0], answer)()
    found = auscult.evaluate_values(frame, columns, answers=[given])
    assert found.answers == (given,)
    assert found.conditions[-1].value == last
    assert found.events != untold.events
    late = auscult.evaluate_values(
        frame, columns, answers=[getattr(untold.events[0], answer)(after_s=100 * 3600)]
    )
    assert late.answers == (), "its event was over"
    assert late.events == untold.events

    history = read_history(tmp_path, read_description(tmp_path), "m")
    player = Answered(history, tmp_path / "learned")
    player.at_ns, player.verdict = given.at_ns, verdict
    expected = player.play()
    levels = {"warning": WARNING, "alarm": ALARM}
    assert [levels.get(one.value, 0) for one in found.conditions] == expected.level.tolist()
    assert [(e.start_ns, e.end_ns) for e in found.events] == [
        (e.from_ns, e.to_ns) for e in expected.events
    ]


@pytest.mark.parametrize("after_s", [-1, float("nan"), 2e9, pandas.Timedelta("1h")])
def test_an_answer_at_no_time_is_rejected(after_s):
    event = auscult.ValueEvent(0, 1, auscult.Condition.ALARM, ())
    with pytest.raises(auscult.InputError, match=r"after_s = .* is no number of seconds in 0..1e9"):
        event.false_alarm(after_s)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answers": auscult.ValueAnswer(0, 1, normal=True)}, "give a list of answers"),
        ({"answers": ["false_alarm"]}, "'false_alarm' is no answer; give what a ValueEvent's"),
        ({"answers": [auscult.ValueAnswer(0, 2 * 10**18, normal=True)]}, "give another after_s"),
        ({"columns": {"x": auscult.ValueColumn("flow", "l/min")}}, "no column 'x'; it holds v, t"),
        ({"columns": {}}, "give at least one"),
        ({"healthy_rows": 0}, r"healthy_rows = 0 is outside 1\.\.1200"),
        ({"times": np.arange(N)}, "give times as datetime64"),
        ({"times": np.array(["2026-01-01"], "M8[ns]")}, "1200 rows have 1 times"),
        ({"false_alarms_per_year": 0}, "is not above 0"),
    ],
)
def test_what_cannot_be_used_names_value_limit_and_remedy(frame, change, message):
    arguments = {"columns": {"v": auscult.ValueColumn("velocity_rms", "mm/s")}, **change}
    with pytest.raises(auscult.InputError, match=message):
        auscult.evaluate_values(frame, **arguments)


def test_an_unknown_quantity_names_those_that_are_known():
    with pytest.raises(auscult.InputError, match="quantity = 'heat' is none of velocity_rms"):
        auscult.ValueColumn("heat", "K")


def test_it_needs_the_bare_packages_only():
    code = (
        "import sys, auscult; auscult.evaluate_values; "
        "print(sorted({'pydantic', 'paho', 'fastapi', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_a_reason_names_the_value_its_unit_and_what_it_was_expected_from():
    rng, n = np.random.default_rng(4), 4_000
    load = 50 + 10 * np.sin(np.arange(n) / 40) + rng.standard_normal(n)
    warm = 20 + 0.5 * load + 0.2 * rng.standard_normal(n) + 12 * (np.arange(n) > 3_000)
    columns = {
        "load": auscult.ValueColumn("other", "%"),
        "oil": auscult.ValueColumn("temperature", "°C"),
    }
    times = np.datetime64("2026-01-01") + np.arange(n) * np.timedelta64(60, "s")
    result = auscult.evaluate_values(
        {"load": load, "oil": warm}, columns, times=times, healthy_rows=1_400
    )
    (text,) = (r.text for event in result.events for r in event.reasons if r.point == "oil")
    said = r"temperature [\d.]+ °C instead of [\d.]+ °C, expected from load"
    assert re.fullmatch(said, text), text
