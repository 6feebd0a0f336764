"""What tests of several rooms share: a real Mosquitto, started for the test that asks for one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from auscult.contract import said
from auscult.link.broker import BrokerSettings
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

said.STRICT = True

# A result depends on the code alone: neither on how busy the computer is nor on chance.
settings.register_profile(
    "any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("any_speed")

_CONNECT = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00"
"""The smallest CONNECT of MQTT 3.1.1: clean session, 60 s, no client id."""


class Mosquitto:
    """A Mosquitto of our own on a free port; it can be stopped, killed and started again.

    Sessions and retained messages outlive `stop` and `start` (not `kill`), as in production.
    """

    def __init__(self, folder: Path, extra: str = "") -> None:
        self.executable = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
        if self.executable is None:
            pytest.fail("mosquitto is missing: install the system package 'mosquitto'")
        self.port = free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._config = folder / "mosquitto.conf"
        user = "user root\n" if os.geteuid() == 0 else ""
        access = "" if "allow_anonymous" in extra else "allow_anonymous true\n"
        self._config.write_text(
            f"{user}listener {self.port} 127.0.0.1\npersistence true\n"
            f"persistence_location {folder}/\nlog_dest file {folder}/mosquitto.log\n"
            f"max_queued_messages 100000\nmax_inflight_messages 1000\n{access}{extra}"
        )

    @property
    def settings(self) -> BrokerSettings:
        return BrokerSettings(host="127.0.0.1", port=self.port)

    @property
    def log(self) -> str:
        return (self._folder / "mosquitto.log").read_text()

    def start(self) -> None:
        assert self.executable is not None
        assert self._process is None
        self._process = subprocess.Popen([self.executable, "-c", str(self._config)])
        wait_until(self._listens, what="mosquitto")

    def _listens(self) -> bool:
        """Whether it answers: before, its port is open, but a SIGHUP would still end it."""
        assert self._process is not None
        assert self._process.poll() is None, f"mosquitto does not start: {self.log}"
        with socket.socket() as probe:
            probe.settimeout(1)
            try:
                probe.connect(("127.0.0.1", self.port))
                probe.sendall(_CONNECT)
                probe.recv(4)
            except OSError:
                return False
            return True

    def reload(self) -> None:
        """Let it read its passwords and its access list again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End it as an operator would (SIGTERM)."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(DEADLINE_S)
            self._process = None

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A running Mosquitto without access control."""
    folder = tmp_path / "mosquitto"
    folder.mkdir()
    broker = Mosquitto(folder)
    broker.start()
    yield broker
    broker.kill()  # at once: its folder is read by no one after the test
