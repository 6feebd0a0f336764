"""Learns the labels of all machines, one after the other, in the thread of the commands.

Mostly a label is learned within milliseconds, and the answer to its command carries the update.
Where the settings or the computer make it wait, the answer names the cause; the label is then on
disk, and its update is published once it is learned, also after restarts.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from auscult.contract.label import Label
from auscult.contract.records import HeadUpdate
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.gateway.loop import StoppingError, WindowLoop
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.storage.store import StoreError
from auscult.models.learning.budget import Budget
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.trigger import Wait

log = logging.getLogger(__name__)

Result = TypeVar("Result")

SOON_S = 2.5
"""A cool-down shorter than this is over before the answer."""
STORED_S = 15.0
"""Longest wait for the database to store a lesson."""
PROGRESS_S = 10.0
"""How often the progress of a shadow run is published."""


class LabelQueue:
    """Learns labels now, or when their wait is over; all but `stop` runs in one thread.

    Parameters
    ----------
    machines : mapping of id to MonitoredMachine
    loop : WindowLoop
    publisher, topics : Publisher, Topics
    on_checkpoints : callable
        Gets each machine whose checkpoints changed.
    budget : Budget
        Heat and battery hold learning up. Load does not: a label takes milliseconds at low
        priority.
    """

    def __init__(
        self,
        machines: Mapping[str, MonitoredMachine],
        loop: WindowLoop,
        publisher: Publisher,
        topics: Topics,
        on_checkpoints: Callable[[MonitoredMachine], None],
        budget: Budget,
    ) -> None:
        self._machines = dict(machines)
        self._loop = loop
        self._publisher = publisher
        self._topics = topics
        self._on_checkpoints = on_checkpoints
        self._budget = budget
        self._stopping = threading.Event()
        self._failing: dict[str, str] = {}
        self._progress_at: dict[str, float] = {}

    def stop(self) -> None:
        """End a cool-down at once; any thread may call it."""
        self._stopping.set()

    def learn(
        self, machine: MonitoredMachine, updater: HeadUpdater, label: Label
    ) -> HeadUpdate | Wait:
        """Learn a label and return what it changed, or store it and return what it waits for."""
        update = updater.update_of(label.label_id)
        if update is None:
            waiting = {one.label_id for one in updater.waiting}
            wait = self._wait(updater, more=label.label_id not in waiting)
            if wait is not None:
                updater.defer(label)
                return wait
            self._learn_waiting(machine, updater, but=label.label_id)
            update = updater.learn(label)
        updater.settle(label.label_id)
        return update

    def train(self, work: Callable[[], Result]) -> Result | Wait:
        """Do something else that trains, unless the computer has to recover first."""
        return self._recovery() or work()

    def work(self) -> None:
        """Learn what no longer waits, train on novel data, end shadow runs; call it each second."""
        recovery = self._recovery()
        for machine in self._machines.values():
            updater = machine.head_updater
            if updater is None or self._stopping.is_set():
                continue
            try:
                self._work_on(machine, updater, recovery)
            except StoppingError:
                log.debug("%s: what was learned is published after the restart", machine.id)
            except Exception as error:
                self._report_failure(machine.id, error)
            else:
                self._failing.pop(machine.id, None)

    def _work_on(
        self, machine: MonitoredMachine, updater: HeadUpdater, recovery: Wait | None
    ) -> None:
        if updater.waiting and (recovery or updater.wait(time.time_ns())) is None:
            self._learn_waiting(machine, updater)
        if recovery is None:
            trained = updater.learn_novel(time.time_ns())
            resolved = updater.resolve_shadow(time.time_ns())
            if trained is not None or resolved is not None:
                self._loop.call(machine.use_active_heads)
                self._on_checkpoints(machine)
            if trained is not None and trained.label is not None:
                # what the answer changed is what is active now
                self._publish(machine, trained.label, trained.update)
        now_s = time.monotonic()
        if updater.shadow is not None and now_s >= self._progress_at.get(machine.id, 0.0):
            self._progress_at[machine.id] = now_s + PROGRESS_S
            self._on_checkpoints(machine)

    def _learn_waiting(
        self, machine: MonitoredMachine, updater: HeadUpdater, but: str = ""
    ) -> None:
        """Learn the labels that were answered as waiting, and publish what they changed."""
        for label in updater.waiting:
            if label.label_id == but:
                continue
            update = updater.learn(label)
            self._loop.call(machine.use_active_heads)
            self._publish(machine, label, update)
            updater.settle(label.label_id)
            self._on_checkpoints(machine)

    def _publish(self, machine: MonitoredMachine, label: Label, update: HeadUpdate | None) -> None:
        publication = Publication(self._topics.lesson(machine.id), encode.lesson(label, update))
        self._publisher.send([publication]).result(STORED_S)

    def _wait(self, updater: HeadUpdater, *, more: int) -> Wait | None:
        """Return what a label waits for; a short cool-down is over when this returns."""
        wait = self._recovery() or updater.wait(time.time_ns(), more)
        if wait is None or wait.seconds is None or wait.seconds > SOON_S:
            return wait
        if self._stopping.wait(wait.seconds):
            raise StoppingError
        return None

    def _recovery(self) -> Wait | None:
        limit = self._budget.hard_obstacle()
        return Wait(Said("waits_for_recovery", {"limit": limit})) if limit else None

    def _report_failure(self, machine_id: str, error: Exception) -> None:
        """Log a failure once, with a traceback unless disk or time is the cause."""
        text = str(error) or type(error).__name__
        if self._failing.get(machine_id) != text:
            expected = isinstance(error, StoreError | OSError)  # TimeoutError is an OSError
            shown = None if expected else error
            log.error("%s: learning failed (%s); trying again", machine_id, text, exc_info=shown)
        self._failing[machine_id] = text
