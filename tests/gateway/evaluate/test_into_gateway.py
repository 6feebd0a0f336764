"""A plant's history in a gateway: its baselines, its trends with their times, nothing half."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.errors import ConfigurationError
from auscult.gateway.evaluate.into_gateway import play_into
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.lock import InUseError, locked
from auscult.gateway.storage.outgoing import WriteError
from auscult.gateway.storage.store import Store
from tests.conftest import Mosquitto
from tests.gateway.plant import Reader, Running
from tests.waiting import wait_until

EPOCH = 1_700_000_000 - 1_700_000_000 % 3600
MINUTES = 24 * 60
GAP = slice(10 * 60, 14 * 60)
"""Minutes without a row."""
POINTS = """points = [
    {{ id = "v", {more}quantity = "velocity_rms", unit = "mm/s" }},
    {{ id = "t", {more}quantity = "temperature", unit = "degC" }},
]
"""


@pytest.fixture
def plant(tmp_path: Path) -> Path:
    """A folder with the history of two machines."""
    folder = tmp_path / "plant"
    folder.mkdir()
    rng = np.random.default_rng(0)
    rows = [
        f"{EPOCH + 60 * i},{2 * np.exp(0.05 * rng.standard_normal()):.4f},"
        f"{60 + rng.standard_normal():.2f}"
        for i in range(MINUTES)
    ]
    del rows[GAP]
    for name in ("pump", "fan"):
        (folder / f"{name}.csv").write_text("\n".join(["time,v,t", *rows]) + "\n")
    points = POINTS.format(more="").replace('id = "v"', 'id = "v", column = "v"')
    points = points.replace('id = "t"', 'id = "t", column = "t"')
    (folder / "values.toml").write_text(
        "\n".join(
            f'[[machine]]\nid = "{one}"\ntable = "{one}.csv"\n{points}' for one in ("pump", "fan")
        )
    )
    return folder


def document(data_dir: Path, port: int = 1, **more: object) -> dict[str, object]:
    points = [
        {"id": p, "kind": "value", "quantity": q, "unit": u, "interval_s": 60}
        for p, q, u in (("v", "velocity_rms", "mm/s"), ("t", "temperature", "degC"))
    ]
    return {
        "mqtt": {"host": "127.0.0.1", "port": port},
        "gateway": {"data_dir": data_dir},
        "machines": [{"id": "pump", "points": points}, {"id": "fan", "points": points}],
    } | more


def test_the_gateway_starts_with_the_baselines_and_sends_the_trends(
    plant: Path, tmp_path: Path, mosquitto: Mosquitto, reader: Reader
) -> None:
    settings = GatewaySettings.model_validate(document(tmp_path / "data", mosquitto.port))
    reported: dict[str, int | None] = {}
    assert play_into(settings, plant, reported.__setitem__) == 0
    hours = 24 - 4
    assert reported == {"pump": 2 * hours, "fan": 2 * hours}
    with Running(settings) as running:
        assert running.gateway.machines["pump"].detector.model is not None
        assert (
            running.gateway.machines["pump"].decision.reasons[0].said.code == "silent_since_start"
        )
        wait_until(lambda: len(reader.of("trend")) == 4 * hours, what="the trends of the past")
    trends = [one for one in reader.of("trend") if (one["machine"], one["point"]) == ("fan", "v")]
    starts_h = [(one["start_ms"] / 1000 - EPOCH) / 3600 for one in trends]
    assert starts_h == [*range(10), *range(14, 24)]
    assert {one["windows"] for one in trends} == {60}
    assert reader.of("event") == []


def test_a_machine_is_stored_whole_or_not_at_all_and_a_play_continues(
    plant: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GatewaySettings.model_validate(document(tmp_path / "data"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("auscult.gateway.machines.machine_writes.StateWrite.write_to", full)
        with pytest.raises((WriteError, OSError)):
            play_into(settings, plant, lambda *_: None)
    store = Store(tmp_path / "data")
    assert store.read("SELECT count(*) FROM outbox")[0][0] == 0
    store.close()
    reported: dict[str, int | None] = {}
    play_into(settings, plant, reported.__setitem__)
    assert None not in reported.values()
    play_into(settings, plant, reported.__setitem__)
    assert reported == {"pump": None, "fan": None}


def test_a_killed_play_leaves_whole_machines_only(plant: Path, tmp_path: Path) -> None:
    config = tmp_path / "gateway.toml"
    data = tmp_path / "data"
    points = POINTS.format(more='kind = "value", interval_s = 60, ')
    config.write_text(
        f'[mqtt]\nhost = "127.0.0.1"\n[gateway]\ndata_dir = "{data}"\n'
        + "".join(f'[[machines]]\nid = "{one}"\n{points}' for one in ("pump", "fan"))
    )
    command = [
        sys.executable, "-c", "from auscult.app.command.main import main; main()",
        "rehearse", str(plant), "--into", str(config),
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    first = process.stderr.readline()
    process.kill()
    process.communicate()
    assert first == "pump: 40 trends of an hour\n"
    again = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    assert again.stderr.startswith("pump: has learned before; unchanged\nfan: ")
    store = Store(data)
    topics = Counter(row[0] for row in store.read("SELECT topic FROM outbox"))
    store.close()
    assert set(topics.values()) == {20}
    assert len(topics) == 4


@pytest.mark.parametrize(
    ("machines", "message"),
    [
        ([], "the gateway has no machine pump; it has : configure it, or correct the id"),
        ([{"id": "pump", "points": [{"id": "v", "kind": "value", "quantity": "velocity_rms",
           "unit": "mm/s", "interval_s": 60}]}], "there is no point t; name one of v"),
    ],
)  # fmt: skip
def test_what_the_gateway_does_not_know_is_named(
    plant: Path, tmp_path: Path, machines: list[object], message: str
) -> None:
    settings = GatewaySettings.model_validate(document(tmp_path / "data", machines=machines))
    with pytest.raises(Exception, match=message):
        play_into(settings, plant, lambda *_: None)


def test_a_running_gateway_is_left_alone(plant: Path, tmp_path: Path) -> None:
    settings = GatewaySettings.model_validate(document(tmp_path / "data"))
    with locked(tmp_path / "data"), pytest.raises(InUseError, match="stop its gateway first"):
        play_into(settings, plant, lambda *_: None)


def test_a_report_that_cannot_be_written_leaves_the_one_before(plant: Path, tmp_path: Path) -> None:
    report = tmp_path / "none" / "report.md"
    done = CliRunner().invoke(cli, ["rehearse", str(plant), "--report", str(report)])
    assert isinstance(done.exception, ConfigurationError)
    assert "can't be written" in str(done.exception)
