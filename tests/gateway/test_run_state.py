"""A machine of transmitters with a run bit over MQTT: what is learned, what decides, what is said.

A plant's machine runs now and then; its values come at their own moments, before the first run bit
too.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import paho.mqtt.client as mqtt
import pytest

from auscult.gateway.settings.gateway import GatewaySettings
from auscult.models.baseline import fit
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS, Reader, Running
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

MINUTE_S = 60


def point(name: str, quantity: str, unit: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name, "kind": "value", "quantity": quantity, "unit": unit, "interval_s": MINUTE_S,
    } | more  # fmt: skip


T, V = point("t", "temperature", "°C"), point("v", "velocity_rms", "mm/s")
BIT = [T, V, point("run", "other", "bit", state="running", running_above=0.5)]
ABOVE = [T, V | {"state": "running", "running_above": 0.2}]


def configured(broker: Mosquitto, folder, points=BIT, **gateway: Any) -> GatewaySettings:
    """A pump with temperature and velocity; a bit or the velocity says whether it runs."""
    values = [
        {"point": p["id"], "topic": f"plant/{p['id']}", "path": "value", "time_path": "ts"}
        for p in points
    ]
    return GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": broker.port},
        "gateway": {"data_dir": folder / "gateway", "heartbeat_s": 5} | gateway,
        "detector": {"baseline_windows": 60},
        "machines": [{"id": "pump", "points": points}],
        "sources": [{"type": "mqtt_json", "machine": "pump", "values": values}],
    })  # fmt: skip


class Plant:
    """Sends a minute of the plant's life each few milliseconds."""

    def __init__(self, broker: Mosquitto, early: tuple[str, ...] = ()) -> None:
        self._early = early
        self.sender = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.sender.connect("127.0.0.1", broker.port)
        self.sender.loop_start()
        self.hot, self.stop = threading.Event(), threading.Event()
        self.minutes = 0
        self._rng = np.random.default_rng(1)
        self._start_s = time.time() - 80_000

    def send(self, name: str, value: float) -> None:
        body = {"value": value, "ts": self._start_s + self.minutes * MINUTE_S}
        self.sender.publish(f"plant/{name}", json.dumps(body), qos=1)

    def live(self) -> None:
        """Run for 45 of 60 minutes; some values come before the first run bit."""
        for name in self._early:
            self.send(name, 20.0 if name == "t" else 1.5)
            self.minutes += 1
        while not self.stop.wait(0.02) and self.minutes < 1300:
            runs = self.minutes % 60 < 45
            self.send("run", float(runs))
            warm = 60 + self._rng.standard_normal() + 15 * self.hot.is_set()
            self.send("v", 1.5 * np.exp(0.05 * self._rng.standard_normal()) if runs else 0.02)
            self.send("t", warm if runs else 30.0)
            self.minutes += 1

    @contextmanager
    def living(self, reader: Reader) -> Iterator[None]:
        """Live in a thread, once the gateway listens."""

        def listens() -> bool:
            said = reader.latest.get(TOPICS.status, {}).get("sources_said", {})
            return [one["code"] for one in said.values()] == ["source_ok"]

        wait_until(listens)
        thread = threading.Thread(target=self.live)
        thread.start()
        try:
            yield
        finally:
            self.stop.set()
            thread.join()
            self.sender.loop_stop()


def lacking(reader: Reader) -> list[dict[str, Any]]:
    """Everything that the machine's states said was missing so far."""
    topic = TOPICS.machine_state("pump")
    states = [body for at, body in list(reader.messages) if at == topic]
    return [said for body in states for said in body["coverage"]["lacks"]]


@pytest.mark.parametrize(
    ("points", "early"),
    [(BIT, ("t", "v")), (ABOVE, ("v",))],
    ids=["values before the run bit", "velocity says that it runs"],
)
def test_a_run_state_is_no_cause_and_holds_no_baseline_back(
    points, early, mosquitto, reader, tmp_path, caplog
):
    plant = Plant(mosquitto, early)
    with Running(configured(mosquitto, tmp_path, points)), plant.living(reader):
        for one in points:
            reader.wait_for("normal", one["id"])
        plant.hot.set()
        reader.wait_for("alarm", "t")
        wait_until(lambda: reader.condition() in ("warning", "alarm"))
        wait_until(lambda: reader.of("event"))
    coverage = reader.latest[TOPICS.machine_state("pump")]["coverage"]
    assert coverage["windows"] < 65, "it waits neither for the run bit nor for a state of one value"
    assert not any(said["values"].get("point") == "run" for said in lacking(reader))
    states = [said["values"]["tags"] for said in lacking(reader) if said["code"] == "state_windows"]
    assert all(tags == ["running yes"] for tags in states)
    causes = {reason["point"] for event in reader.of("event") for reason in event["reasons"]}
    assert "run" not in causes
    assert coverage["states"] == ["running yes"]
    assert not [one for one in caplog.records if one.exc_info]


def fetched(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=DEADLINE_S) as answer:
        return str(answer.read().decode())


def test_training_that_fails_is_a_trouble_of_the_machine_until_it_succeeds(
    mosquitto, reader, tmp_path, monkeypatch, caplog
):
    attempts, fit_baseline = list[int](), fit.fit_baseline
    fails = threading.Event()
    fails.set()

    def failing(specs, windows, *more: Any, **named: Any):
        attempts.append(sum(len(own.features) for own in windows.values()))
        if fails.is_set():
            return 1 / 0
        return fit_baseline(specs, windows, *more, **named)

    monkeypatch.setattr(fit, "fit_baseline", failing)
    port, plant = free_port(), Plant(mosquitto)
    settings = configured(mosquitto, tmp_path, metrics_port=port)
    status, machine = TOPICS.status, TOPICS.machine_state("pump")
    with Running(settings), plant.living(reader):
        wait_until(lambda: reader.latest.get(status, {}).get("troubles"))
        said = reader.latest[status]["troubles_said"]["pump"]
        assert said["code"] == "training_failed"
        assert "ZeroDivisionError" in said["values"]["detail"]
        assert "new healthy period" in reader.latest[status]["troubles"]["pump"], "the remedy"
        wait_until(lambda: reader.latest[machine]["coverage"]["lacks"])
        lacks = reader.latest[machine]["coverage"]["lacks"]
        assert [one["code"] for one in lacks] == ["training_failed"], "on the machine's page"
        assert json.loads(fetched(port, "/health"))["status"] == "degraded"
        assert 'auscult_gateway_trouble{part="pump"} 1.0' in fetched(port, "/metrics")
        wait_until(lambda: len(attempts) >= 3)
        fails.clear()
        reader.wait_for("normal", "t")
        wait_until(lambda: not reader.latest[status]["troubles"])
        assert json.loads(fetched(port, "/health"))["status"] == "ok"
    pauses = np.diff(attempts)
    assert (pauses[1:] > pauses[:-1]).all(), "growing pauses"
    errors = [one for one in caplog.records if one.levelno >= logging.ERROR]
    assert [one.getMessage().startswith("pump: training") for one in errors] == [True]
    assert not errors[0].exc_info, "one line"
