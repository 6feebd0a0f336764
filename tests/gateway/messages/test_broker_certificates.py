"""The example broker of docker/: who may connect, who may say and hear what, and what we log."""

from __future__ import annotations

import logging
import os
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from auscult.gateway.messages.broker import BrokerSettings, CredentialsError, TlsSettings
from auscult.gateway.messages.credentials import Credentials, days_left
from auscult.gateway.messages.link import Link, Received
from auscult.gateway.messages.payloads import Status
from auscult.gateway.messages.topics import Topics
from auscult.gateway.settings.sparkplug import SparkplugSettings
from tests.app.conftest import RunningDashboard
from tests.certificates import Authority
from tests.conftest import Mosquitto, wait_until
from tests.gateway.plant import Running, settings
from tests.ports import free_port

EXAMPLE = Path(__file__).parents[3] / "docker" / "mosquitto"
OWN, OTHER = Topics("plant", "gateway1"), Topics("plant", "gateway2")


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


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def broker(
    authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ExampleBroker]:
    broker = ExampleBroker(tmp_path_factory.mktemp("broker"), authority)
    broker.start()
    yield broker
    broker.stop()


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
        assert link.wait_connected(10)
        yield link


def say(link: Link, *topics: str) -> None:
    say_all(link, *((topic, "{}") for topic in topics))


def say_all(link: Link, *messages: tuple[str, str | bytes]) -> None:
    for topic, payload in messages:
        assert link.publish(topic, payload.encode() if isinstance(payload, str) else payload)


def topics_of(messages: list[Received]) -> list[str]:
    return [m.topic for m in list(messages)]


SENT_BY_GATEWAYS = (
    "auscult/v1/plant/{id}/status",
    "auscult/v1/plant/{id}/pump/de/state",
    "auscult/v1/plant/{id}/ack/1",
    "spBv1.0/plant/NBIRTH/{id}",
    "spBv1.0/plant/NDEATH/{id}",
    "spBv1.0/plant/DDATA/{id}/pump",
    "homeassistant/device/{id}/pump/config",
)
READ_BY_GATEWAYS = (
    "auscult/v1/plant/{id}/cmd/label",
    "spBv1.0/plant/NCMD/{id}",
    "spBv1.0/plant/DCMD/{id}/pump",
)


def of(gateway: str, topics: tuple[str, ...]) -> list[str]:
    return [topic.format(id=gateway) for topic in topics]


def test_a_gateway_publishes_in_its_own_name_only(broker, authority, until):
    received: list[Received] = []
    spy = broker.secured(authority.client("scada"))
    house = broker.secured(authority.client("homeassistant"))
    gateway = broker.secured(authority.client("gateway1"))
    with (
        accepted(spy, "spy", "auscult/#", "spBv1.0/#", into=received),
        accepted(house, "house", "homeassistant/#", into=received),
        accepted(gateway, "gw1") as link,
    ):
        # A broker keeps the order: what comes after the forbidden ones shows that they did not.
        own = of("gateway1", SENT_BY_GATEWAYS)
        say(link, *of("gateway2", SENT_BY_GATEWAYS), "spBv1.0/STATE/scada", *own)
        until(lambda: len(received) >= len(own))
        assert sorted(topics_of(received)) == sorted(own)


def test_a_gateway_receives_only_its_own_commands(broker, authority, until):
    received: list[Received] = []
    dashboard = broker.secured(authority.client("dashboard"))
    scada = broker.secured(authority.client("scada"))
    other = broker.secured(authority.client("gateway2"))
    with (
        accepted(broker.secured(authority.client("gateway1")), "gw1", "#", into=received),
        accepted(dashboard, "dashboard") as commander,
        accepted(scada, "scada") as host,
        accepted(other, "gw2") as neighbour,
    ):
        say(neighbour, OTHER.status)
        for gateway in ("gateway2", "gateway1"):
            json, *sparkplug = of(gateway, READ_BY_GATEWAYS)
            say(commander, json)
            say(host, *sparkplug)
        own = of("gateway1", READ_BY_GATEWAYS)
        until(lambda: len(received) >= len(own))
        assert sorted(topics_of(received)) == sorted(own)


