"""`auscult export`, `import` and `delta`: what a gateway has learned, from one to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auscult.app.command.extras import needs
from auscult.contract.said import Rejection

if TYPE_CHECKING:
    from auscult.gateway.settings.gateway import GatewaySettings

ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="The gateway's configuration.")]
MachineOption = Annotated[str, typer.Option("--machine", "-m", help="Id of the machine.")]
FileArgument = Annotated[Path, typer.Argument(help="The file.", dir_okay=False)]
ReadArgument = Annotated[Path, typer.Argument(help="The file.", dir_okay=False, exists=True)]

delta_cli = typer.Typer(
    help="Share what a machine learned from labels with others of the same baseline.",
    no_args_is_help=True,
)


def add_to(cli: typer.Typer) -> None:
    """Add these commands."""
    cli.command("export")(export)
    cli.command("import")(import_)
    cli.add_typer(delta_cli, name="delta")


def export(config: ConfigOption, machine: MachineOption, file: FileArgument) -> None:
    """Write all that is learned of a machine to a file; its gateway may run meanwhile."""
    with _reporting("export"):
        from auscult.gateway.learning.export_import import export_machine

        size = export_machine(_settings(config), machine, file)
        typer.echo(f"{file}: {size} bytes")


def import_(config: ConfigOption, machine: MachineOption, file: ReadArgument) -> None:
    """Import a file into a machine; its gateway must be stopped."""
    with _reporting("import"):
        from auscult.gateway.learning.export_import import import_machine
        from auscult.gateway.storage.lock import locked

        settings = _settings(config)
        with locked(settings.gateway.data_dir):
            typer.echo(import_machine(settings, machine, file))


@delta_cli.command("key")
def delta_key(config: ConfigOption) -> None:
    """Show the public key of this gateway's deltas, for `trusted_keys` of others."""
    with _reporting("delta key"):
        from auscult.gateway.learning.deltas import own_key
        from auscult.link.signing import public_hex

        typer.echo(public_hex(own_key(_settings(config).gateway.data_dir)))


@delta_cli.command("make")
def delta_make(config: ConfigOption, machine: MachineOption, file: FileArgument) -> None:
    """Write a signed delta of a machine's learning; the gateway may run meanwhile."""
    with _reporting("delta make"):
        from auscult.gateway.learning.deltas import make_delta

        typer.echo(f"{file}: {make_delta(_settings(config), machine, file)} bytes")


@delta_cli.command("apply")
def delta_apply(config: ConfigOption, machine: MachineOption, file: ReadArgument) -> None:
    """Apply a delta if key, baseline and features match and the machine's own gate accepts it."""
    with _reporting("delta apply"):
        from auscult.gateway.learning.deltas import apply_delta
        from auscult.gateway.storage.lock import locked

        settings = _settings(config)
        with locked(settings.gateway.data_dir):
            update = apply_delta(settings, machine, file)
        if not update.accepted:
            typer.echo(f"auscult delta apply: rejected by the gate: {update.said}", err=True)
            raise typer.Exit(1)
        typer.echo(update.said)


def _settings(config: Path) -> GatewaySettings:
    from auscult.app.command.configuration import load
    from auscult.gateway.commands.commissioning import effective_settings

    return effective_settings(load(config).for_gateway(config))


@contextmanager
def _reporting(command: str) -> Iterator[None]:
    """Report what fails in one line, and exit with 1."""
    with needs(command, "gateway"):
        from auscult.gateway.datasets.dataset import ManifestError
        from auscult.gateway.storage.lock import InUseError
        from auscult.gateway.storage.store import StoreError

    try:
        yield
    except (Rejection, InUseError, ManifestError, StoreError, OSError) as error:
        typer.echo(f"auscult {command}: {error}", err=True)
        raise typer.Exit(1) from None
