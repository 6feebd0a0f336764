"""Threads that start their work again when it fails, and report it; threads that go last."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
"""The pause doubles up to this: work that fails at once must not take the processor."""
NO_THREAD: Final = "can't start new thread"
"""What Python's error says."""
RECOVERED_S = 300.0
"""Work that ran for so long since its last failure has recovered."""


def give_way(niceness: int) -> None:
    """Lower the priority of the calling thread: decisions go first.

    On Linux each thread has a priority of its own; elsewhere nothing changes.
    """
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


def out_of_threads(error: Exception) -> bool:
    """Tell whether Python failed to start a thread: the system's limit is reached."""
    return isinstance(error, RuntimeError) and NO_THREAD in str(error)


@contextlib.contextmanager
def spare_threads(count: int) -> Iterator[None]:
    """Hold threads free for other parts of the process while the block starts many."""
    done = threading.Event()
    held = [threading.Thread(target=done.wait, daemon=True) for _ in range(count)]
    try:
        with contextlib.suppress(RuntimeError):  # fewer are left: hold those
            for thread in held:
                thread.start()
        yield
    finally:
        done.set()
        for thread in held:
            if thread.ident is not None:
                thread.join()


class Supervised(threading.Thread):
    """A thread whose work starts again after an error; it ends when the work returns.

    An error is logged once, with its traceback, until the work has recovered.

    Parameters
    ----------
    name : str
    work : callable
        Returns when `stop` is set.
    stop : threading.Event
        Ends a pause before the next attempt.
    """

    def __init__(self, name: str, work: Callable[[], None], stop: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self._work, self._stop_event = work, stop
        self._failed_s = 0.0
        self._error = ""

    @property
    def trouble(self) -> str:
        """Return the error of its last failure; empty after `RECOVERED_S` without one."""
        lately = self._error and time.monotonic() - self._failed_s < RECOVERED_S
        return self._error if lately else ""

    def report(self, error: Exception, then: str = "") -> None:
        """Show an error as the thread's trouble; log it unless it is the last one again."""
        before = self.trouble
        self._failed_s = time.monotonic()
        self._error = f"{type(error).__name__}: {error}"
        if self._error != before:
            log.error(
                "%s failed (%s)%s", self.name, self._error, then,
                exc_info=None if out_of_threads(error) else error,
            )  # fmt: skip

    def run(self) -> None:
        """Work until the work returns."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                self._work()
            except Exception as error:
                if not self.trouble:
                    pause_s = FIRST_PAUSE_S
                self.report(error, f"; it starts again in {pause_s:g} s")
                if self._stop_event.wait(pause_s):
                    return
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            else:
                return
