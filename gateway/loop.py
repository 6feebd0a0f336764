"""The window loop: processes samples and changes machines, all in one thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from math import ceil
from typing import TypeVar

from auscult.contract.message import now_ms
from auscult.contract.parts import SuppressionKind
from auscult.contract.records import Condition
from auscult.gateway.machines.alarm_store import AlarmsWrite
from auscult.gateway.machines.fault_search import FaultSearches
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.plant_account import PlantAccount
from auscult.gateway.machines.result import MachineResult
from auscult.gateway.machines.seeded_fit import SeededFit, healthy_windows
from auscult.gateway.machines.training import Trainer
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.storage.archive import EventWrite
from auscult.gateway.storage.audit import SELF, AuditWrite
from auscult.gateway.storage.outgoing import DatabaseWrite, write_all
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.clips import Clips
from auscult.gateway.windows.pipeline import Hop, Pipeline
from auscult.models.baseline.fit import FitJob
from auscult.models.baseline.machine_model import MachineModel

log = logging.getLogger(__name__)

T = TypeVar("T")

WAIT_S = 0.1
"""Longest wait for samples: bounds the delay of a call from another thread."""
CHECK_S = 0.5
"""Silence, suppressions and states of each machine are checked this often."""
MACHINES_A_TICK = 32
"""Machines checked between two rounds of windows: 5 to 7 ms; 128 at once took 26 ms."""
SAVE_S = 60.0
"""States are saved this often: a kill loses at most this much evidence or healthy period."""
CALL_TIMEOUT_S = 30.0
EXPIRED = "done: its time was over"
ENDS: Mapping[SuppressionKind, str] = {"shelved": "unshelve", "planned_work": "finish_work"}
"""The command that ends a suppression by hand, as the audit names it."""


class StoppingError(Exception):
    """The loop has ended and did not do what was asked."""


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
    searches : FaultSearches
    clips : Clips
    publish_checkpoints : callable
        Gets each machine that has a new baseline.
    sources_wait : bool
        The sources wait for the loop (they play as fast as possible). The loop then waits for
        training and searches, so that decisions on history are those of its own time.
    """

    def __init__(
        self,
        inlet: Inlet,
        pipeline: Pipeline,
        machines: Mapping[str, MonitoredMachine],
        reporter: Reporter,
        trainer: Trainer[MachineModel],
        store: Store,
        searches: FaultSearches,
        clips: Clips,
        publish_checkpoints: Callable[[MonitoredMachine], None],
        *,
        sources_wait: bool,
    ) -> None:
        self._inlet = inlet
        self._searches = searches
        self._pipeline = pipeline
        self._machines = dict(machines)
        self.account = PlantAccount(store, self._machines)
        self._reporter = reporter
        self._trainer = trainer
        self._store = store
        self._clips = clips
        self._sources_wait = sources_wait
        self._publish_checkpoints = publish_checkpoints
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._calling = threading.Lock()
        self._ended = False
        self._to_search: list[str] = []
        self._failed: dict[tuple[str, str], str] = {}
        self._turned_s = time.monotonic()
        self._tick_at = 0.0
        self._checked = 0
        self._save_at: dict[str, float] = {}
        self._saved: dict[str, Future[None]] = {}

    def prepare(self) -> None:
        """Report the state of each machine, before `run`: the first births have all values."""
        self._reporter.prepare()
        self._adopt()
        self._check(self._machines.values())

    def run(self, stop: threading.Event) -> None:
        """Process samples until `stop` is set; then save."""
        now_s = time.monotonic()
        for number, machine_id in enumerate(self._machines):
            # Spread over the interval: packing many states at once would delay the windows.
            self._save_at[machine_id] = now_s + SAVE_S * (1 + number / len(self._machines)) / 2
        while not stop.is_set():
            self._pipeline.overload.follow(self._inlet.waited_s, time.monotonic())
            for hop in self._pipeline.process(
                self._inlet.take(0 if self._reporter.busy else WAIT_S)
            ):
                if stop.is_set():
                    break
                self._process(hop)
                if self._sources_wait:
                    self._begin_searches()
                    self._take_diagnoses(wait=True)
                    self._wait_for_training(hop.machine, stop)
                    self._reporter.send_trends()
                    while self._reporter.busy:
                        self._reporter.send_spectra()
                self._serve_calls()
            self._serve_calls()
            self._begin_searches()
            self._reporter.send_trends()
            if self._reporter.busy or not self._pipeline.overload.active:
                self._reporter.send_spectra()
            if time.monotonic() >= self._tick_at:
                self._tick()
        with self._calling:
            self._ended = True
        self._serve_calls()
        self._reporter.finish(list(self._machines.values()))
        for machine in self._machines.values():
            self._save(machine)

    @property
    def turned_s(self) -> float:
        """Return when the loop last turned (monotonic)."""
        return self._turned_s

    @property
    def failed(self) -> dict[str, str]:
        """Return each machine that can't be processed, with its error."""
        return {machine: error for (machine, _), error in self._failed.copy().items()}

    def call(self, work: Callable[[], T]) -> T:
        """Run `work` in the loop's thread and wait for its result.

        Raises
        ------
        StoppingError
            If the loop has ended.
        TimeoutError
            If the loop does not serve the call in time.
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

    def _process(self, hop: Hop) -> None:
        machine = self._machines[hop.machine]
        with self._guarded(machine.id, "its windows"):
            result = machine.process(hop)
            writes = self._writes(machine, result) + self.account.follow(machine, result.event)
            self._reporter.report(machine, result, writes)
            self._pipeline.overload.watch(machine.id, machine.decision)
            if result.search_due:
                self._to_search.append(machine.id)
            elif (
                machine.decision.condition is Condition.NORMAL
                and not self._pipeline.overload.active
            ):
                self._searches.measure_healthy(machine.id, machine.baseline_id)
            self._take_diagnoses(wait=False)
            if (job := machine.detector.fit_due()) is not None:
                log.info("%s: the healthy period is complete; training starts", machine.id)
                self.train(machine, job)

    @contextmanager
    def _guarded(self, machine_id: str, what: str) -> Iterator[None]:
        """Keep a fault of one machine from the others; log it, and its recovery, once."""
        try:
            yield
        except Exception as error:
            if (machine_id, what) not in self._failed:
                log.exception("%s: %s can't be processed", machine_id, what)
            self._failed[machine_id, what] = f"{type(error).__name__}: {error}"
        else:
            if self._failed.pop((machine_id, what), None) is not None:
                log.info("%s: %s are processed again", machine_id, what)

    def _writes(self, machine: MonitoredMachine, result: MachineResult) -> list[DatabaseWrite]:
        """Collect what is stored in one transaction with the messages of a result."""
        writes: list[DatabaseWrite] = []
        if result.event is not None:
            writes += [EventWrite(result.event), machine.state_write()]
        if result.alarms or result.expired:
            writes.append(AlarmsWrite.from_machine(machine.alarms, result.alarms))
        if result.expired:
            writes.append(AuditWrite(SELF, f"{ENDS[result.expired]} {machine.id}", EXPIRED))
        return writes

    def _begin_searches(self) -> None:
        """Begin the searches of this round: decisions on the other machines go first."""
        for machine_id in self._to_search:
            with self._guarded(machine_id, "its searches"):
                self._searches.begin(machine_id, self._machines[machine_id].baseline_id)
        self._to_search.clear()

    def _take_diagnoses(self, *, wait: bool) -> None:
        for machine_id, found in self._searches.collect(wait=wait):
            self._machines[machine_id].add_diagnoses(found)

    def _tick(self) -> None:
        """Check the machines whose turn it is."""
        machines = list(self._machines.values())
        due = machines[self._checked : self._checked + MACHINES_A_TICK]
        self._checked += MACHINES_A_TICK
        if self._checked >= len(machines):
            self._checked = 0
        ticks = max(1, ceil(len(machines) / MACHINES_A_TICK))
        self._tick_at = time.monotonic() + CHECK_S / ticks
        self._adopt()
        self._check(due)
        self._save_one_that_is_due()

    def _check(self, machines: Iterable[MonitoredMachine]) -> None:
        for machine in machines:
            faults = {
                point.point: said
                for point, said in self._pipeline.faults.items()
                if point.machine == machine.id
            }
            with self._guarded(machine.id, "its checks"):
                result = machine.check(faults, now_ms())
                self._reporter.report(machine, result, self._writes(machine, result))

    def _adopt(self) -> None:
        for machine_id, model in self._trainer.collect():
            machine = self._machines[machine_id]
            if isinstance(model, Exception):
                again = machine.detector.trouble is not None
                machine.detector.fit_failed(model)
                log.log(logging.DEBUG if again else logging.ERROR, "%s: %s", machine_id,
                        machine.detector.trouble)  # fmt: skip
                continue
            if not machine.detector.awaits(model):
                log.info("%s: a trained baseline was cancelled meanwhile", machine_id)
                continue
            machine.adopt(model)
            log.info("%s: baseline %s is complete", machine_id, model.baseline_id)
            for lack in machine.detector.coverage.missing:
                log.warning("%s: baseline %s: %s", machine_id, model.baseline_id, lack)
            self._store.write(machine.baseline_write().write_to)
            self._publish_after(machine, self._store.write(machine.state_write().write_to))
            self._store.write(self._clips.healthy_write(machine_id, model.baseline_id).write_to)
            self._reporter.machine_state(machine)

    def _publish_after(self, machine: MonitoredMachine, written: Future[None]) -> None:
        written.add_done_callback(lambda _: self._publish_checkpoints(machine))

    def train(self, machine: MonitoredMachine, job: FitJob) -> None:
        """Train a baseline on a machine's healthy period; only in the loop's thread."""
        self._clips.healthy_ended(machine.id)
        healthy = healthy_windows(self._pipeline, machine.id, job)
        self._trainer.submit(machine.id, SeededFit(job, healthy))

    def _wait_for_training(self, machine_id: str, stop: threading.Event) -> None:
        if self._trainer.progress(machine_id) is None:
            return
        while self._trainer.progress(machine_id) is not None and not stop.wait(0.01):
            self._serve_calls()
        self._adopt()
        for machine in self._machines.values():
            machine.restart_silence_timers()

    def _serve_calls(self) -> None:
        self._turned_s = time.monotonic()
        while not self._calls.empty():
            self._calls.get()()

    def _save_one_that_is_due(self) -> None:
        if not self._save_at:
            return
        now_s = time.monotonic()
        machine_id = min(self._save_at, key=lambda one: self._save_at[one])
        if now_s >= self._save_at[machine_id]:
            self._save_at[machine_id] = now_s + SAVE_S
            before = self._saved.get(machine_id)
            if before is None or before.done():  # else states would pile up behind a slow disk
                self._save(self._machines[machine_id], only_changes=True)

    def _save(self, machine: MonitoredMachine, *, only_changes: bool = False) -> None:
        if machine.stream_ns:
            renewed = machine.detector.renew_detectable()
            writes = [*self.account.due(machine), machine.state_write(only_changes=only_changes)]
            self._saved[machine.id] = self._store.write(lambda db: write_all(writes, db))
            if renewed:
                self._publish_after(machine, self._saved[machine.id])
