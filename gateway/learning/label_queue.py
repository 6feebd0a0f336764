"""Teaches machines their labels: a thread of low priority beside the window loop.

A label is on the disk before anything else happens. Mostly it is learned within milliseconds and
its giver gets the lesson with the answer; where the settings or the computer make it wait, the
giver is told so, and the lesson is told when there is one, through any number of restarts.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from auscult.gateway.loop import StoppingError, WindowLoop
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.storage.store import StoreError
from auscult.models.learning.budget import Budget
from auscult.models.learning.learner import Learner
from auscult.models.learning.trigger import Wait
from auscult.models.records import HeadUpdate, Label

log = logging.getLogger(__name__)

Result = TypeVar("Result")

NICENESS = 5
"""The window loop and the network go first; yet a label's few milliseconds come before the
minutes of a baseline (10): someone stands and waits for them."""
ANSWER_S = 15.0
"""Longest that the giver of a label waits for what it changed before the answer says it waits:
reached only where other work takes nearly all of the processor."""
SOON_S = 2.5
"""A cool-down that is over so soon is worth waiting for before the answer."""
PROGRESS_S = 10.0
"""How often it is told how far a shadow run has come."""
LOOK_S = 1.0
"""How often shadow runs, novel data and cool-downs are looked at."""


class LabelQueue:
    """Learns the labels of all machines, one after the other.

    Parameters
    ----------
    machines : mapping of id to MonitoredMachine
    loop : WindowLoop
    publisher, topics : Publisher, Topics
    tell : callable
        Told each machine whose checkpoints changed.
    budget : Budget
        Heat and battery hold learning up; load does not, since a label takes milliseconds at low
        priority.
    """

    def __init__(
        self,
        machines: Mapping[str, MonitoredMachine],
        loop: WindowLoop,
        publisher: Publisher,
        topics: Topics,
        tell: Callable[[MonitoredMachine], None],
        budget: Budget,
    ) -> None:
        self._machines = dict(machines)
        self._loop = loop
        self._publisher = publisher
        self._topics = topics
        self._tell = tell
        self._budget = budget
        self._asked: dict[str, Future[HeadUpdate | Wait]] = {}
        self._errands: queue.SimpleQueue[_Errand] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._stopping = False
        self._trouble = ""
        self._progress_at: dict[str, float] = {}
        self._thread = threading.Thread(target=self._run, name="tutor", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """End after the label in hand."""
        self._stopping = True
        self._wake.set()
        self._thread.join(timeout_s)

    def ask(self, learner: Learner, label: Label) -> HeadUpdate | Wait:
        """Take a label and give what it changed, or what it waits for. Any thread may call it."""
        known = learner.submit(label)
        if known is not None:
            return known
        future: Future[HeadUpdate | Wait] = Future()
        self._asked[label.label_id] = future
        self._wake.set()
        try:
            answer = future.result(ANSWER_S)
        except TimeoutError:
            until = "has time to learn it"
            if self._trouble:
                until = f"can store what it learns ({self._trouble})"
            answer = Wait(f"waits until the gateway {until}")
        finally:
            self._asked.pop(label.label_id, None)
        if isinstance(answer, Wait):
            learner.note_answered(label.label_id)
        return answer

    def do(self, errand: Callable[[], Result]) -> Result | Wait:
        """Do something that trains as labels are learned: at low priority, one after the other.

        Returns
        -------
        Wait
            If it is not done, because the computer has to recover or there is no time.

        Raises
        ------
        Exception
            What the errand raises.
        """
        future: Future[Result | Wait] = Future()
        self._errands.put(_Errand(future, errand))
        self._wake.set()
        with contextlib.suppress(TimeoutError):
            return future.result(ANSWER_S)
        if future.cancel():
            return Wait("waits until the gateway has time for it")
        return future.result()

    def _run(self) -> None:
        # On Linux a thread has a priority of its own.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while not self._stopping:
            refusal = self._budget.hard_refusal()
            self._do_errands(refusal)
            for machine in self._machines.values():
                self._look_safely(machine, refusal)
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def _do_errands(self, refusal: str | None) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._errands.get_nowait().do(_recovers(refusal) if refusal else None)

    def _look_safely(self, machine: MonitoredMachine, refusal: str | None) -> None:
        try:
            self._look(machine, refusal)
        except StoppingError:
            log.debug("%s: what was learned is taken over after the restart", machine.id)
        except (StoreError, OSError, TimeoutError) as error:
            if not self._trouble:
                log.error("%s: learning can't go on (%s); it is tried again", machine.id, error)
            self._trouble = str(error) or type(error).__name__
        except Exception:
            log.exception("%s: a label can't be learned", machine.id)
            self._give_up(machine)
        else:
            self._trouble = ""

    def _look(self, machine: MonitoredMachine, refusal: str | None) -> None:
        """Learn what is due on a machine, unless the computer has to recover first."""
        learner = machine.learning.learner
        if learner is None or self._stopping:
            return
        self._look_at_labels(machine, learner, refusal)
        if refusal is None:
            changed = learner.learn_novel(time.time_ns())
            resolved = learner.resolve_shadow(time.time_ns())
            if changed or resolved is not None:
                self._loop.call(machine.take_heads)
                self._tell(machine)
        now_s = time.monotonic()
        if learner.shadow is not None and now_s >= self._progress_at.get(machine.id, 0.0):
            self._progress_at[machine.id] = now_s + PROGRESS_S
            self._tell(machine)

    def _look_at_labels(
        self, machine: MonitoredMachine, learner: Learner, refusal: str | None
    ) -> None:
        # One whose giver was not told that it waits comes again as its command.
        mine = [p for p in learner.pending if p.answered or p.label.label_id in self._asked]
        if not mine:
            return
        wait = (_recovers(refusal) if refusal else None) or learner.wait(time.time_ns())
        if wait is None:
            for entry in mine:
                self._learn(machine, learner, entry.label)
        elif wait.seconds is None or wait.seconds > SOON_S:
            for entry in mine:
                if future := self._asked.get(entry.label.label_id):
                    _resolve(future, wait)

    def _learn(self, machine: MonitoredMachine, learner: Learner, label: Label) -> None:
        """Learn a label; its giver tells of it if still there, else it is told here."""
        update = learner.label(label)
        future = self._asked.get(label.label_id)
        if future is None:
            self._loop.call(machine.take_heads)
            lesson = encode.lesson(label, update)
            spoken = Publication(self._topics.lesson(machine.id), lesson)
            self._publisher.send([spoken]).result(ANSWER_S)
            self._tell(machine)
        else:
            _resolve(future, update)
        learner.note_told(label.label_id)

    def _give_up(self, machine: MonitoredMachine) -> None:
        learner = machine.learning.learner
        for entry in learner.pending if learner else ():
            if future := self._asked.get(entry.label.label_id):
                _resolve(future, Wait("could not be learned; see the gateway's log"))


@dataclass(frozen=True, slots=True)
class _Errand:
    """Something to do, and who waits for it."""

    future: Future[Any]
    work: Callable[[], Any]

    def do(self, wait: Wait | None) -> None:
        """Do it, unless it has to wait or nobody waits for it any more."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(wait or self.work())
        except Exception as error:
            self.future.set_exception(error)


def _recovers(refusal: str) -> Wait:
    return Wait(f"waits for the computer to recover: {refusal}")


def _resolve(future: Future[HeadUpdate | Wait], answer: HeadUpdate | Wait) -> None:
    if not future.done():
        future.set_result(answer)
