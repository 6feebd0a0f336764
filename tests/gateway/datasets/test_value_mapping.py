"""One table at a time is mapped for the page: head, draft, check, and the lines of values.toml."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from auscult.gateway.datasets import value_tables
from auscult.gateway.datasets.value_mapping import (
    MOST_COLUMNS,
    head_with_mapping,
    mapping_problems,
    tables_below,
    write_mapping,
)
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.files import historian
from auscult.gateway.files.historian import TimeLayout
from auscult.gateway.files.records import FileError

TABLE = "works/pump.csv"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`recordings_dir` with a table of two machines: German, without a zone, with `Bad Input`."""
    folder = tmp_path / "root"
    (folder / "works").mkdir(parents=True)
    rows = ["Zeit;Lager_A [mm/s];Lager_B;Notiz;Lauf"]
    rows += [f"{1 + i // 24:02}.03.2023 {i % 24:02}:00:00;{'Bad Input' if i == 1 else '1,5'};"
             f"{60 + i};ok;{i % 2}" for i in range(99)]  # fmt: skip
    (folder / TABLE).write_text("\n".join(rows), encoding="utf-8")
    return folder


def completed(root: Path, **more: Any) -> list[dict[str, Any]]:
    """Two machines of the table, as a person completes the draft."""
    (drafted,) = head_with_mapping(root, TABLE).machines
    first, second = drafted.pop("points")[:2]
    common = {**drafted, "timezone": "Europe/Berlin", **more}
    return [
        {**common, "id": "pump-a", "points": [first]},
        {**common, "id": "pump-b", "points": [{**second, "quantity": "temperature", "unit": "°C"}]},
    ]


def said(root: Path, machines: list[dict[str, Any]]) -> dict[tuple[str | int, ...], str]:
    return {one.path: one.text for one in mapping_problems(root, TABLE, machines)}


def test_the_head_shows_cells_and_a_draft_with_what_it_does_not_know(root: Path) -> None:
    assert tables_below(root).tables == (TABLE,)
    shown = head_with_mapping(root, TABLE)
    assert [(one.name, one.numbers) for one in shown.columns] == [
        ("Zeit", False), ("Lager_A [mm/s]", True), ("Lager_B", True), ("Notiz", False),
        ("Lauf", True),
    ]  # fmt: skip
    assert shown.columns[1].cells == ("1,5", "Bad Input", "1,5")
    assert [one.code for one in shown.open] == ["draft_zone", "draft_unit", "draft_unit"]
    (drafted,) = shown.machines
    assert (drafted["id"], drafted["time"], shown.stored) == ("pump", "Zeit", False)
    assert not (root / "works/values.toml").exists(), "looking writes nothing"


def test_a_person_corrects_a_table_that_looks_long(root: Path) -> None:
    rows = ["date,temperature_c,quality", *(f"0{1 + i}/28/2023,{i},good" for i in range(9))]
    (root / "one.csv").write_text("\n".join(rows))
    shown = head_with_mapping(root, "one.csv")
    assert ([one.code for one in shown.open], shown.machines) == (["values_no_times"], ())
    said = TimeLayout("date", "UTC", "%m/%d/%Y", "quality", "temperature_c")
    assert [one.name for one in head_with_mapping(root, "one.csv", said).tags] == ["good"]
    wide = TimeLayout("date", "UTC", "%m/%d/%Y")
    (machine,) = head_with_mapping(root, "one.csv", wide).machines
    assert [one["column"] for one in machine["points"]] == ["temperature_c"]
    assert mapping_problems(root, "one.csv", [machine]) == []


def test_of_a_long_table_it_is_said_that_the_head_may_not_hold_every_tag(root: Path) -> None:
    rows = ["time,tag,value", *(f"2023-03-{1 + i // 24:02}T{i % 24:02}Z,T,{i}" for i in range(99))]
    (root / "long.csv").write_text("\n".join(rows) + "\n")
    assert not head_with_mapping(root, "long.csv").more_rows
    (root / "long.csv").write_text("\n".join([rows[0], *rows[1:] * 11]))
    assert head_with_mapping(root, "long.csv").more_rows


def test_a_time_out_of_range_is_a_problem(root: Path) -> None:
    (root / "inf.csv").write_text("time,a_degc\n1700000000,1\ninf,2\n")
    point = {"id": "a", "column": "a_degc", "quantity": "temperature", "unit": "degC"}
    machine = {"id": "m", "table": "inf.csv", "time": "time", "points": [point]}
    (problem,) = mapping_problems(root, "inf.csv", [machine])
    assert 'time = "inf" is no time' in problem.text


