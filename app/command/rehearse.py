"""`auscult rehearse`: what Auscult would have reported in a plant's own history."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs
from auscult.errors import ConfigurationError

BUDGETS = [1.0, 0.25, 4.0]


class ReportLanguage(StrEnum):
    """A language of the report."""

    EN = "en"
    DE = "de"


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
    pdf: Annotated[
        Path | None, typer.Option("--pdf", help="Write it as two pages PDF to this file too.")
    ] = None,
    language: Annotated[ReportLanguage, typer.Option(help="Of the report.")] = ReportLanguage.EN,
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
    draft: Annotated[
        bool,
        typer.Option(
            "--draft", help="Write a first `values.toml` from the tables' heads, to complete."
        ),
    ] = False,
    timezone: Annotated[
        str, typer.Option(help="With --draft: zone of times that state none, or UTC.")
    ] = "",
    into: Annotated[
        Path | None,
        typer.Option(
            help="Configuration of a gateway that does not run: play the history into its data "
            "folder, so that it starts with baselines and sends the trends. Writes no report."
        ),
    ] = None,
) -> None:
    """Play a plant's history and report which cases it would have had, and which breakdowns."""
    with needs("rehearse", "gateway"):
        from auscult.contract.said import Rejection
        from auscult.durable import write_durably
        from auscult.gateway.evaluate import rehearsal
    if draft:
        _draft(folder, timezone)
        return
    if into is not None:
        _play_into(into, folder)
        return
    if pdf is not None:
        with needs("rehearse --pdf", "dashboard"):
            from auscult.app.command.rehearsal_pdf import two_pages
    try:
        machines = rehearsal.rehearse(
            folder,
            list(dict.fromkeys(budget or BUDGETS)),
            workers,
            lambda machine: typer.echo(f"{machine}: played", err=True),
        )
    except Rejection as error:
        raise ConfigurationError(str(error)) from None
    name = folder.resolve().name
    files = {"--report": (report, rehearsal.report(name, machines, language).encode())}
    if pdf is not None:
        files["--pdf"] = (pdf, two_pages(name, machines, language))
    for option, (path, content) in files.items():
        try:
            write_durably(path, content)
        except OSError as error:
            raise ConfigurationError(
                f"{option} {path}: can't be written ({error.strerror}); name another file"
            ) from None
        typer.echo(f"{path}: {len(machines)} machines", err=True)


def _draft(folder: Path, timezone: str) -> None:
    from auscult.contract.said import Rejection
    from auscult.durable import write_durably
    from auscult.gateway.datasets.value_draft import draft
    from auscult.gateway.datasets.value_tables import DESCRIPTION

    path = folder / DESCRIPTION
    if path.exists():
        raise ConfigurationError(f"{path}: is there already; remove it, or complete it by hand")
    try:
        made = draft(folder, timezone)
        write_durably(path, made.text.encode())
    except Rejection as error:
        raise ConfigurationError(str(error)) from None
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}; name another folder") from None
    for one in made.open:
        typer.echo(one, err=True)
    typer.echo(f"{path}: check it, then: auscult rehearse {folder}", err=True)


def _play_into(config: Path, folder: Path) -> None:
    from auscult.app.command.configuration import load
    from auscult.contract.said import Rejection
    from auscult.gateway.evaluate.into_gateway import play_into
    from auscult.gateway.storage.lock import FolderError, InUseError
    from auscult.gateway.storage.store import StoreError

    def done(machine: str, trends: int | None) -> None:
        what = "has learned before; unchanged" if trends is None else f"{trends} trends of an hour"
        typer.echo(f"{machine}: {what}", err=True)

    try:
        dropped = play_into(load(config).for_gateway(config), folder, done)
    except Rejection as error:
        raise ConfigurationError(str(error)) from None
    except (FolderError, InUseError, StoreError) as error:
        typer.echo(f"auscult rehearse: {error}", err=True)
        raise typer.Exit(1) from None
    if dropped:
        typer.echo(
            f"the oldest {dropped} trends did not fit; set gateway.outbox_max_mb higher", err=True
        )
