"""Tables of historians: forms of times and numbers, wide and long, CSV and Parquet."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import numpy as np
import pytest

from auscult.gateway.files.historian import TimeLayout, read_series
from auscult.gateway.files.records import FileError


def ns(*moments: str) -> list[int]:
    return [
        round(datetime.fromisoformat(m).replace(tzinfo=UTC).timestamp()) * 10**9 for m in moments
    ]


def read(path, text: str, column: str = "a", **layout: str):
    path.write_text(text, encoding="utf-8")
    return read_series(path, TimeLayout(**({"time": "t"} | layout)), {column: "points.a.column"})[
        column
    ]


@pytest.mark.parametrize(
    ("time", "layout"),
    [
        ("2023-03-01T10:00:00Z", {}),
        ("2023-03-01 10:00:00", {}),
        ("2023-03-01T11:00:00+01:00", {}),
        ("1677664800", {}),
        ("1677664800000", {}),
        ("1677664800.0", {}),
        ("01.03.2023 11:00:00", {"timezone": "Europe/Berlin"}),
        ("03/01/2023 05:00 AM", {"timezone": "America/New_York",
                                 "time_format": "%m/%d/%Y %I:%M %p"}),
    ],
)  # fmt: skip
def test_forms_of_times(tmp_path, time, layout):
    found = read(tmp_path / "x.csv", f"t;a\n{time};1,5\n", **layout)
    assert found.t_ns.tolist() == ns("2023-03-01T10:00:00")
    assert found.values.tolist() == [1.5]


def test_the_doubled_hour_of_autumn_is_two_hours(tmp_path):
    local = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    text = "t,a\n" + "".join(f"2023-10-29 {one},{i}\n" for i, one in enumerate(local))
    found = read(tmp_path / "x.csv", text, timezone="Europe/Berlin")
    assert found.values.tolist() == [0, 1, 2, 3, 4, 5]
    assert set(np.diff(found.t_ns).tolist()) == {1800 * 10**9}


def test_disorder_words_blanks_and_a_description_before_the_header(tmp_path):
    text = (
        "Export of plant 3\n\nt\ta\tb\n2023-03-01T02:00\t2,5\tx\n2023-03-01T01:00\tBad Input\tx\n"
        "2023-03-01T03:00\t\tx\n2023-03-01T00:00\t1.000,5\n\n"
    )
    found = read(tmp_path / "x.csv", text)
    assert found.t_ns.tolist() == ns(*(f"2023-03-01T0{i}:00" for i in range(4)))
    np.testing.assert_array_equal(found.values, [1000.5, np.nan, 2.5, np.nan])


def test_a_long_table_compressed(tmp_path):
    path = tmp_path / "x.csv.gz"
    with gzip.open(path, "wt") as text:
        text.write("t,tag,value\n0,a,1\n".replace("0,", "1677664800,"))
        text.write("1677664860,b,7\n1677664800,b,6\n1677664920,a,2\n")
    layout = TimeLayout("t", tag="tag", value="value")
    found = read_series(path, layout, {"a": "points.a.column", "b": "points.b.column"})
    assert found["a"].values.tolist() == [1, 2]
    assert found["b"].values.tolist() == [6, 7]
    with pytest.raises(FileError, match=r'no column "c", which points.c.column .* it holds a, b'):
        read_series(path, layout, {"c": "points.c.column"})


@pytest.mark.parametrize("zoned", [False, True])
def test_parquet(tmp_path, zoned):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    moments = pa.array(ns("2023-03-01T01:00:00", "2023-03-01T00:00:00"), pa.timestamp(
        "ns", "UTC" if zoned else None))  # fmt: skip
    table = pa.table({"t": moments, "a": pa.array([1.0, None]), "tag": ["x", "y"]})
    parquet.write_table(table, tmp_path / "x.parquet")
    layout = TimeLayout("t", timezone="Europe/Berlin")
    found = read_series(tmp_path / "x.parquet", layout, {"a": "points.a.column"})["a"]
    shift = 0 if zoned else -3600 * 10**9
    assert found.t_ns.tolist() == [t + shift for t in ns("2023-03-01T00:00", "2023-03-01T01:00")]
    np.testing.assert_array_equal(found.values, [np.nan, 1.0])
    long = TimeLayout("t", tag="tag", value="a")
    found = read_series(tmp_path / "x.parquet", long, {"x": "points.x.column"})["x"]
    assert found.values.tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,b\n1677664800,1\n", 'no column "a", which points.a.column of values.toml names; it '
         "holds t, b: name one of these"),
        ("z,a\n1677664800,1\n", 'no column "t", which time of values.toml names'),
        ("t,a\n1677664800,x\n", 'column "a", which points.a.column of values.toml names, holds no'),
        ("t,a\n1677664800,1\nyesterday,2\n", 'line 3: t = "yesterday" is no time'),
        ("t,a\n45000.5,1\n", 'line 2: t = "45000.5" is no time'),
        ("t,a\n", "no row has a time"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said_in_one_line(tmp_path, text, message):
    with pytest.raises(FileError) as raised:
        read(tmp_path / "x.csv", text)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_zone_is_named(tmp_path):
    with pytest.raises(FileError, match='timezone = "Mars/North" in'):
        read(tmp_path / "x.csv", "t,a\n2023-03-01 10:00,1\n", timezone="Mars/North")
