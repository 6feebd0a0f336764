"""The example broker of docker/: who may connect, and what we log."""

from __future__ import annotations

import logging
import ssl
from importlib.metadata import version
from typing import Any

import pytest
from ulid import ULID

from auscult.contract.payloads import Status
from auscult.contract.topics import Topics
from auscult.link.broker import BrokerSettings, CredentialsError, TlsSettings
from auscult.link.credentials import BrokerCredentials, days_left
from auscult.link.link import Link, Received
from tests.app.conftest import RunningDashboard
from tests.certificates import Authority
from tests.gateway.broker.example_broker import (
    ExampleBroker,
    accepted,
    client,
    say_all,
    topics_of,
)
from tests.gateway.plant import Running, settings
from tests.waiting import wait_until

OWN, OTHER = Topics("plant", "gateway1"), Topics("plant", "gateway2")


def test_someone_without_a_name_gets_nothing(broker, authority, caplog):
    plain = BrokerSettings(host="127.0.0.1", port=broker.port)
    with client(plain, "anonymous", "#") as link:
        wait_until(lambda: "refused the connection (Not authorized)" in caplog.text)
        assert not link.connected
    without = broker.secured(TlsSettings(ca_file=authority.file))
    with client(without, "no certificate", "#") as link:
        wait_until(lambda: "client certificate" in caplog.text)
        assert not link.connected
    assert "set cert_file and key_file" in caplog.text


def logged_for(settings: BrokerSettings, caplog: pytest.LogCaptureFixture) -> str:
    """The line that a connection which is not to be leaves in the log."""
    caplog.clear()
    caplog.set_level(logging.WARNING)
    with client(settings, "refused", "#") as link:
        wait_until(lambda: caplog.messages, what="a log line")
        assert not link.connected
    return "\n".join(caplog.messages)


def test_an_expired_certificate_is_refused_and_the_log_names_the_remedy(broker, authority, caplog):
    tls = authority.client("gateway1", days=-3)
    line = logged_for(broker.secured(tls), caplog)
    assert "expired" in line
    assert f"renew cert_file ({tls.cert_file})" in line.replace("cert_file = ", "")


def test_our_certificate_that_is_not_valid_yet_is_named_with_the_remedy(broker, authority, caplog):
    tls = authority.client("gateway1", days=800, first=30)
    line = logged_for(broker.secured(tls), caplog)
    assert f"our certificate ({tls.cert_file}) is not valid before 20" in line
    assert "set this machine's clock" in line
    assert "auscult certs make" in line


@pytest.mark.parametrize("whole", [False, True], ids=["broker's", "authority's too"])
def test_a_broker_that_is_not_valid_yet_is_named_with_the_remedy(tmp_path, caplog, whole):
    authority = Authority(tmp_path / "authority", first=30 if whole else -30)
    (tmp_path / "broker").mkdir()
    broker = ExampleBroker(tmp_path / "broker", authority)
    authority.issue("broker", names=("127.0.0.1",), days=800, first=30)
    broker.start()
    try:
        line = logged_for(broker.secured(authority.client("gateway1")), caplog)
    finally:
        broker.stop()
    said = "the authority's certificate" if whole else "the broker's certificate is not valid yet"
    assert said in line
    assert "set this machine's clock" in line
    assert "auscult certs make" in line


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
    context = BrokerCredentials(BrokerSettings(tls=authority.client("gateway1")))._context
    assert context is not None
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_a_renewed_certificate_needs_no_restart(broker, authority, caplog):
    caplog.set_level(logging.INFO)
    tls = authority.client("gateway9", days=-1)
    with client(broker.secured(tls), "renewing") as link:
        wait_until(lambda: "expired" in caplog.text)
        authority.issue("gateway9", file="gateway9-expired")
        wait_until(lambda: link.connected)
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


def test_a_gateway_and_its_edge_node_run_on_certificates(broker, authority, recordings, tmp_path):
    received: list[Received] = []
    scada = broker.secured(authority.client("scada"))
    mqtt = broker.secured(authority.client("gateway1", days=20))
    more = {"mqtt": mqtt, "sparkplug": {"enabled": True}}
    config = settings(broker, tmp_path / "data", recordings["healthy"], pace=1, more=more)
    with (
        accepted(scada, "scada", "auscult/#", "spBv1.0/#", into=received),
        Running(config) as running,
    ):
        wait_until(lambda: "spBv1.0/plant/DBIRTH/gateway1/pump" in topics_of(received))
        wait_until(lambda: OWN.status in topics_of(received))
        running.stop()
    status = next(m for m in received if m.topic == OWN.status and b"online" in m.payload)
    assert Status.model_validate_json(status.payload).certificate_days == pytest.approx(20, abs=0.1)
    assert days_left(broker.settings) is None


@pytest.mark.slow
def test_gateway_and_dashboard_work_together_on_certificates(
    broker, authority, recordings, trained, tmp_path
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

            wait_until(lambda: [e["peak_condition"] for e in events()] == ["alarm"])
            url = f"{listed}/{events()[0]['id']}"
            body = {"id": str(ULID()), "actor": "eva", "comment": "on its way"}
            answer = dashboard.client.post(f"{url}/acknowledge", json=body)
            assert answer.status_code == 201, answer.text
            wait_until(lambda: dashboard.get(url)["handling"]["state"] == "acknowledged")
            # A neighbour's message in the gateway's name is dropped; one in its own name arrives.
            forged = {"event_id": "01FORGED", "machine": "pump"}
            with accepted(broker.secured(authority.client("gateway2")), "gw2") as neighbour:
                for topics in (OWN, OTHER):
                    status = Status(ts=1, state="online", version=topics.gateway).to_json()
                    say_all(neighbour, (topics.status, status), (topics.event("pump"), str(forged)))
                wait_until(lambda: dashboard.count("gateway") == 2)
            named = {g["gateway"]: g for g in dashboard.get("/api/v1/gateways")["items"]}
            assert named["gateway2"]["version"] == "gateway2"
            assert named["gateway1"]["version"] == version("auscult")
            assert len(events()) == 1
            running.stop()
        with Running(config.model_copy(update={"mqtt": mqtt, "sources": ()})) as running:
            # It knows the dashboard's receipts: only they empty its outbox.
            assert running.gateway.outbox._receiver.known
            wait_until(lambda: running.gateway.outbox.pending == 0)
    finally:
        dashboard.stop()


def test_the_edge_node_logs_the_remedy_too(broker, authority, recordings, tmp_path, caplog):
    node = broker.secured(authority.client("gateway1", days=-3))
    more = {
        "mqtt": broker.secured(authority.client("gateway1")),
        "sparkplug": {"enabled": True, "brokers": [node]},
    }
    config = settings(broker, tmp_path / "data", recordings["healthy"], pace=1, more=more)
    with Running(config):
        wait_until(lambda: "renew cert_file" in caplog.text)
    assert "Sparkplug server" in caplog.text
