"""The example broker of docker/ for tests, and clients of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auscult.link.broker import BrokerSettings, TlsSettings
from auscult.link.link import Link, Received
from tests.certificates import Authority
from tests.conftest import Mosquitto
from tests.ports import free_port
from tests.waiting import DEADLINE_S

EXAMPLE = Path(__file__).parents[3] / "docker" / "mosquitto"


def made_acl(*gateways: str) -> str:
    script = EXAMPLE / "make-acl.sh"
    done = subprocess.run(
        ["sh", script, EXAMPLE], capture_output=True, text=True,
        env={**os.environ, "AUSCULT_GATEWAYS": " ".join(gateways)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


class ExampleBroker(Mosquitto):
    """Mosquitto with the files of docker/mosquitto, only their paths and ports changed."""

    def __init__(self, folder: Path, authority: Authority, tls: str = "certificates") -> None:
        super().__init__(folder)
        self.tls_port = free_port()
        self.secrets = authority.folder
        authority.issue("broker", names=("127.0.0.1", "localhost"))
        passwords = folder / "passwords"
        passwords.write_text("gateway1:one\ngateway2:two\ndashboard:three\n")
        subprocess.run(["mosquitto_passwd", "-U", passwords], check=True)
        passwords.chmod(0o600)
        (folder / "acl").write_text(made_acl("gateway1", "gateway2"))
        (folder / "acl").chmod(0o600)
        included = folder / "conf.d"
        included.mkdir()
        changes = {
            "listener 1883": f"listener {self.port} 127.0.0.1",
            "listener 8883": f"listener {self.tls_port} 127.0.0.1",
            "/tmp/passwords": str(passwords),
            "/tmp/acl": str(folder / "acl"),
            "/etc/mosquitto/conf.d": str(included),
            "/var/lib/mosquitto/": f"{folder}/",
            "/run/secrets": str(authority.folder),
            "log_dest stderr": f"log_dest file {folder}/mosquitto.log",
        }
        user = self._config.read_text().splitlines()[0]
        main = f"{user}\n" if user.startswith("user") else ""
        for name, target, head in (
            ("mosquitto.conf", self._config, main),
            (f"{tls}.conf", included / "tls.conf", ""),
        ):
            text = (EXAMPLE / name).read_text()
            for old, new in changes.items():
                text = text.replace(old, new)
            target.write_text(head + text)

    def secured(self, tls: TlsSettings | None, **more: object) -> BrokerSettings:
        return BrokerSettings(host="127.0.0.1", port=self.tls_port, tls=tls, **more)


@contextmanager
def client(
    settings: BrokerSettings, name: str, *subscriptions: str, into: list[Received] | None = None
) -> Iterator[Link]:
    link = Link(
        settings, name, on_message=None if into is None else into.append,
        subscriptions=subscriptions, persistent=False,
    )  # fmt: skip
    link.start()
    try:
        yield link
    finally:
        link.stop()


@contextmanager
def accepted(*args: object, **more: object) -> Iterator[Link]:
    with client(*args, **more) as link:  # type: ignore[arg-type]
        assert link.wait_connected(DEADLINE_S)
        yield link


def say(link: Link, *topics: str) -> None:
    say_all(link, *((topic, "{}") for topic in topics))


def say_all(link: Link, *messages: tuple[str, str | bytes]) -> None:
    for topic, payload in messages:
        assert link.publish(topic, payload.encode() if isinstance(payload, str) else payload)


def topics_of(messages: list[Received]) -> list[str]:
    return [m.topic for m in list(messages)]
