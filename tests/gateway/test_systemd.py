"""What a gateway reports to systemd: ready, and alive only while its window loop turns."""

from __future__ import annotations

import socket

from auscult.gateway.loop import WindowLoop
from tests.gateway.plant import Running, settings
from tests.waiting import wait_until


def test_a_gateway_reports_that_it_is_ready_and_its_loop_turns(
    mosquitto, recordings, trained, tmp_path, monkeypatch
):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        said: list[str] = []

        def reported(state: str) -> bool:
            try:
                while True:
                    said.append(manager.recv(100).decode())
            except BlockingIOError:
                return state in said

        with Running(settings(mosquitto, trained, recordings["again"], repeat=True, pace=1)):
            wait_until(lambda: reported("WATCHDOG=1"))
            assert said[0] == "READY=1"
            looks: list[int] = []
            hangs = property(lambda _: looks.append(1) or -1e9)
            monkeypatch.setattr(WindowLoop, "turned_s", hangs)
            wait_until(lambda: looks, what="the last look that saw it turn is over")
            reported("")
            said.clear()
            wait_until(lambda: len(looks) > 2, what="two looks")
            assert not reported("WATCHDOG=1")
        assert reported("STOPPING=1")
