"""`auscult rehearse`: what Auscult would have reported in a plant's own history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs
from auscult.errors import ConfigurationError

BUDGETS = [1.0, 0.25, 4.0]


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command()(rehearse)


def rehearse(
    folder: Annotated[
        Path, typer.Argument(help="Folder with `values.toml` (docs/sensors/values.md).")
    ],
    report: Annotated[
        Path, typer.Option("--report", help="Write the report (Markdown) to this file.")
    ] = Path("report.md"),
    budget: Annotated[
        list[float] | None,
        typer.Option(
            min=0.01,
            max=1000,
            help="False events a machine and year; repeatable, the first is that of the lists. "
            "Default: 1, 0.25 and 4.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Machines that are played side by side.")
    ] = 1,
) -> None:
    """Play a plant's history and report which cases it would have had, and which breakdowns."""
    with needs("rehearse", "gateway"):
        from auscult.contract.said import Rejection
        from auscult.gateway.evaluate import rehearsal
    try:
        machines = rehearsal.rehearse(
            folder,
            list(dict.fromkeys(budget or BUDGETS)),
            workers,
            lambda machine: typer.echo(f"{machine}: played", err=True),
        )
    except Rejection as error:
        raise ConfigurationError(str(error)) from None
    text = rehearsal.report(folder.resolve().name, machines)
    try:
        report.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"--report {report}: can't be written ({error.strerror}); name another file"
        ) from None
    typer.echo(f"{report}: {len(machines)} machines", err=True)
