"""The gateway's numbers for Prometheus, its health, and the rules and pages made of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from auscult.contract.payloads import Status
from auscult.contract.said import Said
from auscult.gateway.metrics import MetricsReading, MetricsServer
from auscult.gateway.records import PointId, PointValue, SampleBlock
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_points, plan_values
from tests.gateway.plant import Running, settings
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

FOLDER = Path(__file__).parents[2] / "docker" / "monitoring"


def get(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=DEADLINE_S) as answer:
        return answer.read().decode()


@pytest.fixture
def port(mosquitto, reader, recordings, trained):
    port = free_port()
    own = {"gateway": {"data_dir": trained, "heartbeat_s": 5, "metrics_port": port}}
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True, more=own)
    with Running(config) as running:
        reader.wait_for("alarm")
        wait_until(lambda: running.gateway.metrics.port)
        yield port


def test_a_gateway_shows_its_machines_and_health(port, mosquitto):
    found = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(get(port, "/metrics"))
        for sample in family.samples
    }
    alarm = ("auscult_machine_condition", ("condition", "alarm"), ("machine", "pump"))
    assert found[alarm] == 1
    assert sum(v for k, v in found.items() if k[0] == "auscult_machine_condition") == 1
    assert found["auscult_gateway_windows_total",] > 0
    assert found["auscult_gateway_broker_connected",] == 1
    assert {v for k, v in found.items() if k[0] == "auscult_source_ok"} == {1}
    used = " ".join(path.read_text() for path in FOLDER.glob("*") if "test" not in path.name)
    wanted = set(re.findall(r"auscult_(?:gateway|source|machine)_\w+", used))
    conditional = {
        "auscult_gateway_certificate_days",
        "auscult_gateway_clock_synchronised",
        "auscult_gateway_trouble",
    }
    assert wanted - {name for name, *_ in found} <= conditional
    assert json.loads(get(port, "/health"))["status"] == "ok"
    mosquitto.stop()
    wait_until(lambda: json.loads(get(port, "/health"))["status"] == "degraded")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(port, "/")


COUNTED = {
    "auscult_machine_values_total": {"used": 2, "joined": 1, "repeated": 1, "late": 1},
    "auscult_machine_resets_total": {"": 0},
    "auscult_machine_blocks_total": {"used": 3, "duplicates": 1},
    "auscult_machine_windows_total": {"": 0},
    "auscult_machine_breaks_total": {"gaps": 1, "overlaps": 0, "restarts": 0},
}


def test_values_and_blocks_are_counted_by_machine_and_by_what_became_of_them():
    points: list[dict[str, object]] = [
        {"id": name, "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 60}
        for name in ("t1", "t2")
    ]
    points.append({"id": "DE", "kind": "vibration", "unit": "g", "fs_hz": 2000})
    plant = GatewaySettings.model_validate({"machines": [{"id": "pump", "points": points}]})
    pipeline = Pipeline(plan_points(plant, {}), values=plan_values(plant))
    for name, *times_s in (("t1", 1000, 1000, 900, 1010), ("t2", 1000)):
        point = PointId("pump", name)
        list(pipeline.process([PointValue(point, t_s * 10**9, 40.0, "") for t_s in times_s]))
    for number in (0, 1, 1, 3):  # the second comes twice, the third is lost
        samples = np.zeros(500, np.float32)
        t0_ns = 10**18 + number * 250_000_000
        list(
            pipeline.process(
                [SampleBlock(PointId("pump", "DE"), 2000, t0_ns, number, samples, "g")]
            )
        )
    status = Status(ts=1, state="online")
    reading = MetricsReading(
        status, True, {}, {}, 0, 0, pipeline.block_counts, pipeline.value_counts
    )
    server = MetricsServer("127.0.0.1", 0, lambda: reading, threading.Event())
    server.start()
    try:
        wait_until(lambda: server.port)
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for family in text_string_to_metric_families(get(server.port or 0, "/metrics")):
            for sample in family.samples:
                labels = {**sample.labels}
                if sample.name in COUNTED and labels.pop("machine") == "pump":
                    found[sample.name][next(iter(labels.values()), "")] = sample.value
    finally:
        server.stop()
    assert found == COUNTED, "the outcomes of 5 values and 4 blocks add up to them"


def test_a_gateway_that_can_not_store_is_failing():
    def state(*, storing: bool, source: str = "source_ok", connected: bool = True) -> str:
        status = Status(ts=1, state="online", storing=storing)
        return MetricsReading(status, connected, {}, {"s": Said(source)}, 0, 0, {}, {}).state

    assert state(storing=True) == "ok"
    assert state(storing=True, source="source_failed") == "degraded"
    assert state(storing=True, connected=False) == "degraded"
    assert state(storing=False) == "failing"


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("promtool"), reason="needs Debian's package prometheus")
def test_a_real_prometheus_takes_numbers_and_rules(port, tmp_path):
    def promtool(*args: str, text: str | None = None) -> None:
        done = subprocess.run(
            ["promtool", *args], cwd=FOLDER, input=text, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    promtool("check", "config", "prometheus.yml")
    promtool("test", "rules", "alerts_test.yml")
    promtool("check", "metrics", text=get(port, "/metrics"))
    config = (FOLDER / "prometheus.yml").read_text()
    config = config.replace("gateway:9464", f"127.0.0.1:{port}").replace("30s", "1s")
    (tmp_path / "prometheus.yml").write_text(config)
    shutil.copy(FOLDER / "alerts.yml", tmp_path)
    at = port + 1
    server = subprocess.Popen(
        ["prometheus", "--config.file=prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb",
         f"--web.listen-address=127.0.0.1:{at}"],
        cwd=tmp_path, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        time.sleep(2)
        up = 'auscult_machine_condition{condition="alarm",machine="pump"}'
        path = f"/api/v1/query?query={urllib.request.quote(up)}"
        wait_until(lambda: json.loads(get(at, path))["data"]["result"])
        alerts = "/api/v1/alerts"
        wait_until(lambda: "AuscultMachineAlarm" in get(at, alerts))
        wait_until(lambda: "AuscultDashboardDown" in get(at, alerts))
    finally:
        server.terminate()
        server.wait()
