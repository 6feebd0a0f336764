"""The commands of a table over a real broker: asked by a person, answered beside other commands."""

from __future__ import annotations

import tomllib

from auscult.gateway.settings.gateway import GatewaySettings
from tests.gateway.plant import TOPICS, Running
from tests.reasons import text_of
from tests.waiting import wait_until


def test_a_table_is_read_and_mapped_for_a_trusted_dashboard(mosquitto, reader, tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    rows = ["time,velocity_mm_s", *(f"2023-03-01T{i:02}:00Z,1.{i}" for i in range(24))]
    (folder / "fan.csv").write_text("\n".join(rows))
    (tmp_path / "secret.csv").write_text("\n".join(rows))
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path / "gateway", "recordings_dir": folder},
    })  # fmt: skip
    with Running(config):
        wait_until(lambda: TOPICS.configuration in reader.latest)
        reader.command("read_table", "t1", {})
        assert reader.answer("t1")["table"]["tables"] == ["fan.csv"]
        reader.command("read_table", "t2", {"table": "fan.csv"})
        shown = reader.answer("t2")["table"]
        assert shown["columns"][1]["cells"] == ["1.0", "1.1", "1.2"]
        (machine,) = shown["machines"]
        other = {**machine, "healthy_rows": 9}
        reader.command("read_table", "t3", {"table": "../secret.csv"})
        assert reader.answer("t3")["said"]["code"] == "table_outside"
        unsigned = {"actor": "someone", "key": "", "signature": ""}
        reader.command("read_table", "t4", {"table": "fan.csv"}, **unsigned)
        assert reader.answer("t4")["said"]["code"] == "command_unsigned"
        wrong = {**machine, "id": "fan 1"}
        mapped = {"table": "fan.csv", "machines": [wrong]}
        reader.command("map_table", "t5", mapped)
        (problem,) = reader.answer("t5")["problems"]
        assert problem["path"] == ["machines", 0, "id"]
        mapped["machines"] = [machine]
        reader.command("map_table", "t6", mapped, **unsigned)
        assert reader.answer("t6")["said"]["code"] == "command_unsigned"
        reader.command("map_table", "t7", {**mapped, "dry_run": True})
        assert text_of(reader.answer("t7")) == "the first rows fit: one point"
        assert not (folder / "values.toml").exists()
        mapped["base"] = shown["version"]
        for again in ("t8", "t9"):  # the same once more: an answer may be lost
            reader.command("map_table", again, mapped)
            assert reader.answer(again)["ok"]
        reader.command("map_table", "t10", {**mapped, "machines": [other]})
        assert "load the table again" in text_of(reader.answer("t10"))
    (written,) = tomllib.loads((folder / "values.toml").read_text())["machine"]
    assert written == machine
