"""Runs the outputs: each gets every message in a thread of its own, and holds up no other."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, cast

from auscult.contract.host_actions import OnAction, OnRefused
from auscult.contract.message import Message, now_ms
from auscult.contract.topics import Topics
from auscult.errors import AuscultError
from auscult.gateway.outputs.contract import Output, OutputContext, OutputKind
from auscult.gateway.publishing.inventory import inventory
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.settings.outputs import kinds
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

Call = Callable[[Output], None]

MAX_WAITING = 4096
"""Messages that wait for a slow output: minutes of a large plant, and some MB."""
DRAIN_S = 1.0
"""How long an output may still work off what waits when the gateway ends."""
STOP_S = 16.0
"""How long the gateway waits for the slowest output to end: Sparkplug's bounded waits together."""


class Outputs:
    """All outputs that are on.

    Parameters
    ----------
    settings : GatewaySettings
    on_action, on_refused : callable
        Get what hosts ask for, and what an output rejects by itself.
    states : RetainedStates
        For what is published over the gateway's own link.

    Raises
    ------
    AuscultError
        If an output can't work as it is set: an extra is missing, or a file can't be used.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        on_action: OnAction,
        on_refused: OnRefused,
        states: RetainedStates,
    ) -> None:
        own = settings.gateway
        self._broken: dict[str, str] = {}
        self._running: list[RunningOutput] = []
        encoded = inventory(settings.machines, now_ms())
        topics = Topics(settings.site.id, own.id, settings.site.path)
        for name, kind in kinds().items():
            if isinstance(kind, str):
                self._broken[name] = kind
                continue
            context = OutputContext(
                topics,
                version("auscult"),
                encoded,
                settings.mqtt,
                states,
                own.data_dir / name,
                on_action,
                on_refused,
            )
            try:
                plugin = cast(OutputKind[Any], kind)
                output = plugin.open(getattr(settings.outputs, name), context)
            except AuscultError:
                raise
            except Exception as error:
                log.exception("output %s can't be opened", name)
                self._broken[name] = f"{type(error).__name__}: {error}"
            else:
                if output is not None:
                    self._running.append(RunningOutput(name, output))
        self.subscriptions: Mapping[str, Callable[[bytes], None]] = {
            topic: running.receiver(topic)
            for running in self._running
            for topic in running.output.subscriptions
        }
        """Topics of the gateway's own link, each with the function that takes its payloads."""

    @property
    def threads(self) -> list[Supervised]:
        """Their threads."""
        return [running.thread for running in self._running]

    @property
    def troubles(self) -> dict[str, str]:
        """Return each output that does not work as it should, with its fault."""
        found = {running.thread.name: running.trouble for running in self._running}
        return self._broken | {name: trouble for name, trouble in found.items() if trouble}

    def start(self) -> None:
        """Start all."""
        for running in self._running:
            running.thread.start()

    def stop(self) -> None:
        """Stop all at the same time; one that hangs is left behind after `STOP_S`."""
        for running in self._running:
            running.end()
        deadline_s = time.monotonic() + STOP_S
        for running in self._running:
            running.join(deadline_s)

    def publish(self, message: Message) -> None:
        """Hand a message to each output; any thread may call it, and does not wait."""
        for running in self._running:
            running.put(lambda output: output.publish(message))


class RunningOutput:
    """One output with its thread and the calls that wait for it."""

    def __init__(self, name: str, output: Output) -> None:
        self.output = output
        self._waiting: deque[Call] = deque()
        self._discarded = 0
        self._news = threading.Condition()
        self._ending = threading.Event()
        self._drained_s = 0.0
        self.thread = Supervised(name, self._run, self._ending)

    @property
    def trouble(self) -> str:
        """Return its fault, or that messages come too fast for it; empty while it works."""
        if (failed := self.thread.trouble or self.output.trouble) or not self._discarded:
            return failed
        return f"it is too slow: {self._discarded} messages were discarded"

    def put(self, call: Call) -> None:
        """Let a call wait for its turn; the oldest of too many is discarded."""
        with self._news:
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.popleft()
                self._discarded += 1
                if self._discarded == 1:
                    log.error("output %s is too slow: messages are discarded", self.thread.name)
            self._waiting.append(call)
            self._news.notify()

    def receiver(self, topic: str) -> Callable[[bytes], None]:
        """Return what takes the payloads of a topic."""
        return lambda payload: self.put(lambda output: output.receive(topic, payload))

    def end(self) -> None:
        """Ask the thread to work off what waits, to stop the output, and to end."""
        with self._news:
            self._drained_s = time.monotonic() + DRAIN_S
            self._ending.set()
            self._news.notify()

    def join(self, deadline_s: float) -> None:
        """Wait for the thread up to a time (monotonic)."""
        if self.thread.ident is not None:
            self.thread.join(max(0.0, deadline_s - time.monotonic()))
        if self.thread.is_alive():
            log.error("output %s does not end", self.thread.name)

    def _run(self) -> None:
        self.output.start()
        while (call := self._next()) is not None:
            try:
                call(self.output)
            except Exception as error:
                self.thread.report(error)
        self.output.stop()

    def _next(self) -> Call | None:
        """Wait for a call; None when it is time to stop the output."""
        with self._news:
            while not self._waiting and not self._ending.is_set():
                if self._discarded:
                    log.info("output %s: %d messages were discarded; it keeps up again",
                             self.thread.name, self._discarded)  # fmt: skip
                    self._discarded = 0
                self._news.wait()
            late = self._ending.is_set() and time.monotonic() >= self._drained_s
            return self._waiting.popleft() if self._waiting and not late else None
