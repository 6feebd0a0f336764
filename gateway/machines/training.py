"""Training beside the window loop: one thread of low priority runs the jobs in order."""

from __future__ import annotations

import contextlib
import logging
import queue
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar

from auscult.host.supervised import Supervised, give_way
from auscult.models.learning.budget import Budget

log = logging.getLogger(__name__)

NICENESS = 15
"""Training takes the idle time of the processor, and 3 % of a core that the window loop fills. With
10 (10 %), windows took a quarter longer while training ran."""

HAND_BACK_S = 0.0005
"""Longest time that training holds the interpreter. With Python's 5 ms, a batch of 16 windows took
a tenth longer while training ran; with this value, no longer."""

Result = TypeVar("Result", covariant=True)
Done = TypeVar("Done")


class TrainingJob(Protocol[Result]):
    """A training job; it shares no data with the window loop."""

    def run(self, progress: Callable[[float], None]) -> Result:
        """Train, report the progress 0..1, and return the result."""


class Trainer(Generic[Done]):
    """Runs the training jobs of machines; the window loop collects the results.

    A machine has at most one job at a time. Between the slices of a job, which are its reports of
    progress, the budget may hold it.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._queue: queue.SimpleQueue[tuple[str, TrainingJob[Done]] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[str, Done | Exception]] = queue.SimpleQueue()
        self._progress: dict[str, float] = {}
        self._stopping = threading.Event()
        self.thread = Supervised("training", self._run, self._stopping)

    def start(self) -> None:
        """Start the thread."""
        # The window loop releases the interpreter at each long numpy call.
        sys.setswitchinterval(HAND_BACK_S)
        self.thread.start()

    def stop(self, timeout_s: float) -> None:
        """Stop; the running job ends at its next progress, or is abandoned after the timeout."""
        self._stopping.set()
        self._queue.put(None)
        self.thread.join(timeout_s)

    def submit(self, machine: str, job: TrainingJob[Done]) -> None:
        """Queue a machine's job."""
        self._progress[machine] = 0.0
        self._queue.put((machine, job))

    def progress(self, machine: str) -> float | None:
        """Return the progress 0..1 of a machine's job, None without one."""
        return self._progress.get(machine)

    def collect(self) -> list[tuple[str, Done | Exception]]:
        """Return the results since the last call, the error for a job that failed."""
        done = []
        with contextlib.suppress(queue.Empty):
            while True:
                done.append(self._done.get_nowait())
        return done

    def _run(self) -> None:
        give_way(NICENESS)
        while (entry := self._queue.get()) is not None:
            machine, job = entry
            try:
                self._budget.begin()
                self._done.put((machine, job.run(partial(self._report, machine))))
            except _CancelledError:
                return
            except Exception as error:
                log.debug("%s: training failed", machine, exc_info=True)
                self._done.put((machine, error))
            finally:
                self._progress.pop(machine, None)

    def _report(self, machine: str, share: float) -> None:
        self._progress[machine] = share
        self._budget.wait(self._stopping.is_set)
        if self._stopping.is_set():
            raise _CancelledError


class _CancelledError(Exception):
    """The gateway stops and cancels the job."""
