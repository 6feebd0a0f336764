"""Runs the protocols that each machine's recordings allow, prints a table, writes the JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from auscult.gateway.evaluate.detection import (
    default_split,
    detection_results,
    held_out_splits,
    hold_out_results,
)
from auscult.gateway.evaluate.diagnosis import diagnosis_results
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.labels import labelled_results
from auscult.gateway.evaluate.life import life_results
from auscult.gateway.evaluate.records import Result
from auscult.gateway.evaluate.report import label_tables, tables
from auscult.gateway.sources.dataset import DataSet, RecordingLabel, read_manifest
from auscult.gateway.sources.plain_folder import convert, is_plain

WINDOW_S = 0.4
TABLE_WIDTH = 132
"""Columns of the widest table; a narrower terminal wraps its lines but cuts no figure."""


def run(
    manifests: Iterable[Path | str],
    json_path: Path | str | None = None,
    window_s: float = WINDOW_S,
    hold_out: Literal["speed_rpm", "load"] | None = None,
    labels: int | None = None,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """Evaluate the detector on recordings with known truth, with the shipped settings.

    Parameters
    ----------
    manifests : paths
        ``manifest.csv`` files, the folders that hold them, or plain folders of files.
    json_path : path, optional
        File for the result.
    window_s : float
        Window length in s, 0.05..60; windows overlap by half.
    hold_out : {"speed_rpm", "load"}, optional
        Also leave out of the baseline one value of this quantity at a time.
    labels : int, optional
        With `hold_out`: number of events that a simulated technician labels, without operating
        states; also with half of the conditions left out.
    progress : bool
        Show a progress bar on the terminal.

    Returns
    -------
    list of dict
        The rows of the JSON's ``results``.

    Raises
    ------
    ManifestError, RecordingError, FileError
        If a data set is invalid.
    """
    with TemporaryDirectory(prefix="auscult-") as converted:
        data_sets = [_data_set(Path(path), Path(converted)) for path in manifests]
        return _run(data_sets, json_path, window_s, hold_out, labels, progress)


def _data_set(path: Path, converted: Path) -> DataSet:
    if not is_plain(path):
        return read_manifest(path)
    target = converted / str(len(list(converted.iterdir()))) / path.resolve().name
    convert(path, target)
    return read_manifest(target)


def _run(
    data_sets: Sequence[DataSet],
    json_path: Path | str | None,
    window_s: float,
    hold_out: Literal["speed_rpm", "load"] | None,
    labels: int | None,
    progress: bool,
) -> list[dict[str, Any]]:
    results: list[Result] = []
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), disable=not progress,
    )  # fmt: skip
    with bar:
        for data in data_sets:
            for machine in data.machines:
                task = bar.add_task(f"{data.name}/{machine}", total=len(data.of_machine(machine)))

                def advance(task: Any = task) -> None:
                    bar.advance(task)

                mine = machine_data(data, machine, window_s, advance)
                results += diagnosis_results(data, machine)
                if mine.of(RecordingLabel.RUN_TO_FAILURE):
                    results += life_results(mine)
                if not mine.of(RecordingLabel.HEALTHY):
                    continue
                results += detection_results(mine, default_split(mine))
                if hold_out is not None:
                    splits = sum(1 for _ in held_out_splits(mine, hold_out)) + 2 * bool(labels)
                    bar.update(task, total=len(data.of_machine(machine)) + splits)
                    results += _held_out(mine, hold_out, labels, advance)
    for table in (*tables(results), *label_tables(results)):
        console.print(table)
    rows = [result.to_json() for result in results]
    if json_path is not None:
        document = {"version": version("auscult"), "results": rows}
        Path(json_path).write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    return rows


def _held_out(
    data: MachineData,
    quantity: Literal["speed_rpm", "load"],
    labels: int | None,
    advance: Callable[[], None],
) -> list[Result]:
    if labels:
        return labelled_results(data, quantity, labels, advance)
    return hold_out_results(data, quantity, advance)
