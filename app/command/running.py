"""Shared by all processes: log to stderr, and stop in good order on SIGINT and SIGTERM."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from types import FrameType


def stop_on_signals() -> threading.Event:
    """Return an event that the first SIGINT or SIGTERM sets; a second one ends at once."""
    stop = threading.Event()

    def handle(signum: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise SystemExit(128 + signum)
        stop.set()

    signal.signal(signal.SIGINT, handle)
    signal.signal(signal.SIGTERM, handle)
    return stop


def log_to_stderr() -> None:
    """Log one readable line an event to stderr."""
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)-7s %(name)s: %(message)s",
        stream=sys.stderr,
    )
