"""A first `values.toml` from tables: only what they say, and an error for what they don't."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.errors import ConfigurationError
from auscult.gateway.datasets.value_draft import draft
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.files.records import FileError

EPOCH_H = 472_222
"""First hour of the tables since 1970."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tables of a historian: German and wide; long; run bits; known events."""
    rows = ["Export Werk 3", "", "Zeit;Schwingung Lager [mm/s];Lagertemp_c;Motorstrom_a;Zähler"]
    rows += [f"{1 + i // 24:02}.03.2023 {i % 24:02}:00:00;1,5;{60 + i % 3},25;12;{i}"
             for i in range(200)]  # fmt: skip
    (tmp_path / "Pumpe 1.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["t,tag,value"]
    rows += [f"{3600 * (EPOCH_H + i)},{tag},{v}" for i in range(99) for tag, v in
             (("P-1/pressure [bar]", 4.5), ("P-1/peak_z_mg", 9))]  # fmt: skip
    (tmp_path / "long.csv").write_text("\n".join(rows) + "\n")
    rows = ["time,running", *(f"2023-03-01T{i:02}:00Z,{i % 2}" for i in range(24))]
    (tmp_path / "bits.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "events.csv").write_text("from,to,what\n2023-03-02,2023-03-03,seal\n")
    return tmp_path


def test_what_the_tables_say_is_written_and_the_rest_is_left_open(folder: Path) -> None:
    with pytest.raises(FileError, match=r"Zeit = .* states no time zone.*--timezone Europe/Berlin"):
        draft(folder)
    made = draft(folder, "Europe/Berlin")
    assert made.open == (
        "Pumpe 1.csv: complete quantity and unit of Zähler",
        "bits.csv: run bits; name table and column running as running of their machines",
        "events.csv: known events; name it as events of their machines",
    )
    assert "decimal comma" in made.text
    assert made.text.count("timezone") == 1, "an epoch needs none"
    (folder / "values.toml").write_text(made.text, encoding="utf-8")
    with pytest.raises(FileError, match=r"machine\.0\.points\.3\.unit"):
        read_description(folder)
    (folder / "values.toml").write_text(made.text.replace('unit = ""', 'unit = "1"'))
    description = read_description(folder)
    pump, long = description.machine
    assert [(p.id, p.quantity, p.unit) for p in pump.points] == [
        ("schwingung-lager", "velocity_rms", "mm/s"), ("lagertemp-c", "temperature", "degC"),
        ("motorstrom-a", "current", "A"), ("z-hler", "other", "1"),
    ]  # fmt: skip
    assert [(p.column, p.quantity) for p in long.points] == [
        ("P-1/pressure [bar]", "pressure"), ("P-1/peak_z_mg", "acceleration_peak"),
    ]  # fmt: skip
    history = read_history(folder, description, pump.id)
    assert history.values.shape == (200, 4)
    np.testing.assert_allclose(history.values[0], [1.5, 60.25, 12, 0])
    assert read_history(folder, description, long.id).values.shape == (99, 2)


def test_run_bits_beside_values_become_the_run_state(tmp_path: Path) -> None:
    rows = ["time,velocity_mm_s,running"]
    rows += [f"2023-03-01T{i:02}:00Z,{0.1 + i % 2},{i % 2}" for i in range(24)]
    (tmp_path / "fan.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "values.toml").write_text(draft(tmp_path).text)
    history = read_history(tmp_path, read_description(tmp_path), "fan")
    assert [one.id for one in history.table.points] == ["velocity-mm-s"]
    assert history.running().sum() == 12


def test_a_parquet_with_local_times(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    times = np.datetime64("2023-03-01T00:00:00", "us") + np.arange(50) * np.timedelta64(1, "h")
    table = pyarrow.table({"when": times, "motor temperature (°C)": np.arange(50.0)})
    parquet.write_table(table, tmp_path / "motor.parquet")
    with pytest.raises(
        FileError, match=r'when = "2023-03-01T00:00:00\.000000" states no time zone'
    ):
        draft(tmp_path)
    text = draft(tmp_path, "UTC").text
    assert 'quantity = "temperature", unit = "°C"' in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no table; known endings are"),
        ("1,2\n3,4\n", "none of the first 40 lines names columns"),
        ("a,b\n1,2\n", "no column holds times, of a, b"),
        ("time,b\n2023-03-01T00:00Z,x\n2023-03-01T01:00Z,y\n", "no column holds numbers"),
    ],
)
def test_what_cannot_be_drafted_names_the_remedy(
    tmp_path: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "x.csv").write_text(content)
    done = CliRunner().invoke(cli, ["rehearse", str(tmp_path), "--draft"])
    assert isinstance(done.exception, ConfigurationError)
    assert message in str(done.exception)
    assert not (tmp_path / "values.toml").exists()


def test_a_description_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "values.toml").write_text("mine")
    done = CliRunner().invoke(cli, ["rehearse", str(tmp_path), "--draft"])
    assert "is there already" in str(done.exception)
    assert (tmp_path / "values.toml").read_text() == "mine"
