"""Enrolment by code: one step from a blank box to a gateway that the broker knows, and attacks."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography import x509
from typer.testing import CliRunner

from auscult.app.api import enrolment
from auscult.app.command import enrol as command
from auscult.app.command.configuration import load
from auscult.app.command.main import cli
from auscult.app.enrolment import codes, exchange, plant_ca, signing_request
from auscult.app.enrolment.plant_ca import PlantCa
from auscult.app.enrolment.service import GATEWAYS, EnrolmentService
from auscult.app.settings import EnrolmentSettings
from auscult.errors import UnusableSettingError
from auscult.link.link import Link, Received
from auscult.link.signing import load_or_make_key, public_hex
from tests.app.conftest import administer
from tests.gateway.broker.example_broker import EXAMPLE, ExampleBroker
from tests.waiting import DEADLINE_S, wait_until

CODES = "/api/v1/gateways/codes"
NEW = {"site": "plant", "gateway": "gw7"}


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    folder = tmp_path / "authority"
    PlantCa(folder, begin=True).broker(["DNS:localhost", "IP:127.0.0.1"])
    return folder


@pytest.fixture
def desk(dashboards, authority, tmp_path, monkeypatch):
    """`desk(port)` starts a dashboard that enrols, with an administrator signed in."""
    (tmp_path / "enrolled").mkdir()
    monkeypatch.setattr(command, "CONNECTED_WITHIN_S", 0.5)

    def start(port: int = 8883):
        place = EnrolmentSettings(
            folder=authority,
            broker=f"localhost:{port}",
            gateways_file=tmp_path / "enrolled" / "gateways",
        )
        settings = {"enrolment": place, "unknown_gateways": "quarantine"}
        return administer(dashboards(login="required", **settings))

    return start


def made(desk) -> str:
    answer = desk.client.post(CODES, json=NEW)
    assert answer.status_code == 201, answer.text
    return answer.json()["code"]


def enrol(code: str, url: str, folder: Path, code_of_exit: int = 0) -> str:
    done = CliRunner().invoke(cli, ["enrol", f"{code}@{url}", "--folder", str(folder)])
    assert done.exit_code == code_of_exit, done.output
    return done.output


def request(code: str, folder: Path) -> dict[str, str]:
    """Return what a box sends."""
    tag, key = exchange.parts(code)
    own = signing_request.new_or_kept_key(folder / "k")
    csr, nonce = signing_request.signing_request(own, folder / "r"), "0" * 32
    proof = exchange.request_proof(key, nonce, csr)
    return {"tag": tag, "nonce": nonce, "csr": csr, "proof": proof}


def sent(running, body: dict[str, str]) -> int:
    return running.client.post("/api/v1/enrolment", json=body).status_code


class WatchingBroker(ExampleBroker):
    """The example broker with the start script of its image, only paths and times changed."""

    def __init__(self, folder: Path, authority: Path, enrolled: Path) -> None:
        self.folder = authority
        super().__init__(folder, self)
        (authority / "mqtt_dashboard").write_text("three\n")
        text = (EXAMPLE / "start.sh").read_text()
        for old, new in {
            "/tmp/": f"{folder}/",
            "/run/secrets": str(authority),
            'make-acl "$rights"': f"sh {EXAMPLE}/make-acl.sh {EXAMPLE} {enrolled}",
            "/etc/mosquitto/mosquitto.conf": str(self._config),
            "exec mosquitto ": f"exec {self.executable} ",
            "sleep 5": "sleep 0.1",
        }.items():
            text = text.replace(old, new)
        (folder / "start.sh").write_text(text)
        self.executable = f"{folder}/start.sh"
        (folder / "start.sh").chmod(0o755)

    def issue(self, *_: object, **__: object) -> None:
        """Do nothing: the authority has made the broker's certificate."""


