"""The window loop: hears what comes in, and does all that touches a detector, in one thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TypeVar

from sqlite_utils import Database

from auscult.gateway.machines import baselines
from auscult.gateway.machines.bearing_search import BearingSearches
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.training import Trainer
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.clips import Clips
from auscult.gateway.windows.pipeline import Hop, Pipeline
from auscult.models.baseline.fit import FitJob
from auscult.models.baseline.machine_model import MachineModel

log = logging.getLogger(__name__)

T = TypeVar("T")

WAIT_S = 0.1
"""Longest wait for samples: bounds how late a call from another thread is served."""
TICK_S = 0.5
SAVE_S = 60.0
"""States are saved this often; a kill loses no more of the evidence or the healthy period."""
CALL_TIMEOUT_S = 30.0


class StoppingError(Exception):
    """The loop has ended: what was asked of it was not done."""


class WindowLoop:
    """Owns pipeline, machines and reporter.

    Parameters
    ----------
    inlet : Inlet
    pipeline : Pipeline
    machines : mapping of id to MonitoredMachine
    reporter : Reporter
    trainer : Trainer
    store : Store
    bearings : BearingSearches
    clips : Clips
    tell_versions : callable
        Told each machine that has a new baseline.
    patient : bool
        The sources wait for us (they play as fast as possible): then the loop waits for a training
        or a search, so that history is judged as it would have been in its own time.
    keep_baselines : int
        Baselines of a machine that can be gone back to.
    """

    def __init__(
        self,
        inlet: Inlet,
        pipeline: Pipeline,
        machines: Mapping[str, MonitoredMachine],
        reporter: Reporter,
        trainer: Trainer[MachineModel],
        store: Store,
        bearings: BearingSearches,
        clips: Clips,
        tell_versions: Callable[[MonitoredMachine], None],
        *,
        patient: bool,
        keep_baselines: int,
    ) -> None:
        self._inlet = inlet
        self._bearings = bearings
        self._pipeline = pipeline
        self._machines = dict(machines)
        self._reporter = reporter
        self._trainer = trainer
        self._store = store
        self._clips = clips
        self._patient = patient
        self._keep_baselines = keep_baselines
        self._tell_versions = tell_versions
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._calling = threading.Lock()
        self._ended = False
        self._failed: set[str] = set()
        self._tick_at = 0.0
        self._save_at: dict[str, float] = {}

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; then save."""
        now_s = time.monotonic()
        for number, machine_id in enumerate(self._machines):
            # Spread over the interval: packing many states at once would hold up the windows.
            self._save_at[machine_id] = now_s + SAVE_S * (1 + number / len(self._machines)) / 2
        while not stop.is_set():
            for hop in self._pipeline.take(self._inlet.take(WAIT_S)):
                if stop.is_set():
                    break
                self._hear(hop)
                if self._patient:
                    self._wait_for_training(hop.machine, stop)
                    self._reporter.send_trends()
                self._serve_calls()
            self._serve_calls()
            self._reporter.send_trends()
            self._reporter.send_spectra()
            if time.monotonic() >= self._tick_at:
                self._tick()
        with self._calling:
            self._ended = True
        self._serve_calls()
        self._reporter.flush_trends()
        for machine in self._machines.values():
            self._save(machine)

    def call(self, work: Callable[[], T]) -> T:
        """Do something with a machine in the loop's thread, and wait for its result.

        Raises
        ------
        StoppingError
            If the loop has ended.
        TimeoutError
            If it does not get to it.
        """
        future: Future[T] = Future()

        def serve() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

        with self._calling:
            if self._ended:
                raise StoppingError
            self._calls.put(serve)
        try:
            return future.result(CALL_TIMEOUT_S)
        except TimeoutError:
            future.cancel()
            raise

    def _hear(self, hop: Hop) -> None:
        machine = self._machines[hop.machine]
        try:
            hearing = machine.hear(hop)
            saved = self.saving(machine) if hearing.event is not None else None
            self._reporter.report(machine, hearing, saved)
            if machine.search_due():
                self._bearings.begin(machine.id)
            self._take_diagnoses(wait=self._patient)
            if (job := machine.detector.fit_due()) is not None:
                log.info("%s: the healthy period is complete; training begins", machine.id)
                self.train(machine, job)
        except Exception:
            # One machine's fault must not silence the others; it is logged once.
            if machine.id not in self._failed:
                log.exception("%s: its windows can't be judged", machine.id)
            self._failed.add(machine.id)
        else:
            if machine.id in self._failed:
                log.info("%s: its windows are judged again", machine.id)
                self._failed.discard(machine.id)

    def _take_diagnoses(self, *, wait: bool) -> None:
        for machine_id, found in self._bearings.collect(wait=wait):
            self._machines[machine_id].take_diagnosis(found)

    def _tick(self) -> None:
        self._tick_at = time.monotonic() + TICK_S
        self._adopt()
        for machine in self._machines.values():
            faults = {
                point.point: text
                for point, text in self._pipeline.faults.items()
                if point.machine == machine.id
            }
            hearing = machine.silence(faults)
            if hearing is not None:
                self._reporter.report(machine, hearing)
            self._reporter.end_shelf(machine)
            self._reporter.machine_state(machine)
        self._save_one_that_is_due()

    def _adopt(self) -> None:
        for machine_id, model in self._trainer.collect():
            machine = self._machines[machine_id]
            if model is None:
                machine.detector.fit_failed()
                continue
            if not machine.detector.awaits(model):
                log.info("%s: a trained baseline was given up meanwhile", machine_id)
                continue
            machine.adopt(model)
            log.info("%s: baseline %s is complete", machine_id, model.baseline_id)
            self._store.write(self.keeping(machine))
            self._store.write(self.saving(machine)).add_done_callback(
                lambda _, machine=machine: self._tell_versions(machine)  # type: ignore[misc]
            )
            self._store.write(self._clips.saving(machine_id, model.baseline_id))
            self._reporter.machine_state(machine)

    def train(self, machine: MonitoredMachine, job: FitJob) -> None:
        """Train a machine's healthy period; only in the loop's thread."""
        self._clips.healthy_ended(machine.id)
        self._trainer.submit(machine.id, job)

    def _wait_for_training(self, machine_id: str, stop: threading.Event) -> None:
        if self._trainer.progress(machine_id) is None:
            return
        while self._trainer.progress(machine_id) is not None and not stop.wait(0.01):
            self._serve_calls()
        self._adopt()
        for machine in self._machines.values():
            machine.forgive_silence()

    def _serve_calls(self) -> None:
        while not self._calls.empty():
            self._calls.get()()

    def _save_one_that_is_due(self) -> None:
        if not self._save_at:
            return
        now_s = time.monotonic()
        machine_id = min(self._save_at, key=lambda one: self._save_at[one])
        if now_s >= self._save_at[machine_id]:
            self._save_at[machine_id] = now_s + SAVE_S
            self._save(self._machines[machine_id])

    def _save(self, machine: MonitoredMachine) -> None:
        if machine.stream_ns:
            self._store.write(self.saving(machine))

    def keeping(self, machine: MonitoredMachine) -> Callable[[Database], None]:
        """Keep the baseline that judges now, for a return to it; only in the loop's thread."""
        model, state = machine.detector.model, machine.detector.snapshot()
        since_ns = time.time_ns()

        def keep(db: Database) -> None:
            if model is not None:
                most = self._keep_baselines
                baselines.keep(db, machine.id, model.baseline_id, state(), since_ns, most)

        return keep

    def saving(self, machine: MonitoredMachine) -> Callable[[Database], None]:
        """Take a machine's state now, to be stored in a transaction; only in the loop's thread."""
        state, stream_ns = machine.detector.snapshot(), machine.stream_ns

        def save(db: Database) -> None:
            detector_states.save(db, machine.id, state(), stream_ns)
            machine.learning.save()

        return save