@pytest.mark.parametrize("user", ["scada", "homeassistant", "health", "dashboard", "transmitter"])
def test_no_other_user_publishes_as_a_gateway(broker, authority, until, user):
    """A lesson of a made-up gateway showed as the answer of a shift leader."""
    received: list[Received] = []
    spy = broker.secured(authority.client("dashboard"))
    with (
        accepted(spy, "spy", "auscult/#", into=received),
        accepted(broker.secured(authority.client(user)), "forger") as forger,
        accepted(broker.secured(authority.client("gateway1")), "gw1") as gateway,
    ):
        for name in (user, "gateway1", "ghost"):
            say(forger, *of(name, SENT_BY_GATEWAYS), f"auscult/v1/plant/{name}/ghost/lesson")
        say(gateway, OWN.status)
        until(lambda: OWN.status in topics_of(received))
        assert topics_of(received) == [OWN.status]


def test_a_sensor_publishes_below_its_own_name_only(broker, authority, until):
    received: list[Received] = []
    leaked: list[Received] = []
    own = broker.secured(authority.client("transmitter"))
    with (
        accepted(broker.secured(authority.client("gateway1")), "gw1", "sensors/#", into=received),
        accepted(own, "sensor", "auscult/#", "sensors/#", into=leaked) as sensor,
        accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander,
    ):
        say(commander, OWN.command("label"))
        say(sensor, "sensors/other/wave", "sensors/transmitter/wave")
        until(lambda: received)
        assert topics_of(received) == ["sensors/transmitter/wave"]
        assert leaked == []


def test_a_name_that_is_no_gateways_is_rejected():
    for name in ("dashboard", "b gateway+", "x/#", "*"):
        done = subprocess.run(
            ["sh", EXAMPLE / "make-acl.sh", EXAMPLE], capture_output=True, text=True,
            env={**os.environ, "AUSCULT_GATEWAYS": name},
        )  # fmt: skip
        assert done.returncode == 2
        assert "AUSCULT_GATEWAYS" in done.stderr


def test_commands_that_wait_are_not_given_to_another_who_takes_the_name(broker, authority):
    """A session belongs to a client id, which anyone can claim: its queue must not leak."""
    own = broker.secured(authority.client("gateway1"))
    away = Link(own, "auscult-plant-gateway1", subscriptions=[OWN.commands], manual_ack=True)
    away.start()
    assert away.wait_connected(10)
    away.stop()
    with accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander:
        done: list[bool] = []
        assert commander.publish(
            OWN.command("label"), b"{}", on_delivered=lambda: done.append(True)
        )
        wait_until(lambda: done, what="the command is with the broker")
    received: list[Received] = []
    thief = Link(
        broker.secured(authority.client("gateway2")),
        "auscult-plant-gateway1",
        on_message=received.append,
        subscriptions=[OTHER.commands],
    )
    thief.start()
    assert thief.wait_connected(10)
    with accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander:
        say(commander, OWN.command("label"), OTHER.command("label"))
        wait_until(lambda: OTHER.command("label") in topics_of(received))
    thief.stop()
    assert topics_of(received) == [OTHER.command("label")]


def test_someone_without_a_name_gets_nothing(broker, authority, caplog, until):
    plain = BrokerSettings(host="127.0.0.1", port=broker.port)
    with client(plain, "anonymous", "#") as link:
        until(lambda: "refused the connection (Not authorized)" in caplog.text)
        assert not link.connected
    without = broker.secured(TlsSettings(ca_file=authority.file))
    with client(without, "no certificate", "#") as link:
        until(lambda: "client certificate" in caplog.text)
        assert not link.connected
    assert "set cert_file and key_file" in caplog.text


def logged_for(settings: BrokerSettings, caplog: pytest.LogCaptureFixture) -> str:
    """The line that a connection which is not to be leaves in the log."""
    caplog.clear()
    caplog.set_level(logging.WARNING)
    with client(settings, "refused", "#") as link:
        wait_until(lambda: caplog.messages, 15, "a log line")
        assert not link.connected
    return "\n".join(caplog.messages)


