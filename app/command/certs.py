"""`auscult certs`: the plant's certificate authority, and all a new gateway needs in one file."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs

certs_cli = typer.Typer(
    help="Make, renew, check and revoke the plant's certificates.", no_args_is_help=True
)

FolderArgument = Annotated[
    Path, typer.Argument(help="Folder of the certificates, such as docker/secrets.")
]
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}")


@certs_cli.command()
def make(
    folder: FolderArgument,
    broker: Annotated[
        list[str] | None,
        typer.Option(help="A name of the broker, DNS:… or IP:…; give all that clients use."),
    ] = None,
    client: Annotated[
        list[str] | None, typer.Option(help="Id of a gateway, or user of another client.")
    ] = None,
    clock_is_right: Annotated[
        bool,
        typer.Option("--clock-is-right", help="Renew although all have expired by this clock."),
    ] = False,
) -> None:
    """Make what is missing; renew what expires within 30 days or is not valid yet."""
    with _reporting("certs make"):
        from auscult.app.enrolment.plant_ca import PlantCa

        authority = PlantCa(folder, begin=True)
        if not clock_is_right:
            authority.expect_plausible_clock()
        written = authority.renew_own()
        written += authority.broker(broker or ())
        for name in client or ():
            written += authority.client(_id(name))
        written += authority.renew()
    typer.echo("\n".join(f"wrote {folder / name}" for name in written) or "nothing to do")
    if "ca.crt" in written:
        typer.echo("copy ca.crt to the broker and all its clients")


@certs_cli.command()
def check(folder: FolderArgument) -> None:
    """List all certificates with the days left; exit code 1 if one must be renewed."""
    with _reporting("certs check"):
        from auscult.app.enrolment.plant_ca import PlantCa

        stored = PlantCa(folder).stored()
    for one in stored:
        state = "revoked" if one.revoked else f"{one.days_left:.0f} days left"
        note = f"  RENEW: {one.renewal}" if one.due else ""
        if one.early and not one.revoked:
            state = f"valid from {one.first_day:%Y-%m-%d}"
        typer.echo(f"{one.path.name:28} {state:16} {', '.join(one.names)}{note}")
    if any(one.due for one in stored):
        raise typer.Exit(1)


@certs_cli.command()
def revoke(folder: FolderArgument, client: Annotated[str, typer.Argument(help="Its id.")]) -> None:
    """Revoke the certificate of a lost gateway: the broker reads crl.pem as its `crlfile`."""
    with _reporting("certs revoke"):
        from auscult.app.enrolment.plant_ca import PlantCa

        path = PlantCa(folder).revoke(_id(client))
    typer.echo(f"wrote {path}: name it as crlfile of the broker's listener and restart the broker")


@certs_cli.command()
def package(
    folder: FolderArgument,
    gateway: Annotated[str, typer.Argument(help="Id of the new gateway.")],
    file: Annotated[Path, typer.Argument(help="The package to write (.tar).", dir_okay=False)],
    broker: Annotated[str, typer.Option(help="HOST or HOST:PORT of the broker.")],
    site: Annotated[str, typer.Option(help="Id of the site.")] = "plant",
    dashboard_key: Annotated[
        str, typer.Option(help="Output of `auscult commands-key`; commands of others are rejected.")
    ] = "",
) -> None:
    """Write all that a new gateway needs into one file: certificate, authority, configuration."""
    with _reporting("certs package"):
        from auscult.app.enrolment.gateway_file import GatewayFile
        from auscult.app.enrolment.plant_ca import PlantCa

        name = _id(gateway)
        text = GatewayFile("auscult certs package", _id(site), name, broker, dashboard_key).text()
        PlantCa(folder).client(name)
        contents = {
            "gateway.toml": text.encode(),
            **{
                one: (folder / one).read_bytes()
                for one in ("ca.crt", f"client_{name}.crt", f"client_{name}.key")
            },
        }
        file.touch(mode=0o600)
        with tarfile.open(file, "w") as archive:
            for path, content in contents.items():
                about = tarfile.TarInfo(path)
                about.size, about.mode = len(content), 0o600
                archive.addfile(about, io.BytesIO(content))
    typer.echo(
        f"{file}: unpack it on the gateway, readable by its user only.\n"
        f"At the broker add {name} to AUSCULT_GATEWAYS and restart it."
    )


def _id(name: str) -> str:
    if not ID.fullmatch(name):
        raise typer.BadParameter(f"{name!r}: use letters, digits and '_ . -'")
    return name


@contextmanager
def _reporting(command: str) -> Iterator[None]:
    """Report what fails in one line, and exit with 1."""
    with needs(command, "gateway"):
        from auscult.app.enrolment.pem_files import CertificateError
    try:
        yield
    except (CertificateError, OSError, ValueError) as error:
        typer.echo(f"auscult {command}: {error}", err=True)
        raise typer.Exit(1) from None
