"""``python -m auscult.gateway.fleet serve`` and ``… join``: one round of federated averaging.

Both need the extra ``fleet`` in a separate environment, because Flower requires other versions of
protobuf and typer than the gateway: ``make fleet`` sets up ``.venv-fleet``.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from auscult.gateway.fleet.problem import FleetError
from auscult.gateway.learning.deltas import own_key
from auscult.gateway.learning.learned_file import LearnedFileError
from auscult.link.signing import public_hex
from auscult.models.learning.delta import DeltaError

# Flower sends usage reports by default; a plant's network is closed.
os.environ["FLWR_TELEMETRY_ENABLED"] = "0"

WAIT_S = 600.0
MISSING = "Flower is not installed: run 'make fleet', or pip install 'auscult[fleet]'"

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

Address = Annotated[str, typer.Option(help="host:port of the fleet's server")]
Wait = Annotated[float, typer.Option(min=1.0, help="seconds to wait for the others")]
MaybeFile = Annotated[Path | None, typer.Option(exists=True, dir_okay=False)]
KeyFolder = Annotated[Path, typer.Option(file_okay=False, help="holds the server's key")]
Folder = Annotated[Path, typer.Option(exists=True, file_okay=False)]


@app.command()
def key(folder: KeyFolder) -> None:
    """Show the server's public key, for the gateways' `trusted_keys`; creates it on first use."""
    try:
        typer.echo(public_hex(own_key(folder)))
    except (LearnedFileError, OSError) as error:
        raise _stopped(str(error)) from None


@app.command()
def serve(
    gateways: Annotated[int, typer.Option(min=1, help="number of gateways to wait for")],
    trusted: Annotated[list[str], typer.Option(help="a gateway's key, see auscult delta key")],
    folder: KeyFolder,
    address: Address = "127.0.0.1:8421",
    authority: MaybeFile = None,
    certificate: MaybeFile = None,
    certificate_key: MaybeFile = None,
    insecure: Annotated[bool, typer.Option(help="no TLS: for a trusted network only")] = False,
    least: Annotated[int, typer.Option(min=2, help="deltas that an average needs")] = 2,
    clip_norm: Annotated[float, typer.Option(min=0.01, help="per point")] = 2.0,
    noise: Annotated[float, typer.Option(min=0.0, help="0 = none; see docs/fleet.md")] = 0.0,
    wait_s: Wait = WAIT_S,
) -> None:
    """Average the deltas of this number of gateways, once."""
    try:
        from auscult.gateway.fleet.averaging import AveragingSettings
        from auscult.gateway.fleet.server import Certificates
        from auscult.gateway.fleet.server import serve as hold_round
    except ModuleNotFoundError as error:
        raise _stopped(f"{MISSING} ({error})") from None
    if authority and certificate and certificate_key:
        certificates = Certificates(authority, certificate, certificate_key)
    elif insecure:
        certificates = None
    else:
        raise _stopped("pass --authority, --certificate and --certificate-key, or --insecure")
    settings = AveragingSettings(least, clip_norm, noise)
    try:
        made = hold_round(
            address, gateways, _keys(trusted), own_key(folder), settings, certificates, wait_s,
        )  # fmt: skip
    except (FleetError, LearnedFileError, OSError) as error:
        raise _stopped(str(error)) from None
    raise typer.Exit(0 if made else 1)


@app.command()
def join(
    outgoing: Folder,
    incoming: Annotated[Path, typer.Option(file_okay=False)],
    own: Annotated[str, typer.Option(help="this gateway's key, see auscult delta key")],
    server: Annotated[str, typer.Option(help="the server's key, see key")],
    address: Address = "127.0.0.1:8421",
    authority: MaybeFile = None,
    insecure: Annotated[bool, typer.Option(help="no TLS: for a trusted network only")] = False,
    wait_s: Wait = WAIT_S,
) -> None:
    """Send this gateway's deltas to a round, and write the averages to a folder."""
    try:
        from auscult.gateway.fleet.client import join as take_part
    except ModuleNotFoundError as error:
        raise _stopped(f"{MISSING} ({error})") from None
    if authority is None and not insecure:
        raise _stopped("pass --authority, or --insecure")
    try:
        written = take_part(
            address, outgoing, incoming, _keys([own]), _keys([server]),
            None if insecure else authority, wait_s,
        )  # fmt: skip
    except (FleetError, DeltaError, OSError) as error:
        raise _stopped(str(error)) from None
    raise typer.Exit(0 if written else 1)


def _keys(given: list[str]) -> list[Ed25519PublicKey]:
    try:
        return [Ed25519PublicKey.from_public_bytes(bytes.fromhex(one)) for one in given]
    except ValueError as error:
        raise FleetError(f"a public key is 64 hexadecimal digits ({error})") from None


def _stopped(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(2)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    app()
