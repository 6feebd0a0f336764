"""`auscult backup` and `auscult restore`: gateway and dashboard in one verified file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auscult.app.command.extras import needs

if TYPE_CHECKING:
    from auscult.backup.archive import Contents


class BackupPart(StrEnum):
    """What is backed up."""

    GATEWAY = "gateway"
    DASHBOARD = "dashboard"


PartArgument = Annotated[BackupPart, typer.Argument(help="Which part.")]
ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="Its configuration.")]
PassphraseOption = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help="File whose first line is the passphrase."),
]


def add_to(cli: typer.Typer) -> None:
    """Add these commands."""
    cli.command("backup")(backup)
    cli.command("restore")(restore)


def backup(
    part: PartArgument,
    config: ConfigOption,
    file: Annotated[Path, typer.Argument(help="The backup to write.", dir_okay=False)],
    passphrase_file: PassphraseOption = None,
) -> None:
    """Write all data to one verified file, by choice encrypted; the part may run meanwhile."""
    with _reporting("backup", part):
        from auscult.app.command.configuration import load

        settings = load(config)
        passphrase = _passphrase(passphrase_file)
        if part is BackupPart.GATEWAY:
            from auscult.gateway.storage import backup as of_gateway

            own = settings.for_gateway(config)
            _check_trust(config, own.gateway.data_dir)
            made = of_gateway.back_up(own, file, passphrase, own_process=True)
        else:
            from auscult.app.store import backup as of_dashboard

            _check_trust(config, settings.dashboard.data_dir)
            made = of_dashboard.back_up(settings.dashboard, file, passphrase, own_process=True)
    typer.echo(f"{file}: {_shown(made)}, {file.stat().st_size / 1e6:.1f} MB, verified")


def restore(
    part: PartArgument,
    config: ConfigOption,
    file: Annotated[Path, typer.Argument(help="The backup.", dir_okay=False, exists=True)],
    passphrase_file: PassphraseOption = None,
    replace: Annotated[
        bool, typer.Option(help="Move what the data folder holds aside, into before-TIME in it.")
    ] = False,
) -> None:
    """Verify a backup and restore it into an empty data folder; the part must be stopped."""
    with _reporting("restore", part):
        from auscult.app.command.configuration import load

        settings = load(config)
        passphrase = _passphrase(passphrase_file)
        if part is BackupPart.GATEWAY:
            from auscult.backup.owner import as_owner
            from auscult.gateway.storage import backup as of_gateway
            from auscult.gateway.storage.lock import locked

            own = settings.for_gateway(config)
            folder = own.gateway.data_dir
            _check_trust(config, folder)
            with ExitStack() as stack:
                with as_owner(folder):
                    stack.enter_context(locked(folder))
                contents = of_gateway.restore(own, file, passphrase, replace=replace)
        else:
            from auscult.app.store import backup as of_dashboard

            _check_trust(config, settings.dashboard.data_dir)
            contents = of_dashboard.restore(settings.dashboard, file, passphrase, replace=replace)
    typer.echo(f"restored {_shown(contents)}")


def _check_trust(config: Path, folder: Path) -> None:
    """Check that root follows no configuration that names a folder of someone else.

    Raises
    ------
    BackupError
    """
    from auscult.backup.archive import BackupError
    from auscult.backup.owner import owner_of

    if os.geteuid() != 0:
        return
    owner = owner_of(folder).st_uid
    for path in (config, config.absolute().parent):
        if (other := path.stat().st_uid) not in (0, owner):
            raise BackupError(
                f"{path} belongs to user id {other}, and {folder} to {owner}: root follows a "
                "configuration of root or of the folder's owner only: change the owner (chown)"
            )


def _passphrase(path: Path | None) -> str | None:
    from auscult.host.backups import read_passphrase

    return None if path is None else read_passphrase(path)


def _shown(contents: Contents) -> str:
    made = datetime.fromtimestamp(contents.created_ms / 1000, UTC)
    return (
        f"{contents.kind} {contents.of} of {made:%Y-%m-%d %H:%M} UTC "
        f"({len(contents.files)} files, auscult {contents.version})"
    )


@contextmanager
def _reporting(command: str, part: BackupPart) -> Iterator[None]:
    """Report what fails in one line, and exit with 1."""
    with needs(command, part.value):
        from auscult.backup.archive import BackupError
        from auscult.gateway.storage.lock import InUseError
    try:
        yield
    except (BackupError, InUseError, OSError) as error:
        typer.echo(f"auscult {command}: {error}", err=True)
        raise typer.Exit(1) from None