def test_an_expired_certificate_is_refused_and_the_log_names_the_remedy(broker, authority, caplog):
    tls = authority.client("gateway1", days=-3)
    line = logged_for(broker.secured(tls), caplog)
    assert "expired" in line
    assert f"renew cert_file ({tls.cert_file})" in line.replace("cert_file = ", "")


def test_a_foreign_certificate_is_refused_and_the_log_names_the_remedy(
    broker, authority, caplog, tmp_path
):
    stranger = Authority(tmp_path / "stranger", "Elsewhere CA")
    tls = stranger.client("gateway1", trusts=authority)
    line = logged_for(broker.secured(tls), caplog)
    assert "trust the authority that signed our certificate" in line
    assert str(tls.cert_file) in line


def test_a_certificate_of_the_same_authority_name_is_refused(broker, authority, caplog, tmp_path):
    """An impostor that calls itself like the plant's authority."""
    impostor = Authority(tmp_path / "impostor")
    tls = impostor.client("gateway1", trusts=authority)
    assert "certificate" in logged_for(broker.secured(tls), caplog)


def test_we_refuse_a_broker_of_another_authority(broker, caplog, tmp_path):
    stranger = Authority(tmp_path / "stranger", "Elsewhere CA")
    line = logged_for(broker.secured(stranger.client("gateway1")), caplog)
    assert "signed by an authority that ca_file does not hold" in line
    assert str(stranger.file) in line


@pytest.mark.parametrize(
    ("name", "days", "remedy"),
    [
        ("broker.example", 90, "set host to a name in it"),
        ("127.0.0.1", -1, "renew it at the broker"),
    ],
)
def test_we_refuse_a_broker_with_another_name_or_an_old_certificate(
    tmp_path, caplog, name, days, remedy
):
    authority = Authority(tmp_path / "authority")
    (tmp_path / "broker").mkdir()
    broker = ExampleBroker(tmp_path / "broker", authority)
    authority.issue("broker", names=(name,), days=days)
    broker.start()
    try:
        assert remedy in logged_for(broker.secured(authority.client("gateway1")), caplog)
    finally:
        broker.stop()


def test_older_tls_is_refused(authority):
    context = Credentials(BrokerSettings(tls=authority.client("gateway1")))._context
    assert context is not None
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_a_renewed_certificate_needs_no_restart(broker, authority, caplog, until):
    caplog.set_level(logging.INFO)
    tls = authority.client("gateway9", days=-1)
    with client(broker.secured(tls), "renewing") as link:
        until(lambda: "expired" in caplog.text, 15)
        authority.issue("gateway9", file="gateway9-expired")
        until(lambda: link.connected, 30)
    assert "connected again" in caplog.text


def test_with_names_and_passwords_over_tls(authority, tmp_path, caplog):
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = ExampleBroker(folder, authority, tls="tls")
    broker.start()
    try:
        secret, wrong = tmp_path / "secret", tmp_path / "wrong"
        secret.write_text("one\n")
        wrong.write_text("two\n")
        trust = TlsSettings(ca_file=authority.file)
        known = broker.secured(trust, username="gateway1", password_file=secret)
        with accepted(known, "gw1"):
            pass
        for bad in (
            known.model_copy(update={"password_file": wrong}),
            known.model_copy(update={"username": None, "password_file": None}),
        ):
            assert "Not authorized" in logged_for(bad, caplog)
        assert "no TLS: use its TLS port" in logged_for(
            known.model_copy(update={"port": broker.port}), caplog
        )
    finally:
        broker.stop()


def test_files_that_cannot_be_used_are_named(authority, tmp_path):
    good = authority.client("gateway1")
    lost = tmp_path / "lost.crt"
    for tls, named in (
        (good.model_copy(update={"ca_file": lost}), "tls.ca_file"),
        (good.model_copy(update={"cert_file": lost}), "tls.cert_file"),
        (good.model_copy(update={"key_file": authority.issue("other")[1]}), "tls.cert_file"),
    ):
        with pytest.raises(CredentialsError, match=named):
            Link(BrokerSettings(tls=tls), "x")
    with pytest.raises(CredentialsError, match="password_file"):
        Link(BrokerSettings(username="x", password_file=lost), "x")


