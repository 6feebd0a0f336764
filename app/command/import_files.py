"""`auscult import-files`: files of any format, looked at or made a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auscult.app.command.extras import needs
from auscult.errors import ConfigurationError

if TYPE_CHECKING:
    from auscult.gateway.files.reading import Meaning
    from auscult.gateway.files.records import Signal

LABELS = ("healthy", "faulty", "run_to_failure")


def add_to(cli: typer.Typer) -> None:
    """Add the command."""
    cli.command("import-files")(import_files)


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(help="WAV, FLAC, CSV, NPY, NPZ, MAT, TDMS, UFF58, HDF5, MDF or Parquet."),
    ],
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what the files hold; write nothing.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="Folder of the new data set; it must not hold one.")
    ] = None,
    label: Annotated[str, typer.Option(help="healthy or faulty.")] = "healthy",
    fault: Annotated[str, typer.Option(help="With faulty: the fault, e.g. outer.")] = "",
    machine: Annotated[str, typer.Option(help="Machine; default: the folder's name.")] = "",
    speed_rpm: Annotated[float | None, typer.Option(min=0.001, help="Shaft speed, r/min.")] = None,
    unit: Annotated[str, typer.Option(help="Unit, where the files state none.")] = "",
    fs_hz: Annotated[
        float | None, typer.Option(min=200, max=200_000, help="Rate, where they state none, Hz.")
    ] = None,
    time: Annotated[str, typer.Option(help="Name of the time column.")] = "",
    rate: Annotated[str, typer.Option(help="Name of the number that is the rate.")] = "",
    channel: Annotated[
        list[str] | None,
        typer.Option(help="NAME or NAME=POINT of a channel to use; default: all. Repeatable."),
    ] = None,
) -> None:
    """Show what files hold, or make a data set of them that can be evaluated and played."""
    with needs("import", "gateway"):
        from auscult.gateway.files.reading import Meaning

    meaning = Meaning(unit, fs_hz, time, rate)
    points = dict(_named(one) for one in channel or [])
    if preview:
        raise typer.Exit(_preview(files, meaning, points))
    if into is None:
        raise typer.BadParameter("give --preview to look, or --into FOLDER to make a data set")
    if label not in LABELS:
        raise typer.BadParameter(f"--label is one of {', '.join(LABELS)}")
    if (into / "manifest.csv").exists():
        raise typer.BadParameter(f"{into} holds a data set already: name a new folder")
    cells: dict[str, object] = {
        "machine": machine or into.resolve().name,
        "label": label,
        "fault": fault,
        "speed_rpm": speed_rpm or "",
    }
    _write(files, into, meaning, points, cells)


def _named(channel: str) -> tuple[str, str]:
    name, _, point = channel.partition("=")
    return name, point or name


def _preview(files: list[Path], meaning: Meaning, points: dict[str, str]) -> int:
    """Print a row for each channel, or the reason why a file can't be used."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    from auscult.gateway.files.reading import format_of
    from auscult.gateway.files.records import FileError

    table = Table()
    for name in ("file", "format", "channel", "unit", "rate, Hz", "length, s", "r.m.s.", "peak",
                 "begins (UTC)"):  # fmt: skip
        table.add_column(name, overflow="fold")
    problems = []
    for path in files:
        try:
            signals = _signals(path, meaning, points)
        except (FileError, OSError) as error:
            problems.append(str(error))
            continue
        for one in signals:
            begins = "" if one.t0_ns is None else str(np.datetime64(one.t0_ns, "ns"))[:23]
            table.add_row(
                path.name, format_of(path), one.name, one.unit, f"{one.fs_hz:.10g}",
                f"{one.duration_s:.3f}", f"{float(np.sqrt(np.mean(one.samples**2))):.4g}",
                f"{float(np.abs(one.samples).max()):.4g}", begins,
            )  # fmt: skip
    if table.row_count:
        Console().print(table)
    for problem in problems:
        typer.echo(f"auscult import-files: {problem}", err=True)
    return 1 if problems else 0


def _signals(path: Path, meaning: Meaning, points: dict[str, str]) -> tuple[Signal, ...]:
    from auscult.gateway.files.reading import read_signals
    from auscult.gateway.files.records import FileError

    signals = read_signals(path, meaning)
    names = tuple(signal.name for signal in signals)
    if missing := [name for name in points if name not in names]:
        raise FileError("file_no_channel", path=str(path), channel=missing[0], channels=names)
    return tuple(s for s in signals if not points or s.name in points)


def _write(
    files: list[Path],
    into: Path,
    meaning: Meaning,
    points: dict[str, str],
    cells: dict[str, object],
) -> None:
    from auscult.gateway.datasets.dataset import ManifestError, read_manifest
    from auscult.gateway.datasets.writer import WrittenRecording, write_data_set
    from auscult.gateway.files.records import FileError

    if len({path.stem for path in files}) < len(files):
        raise typer.BadParameter("two files have the same name: import them into two folders")
    recordings = (
        WrittenRecording(
            path.stem, _signals(path, meaning, points), {**cells, "order": order}, points
        )
        for order, path in enumerate(files)
    )
    try:
        write_data_set(into, recordings)
        read_manifest(into)
    except (FileError, ManifestError, OSError) as error:
        raise ConfigurationError(str(error)) from None
    typer.echo(f"{into / 'manifest.csv'}: {len(files)} recordings", err=True)
