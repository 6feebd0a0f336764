"""A thread of the dashboard that looks for work at intervals, and at once when woken."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from auscult.app.store.connection import StoreUnavailableError

log = logging.getLogger(__name__)


class Worker:
    """Looks for work until it is stopped; an error is logged and the next look follows.

    Parameters
    ----------
    name : str
        Of the thread, and of the work in the log.
    look : callable
        Does all work that is due.
    each_s : float
        Longest time between two looks, seconds.
    """

    def __init__(self, name: str, look: Callable[[], None], each_s: float) -> None:
        self._look = look
        self._each_s = each_s
        self._wake = threading.Event()
        self.stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the look that runs; `stopping` lets it end early."""
        self.stopping = True
        self._wake.set()
        self._thread.join()

    def wake(self) -> None:
        """Look now."""
        self._wake.set()

    def _run(self) -> None:
        while not self.stopping:
            try:
                self._look()
            except StoreUnavailableError:
                pass  # the store logs its own failure
            except Exception:
                log.exception("%s: failed; it is tried again", self._thread.name)
            self._wake.wait(self._each_s)
            self._wake.clear()
