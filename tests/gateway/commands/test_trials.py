"""Trials of sources over a real broker: allowed by the file, asked by a person, beside the rest."""

from __future__ import annotations

import socket
import threading
from typing import NoReturn

from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources import trial
from tests.gateway.plant import TOPICS, Running
from tests.gateway.sources.peers import machine, modbus_device
from tests.ports import free_port
from tests.reasons import text_of
from tests.waiting import wait_until

PUMP = machine("t").model_dump(mode="json", exclude_none=True)


def asked(**source: object) -> dict[str, object]:
    return {"machine": PUMP, "source": {"machine": "pump"} | source}


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def modbus(port: int) -> dict[str, object]:
    values = [{"point": "t", "address": 10, "scale": 0.1}]
    return asked(type="modbus", host="127.0.0.1", port=port, values=values)


def _no_file(_: object) -> NoReturn:
    raise OSError("no space left on device")


def test_a_source_is_tried_where_the_file_allows_it_and_other_commands_go_on(
    mosquitto, reader, tmp_path, monkeypatch
):
    monkeypatch.setattr(trial, "TRIAL_S", 60.0)  # t4 ends with the gateway
    port, push = free_port(), free_port()
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {"data_dir": tmp_path / "gateway", "page_sources": ["modbus", "http"]},
    })  # fmt: skip
    with Running(config), modbus_device(port, {10: 455}):
        wait_until(lambda: TOPICS.configuration in reader.latest)
        with monkeypatch.context() as broken:
            broken.setattr(trial, "kind_of", _no_file)
            reader.command("try_source", "t0", modbus(port))
            assert reader.answer("t0")["said"]["code"] == "command_failed"
        reader.command("try_source", "t1", modbus(port))
        answer = reader.answer("t1")
        (value,) = answer["trial"]["values"]
        assert (answer["ok"], value["raw"], value["value"]) == (True, 455, 45.5)
        opcua = {
            "type": "opcua",
            "url": "opc.tcp://127.0.0.1:1",
            "values": [{"point": "t", "node": "x"}],
        }
        reader.command("try_source", "t2", asked(**opcua))
        assert reader.answer("t2")["said"]["code"] == "source_not_from_page"
        mistyped = asked(
            type="modbus", host="127.0.0.1", port=port, values=[{"point": "t", "adress": 10}]
        )
        reader.command("try_source", "t6", mistyped)
        assert text_of(reader.answer("t6")).startswith("values.0.adress: there is no field")
        reader.command("try_source", "t3", modbus(port), actor="someone", key="", signature="")
        assert reader.answer("t3")["said"]["code"] == "command_unsigned"
        waiting = asked(
            type="http", host="127.0.0.1", port=push, token_sha256="0" * 64, values=[{"point": "t"}]
        )
        reader.command("try_source", "t4", waiting)
        wait_until(lambda: is_open(push), what="the trial has begun")
        reader.command("configure", "c1", {"machines": [PUMP], "dry_run": True})
        assert reader.answer("c1")["ok"]
        assert TOPICS.acknowledgement("t4") not in reader.latest, "it still waits"
        reader.command("try_source", "t5", modbus(port))
        assert reader.answer("t5")["said"]["code"] == "trial_busy"
    # The end of the gateway ends the trial, with an answer that is sent or waits for the next run.
    assert not any(thread.name == "trial" for thread in threading.enumerate())
