"""`auscult sensors`: what is attached, live level and spectrum, calibration."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auscult.app.command.extras import needs

if TYPE_CHECKING:
    from rich.table import Table

    from auscult.gateway.settings.gateway import GatewaySettings

BARS = " ▁▂▃▄▅▆▇█"
LOOK_S = 1.0
COLUMNS = 40


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command()(sensors)


def sensors(
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Open the sources of this configuration and check it."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.5, max=86_400, help="With --config: how long to listen, s.")
    ] = 5.0,
    live: Annotated[
        bool, typer.Option("--live", help="With --config: show it until Ctrl-C.")
    ] = False,
    calibrate: Annotated[
        str, typer.Option(help="With --config: MACHINE/POINT that receives a reference tone.")
    ] = "",
    level: Annotated[
        float,
        typer.Option(help="With --calibrate: level of the tone, dB re 20 µPa."),
    ] = 94.0,
) -> None:
    """List the sensors at this computer, or show what a configuration's sources deliver."""
    with needs("sensors", "gateway"):
        from auscult.app.command.configuration import check_points, check_sources, load

    if config is None:
        raise typer.Exit(_list())
    settings = load(config).for_gateway(config)
    check_sources(config, settings)
    check_points(config, settings)
    raise typer.Exit(_check(settings, seconds, live, calibrate, level))


def _list() -> int:
    """Print a row for each device that any kind of source finds."""
    from rich.console import Console
    from rich.table import Table

    from auscult.contract.said import Rejection
    from auscult.gateway.sources.registry import kinds

    table = Table()
    for name in ("kind", "address", "name", "channels", "rate, Hz"):
        table.add_column(name, overflow="fold")
    notes = []
    for name, kind in kinds():
        if isinstance(kind, Rejection):
            notes.append(f"{name}: {kind}")
            continue
        try:
            for one in kind.attached():
                rate = f"{one.fs_hz:g}" if one.fs_hz else ""
                table.add_row(one.kind, one.address, one.title, str(one.channels), rate)
        except (Rejection, OSError) as error:
            notes.append(f"{name}: {error}")
    if table.row_count:
        Console().print(table)
    else:
        typer.echo("No sensor is attached to this computer.")
    for note in notes:
        typer.echo(note, err=True)
    return 0


def _check(
    settings: GatewaySettings, seconds: float, live: bool, calibrate: str, level: float
) -> int:
    """Open the sources, listen, and print a row for each point; 1 where one is not well."""
    from rich.console import Console
    from rich.live import Live

    from auscult.gateway.sources.listening import Listening

    with Listening(settings) as listening:
        console = Console()
        end_s = time.monotonic() + seconds
        if live:
            with Live(console=console, refresh_per_second=2) as shown:
                try:
                    while True:
                        listening.take(LOOK_S)
                        shown.update(_table(listening))
                except KeyboardInterrupt:
                    pass
        else:
            while time.monotonic() < end_s:
                listening.take(min(LOOK_S, end_s - time.monotonic()))
            console.print(_table(listening))
        for name, said in listening.statuses.items():
            typer.echo(f"{name}: {said.text}", err=True)
        if calibrate:
            typer.echo(listening.calibration(calibrate, level))
        return 0 if listening.well else 1


def _table(listening: object) -> Table:
    from rich.table import Table

    from auscult.gateway.sources.listening import Listening

    if not isinstance(listening, Listening):
        raise TypeError(listening)
    table = Table()
    for name in ("point", "unit", "rate, Hz", "length, s", "r.m.s. or value", "peak", "lost",
                 "spectrum to Nyquist (dB)", "state"):  # fmt: skip
        table.add_column(name, overflow="fold")
    for row in listening.rows():
        bars = "".join(BARS[round(one * (len(BARS) - 1))] for one in row.spectrum(COLUMNS))
        if row.value is not None:
            table.add_row(
                str(row.point), row.unit, "", "", f"{row.value:.6g}", "", "", "",
                row.problem or "ok",
            )  # fmt: skip
            continue
        table.add_row(
            str(row.point), row.unit, f"{row.fs_hz:.10g}", f"{row.length_s:.1f}", f"{row.rms:.4g}",
            f"{row.peak:.4g}", str(row.lost), bars, row.problem or "ok",
        )  # fmt: skip
    return table
