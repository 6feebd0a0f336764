"""Sources that no thread is left for: reported, and the others run; the list can be taken back."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from auscult.gateway import service
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.host.supervised import Supervised, spare_threads
from tests.gateway.plant import TOPICS
from tests.waiting import DEADLINE_S, wait_until

POINT = {"id": "t", "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 1}
ALLOWED = 2
"""Sources that get a thread."""


@pytest.fixture
def few_threads(monkeypatch) -> None:
    """Python starts no thread for more than `ALLOWED` Modbus sources, as under TasksMax."""
    start, begun = Supervised.start, []

    def limited(thread: Supervised) -> None:
        if thread.name.startswith("modbus:"):
            begun.append(thread.name)
            if len(begun) > ALLOWED:
                raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(Supervised, "start", limited)


def listed(machines: Sequence[str], kind: str) -> dict[str, object]:
    modbus = {
        "type": "modbus",
        "host": "127.0.0.1",
        "port": 1,
        "values": [{"point": "t", "address": 3}],
    }
    json = {"type": "mqtt_json", "values": [{"point": "t", "topic": "values/x", "path": "t"}]}
    sources = [(modbus if kind == "modbus" else json) | {"machine": name} for name in machines]
    return {
        "machines": [{"id": name, "points": [POINT]} for name in machines], "sources": sources,
    }  # fmt: skip


def test_sources_without_a_thread_are_a_trouble_and_the_list_can_be_taken_back(
    mosquitto, reader, tmp_path, few_threads, caplog
):
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path, "page_sources": ["modbus"], "heartbeat_s": 5},
    })  # fmt: skip
    stop = threading.Event()
    thread = threading.Thread(target=service.run, args=(config, stop))
    thread.start()

    def status() -> dict[str, dict[str, str]]:
        return reader.latest.get(TOPICS.status, {"sources": {}, "troubles": {}})

    try:
        wait_until(lambda: TOPICS.status in reader.latest)
        reader.command("configure", "1" * 26, listed([f"m{i}" for i in range(5)], "modbus"))
        assert reader.answer("1" * 26)["ok"]
        wait_until(lambda: "for 3 sources" in status()["troubles"].get("sources", ""))
        said = status()["sources"]
        assert sum("no thread is left" in text for text in said.values()) == 3
        assert len(said) == 5
        point = TOPICS.point_state("m4", "t")
        wait_until(lambda: "no thread" in str(reader.latest.get(point)))
        reader.command("configure", "2" * 26, listed(["a"], "mqtt_json"))
        assert reader.answer("2" * 26)["ok"]
        wait_until(lambda: status()["sources"] == {"mqtt_json:a": "ok"})
        assert status()["troubles"] == {}
        assert "Traceback" not in caplog.text
    finally:
        stop.set()
        thread.join(DEADLINE_S)


def test_threads_are_held_for_others_and_given_back():
    before = threading.active_count()
    with spare_threads(5):
        assert threading.active_count() == before + 5
    assert threading.active_count() == before
