"""The log: one form a line, levels by library, and a real syslog."""

from __future__ import annotations

import json
import logging
import socket

import pytest

from auscult.host.log import LogSettings, set_up_log


@pytest.fixture(autouse=True)
def restored():
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)
    for name in ("asyncua", "auscult.x"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_json_lines_hold_errors_and_extra_fields(capsys):
    set_up_log(LogSettings(format="json"))
    try:
        int("no\nnumber")
    except ValueError:
        logging.getLogger("auscult.x").exception("failed", extra={"machine": "pump"})
    (line,) = capsys.readouterr().err.splitlines()
    found = json.loads(line)
    assert (found["level"], found["logger"], found["machine"]) == ("error", "auscult.x", "pump")
    assert "ValueError" in found["error"]


def test_libraries_are_quiet_unless_set(capsys):
    set_up_log(LogSettings(levels={"auscult.x": "error"}))
    logging.getLogger("asyncua.server").info("chatter")
    logging.getLogger("auscult.x").warning("below its level")
    logging.getLogger("auscult.y").info("one line")
    assert capsys.readouterr().err.count("\n") == 1
    set_up_log(LogSettings(levels={"asyncua": "info"}))
    logging.getLogger("asyncua.server").info("chatter")
    assert "chatter" in capsys.readouterr().err


def test_a_syslog_gets_the_lines_and_its_loss_ends_nothing(capsys):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        set_up_log(LogSettings(syslog=f"127.0.0.1:{server.getsockname()[1]}"))
        logging.getLogger("auscult.x").warning("pump stopped")
        assert b"auscult: " in (got := server.recv(2000))
        assert b"pump stopped" in got
    set_up_log(LogSettings(syslog="/nowhere/log"))
    for _ in range(3):
        logging.getLogger("auscult.x").warning("pump stopped")
    assert capsys.readouterr().err.count("syslog /nowhere/log") == 1


@pytest.mark.parametrize("address", ["host", "host:0", "host:x", ":5"])
def test_a_wrong_syslog_address_is_rejected(address):
    with pytest.raises(ValueError, match="name a socket"):
        LogSettings(syslog=address)