def test_a_blank_box_publishes_in_its_name_after_one_command(desk, authority, tmp_path):
    (tmp_path / "broker").mkdir()
    broker = WatchingBroker(tmp_path / "broker", authority, tmp_path / "enrolled" / "gateways")
    broker.start()
    running, box = desk(broker.tls_port), tmp_path / "box"
    code = made(running)
    said = enrol(code, running.url.removeprefix("http://"), box)
    assert "enrolled as plant/gw7" in said
    assert "accepts the certificate" in said
    assert all(path.stat().st_mode & 0o077 == 0 for path in box.iterdir())
    assert sorted(path.name for path in box.iterdir()) == [
        "ca.crt", "client_gw7.crt", "client_gw7.key", "gateway.toml",
    ]  # fmt: skip
    config = load(box / "gateway.toml")
    key = public_hex(load_or_make_key(running.dashboard.settings.commands_key_path))
    assert (config.gateway.id, config.site.id) == ("gw7", "plant")
    assert (config.gateway.dashboard_keys, config.gateway.unsigned_commands) == ((key,), "reject")

    received: list[Received] = []
    watcher = broker.settings.model_copy(
        update={"username": "dashboard", "password_file": authority / "mqtt_dashboard"}
    )
    spy = Link(watcher, "spy", on_message=received.append, subscriptions=["auscult/v1/#"])
    gateway = Link(config.mqtt, "gw7")
    spy.start(), gateway.start()
    assert spy.wait_connected(DEADLINE_S)
    assert gateway.wait_connected(DEADLINE_S)

    def arrives() -> bool:
        gateway.publish("auscult/v1/plant/gw8/status", b"{}")
        gateway.publish("auscult/v1/plant/gw7/status", b"{}")
        return any(one.topic == "auscult/v1/plant/gw7/status" for one in received)

    wait_until(arrives, what="the broker reads the new rights")
    assert {one.topic for one in received} == {"auscult/v1/plant/gw7/status"}
    spy.stop(), gateway.stop(), broker.stop()

    assert [one["id"] for one in running.get("/api/v1/gateways")["items"]] == ["plant~gw7"]
    (listed,) = running.get(CODES)["items"]
    assert (listed["state"], listed["gateway"]) == ("used", "gw7")
    assert "wrong, used or expired" in enrol(code, running.url, tmp_path / "other", 1)
    assert running.client.delete("/api/v1/gateways/plant~gw7").status_code == 204
    assert (tmp_path / "enrolled" / "gateways").read_text() == ""


def test_a_lost_answer_is_asked_for_again_and_a_new_box_revokes_the_old(desk, authority, tmp_path):
    running = desk()
    code, box = made(running), tmp_path / "box"
    box.mkdir()
    asked = request(code, box)
    answers = [running.client.post("/api/v1/enrolment", json=asked) for _ in range(2)]
    assert answers[0].status_code == 200, answers[0].text
    assert answers[0].json() == answers[1].json()
    first = x509.load_pem_x509_certificate(answers[0].json()["certificate"].encode())
    other = tmp_path / "other"
    other.mkdir()
    assert sent(running, request(code, other)) == 403
    enrol(made(running), running.url, other)
    revoked = x509.load_pem_x509_crl((authority / "crl.pem").read_bytes())
    assert [one.serial_number for one in revoked] == [first.serial_number]


def test_guesses_end_the_code_and_foreign_answers_are_noticed(desk, tmp_path, monkeypatch):
    running = desk()
    code = made(running)
    right = request(code, tmp_path)
    for n in range(5):
        wrong = {**right, "proof": f"{n:064x}"}
        assert sent(running, wrong) == 403
    assert sent(running, right) == 403
    assert running.get(CODES)["items"][0]["state"] == "blocked"
    limited = [sent(running, right) for _ in range(30)]
    assert limited[-1] == 429
    monkeypatch.setattr(running.dashboard.access, "limit", lambda _: None)

    code, box = made(running), tmp_path / "box"
    post = command._post
    monkeypatch.setattr(command, "_post", lambda *a: {**post(*a), "dashboard_key": "ab" * 32})
    assert "something between" in enrol(code, running.url, box, 1)
    assert not (box / "gateway.toml").exists()
    monkeypatch.setattr(command, "_post", post)
    assert "enrolled as plant/gw7" in enrol(code, running.url, box), "the same box may repeat"