def test_lines_may_end_with_a_separator(root: Path) -> None:
    (root / "end.csv").write_text("time;a_degc;\n2023-03-01T00Z;1;\n2023-03-01T01Z;2;\n")
    shown = head_with_mapping(root, "end.csv")
    assert [(one.name, one.cells) for one in shown.columns][1] == ("a_degc", ("1", "2"))
    assert mapping_problems(root, "end.csv", shown.machines) == []


def test_the_check_names_each_place(root: Path) -> None:
    pump_a, pump_b = completed(root)
    assert said(root, [pump_a, pump_b]) == {}
    wrong = {**pump_b["points"][0], "unit": "bar", "quantity": "speedy"}
    found = said(root, [{**pump_a, "id": "Pump A"}, {**pump_b, "points": [wrong]}])
    assert found.keys() == {("machines", 0, "id"), ("machines", 1, "points", 0, "quantity")}
    unfit = {**pump_b, "points": [{**pump_b["points"][0], "unit": "bar"}]}
    assert "bar" in said(root, [pump_a, unfit])["machines", 1, "points", 0]
    text = {**pump_a, "points": [{**pump_a["points"][0], "column": "Notiz"}]}
    assert "holds no number" in said(root, [text])["machines", 0, "points", 0, "column"]
    gone = {**pump_a, "time": "time"}
    assert 'no column "time"' in said(root, [gone])["machines", 0]
    no_zone = {key: value for key, value in pump_a.items() if key != "timezone"}
    assert "states no time zone" in said(root, [no_zone])["machines", 0, "timezone"]
    nowhere = {**pump_a, "timezone": "Europe/Bonn"}
    assert "Europe/Bonn" in said(root, [nowhere])["machines", 0]
    bits = {"table": "../../secret.csv", "column": "Lauf"}
    assert "lies outside" in said(root, [{**pump_a, "running": bits}])["machines", 0]
    assert "used twice" in said(root, [pump_a, pump_a])["machines",]
    of_time = {**pump_a, "points": [{**pump_a["points"][0], "column": "Zeit"}]}
    assert "is the column of time already" in said(root, [of_time])["machines", 0]
    long = {**pump_a, "tag": "Notiz", "value": "Notiz"}
    assert "is the column of tag already" in said(root, [long])["machines", 0]
    twice = {**pump_a, "time_format": "%Y%Y"}
    assert "%Y%Y" in said(root, [twice])["machines", 0, "time_format"]
    with_nothing = {**pump_a, "events": "e" * 300}
    assert "no such file" in said(root, [with_nothing])["machines", 0]


