"""One machine of a data set evaluated: the unit of work of `auscult evaluate`.

A job takes nothing but its recordings and gives plain data back, so it runs in any process of any
machine that can read the files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from auscult.gateway.datasets.dataset import DataSet, Recording, RecordingError, RecordingLabel
from auscult.gateway.evaluate.detection import (
    default_split,
    detection_results,
    held_out_splits,
    hold_out_results,
)
from auscult.gateway.evaluate.diagnosis import diagnosis_results
from auscult.gateway.evaluate.features import machine_data
from auscult.gateway.evaluate.labels import labelled_results
from auscult.gateway.evaluate.life import life_results
from auscult.gateway.evaluate.records import Result

END_BYTES = 65_536
PIECE = 1_000_000
"""Samples of each channel that are read at a time."""


@dataclass(frozen=True, eq=False)
class EvaluationJob:
    """The recordings of one machine, and what is done with them (see `run`)."""

    data: DataSet
    machine: str
    window_s: float
    hold_out: Literal["speed_rpm", "load"] | None = None
    labels: int | None = None

    @property
    def title(self) -> str:
        """Name for people."""
        return f"{self.data.name}/{self.machine}"

    @property
    def steps(self) -> int:
        """Return the number of steps, before `expect`."""
        return len(self.data.recordings)

    def evaluate(
        self,
        advance: Callable[[], None] = lambda: None,
        expect: Callable[[int], None] = lambda _: None,
    ) -> MachineOutcome:
        """Run the protocols that the recordings allow: see `evaluate` below."""
        return evaluate(self, advance, expect)

    @property
    def key(self) -> str:
        """Return name of the outcome: changes with the recordings, the settings and the version."""
        parts: list[object] = [version("auscult"), self.data.name]
        parts += [self.window_s, self.hold_out, self.labels]
        for one in self.data.recordings:
            parts += (replace(one, path=Path(one.path.name)), fingerprint(one.path))
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class MachineOutcome:
    """The results of a job, and one line for each recording that can't be read."""

    results: tuple[Result, ...]
    left_out: tuple[str, ...]


def jobs_of(
    data: DataSet,
    window_s: float,
    hold_out: Literal["speed_rpm", "load"] | None,
    labels: int | None,
) -> Iterator[EvaluationJob]:
    """Give a job for each machine of a data set."""
    for machine in data.machines:
        mine = replace(data, recordings=data.of_machine(machine))
        yield EvaluationJob(mine, machine, window_s, hold_out, labels)


def fingerprint(path: Path) -> tuple[int, str]:
    """Return a file's size, and a hash of its first and last bytes."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            ends = b""
            for at in (0, max(0, size - END_BYTES)):
                file.seek(at)
                ends += file.read(END_BYTES)
    except OSError:
        return 0, ""
    return size, hashlib.sha256(ends).hexdigest()


def evaluate(
    job: EvaluationJob,
    advance: Callable[[], None] = lambda: None,
    expect: Callable[[int], None] = lambda _: None,
) -> MachineOutcome:
    """Run the protocols that a machine's recordings allow.

    A recording that can't be read is left out.

    Parameters
    ----------
    job : EvaluationJob
    advance : callable
        Called after each step: a recording, or a condition that is left out.
    expect : callable
        Gets the number of steps.
    """
    readable, left_out = [], []
    for recording in job.data.recordings:
        try:
            _read_whole(recording)
            readable.append(recording)
        except RecordingError as error:
            left_out.append(str(error))
            advance()
    data = replace(job.data, recordings=tuple(readable))
    results: list[Result] = []
    if readable:
        mine = machine_data(data, job.machine, job.window_s, advance)
        results += diagnosis_results(data, job.machine)
        if mine.with_label(RecordingLabel.RUN_TO_FAILURE):
            results += life_results(mine)
        if mine.with_label(RecordingLabel.HEALTHY):
            results += detection_results(mine, default_split(mine))
        if mine.with_label(RecordingLabel.HEALTHY) and job.hold_out is not None:
            splits = sum(1 for _ in held_out_splits(mine, job.hold_out)) + 2 * bool(job.labels)
            expect(len(job.data.recordings) + splits)
            if job.labels:
                results += labelled_results(mine, job.hold_out, job.labels, advance)
            else:
                results += hold_out_results(mine, job.hold_out, advance)
    return MachineOutcome(tuple(results), tuple(left_out))


def _read_whole(recording: Recording) -> None:
    """Read a recording piece by piece.

    Raises
    ------
    RecordingError
        If any of it can't be read, or it ends early.
    """
    for start in range(0, max(1, recording.frames), PIECE):
        expected = min(PIECE, recording.frames - start)
        found = recording.read(start, max(1, expected)).shape[1]
        if found < expected:
            detail = f"it ends at sample {start + found} of {recording.frames}"
            raise RecordingError("recording_unreadable", path=str(recording.path), detail=detail)


def store(outcome: MachineOutcome, path: Path) -> None:
    """Write an outcome, whole or not at all."""
    document = {"left_out": outcome.left_out, "results": [r.to_json() for r in outcome.results]}
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(json.dumps(document, allow_nan=False))
    partial.replace(path)


def stored(path: Path) -> MachineOutcome | None:
    """Read an outcome; None if there is none, or it is damaged."""
    try:
        document = json.loads(path.read_text())
        results = tuple(Result.from_json(row) for row in document["results"])
        return MachineOutcome(results, tuple(document["left_out"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