def test_a_code_is_of_a_time_and_a_gateway(desk, tmp_path, monkeypatch):
    running = desk()
    first, second = made(running), made(running)
    assert (
        running.client.post("/api/v1/enrolment", json=request(first, tmp_path)).status_code == 403
    )
    for user in re.findall(r"^user (.+)", (EXAMPLE / "acl").read_text(), re.MULTILINE):
        reserved = running.client.post(CODES, json={**NEW, "gateway": user})
        assert (reserved.status_code, reserved.json()["code"]) == (409, "gateway_id_reserved")
    real = enrolment.now_ms
    monkeypatch.setattr(enrolment, "now_ms", lambda: real() + 3_600_001)
    assert (
        running.client.post("/api/v1/enrolment", json=request(second, tmp_path)).status_code == 403
    )
    assert running.get(CODES)["items"][0]["state"] == "expired"
    monkeypatch.setattr(enrolment, "now_ms", real)
    assert running.client.delete(f"{CODES}/{second[:4]}").status_code == 204
    assert running.get(CODES)["items"] == []


def test_a_clock_that_is_set_back_opens_no_code(desk, tmp_path, monkeypatch):
    """Ahead, the key of the open code is deleted; back, a proof by an empty key must not do."""
    running, real = desk(), enrolment.now_ms
    code = made(running)
    monkeypatch.setattr(enrolment, "now_ms", lambda: real() + 2 * 3_600_000)
    assert running.client.post(CODES, json={**NEW, "gateway": "gw8"}).status_code == 201
    monkeypatch.setattr(enrolment, "now_ms", real)
    asked = request(code, tmp_path)
    forged = exchange.request_proof(b"", asked["nonce"], asked["csr"])
    assert sent(running, {**asked, "proof": forged}) == 403
    assert sent(running, asked) == 403

    later = made(running)
    monkeypatch.setattr(enrolment, "now_ms", lambda: real() - 365 * 86_400_000)
    assert sent(running, request(later, tmp_path)) == 403, "it would be valid for a year"
    monkeypatch.setattr(enrolment, "now_ms", real)
    assert sent(running, request(later, tmp_path)) == 200


def test_a_box_takes_no_certificate_that_a_wrong_clock_signed(desk, tmp_path, monkeypatch):
    class Ahead(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=400)

    running, box = desk(), tmp_path / "box"
    with monkeypatch.context() as patched:
        patched.setattr(plant_ca, "datetime", Ahead)
        said = enrol(made(running), running.url, box, 1)
    assert "set the clock that is wrong, here or at the dashboard" in said
    assert "nothing was written" in said
    assert not list(box.glob("*.crt"))
    assert not (box / "gateway.toml").exists()
    assert "enrolled as plant/gw7" in enrol(made(running), running.url, box)


def test_workers_that_write_the_list_at_once_leave_the_newest_one(authority, monkeypatch):
    known: list[str] = []

    def enrolled(_reader):
        known.append(f"gw{len(known):04d}")
        return known

    monkeypatch.setattr(codes, "enrolled", enrolled)
    store = SimpleNamespace(read=lambda: None)
    place = EnrolmentSettings(folder=authority, broker="localhost:8883")
    desks = [EnrolmentService(place, store, "") for _ in range(8)]
    with ThreadPoolExecutor(len(desks)) as pool:
        for done in [pool.submit(desk.write_list) for desk in desks * 10]:
            done.result()
    assert (authority / GATEWAYS).read_text().split() == known
    assert not list(authority.glob("*.tmp")) + list(authority.glob(".*.tmp"))


def test_the_console_makes_codes_too(tmp_path, authority):
    config = tmp_path / "dashboard.toml"
    config.write_text(
        f'[dashboard]\ndata_dir = "{tmp_path}/data"\n[dashboard.enrolment]\n'
        f'folder = "{authority}"\nbroker = "localhost"\n'
    )
    done = CliRunner().invoke(cli, ["enrol-code", "gw7", "--config", str(config)])
    assert done.exit_code == 0, done.output
    assert exchange.parts(done.output.split()[0])
    elsewhere = EnrolmentSettings(
        folder=authority, broker="localhost", gateways_file=tmp_path / "nowhere" / "gateways"
    )
    with pytest.raises(UnusableSettingError, match=r"gateways_file.*there is no folder.*nowhere"):
        EnrolmentService(elsewhere, None, "")
    (authority / "ca.key").unlink()
    command = [
        sys.executable,
        "-m",
        "auscult.app.command.main",
        "enrol-code",
        "gw7",
        "-c",
        str(config),
    ]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "there is no ca.key: copy" in refused.stderr
