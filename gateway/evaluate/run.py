"""Runs the protocols that each machine's recordings allow, prints a table, writes the JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from auscult.errors import UnusableSettingError
from auscult.gateway.datasets.dataset import DataSet, read_manifest
from auscult.gateway.datasets.plain_folder import convert, is_plain
from auscult.gateway.datasets.value_tables import holds_values
from auscult.gateway.evaluate import job, values
from auscult.gateway.evaluate.job import EvaluationJob, MachineOutcome, jobs_of
from auscult.gateway.evaluate.parallel import executor_of
from auscult.gateway.evaluate.report import label_tables, tables

WINDOW_S = 0.4
Job = EvaluationJob | values.ValuesJob
TABLE_WIDTH = 132
"""Columns of the widest table; a narrower terminal wraps its lines but cuts no figure."""


def run(
    manifests: Iterable[Path | str],
    json_path: Path | str | None = None,
    window_s: float = WINDOW_S,
    hold_out: Literal["speed_rpm", "load"] | None = None,
    labels: int | None = None,
    progress: bool = True,
    workers: int = 1,
    resume: Path | None = None,
) -> list[dict[str, Any]]:
    """Evaluate the detector on recordings or overall values, with the shipped settings.

    Parameters
    ----------
    manifests : paths
        ``manifest.csv`` files, the folders that hold them, plain folders of files, or folders
        with ``values.toml``.
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
    workers : int
        Processes that evaluate machines side by side.
    resume : Path, optional
        Folder that keeps what is done: what was evaluated before, by the same version with the
        same settings, is taken from there.

    Returns
    -------
    list of dict
        The rows of the JSON's ``results``.

    Raises
    ------
    ManifestError, FileError
        If a data set is invalid. A recording that can't be read is left out and named.
    UnusableSettingError
        If a worker ended.
    """
    with TemporaryDirectory(prefix="auscult-") as converted:
        left_out: list[str] = []
        jobs: list[Job] = []
        for path in map(Path, manifests):
            if holds_values(path):
                jobs += values.jobs_of(path if path.is_dir() else path.parent)
                continue
            data = _data_set(path, Path(converted), left_out)
            jobs += jobs_of(data, window_s, hold_out, labels)
        outcomes = _outcomes(jobs, progress, workers, resume)
    rows_of = [result for one in outcomes for result in one.results]
    results = [one for one in rows_of if one.protocol != values.PROTOCOL]
    results += values.with_folders([one for one in rows_of if one.protocol == values.PROTOCOL])
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    for table in (*tables(results), *label_tables(results)):
        console.print(table)
    left_out += [line for one in outcomes for line in one.left_out]
    for line in left_out:
        Console(stderr=True, soft_wrap=True).print(f"left out: {line}", markup=False)
    rows = [result.to_json() for result in results]
    if json_path is not None:
        document = {"version": version("auscult"), "results": rows, "left_out": left_out}
        Path(json_path).write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    return rows


def _data_set(path: Path, converted: Path, left_out: list[str]) -> DataSet:
    if not is_plain(path):
        return read_manifest(path, lenient=True)
    target = converted / str(len(list(converted.iterdir()))) / path.resolve().name
    left_out += convert(path, target)
    return read_manifest(target)


def _outcomes(
    jobs: Sequence[Job], progress: bool, workers: int, resume: Path | None
) -> list[MachineOutcome]:
    """Return the outcome of each job."""
    kept: dict[Job, Path] = {}
    outcomes: dict[Job, MachineOutcome] = {}
    if resume is not None:
        resume.mkdir(parents=True, exist_ok=True)
        kept = {one: resume / f"{one.key}.json" for one in jobs}
        known = {one: job.stored(path) for one, path in kept.items()}
        outcomes = {one: outcome for one, outcome in known.items() if outcome is not None}
    left = [one for one in jobs if one not in outcomes]

    def done(one: Job, outcome: MachineOutcome) -> None:
        outcomes[one] = outcome
        if one in kept:
            job.store(outcome, kept[one])

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), disable=not progress,
    )  # fmt: skip
    with bar, executor_of(workers) as executor:
        if executor is None:
            for one in left:
                done(one, _watched(one, bar))
        else:
            task = bar.add_task("machines", total=len(jobs), completed=len(outcomes))
            running = {executor.submit(one.evaluate): one for one in left}
            try:
                for future in as_completed(running):
                    done(running[future], future.result())
                    bar.advance(task)
            except BrokenExecutor as error:
                raise UnusableSettingError(
                    f"--workers {workers}: a worker process was ended, perhaps for want of memory; "
                    "use fewer, with --resume FOLDER to keep what is done"
                ) from error
    return [outcomes[one] for one in jobs]


def _watched(one: Job, bar: Progress) -> MachineOutcome:
    """Evaluate a machine in this process, with a bar of its own."""
    task = bar.add_task(one.title, total=one.steps)
    return one.evaluate(lambda: bar.advance(task), lambda total: bar.update(task, total=total))
