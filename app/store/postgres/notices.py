"""Changes of one process, sent to the others by LISTEN and NOTIFY."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator

import psycopg

from auscult.app.store.connection import OnChanged
from auscult.app.store.received import Change

log = logging.getLogger(__name__)

CHANNEL = "auscult"
NOTICE_BYTES = 7000
"""PostgreSQL takes less than 8000 in one."""
LOOK_EACH_S = 0.5
"""How soon a listener notices that it is to stop."""
AGAIN_S = 1.0


def notices(changes: Iterable[Change]) -> Iterator[str]:
    """Give the payloads of these changes.

    >>> list(notices([Change("event", "e1"), Change("event", "e1"), Change("point", "m", "DE")]))
    ['[["event", "e1", ""], ["point", "m", "DE"]]']
    """
    entries: list[str] = []
    size = 0
    for change in dict.fromkeys(changes):
        entry = json.dumps([change.kind, change.id, change.point])
        if entries and size + len(entry) > NOTICE_BYTES:
            yield f"[{', '.join(entries)}]"
            entries, size = [], 0
        entries.append(entry)
        size += len(entry) + 2
    if entries:
        yield f"[{', '.join(entries)}]"


class Listener:
    """Passes on what other processes announce, on a thread and connection of its own.

    Parameters
    ----------
    conninfo : str
    own_pid : callable
        Gives the server process of this process' writer, whose notices are skipped.
    on_changed, on_gap : callable
        See `auscult.app.store.connection.Engine.listen`.
    """

    def __init__(
        self,
        conninfo: str,
        own_pid: Callable[[], int],
        on_changed: OnChanged,
        on_gap: Callable[[], None],
    ) -> None:
        self._conninfo = conninfo
        self._own_pid = own_pid
        self._on_changed = on_changed
        self._on_gap = on_gap
        self._stopping = threading.Event()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-listener", daemon=True)

    def start(self, wait_s: float = 5.0) -> None:
        """Begin to listen."""
        self._thread.start()
        self._listening.wait(wait_s)

    def stop(self) -> None:
        """Stop listening."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        missed = False
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._conninfo, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._listening.set()
                    if missed:
                        self._on_gap()
                    self._listen(connection)
            except psycopg.Error as error:
                missed = True
                log.debug("not listening (%s); trying again", error)
                self._stopping.wait(AGAIN_S)

    def _listen(self, connection: psycopg.Connection[object]) -> None:
        while not self._stopping.is_set():
            for notice in connection.notifies(timeout=LOOK_EACH_S):
                if notice.pid != self._own_pid():
                    self._pass_on(notice.payload)

    def _pass_on(self, payload: str) -> None:
        try:
            changes = [Change(*map(str, entry)) for entry in json.loads(payload)]
        except (TypeError, ValueError):
            # of another program or version: any user of the database may notify
            self._on_gap()
        else:
            self._on_changed(changes)
