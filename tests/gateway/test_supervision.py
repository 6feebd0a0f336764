"""Every part of the gateway that fails starts again, and the status names it meanwhile."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from asyncua.sync import Client
from pymodbus.client import ModbusTcpClient
from sqlite_utils import Database

from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.sources.feed import Feed
from auscult.gateway.storage.store import FILE_NAME, Store, StoreError
from tests.gateway.plant import TOPICS, Running, settings
from tests.waiting import wait_until


@pytest.fixture
def at_once(monkeypatch):
    """Failed parts start again without the pause that a real one has."""
    monkeypatch.setattr("auscult.host.supervised.FIRST_PAUSE_S", 0.05)


def failing_once(method):
    """The method, raising at its first call."""
    errors = [RuntimeError("unforeseen")]

    def fail(*args, **more):
        if errors:
            raise errors.pop()
        return method(*args, **more)

    return fail


PARTS = {
    "status": "auscult.gateway.status.StatusPublisher.publish_if_due",
    "commands": "auscult.gateway.commands.queue.CommandQueue._pause_s",
    "store": "auscult.gateway.storage.store.Store._commit",
    "sparkplug": "auscult.gateway.outputs.sparkplug.worker.NodeWorker._serve",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_failed_part_starts_again_and_is_named(
    part, mosquitto, reader, recordings, trained, monkeypatch, at_once
):
    module, owner, method = PARTS[part].rsplit(".", 2)
    kind = getattr(__import__(module, fromlist=[owner]), owner)
    config = settings(
        mosquitto, trained, recordings["again"], repeat=True, more={"sparkplug": {"enabled": True}}
    )
    with Running(config) as running:
        reader.wait_for("normal")
        assert reader.latest[TOPICS.status]["troubles"] == {}
        monkeypatch.setattr(kind, method, failing_once(getattr(kind, method)))
        if part == "sparkplug":
            mosquitto.stop()
            mosquitto.start()
        wait_until(lambda: part in reader.latest[TOPICS.status]["troubles"])
        status = reader.latest[TOPICS.status]
        assert "unforeseen" in status["troubles"][part]
        assert status["troubles_said"][part]["code"] == "part_failed"
        thread = next(t for t in running.gateway.threads if t.name == part)
        assert thread.is_alive()
        # Storing continues, and so does everything above it.
        running.gateway.store.write(lambda db: db.execute("SELECT 1")).result()


def test_a_failed_source_plays_on_and_its_time_never_goes_back(
    mosquitto, reader, recordings, trained, monkeypatch, at_once
):
    config = settings(mosquitto, trained, recordings["again"], repeat=True)
    with Running(config) as running:
        reader.wait_for("normal")
        monkeypatch.setattr(Feed, "block", failing_once(Feed.block))
        wait_until(
            lambda: "unforeseen" in reader.latest[TOPICS.status]["sources"]["recordings:pump"]
        )
        before = running.gateway.machines["pump"].stream_ns
        wait_until(lambda: running.gateway.machines["pump"].stream_ns > before)


def test_a_server_whose_port_is_in_use_serves_when_it_is_free(
    mosquitto, reader, recordings, trained, at_once
):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        config = settings(
            mosquitto, trained, recordings["again"], repeat=True,
            more={"modbus": {"enabled": True, "port": port}},
        )  # fmt: skip
        running = Running(config)
        wait_until(lambda: "modbus" in reader.latest.get(TOPICS.status, {}).get("troubles", {}))
    with running:
        plc = ModbusTcpClient("127.0.0.1", port=port)
        wait_until(plc.connect)
        plc.close()


def test_opcua_restarts_with_the_values_it_had(mosquitto, reader, recordings, trained, at_once):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        config = settings(
            mosquitto, trained, recordings["again"], repeat=True,
            more={"opcua": {"enabled": True, "port": port, "modes": ["none"], "anonymous": True}},
        )  # fmt: skip
        running = Running(config)
        reader.wait_for("normal")
        wait_until(lambda: "opcua" in reader.latest.get(TOPICS.status, {}).get("troubles", {}))
    with running:
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        with Client(f"opc.tcp://127.0.0.1:{port}/auscult") as client:
            condition = client.get_node("ns=2;s=Machines/pump/Verdict/Condition")

            def shown():
                # Its status is bad, and it has no value, until the first one and in silence.
                return condition.read_data_value(raise_on_bad_status=False).Value.Value

            wait_until(lambda: shown() == reader.condition())


def test_an_error_of_the_writer_thread_fails_its_jobs_and_no_later_ones(
    tmp_path, monkeypatch, at_once
):
    store = Store(tmp_path)

    def broken(_db):
        raise RuntimeError("no transaction")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "atomic", broken)
        with pytest.raises(StoreError, match="no transaction"):
            store.write(lambda db: db.execute("SELECT 1")).result()
    store.write(lambda db: db.execute("SELECT 1")).result()
    assert "no transaction" in store.thread.trouble
    store.close()


def test_an_emptied_database_is_reported(mosquitto, reader, recordings, trained: Path, caplog):
    for name in (FILE_NAME, f"{FILE_NAME}-wal"):
        (trained / name).write_bytes(b"")
    with Running(settings(mosquitto, trained, recordings["again"])):
        wait_until(lambda: TOPICS.status in reader.latest)
        status = reader.latest[TOPICS.status]
        assert status["troubles_said"]["store"]["code"] == "store_empty"
    assert "restore a backup" in caplog.text


def test_a_new_data_folder_is_no_trouble(tmp_path):
    store = Store(tmp_path)
    assert store.loss is None
    store.close()


def test_a_machine_whose_checks_fail_leaves_the_others_and_is_named(
    mosquitto, reader, recordings, trained, monkeypatch
):
    def fail(*_):
        raise RuntimeError("unforeseen")

    with Running(settings(mosquitto, trained, recordings["again"], repeat=True)) as running:
        reader.wait_for("normal")
        with monkeypatch.context() as patch:
            patch.setattr(MonitoredMachine, "check", fail)
            wait_until(lambda: "pump" in reader.latest[TOPICS.status]["troubles"])
        wait_until(lambda: "pump" not in reader.latest[TOPICS.status]["troubles"])
        assert running.gateway.machines["pump"].stream_ns
