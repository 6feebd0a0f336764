"""`auscult datasets`: lists public recordings, and converts what the user has downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs
from auscult.errors import ConfigurationError


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command()(datasets)


def datasets(
    name: Annotated[str, typer.Argument(help="Set to convert; without it, all are listed.")] = "",
    downloaded: Annotated[
        Path | None, typer.Option("--from", help="Folder of the downloaded files.")
    ] = None,
    into: Annotated[Path | None, typer.Option("--into", help="Folder of the new data set.")] = None,
) -> None:
    """List well-known recordings, or convert one that you have downloaded."""
    with needs("datasets", "gateway"):
        from auscult.gateway.datasets.public_sets import SETS, convert
        from auscult.gateway.files.records import FileError

    if not name:
        _list()
        return
    if name not in SETS:
        raise typer.BadParameter(f"there is no set {name}; known are {', '.join(SETS)}")
    if downloaded is None or into is None:
        raise typer.BadParameter("give --from FOLDER (downloaded) and --into FOLDER (new)")
    names = ("manifest.csv", "values.toml")
    if any((into / name).exists() for name in names):
        raise typer.BadParameter(f"{into} holds a data set already: name a new folder")
    try:
        count = convert(SETS[name], downloaded, into)
    except (FileError, OSError) as error:
        raise ConfigurationError(str(error)) from None
    written = next(into / name for name in names if (into / name).exists())
    typer.echo(f"{written}: {count} recordings or tables", err=True)


def _list() -> None:
    from rich.console import Console
    from rich.table import Table

    from auscult.gateway.datasets.public_sets import SETS

    table = Table()
    for column in ("set", "what", "source", "licence", "size", "note"):
        table.add_column(column, overflow="fold")
    for one in SETS.values():
        table.add_row(one.name, one.title, one.source, one.licence, one.size, one.note)
    Console().print(table)
