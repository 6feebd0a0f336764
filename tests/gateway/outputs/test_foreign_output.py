"""An output of another package, the documentation's template, on a running gateway."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auscult.app.command.configuration import load
from auscult.errors import ConfigurationError
from auscult.gateway.settings import outputs
from tests.foreign_package import install_template
from tests.gateway.plant import TOPICS
from tests.gateway.recorded import FS_HZ
from tests.waiting import wait_until

PAGE = Path("gateway/outputs/README.md")
BESIDE = '''
"""Outputs that fail and that are slow."""

import time

from auscult.contract.section import Section
from auscult.gateway.outputs.contract import Output, OutputKind


class Failing(Output):
    def start(self): ...

    def stop(self): ...

    def publish(self, message):
        raise OSError("the historian is away")


class Slow(Failing):
    def publish(self, message):
        time.sleep(0.5)


class Kind(OutputKind):
    title = "For a test"
    settings = Section

    def __init__(self, output):
        self._output = output

    def open(self, settings, context):
        return self._output


FAILING, SLOW = Kind(Failing()), Kind(Slow())
'''


@pytest.fixture
def template(tmp_path, monkeypatch):
    """The template, installed as another package: its entry points, its configuration."""
    names, table = install_template(PAGE, "auscult.outputs", tmp_path, monkeypatch)
    (tmp_path / "beside.py").write_text(BESIDE)
    caches = outputs.installed, outputs.kinds, outputs.tables
    for cached in caches:
        cached.cache_clear()
    yield names, table
    for cached in caches:
        cached.cache_clear()


def machine(broker, folder, manifest):
    points = "".join(
        f'[[machines.points]]\nid = "{p}"\nkind = "vibration"\nunit = "g"\nfs_hz = {FS_HZ}\n'
        for p in ("de", "nde")
    )
    return f"""
[mqtt]
host = "127.0.0.1"
port = {broker.port}
[gateway]
data_dir = "{folder}"
heartbeat_s = 5
[detector]
window_s = 0.25
baseline_windows = 60
[[machines]]
id = "pump"
speed_rpm = 1500
{points}
[[sources]]
type = "recordings"
machine = "pump"
manifest = "{manifest}"
pace = 0
repeat = true
"""


def test_it_gets_every_message_beside_one_that_fails_and_a_slow_one(
    template, mosquitto, reader, recordings, trained
):
    names, table = template
    folder = names.parent.parent
    names.write_text(names.read_text() + "failing = beside:FAILING\nslow = beside:SLOW\n")
    config = folder / "auscult.toml"
    config.write_text(table + machine(mosquitto, trained, recordings["faulty"]))
    gateway = subprocess.Popen(
        [sys.executable, "-m", "auscult.app.command.main", "gateway", "--config", str(config)],
        env=os.environ | {"PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"},
    )
    try:
        # The machine is decided on, and its alarm is sent, whatever the outputs do.
        reader.wait_for("alarm", timeout_s=60)
        wait_until(lambda: "failing" in reader.latest[TOPICS.status]["troubles"])
        troubles = reader.latest[TOPICS.status]["troubles"]
        assert "the historian is away" in troubles["failing"]
        assert set(troubles) <= {"failing", "slow"}
    finally:
        gateway.terminate()
        assert gateway.wait(30) == 0
    lines = (folder / "messages.jsonl").read_text().splitlines()
    written = [json.loads(line) for line in lines]
    alarms = [m for m in written if m["schema"] == "auscult/v1/machine_state"]
    assert "alarm" in {m["condition"] for m in alarms}
    seen = {body["id"] for body in reader.of("event")}
    assert seen
    assert seen <= {m["id"] for m in written if m["schema"] == "auscult/v1/event"}


def test_its_table_is_checked_by_its_model(template):
    names, table = template
    folder = names.parent.parent
    config = folder / "auscult.toml"
    config.write_text(table)
    assert load(config).outputs.message_file.path == folder / "messages.jsonl"
    config.write_text("[message_file]\npaths = 1\n")
    with pytest.raises(ConfigurationError, match=r"message_file\.paths: unknown key"):
        load(config)
    config.write_text("[outputs.message_file]\n")
    with pytest.raises(ConfigurationError, match=r"outputs: unknown key"):
        load(config)


def test_one_that_cannot_be_imported_stops_only_who_configured_it(template, caplog):
    names, _ = template
    folder = names.parent.parent
    names.write_text("[auscult.outputs]\nmessage_file = absent_package:KIND\n")
    config = folder / "auscult.toml"
    config.write_text("[sparkplug]\nenabled = true\n")
    assert load(config).outputs.sparkplug.enabled
    assert "output message_file can't be loaded: No module named 'absent_package'" in caplog.text
    config.write_text('[message_file]\npath = "x"\n')
    with pytest.raises(ConfigurationError, match="message_file can't be loaded"):
        load(config)


@pytest.mark.parametrize("example", sorted(Path("gateway/outputs").glob("*/example.toml")), ids=str)
def test_the_example_of_each_output_is_a_configuration(example):
    load(example)
