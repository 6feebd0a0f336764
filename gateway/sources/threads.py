"""The threads of sources: one for each source, or one for all of a group."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from auscult.contract.said import Said
from auscult.gateway.sources.contract import Source, SourceGroup
from auscult.gateway.sources.inlet import Inlet
from auscult.host.supervised import NO_THREAD, Supervised, out_of_threads, spare_threads

log = logging.getLogger(__name__)

SPARE: Final = 16
"""Threads that sources leave to the rest of the gateway: training, searches, proofs, commands, and
connections of the other protocols."""
NAMED: Final = 5
"""Sources that the log names."""


class SourceThreads:
    """Runs sources; one that fails starts again."""

    def __init__(self, sources: Iterable[Source]) -> None:
        alone: list[Sequence[Source]] = []
        grouped: dict[SourceGroup, list[Source]] = {}
        for source in sources:
            if source.group is None:
                alone.append([source])
            else:
                grouped.setdefault(source.group, []).append(source)
        # Groups first: one thread serves many.
        self._parts = [*grouped.values(), *alone]
        self._running: list[tuple[Supervised, Sequence[Source]]] = []
        self._left: list[Source] = []

    def start(self, inlet: Inlet, stop: threading.Event) -> Sequence[Source]:
        """Run all until they end or `stop` is set; return those that no thread is left for."""
        with spare_threads(SPARE):
            for part in self._parts:
                thread = _thread(part, inlet, stop)
                try:
                    thread.start()
                except RuntimeError as error:
                    if not out_of_threads(error):
                        raise
                    self._left += part
                else:
                    self._running.append((thread, part))
        if self._left:
            log.error(
                "no thread is left for %d sources: %s, …", len(self._left), self._left[0].name
            )
        return self._left

    @property
    def failed(self) -> Mapping[str, Said]:
        """Return the fault of each source that does not run, by the source's name."""
        no_thread = {source.name: Said("source_no_thread") for source in self._left}
        return no_thread | {
            source.name: _fault(thread.trouble)
            for thread, part in self._running
            if thread.trouble
            for source in part
        }

    @property
    def trouble(self) -> Said | None:
        """Return that threads are missing, and for how many sources."""
        count = sum(said.code == "source_no_thread" for said in self.failed.values())
        return Said("sources_no_thread", {"count": count}) if count else None

    def join(self, timeout_s: float) -> None:
        """Wait up to `timeout_s` for each thread to end."""
        for thread, _ in self._running:
            thread.join(timeout_s)


def _fault(trouble: str) -> Said:
    if NO_THREAD in trouble:  # that it needs beside its own, such as the one of its line
        return Said("source_no_thread")
    return Said("source_failed", {"detail": trouble})


def _thread(part: Sequence[Source], inlet: Inlet, stop: threading.Event) -> Supervised:
    first = part[0]
    if first.group is None:
        return Supervised(first.name, partial(first.run, inlet, stop), stop)
    return Supervised(first.group.name, partial(first.group.run, part, inlet, stop), stop)
