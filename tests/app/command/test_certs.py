"""`auscult certs`: what it makes works at a real broker, expires with a warning, and is revoked."""

from __future__ import annotations

import errno
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from typer.testing import CliRunner

from auscult.app.command.configuration import load
from auscult.app.command.main import cli
from auscult.app.enrolment import plant_ca
from auscult.app.enrolment.pem_files import read_certificate
from auscult.link.link import Link
from tests.gateway.broker.example_broker import ExampleBroker
from tests.waiting import DEADLINE_S


def auscult(*args: object, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["certs", *map(str, args)])
    assert done.exit_code == code, done.output
    return done.output


class Made:
    """Takes the place of the tests' own authority: the files are there already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def issue(self, *_: object, **__: object) -> None:
        pass


def connects(toml: Path, port: int, within_s: float = DEADLINE_S) -> bool:
    settings = load(toml).mqtt.model_copy(update={"port": port})
    link = Link(settings, "new")
    link.start()
    connected = link.wait_connected(within_s)
    link.stop()
    return connected


def test_a_packed_gateway_connects_until_it_is_revoked(tmp_path):
    folder, unpacked = tmp_path / "secrets", tmp_path / "gateway2"
    auscult("make", folder, "--broker", "DNS:localhost", "--broker", "IP:127.0.0.1")
    key = "ab" * 32
    package = tmp_path / "gateway2.tar"
    broker_at = ("--broker", "localhost", "--dashboard-key", key)
    auscult("package", folder, "gateway2", package, *broker_at)
    assert package.stat().st_mode & 0o077 == 0
    shutil.unpack_archive(package, unpacked)
    own = load(unpacked / "gateway.toml").gateway
    assert (own.id, own.dashboard_keys, own.unsigned_commands) == ("gateway2", (key,), "reject")
    (tmp_path / "broker").mkdir()
    broker = ExampleBroker(tmp_path / "broker", Made(folder))
    broker.start()
    assert connects(unpacked / "gateway.toml", broker.tls_port)
    broker.stop()
    auscult("revoke", folder, "gateway2")
    conf = tmp_path / "broker" / "conf.d" / "tls.conf"
    conf.write_text(conf.read_text().replace("#crlfile", "crlfile"))
    broker.start()
    assert not connects(unpacked / "gateway.toml", broker.tls_port, within_s=3)
    assert "revoked" in auscult("check", folder)
    auscult("make", folder, "--client", "gateway2")  # a new one, for the box in its place
    auscult("package", folder, "gateway2", package, *broker_at)
    shutil.unpack_archive(package, unpacked)
    assert connects(unpacked / "gateway.toml", broker.tls_port)
    broker.stop()


def test_what_expires_is_reported_and_renewed_under_the_same_authority(tmp_path, monkeypatch):
    folder = tmp_path / "secrets"
    monkeypatch.setattr(plant_ca, "DAYS", 20)
    auscult("make", folder, "--broker", "DNS:broker", "--client", "gw1", "--client", "gw2")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = auscult("check", folder, code=1)
    assert said.count("RENEW") == 3
    monkeypatch.setattr(plant_ca, "DAYS", 825)
    monkeypatch.setattr(plant_ca, "CA_DAYS", 7000)
    auscult("revoke", folder, "gw2")
    written = auscult("make", folder)
    assert sorted(Path(line).name for line in written.splitlines()) == [
        "broker.crt",
        "client_gw1.crt",
    ]
    assert (folder / "client_gw2.crt").read_bytes() == before["client_gw2.crt"]
    assert (folder / "ca.key").read_bytes() == before["ca.key"]
    assert auscult("make", folder) == "nothing to do\n"
    authority = plant_ca.PlantCa(folder)
    for one in authority.stored()[1:]:
        certificate = read_certificate(one.path)
        certificate.verify_directly_issued_by(read_certificate(folder / "ca.crt"))


class Clock(datetime):
    """The wall clock of the authority's machine."""

    ahead = timedelta(0)

    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + cls.ahead


def test_what_a_clock_ahead_signed_is_reported_and_made_again(tmp_path, monkeypatch):
    folder = tmp_path / "secrets"
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = timedelta(days=400)
    auscult("make", folder, "--broker", "DNS:localhost", "--broker", "IP:127.0.0.1")
    auscult("package", folder, "gw1", tmp_path / "gw1.tar", "--broker", "localhost")
    Clock.ahead = timedelta(0)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = auscult("check", folder, code=1)
    assert said.count("RENEW: auscult certs make") == 3
    assert said.count("valid from 20") == 3
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    written = auscult("make", folder)
    assert [name in written for name in ("ca.crt", "broker.crt", "client_gw1.crt")] == [True] * 3
    assert "copy ca.crt to the broker and all its clients" in written
    auscult("check", folder)
    auscult("package", folder, "gw1", tmp_path / "gw1.tar", "--broker", "localhost")
    shutil.unpack_archive(tmp_path / "gw1.tar", tmp_path / "gw1")
    (tmp_path / "broker").mkdir()
    broker = ExampleBroker(tmp_path / "broker", Made(folder))
    broker.start()
    assert connects(tmp_path / "gw1" / "gateway.toml", broker.tls_port)
    broker.stop()


def test_a_clock_in_another_time_zone_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = timedelta(hours=14)
    auscult("make", tmp_path, "--broker", "DNS:broker")
    Clock.ahead = timedelta(0)
    auscult("check", tmp_path)


def test_a_clock_that_has_lost_its_time_signs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = datetime(2000, 1, 1, tzinfo=UTC) - datetime.now(UTC)
    said = auscult("make", tmp_path / "x", "--broker", "DNS:broker", code=1)
    Clock.ahead = timedelta(0)
    assert "clock says 2000-01-01" in said
    assert not (tmp_path / "x").exists()


