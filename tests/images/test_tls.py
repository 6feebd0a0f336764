"""compose.tls.yaml: a gateway on another host reaches the broker over TLS, and only so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.link.broker import BrokerSettings, TlsSettings
from auscult.link.link import Link
from tests.images.engine import Engine
from tests.images.stack import Stack
from tests.waiting import DEADLINE_S

pytestmark = [pytest.mark.image, pytest.mark.timeout(1800)]


def make_certificates(folder: Path) -> None:
    command = ("certs", "make", str(folder), "--broker", "IP:127.0.0.1")
    subprocess.run([sys.executable, "-m", "auscult.app.command.main", *command], check=True)


@pytest.fixture(scope="module")
def broker(images: Engine, plant: Path) -> Iterator[BrokerSettings]:
    """How a gateway on this host reaches the broker from outside its network."""
    secrets = plant / "secrets"
    make_certificates(secrets)
    stack = Stack(images, plant, "auscult-tls-test", "compose.yaml", "compose.tls.yaml")
    with stack.up("broker"):
        stack.wait(lambda: stack.healthy("broker"), 60, "broker healthy")
        yield BrokerSettings(
            host="127.0.0.1",
            port=stack.mqtt_port,
            username="gateway1",
            password_file=secrets / "mqtt_gateway1",
            tls=TlsSettings(ca_file=secrets / "ca.crt"),
        )


def connects(settings: BrokerSettings, within_s: float = DEADLINE_S) -> bool:
    link = Link(settings, "probe")
    link.start()
    try:
        return link.wait_connected(within_s)
    finally:
        link.stop()


def test_a_gateway_connects_from_outside(broker: BrokerSettings) -> None:
    assert connects(broker)


def test_not_without_tls(broker: BrokerSettings) -> None:
    assert not connects(broker.model_copy(update={"tls": None}), within_s=3)


def test_not_to_a_broker_that_another_authority_vouches_for(
    broker: BrokerSettings, tmp_path: Path
) -> None:
    make_certificates(tmp_path)
    stranger = TlsSettings(ca_file=tmp_path / "ca.crt")
    assert not connects(broker.model_copy(update={"tls": stranger}), within_s=3)


def test_not_without_the_password(broker: BrokerSettings, tmp_path: Path) -> None:
    wrong = tmp_path / "password"
    wrong.write_text("wrong\n")
    assert not connects(broker.model_copy(update={"password_file": wrong}), within_s=3)