def test_a_gateway_and_its_edge_node_run_on_certificates(
    broker, authority, recordings, tmp_path, until
):
    received: list[Received] = []
    scada = broker.secured(authority.client("scada"))
    mqtt = broker.secured(authority.client("gateway1", days=20))
    config = settings(broker, tmp_path / "data", recordings["healthy"], pace=1).model_copy(
        update={"mqtt": mqtt, "sparkplug": SparkplugSettings(enabled=True)}
    )
    with (
        accepted(scada, "scada", "auscult/#", "spBv1.0/#", into=received),
        Running(config) as running,
    ):
        until(lambda: "spBv1.0/plant/DBIRTH/gateway1/pump" in topics_of(received), 20)
        until(lambda: OWN.status in topics_of(received), 20)
        running.stop()
    status = next(m for m in received if m.topic == OWN.status and b"online" in m.payload)
    assert Status.model_validate_json(status.payload).certificate_days == pytest.approx(20, abs=0.1)
    assert days_left(broker.settings) is None


@pytest.mark.slow
def test_gateway_and_dashboard_work_together_on_certificates(
    broker, authority, recordings, trained, tmp_path, until
):
    mqtt = broker.secured(authority.client("gateway1"))
    config = settings(broker, trained, recordings["faulty"], repeat=True)
    home = broker.secured(authority.client("dashboard"))
    dashboard = RunningDashboard(tmp_path / "dashboard", home)
    try:
        with Running(config.model_copy(update={"mqtt": mqtt})) as running:
            listed = "/api/v1/events"

            def events() -> list[dict[str, Any]]:
                return list(dashboard.get(listed)["items"])

            until(lambda: [e["peak_condition"] for e in events()] == ["alarm"], 30)
            url = f"{listed}/{events()[0]['id']}"
            body = {"id": str(ULID()), "actor": "eva", "comment": "on its way"}
            answer = dashboard.client.post(f"{url}/acknowledge", json=body)
            assert answer.status_code == 201, answer.text
            until(lambda: dashboard.get(url)["alarm"]["state"] == "acknowledged", 30)
            # A neighbour's message in the gateway's name is dropped; one in its own name arrives.
            forged = {"event_id": "01FORGED", "machine": "pump"}
            with accepted(broker.secured(authority.client("gateway2")), "gw2") as neighbour:
                for topics in (OWN, OTHER):
                    status = Status(ts=1, state="online", version=topics.gateway).to_json()
                    say_all(neighbour, (topics.status, status), (topics.event("pump"), str(forged)))
                until(lambda: dashboard.count("gateway") == 2, 30)
            named = {g["gateway"]: g for g in dashboard.get("/api/v1/gateways")["items"]}
            assert named["gateway2"]["version"] == "gateway2"
            assert named["gateway1"]["version"] == version("auscult")
            assert len(events()) == 1
            running.stop()
        with Running(config.model_copy(update={"mqtt": mqtt, "sources": ()})) as running:
            # It knows the dashboard's receipts: only they empty its outbox.
            assert running.gateway.outbox.awaits_receipts
            until(lambda: running.gateway.outbox.pending == 0, 40)
    finally:
        dashboard.stop()


def test_the_edge_node_logs_the_remedy_too(broker, authority, recordings, tmp_path, caplog, until):
    node = broker.secured(authority.client("gateway1", days=-3))
    config = settings(broker, tmp_path / "data", recordings["healthy"], pace=1).model_copy(
        update={
            "mqtt": broker.secured(authority.client("gateway1")),
            "sparkplug": SparkplugSettings(enabled=True, brokers=(node,)),
        }
    )
    with Running(config):
        until(lambda: "renew cert_file" in caplog.text, 20)
    assert "Sparkplug server" in caplog.text