def test_a_clock_after_the_end_of_the_authority_replaces_nothing(tmp_path, monkeypatch):
    auscult("make", tmp_path, "--broker", "DNS:broker", "--client", "gw1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = datetime(2099, 1, 1, tzinfo=UTC) - datetime.now(UTC)
    said = auscult("make", tmp_path, code=1) + auscult("revoke", tmp_path, "gw1", code=1)
    Clock.ahead = timedelta(0)
    assert said.count("clock says 2099-01-01") == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_mistyped_folder_is_reported_and_not_made(tmp_path):
    folder = tmp_path / "secrest"
    package = ("package", folder, "gw1", tmp_path / "gw1.tar", "--broker", "b")
    for command in (("check", folder), ("revoke", folder, "gw1"), package):
        assert f"there is no authority in {folder}: check the path" in auscult(*command, code=1)
    assert not list(tmp_path.iterdir())
    folder.touch()
    assert f"{folder} is no folder" in auscult("make", folder, "--broker", "DNS:b", code=1)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("crl.pem", "crl.pem is damaged: restore it"),
        ("broker.crt", "broker.crt holds no certificate: restore it"),
        ("ca.key", "ca.key can't be read (no key without a passphrase): fetch"),
    ],
)
def test_a_damaged_file_is_named_with_the_remedy(tmp_path, file, said):
    auscult("make", tmp_path, "--broker", "DNS:b", "--client", "gw1")
    (tmp_path / file).unlink(missing_ok=True)
    (tmp_path / file).write_bytes(b"no such thing")
    assert said in auscult("make", tmp_path, code=1)


def test_a_disk_that_fills_up_while_certificates_are_renewed_leaves_pairs_that_fit(
    tmp_path, monkeypatch
):
    auscult("make", tmp_path, "--broker", "DNS:b", "--client", "gw1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path, *_):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    write = plant_ca.write_durably
    monkeypatch.setattr(
        plant_ca, "write_durably", lambda p, *a: (write if p.suffix == ".key" else full)(p, *a)
    )
    said = auscult("make", tmp_path, "--broker", "DNS:c", code=1)
    assert f"No space left on device: '{tmp_path / 'broker.crt'}'" in said
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    monkeypatch.setattr(plant_ca, "write_durably", write)
    assert "broker.crt" in auscult("make", tmp_path, "--broker", "DNS:c")
    assert (tmp_path / "broker.key").read_bytes() == before["broker.key"]
    auscult("revoke", tmp_path, "gw1")
    auscult("make", tmp_path, "--client", "gw1")
    assert (tmp_path / "client_gw1.key").read_bytes() != before["client_gw1.key"], "it was lost"


@pytest.mark.parametrize(
    "wrong", [("--broker", "b:port"), ("--broker", ""), ("--broker", "b", "--dashboard-key", "a")]
)
def test_a_package_that_could_not_work_is_not_made(tmp_path, wrong):
    auscult("make", tmp_path, "--broker", "DNS:b")
    said = auscult("package", tmp_path, "gw1", tmp_path / "gw1.tar", *wrong, code=1)
    assert repr(wrong[-1]) in said
    assert not list(tmp_path.glob("*gw1*"))


def test_a_clock_years_ahead_renews_all_only_if_someone_says_that_it_is_right(
    tmp_path, monkeypatch
):
    auscult("make", tmp_path, "--broker", "DNS:broker", "--client", "gw1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = timedelta(days=3 * 365)
    now = Clock.now(UTC)
    said = auscult("make", tmp_path, code=1)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    written = auscult("make", tmp_path, "--clock-is-right")
    again = auscult("make", tmp_path)
    Clock.ahead = timedelta(days=3 * 365 + 800)
    in_time = auscult("make", tmp_path)
    Clock.ahead = timedelta(0)
    assert f"clock says {now:%Y-%m-%d}" in said
    assert f"after {datetime.now(UTC):%Y-%m-%d}" in said
    assert after == before
    assert "broker.crt" in written
    assert "client_gw1.crt" in written
    assert again.strip() == "nothing to do"
    assert "client_gw1.crt" in in_time, "two years after the last renewal is usual"


def test_a_list_of_revoked_ones_by_a_clock_ahead_bars_no_others(tmp_path, monkeypatch):
    auscult("make", tmp_path, "--broker", "DNS:broker", "--client", "gw1")
    monkeypatch.setattr(plant_ca, "datetime", Clock)
    Clock.ahead = timedelta(days=400)
    auscult("revoke", tmp_path, "gw1")
    Clock.ahead = timedelta(0)
    revoked = x509.load_pem_x509_crl((tmp_path / "crl.pem").read_bytes())
    assert revoked.last_update_utc < datetime.now(UTC), "a broker refuses all by one of the future"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "{}"), "name how clients reach the broker"),
        (("make", "{}", "--broker", "broker"), "write DNS:"),
        (("revoke", "{}", "unknown"), "there is no authority"),
    ],
)
def test_mistakes_are_one_line(tmp_path, arguments, said):
    output = auscult(*(one.format(tmp_path / "x") for one in arguments), code=1)
    assert said in output
    assert output.count("\n") == 1


def test_the_authority_is_not_replaced_where_its_key_is_kept_elsewhere(tmp_path):
    auscult("make", tmp_path, "--broker", "DNS:broker")
    (tmp_path / "ca.key").unlink()
    assert "fetch ca.key" in auscult("make", tmp_path, "--client", "gw1", code=1)