def test_a_check_reads_a_table_once_for_all_its_machines(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counted(path: Path, *more: Any, **options: Any) -> dict[str, historian.Series]:
        read.append(path)
        return historian.read_series(path, *more, **options)

    monkeypatch.setattr(value_tables, "read_series", counted)
    machines = completed(root)
    assert said(root, machines) == {}
    assert len(read) == 1
    wrong = [{**one, "timezone": "Europe/Bonn"} for one in machines]
    assert len(said(root, wrong)) == 2, "each machine says what is wrong with its table"
    assert len(read) == 2


def test_writing_keeps_the_other_lines_of_values_toml(root: Path) -> None:
    file = root / "works/values.toml"
    other = (
        "# Works of the north\n\n# The fan was new in 2021.\n[[machine]]\nid = 'fan'  # by hand\n"
        "table = 'fan.csv'\npoints = [{id='v', column='v', quantity='velocity_rms', unit='mm/s'}]\n"
    )
    file.write_text(other)
    running = {"table": "pump.csv", "column": "Lauf", "time": "Zeit", "timezone": "Europe/Berlin"}
    assert write_mapping(root, TABLE, completed(root, running=running)) == file
    written = file.read_text()
    assert written.startswith(other)
    history = read_history(file.parent, read_description(file.parent), "pump-b")
    assert (len(history.t_ns), int(history.running().sum())) == (99, 49)
    stored = head_with_mapping(root, TABLE)
    assert (stored.stored, [one["id"] for one in stored.machines]) == (True, ["pump-a", "pump-b"])
    write_mapping(root, TABLE, list(stored.machines))
    assert file.read_text() == written, "writing what is there changes nothing"
    write_mapping(root, TABLE, list(stored.machines[1:]))
    assert [one.id for one in read_description(file.parent).machine] == ["fan", "pump-b"]


def test_a_form_that_cannot_be_changed_by_entries_is_left_to_a_person(root: Path) -> None:
    file = root / "values.toml"
    point = "{id='v', column='v', quantity='velocity_rms', unit='mm/s'}"
    file.write_text(f"machine = [{{id='fan', table='fan.csv', points=[{point}]}}]")
    before = file.read_text()
    machines = [{**one, "table": TABLE} for one in completed(root)]
    with pytest.raises(FileError, match="entry by entry"):
        write_mapping(root, TABLE, machines)
    assert file.read_text() == before


def test_a_stored_table_is_read_otherwise_and_keeps_its_other_keys(root: Path) -> None:
    file = root / "works/values.toml"
    pump_a, pump_b = completed(root, healthy_rows=50, time_format="%d.%m.%Y %H:%M:%S")
    bits = {"table": "pump.csv", "column": "Lauf", "time": "Zeit", "timezone": "Europe/Berlin"}
    write_mapping(root, TABLE, [{**pump_a, "truth": "Lauf", "running": bits}, pump_b])
    # A person may write the path of the same table in another form.
    file.write_text(file.read_text().replace('"pump.csv"', '"./pump.csv"'))
    file.chmod(0o640)
    first, second = head_with_mapping(root, TABLE, TimeLayout("Zeit", "UTC")).machines
    assert (first["truth"], first["healthy_rows"], second["id"]) == ("Lauf", 50, "pump-b")
    assert (first["table"], first["running"]) == ("pump.csv", {**bits, "timezone": "UTC"})
    assert (first["timezone"], "time_format" in second) == ("UTC", False)
    write_mapping(root, TABLE, [first, second])
    assert file.read_text().count("[[machine]]") == 2
    assert file.stat().st_mode & 0o777 == 0o640


def test_comments_around_replaced_machines_stay(root: Path) -> None:
    file = root / "works/values.toml"
    write_mapping(root, TABLE, completed(root))
    first, second = file.read_text().split("\n\n")
    file.write_text(f"# Works\n{first}\n# in use since May\n\n# -- Hall 2 --\n\n{second}# end\n")
    (pump_a, pump_b) = head_with_mapping(root, TABLE).machines
    write_mapping(root, TABLE, [{**pump_a, "healthy_rows": 9}, {**pump_b, "id": "pump-c"}])
    lines = file.read_text().splitlines()
    words = [one for one in lines if one.startswith(("#", "id", "healthy"))]
    assert words == [
        "# Works", 'id = "pump-a"', "healthy_rows = 9", "# in use since May", "# -- Hall 2 --",
        "# end", 'id = "pump-c"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("../secret.csv", "lies outside"),
        ("/etc/secret.csv", "lies outside"),
        ("link.csv", "lies outside"),
        ("folder/secret.csv", "lies outside"),
        ("values.toml", "no such table"),
        ("works", "no such table"),
        ("gone.csv", "no such table"),
        (f"{'g' * 300}.csv", "no such table"),
    ],
)
def test_no_name_leads_out_of_the_folder(root: Path, table: str, message: str) -> None:
    secret = root.parent / "secret.csv"
    secret.write_text("time,password\n2023-03-01T00:00Z,1\n")
    (root / "link.csv").symlink_to(secret)
    (root / "folder").symlink_to(root.parent)
    (root / "values.toml").write_text("")
    for work in (head_with_mapping, lambda *of: mapping_problems(*of, []),
                 lambda *of: write_mapping(*of, [])):  # fmt: skip
        with pytest.raises(FileError, match=message):
            work(root, table)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "names columns with rows below it"),
        ("words.csv", b"\xff" * 5_000_000, "names columns with rows below it"),
        ("utf16.csv", "time,v\n2023-03-01T00:00Z,1\n".encode("utf-16"), "no text in UTF-8"),
        ("wrong.csv.gz", b"\x1f\x8b nothing", "can't be read as CSV"),
        ("cut.csv.gz", gzip.compress(b"time,v\n" + b"1" * 999)[:20], "can't be read as CSV"),
        ("quote.csv", b'time,"' + b"v" * 300_000, "can't be read as CSV"),
    ],
    ids=["empty", "bytes", "utf-16", "no-gzip", "cut", "quote"],
)
def test_a_file_that_is_no_table_says_so(
    root: Path, name: str, content: bytes, message: str
) -> None:
    (root / name).write_bytes(content)
    with pytest.raises(FileError, match=message):
        head_with_mapping(root, name)


def test_a_form_that_reads_a_part_twice_reads_no_times(root: Path) -> None:
    shown = head_with_mapping(root, TABLE, TimeLayout("Zeit", "", "%Y%Y"))
    assert [one.code for one in shown.open] == ["values_no_times"]


def test_of_a_large_table_only_the_head_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{'v' * 60}{i}_mm_s" for i in range(MOST_COLUMNS + 20)]
    rows = [",".join(["time", *names])]
    rows += [",".join([f"2023-03-{day:02}T00:00Z", *["1.5"] * len(names)]) for day in range(1, 29)]
    (root / "wide.csv").write_text("\n".join(rows) + "\nno time" * 100_000)
    monkeypatch.setattr(historian, "HEAD_ROWS", 20)
    shown = head_with_mapping(root, "wide.csv")
    assert (len(shown.columns), shown.left_out) == (MOST_COLUMNS, 21)
    assert mapping_problems(root, "wide.csv", shown.machines) == []
