"""`auscult enrol-code` at the dashboard, `auscult enrol` on the new gateway."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from auscult.app.command.extras import needs
from auscult.durable import write_durably

TIMEOUT_S = 30.0
CONNECTED_WITHIN_S = 15.0
"""The broker reads its list of gateways within some 5 s."""
MOST_BYTES = 65_536
DASHBOARD_PORT = 8420
UNIT_FOLDER, UNIT_DATA = Path("/etc/auscult"), "/var/lib/auscult/gateway"
"""Configuration and data of the systemd unit, which may write below its own data only."""


def add_to(cli: typer.Typer) -> None:
    """Add both commands."""
    cli.command("enrol-code")(enrol_code)
    cli.command("enrol")(enrol)


class EnrolError(Exception):
    """The gateway is not enrolled; one line with the remedy."""


def enrol_code(
    config: Annotated[Path, typer.Option("--config", "-c", help="The dashboard's configuration.")],
    gateway: Annotated[str, typer.Argument(help="Id of the new gateway.")],
    site: Annotated[str, typer.Option(help="Id of its site.")] = "plant",
    hours: Annotated[float, typer.Option(min=0.05, max=168, help="Valid for, hours.")] = 1.0,
) -> None:
    """Make a code that enrols one gateway; the dashboard may run meanwhile."""
    with needs("enrol-code", "dashboard"):
        from auscult.app.command.configuration import load
        from auscult.app.enrolment import codes, exchange
        from auscult.app.enrolment.service import EnrolmentError, EnrolmentService
        from auscult.app.people import audit
        from auscult.app.people.audit import Action
        from auscult.app.store.connection import Database, StoreOpenError
        from auscult.app.store.database import DashboardStore
        from auscult.app.store.place import place
        from auscult.contract.message import now_ms
    settings, code = load(config).dashboard, exchange.new_code()

    def job(db: Database) -> None:
        now = now_ms()
        codes.add(db, code, site, gateway, "console", now, hours)
        audit.add(db, Action(now, "console", "", "make enrolment code", f"{site}/{gateway}"))

    try:
        store = DashboardStore(place(settings))
        try:
            EnrolmentService(settings.enrolment, store, "").check_id(site, gateway)
            store.write(job)
        finally:
            store.close()
    except (StoreOpenError, EnrolmentError) as error:
        typer.echo(f"auscult enrol-code: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{code}\nOn the gateway, within {hours:g} h: auscult enrol {code}@DASHBOARD")


def enrol(
    code: Annotated[str, typer.Argument(help="CODE@HOST, CODE@HOST:PORT or CODE@https://HOST.")],
    folder: Annotated[
        Path, typer.Option(help="Folder of gateway.toml, for key and certificates.")
    ] = Path(),
) -> None:
    """Enrol this gateway: key made here, certificate and identity from the dashboard."""
    with needs("enrol", "gateway"):
        from auscult.app.command.configuration import load
        from auscult.app.enrolment.exchange import CodeError
        from auscult.link.link import Link
    text, _, dashboard = code.rpartition("@")
    try:
        answer, written = _enrolled(text, _url(dashboard), folder)
    except (EnrolError, CodeError, OSError) as error:
        typer.echo(f"auscult enrol: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"enrolled as {answer['site']}/{answer['gateway']}: wrote {', '.join(written)}")
    if not answer["listed"]:
        typer.echo(
            f"At the broker, add {answer['gateway']} to AUSCULT_GATEWAYS and restart it "
            "(docs/fleet-operation.md)."
        )
    link = Link(load(folder / "gateway.toml").mqtt, f"auscult-enrol-{secrets.token_hex(4)}",
                persistent=False)  # fmt: skip
    link.start()
    connected = link.wait_connected(CONNECTED_WITHIN_S)
    link.stop()
    typer.echo(
        f"broker {answer['broker']}: "
        + ("accepts the certificate" if connected else "no connection yet; see the log above")
    )
    typer.echo(f"Start it with: auscult gateway --config {folder / 'gateway.toml'}")


def _url(dashboard: str) -> str:
    """Return where to send the request.

    >>> _url("dashboard.plant"), _url("192.0.2.7:80"), _url("https://dashboard.plant/")
    ('http://dashboard.plant:8420', 'http://192.0.2.7:80', 'https://dashboard.plant')
    """
    if not dashboard:
        raise typer.BadParameter("write CODE@DASHBOARD, such as K7Q2-M9XD-4TRW-8HJ3@10.0.4.2:8420")
    if "://" in dashboard:
        return dashboard.rstrip("/")
    port = "" if urlsplit(f"//{dashboard}").port else f":{DASHBOARD_PORT}"
    return f"http://{dashboard}{port}"


def _data_dir(folder: Path) -> str:
    """Return the data folder for a new `gateway.toml`; empty for the default, beside the file.

    >>> _data_dir(Path("/etc/auscult")), _data_dir(Path("box"))
    ('/var/lib/auscult/gateway', '')
    """
    return UNIT_DATA if folder.absolute() == UNIT_FOLDER else ""


def _enrolled(code: str, url: str, folder: Path) -> tuple[Mapping[str, Any], list[str]]:
    """Ask the dashboard, check its answer, and write the files; return both."""
    from auscult.app.enrolment import exchange
    from auscult.app.enrolment.gateway_file import GatewayFile
    from auscult.app.enrolment.signing_request import new_or_kept_key, signing_request

    tag, key = exchange.parts(code)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"enrol-{tag}.key"
    own_key = new_or_kept_key(kept)
    csr, nonce = signing_request(own_key, folder / f"enrol-{tag}.csr"), secrets.token_hex(16)
    proof = exchange.request_proof(key, nonce, csr)
    answer = _post(url, {"tag": tag, "nonce": nonce, "csr": csr, "proof": proof})
    given = answer.pop("proof", "")
    try:
        enrolled = exchange.Enrolled(**answer)
    except TypeError:
        raise EnrolError(f"{url} is no dashboard of this version") from None
    if not hmac.compare_digest(enrolled.proof(key, nonce).encode(), str(given).encode()):
        raise EnrolError(
            f"the answer of {url} is not of the dashboard that made the code: something between "
            "changed it; nothing was written"
        )
    _check_days(enrolled.certificate)
    name, of_folder = enrolled.gateway, folder.stat()
    # Root enrols, the service's user reads.
    owner = (of_folder.st_uid, of_folder.st_gid) if os.geteuid() == 0 else None
    files = {
        "ca.crt": enrolled.authority,
        f"client_{name}.key": kept.read_text(encoding="ascii"),
        f"client_{name}.crt": enrolled.certificate,
    }
    if not (folder / "gateway.toml").exists():
        about = ("auscult enrol", enrolled.site, name, enrolled.broker, enrolled.dashboard_key)
        files["gateway.toml"] = GatewayFile(*about, _data_dir(folder)).text()
    for file, text in files.items():
        write_durably(folder / file, text.encode(), 0o600, owner)
    kept.unlink()
    (folder / f"enrol-{tag}.csr").unlink()
    return answer, [str(folder / file) for file in files]


def _check_days(certificate: str) -> None:
    """Compare the certificate's days with this machine's clock: both must agree on the time."""
    from cryptography import x509

    signed, now = x509.load_pem_x509_certificate(certificate.encode()), datetime.now(UTC)
    first, last = signed.not_valid_before_utc, signed.not_valid_after_utc
    if not first <= now <= last:
        raise EnrolError(
            f"the certificate is valid from {first:%Y-%m-%d} to {last:%Y-%m-%d}, this machine's "
            f"clock says {now:%Y-%m-%d}: set the clock that is wrong, here or at the dashboard, "
            "and enrol with a new code; nothing was written"
        )


def _post(url: str, body: Mapping[str, str]) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310 - http or https, as the operator wrote
        f"{url}/api/v1/enrolment",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    # The code proves both sides, so a certificate of the plant's proxy need not be known here.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context) as got:  # noqa: S310
            content = json.loads(got.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise EnrolError(f"{url}: {_detail(error)}") from None
    except (OSError, ValueError) as error:
        raise EnrolError(f"{url} does not answer as a dashboard does: {error}") from None
    if not isinstance(content, dict):
        raise EnrolError(f"{url} is no dashboard")
    return content


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(MOST_BYTES))["detail"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {error.code}"
