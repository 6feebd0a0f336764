"""The edge node as the gateway sees it: methods that return at once, and a thread behind them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from auscult.gateway.outputs.sparkplug.commands import OnCommand, OnRejected
from auscult.gateway.outputs.sparkplug.mailbox import (
    DeviceBack,
    DeviceLost,
    Extension,
    Mailbox,
    Update,
)
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from auscult.gateway.outputs.sparkplug.worker import NodeWorker
from auscult.gateway.tags.metrics import Metric, Reading, TagInventory
from auscult.host.supervised import Supervised
from auscult.link.broker import BrokerSettings

JOIN_TIMEOUT_S = 15.0
"""More than all bounded waits of an orderly end together."""


class SparkplugNode:
    """A Sparkplug B 3.0 edge node.

    All methods may be called from any thread and return at once; what cannot be sent is kept.

    Parameters
    ----------
    settings : SparkplugSettings
        With ids filled in, see `SparkplugSettings.named`.
    brokers : sequence of BrokerSettings
        In the order in which they are tried; never connected to more than one.
    inventory : TagInventory
        Must hold `bdSeq` and `Node Control/Rebirth`: see `mapping.inventory_of`.
    on_command : callable
        Gets each accepted `Command` in the node's thread, quickly; says why not, or "".
    data_dir : Path
        Keeps the birth/death number and the history.
    on_refused : callable, optional
        Gets each rejected command (what was written, and why); must return at once.
    """

    def __init__(
        self,
        settings: SparkplugSettings,
        brokers: Sequence[BrokerSettings],
        inventory: TagInventory,
        on_command: OnCommand,
        data_dir: Path,
        on_refused: OnRejected | None = None,
    ) -> None:
        self._mailbox = Mailbox()
        self._worker = NodeWorker(
            settings, brokers, inventory, on_command, data_dir, self._mailbox, on_refused
        )
        self._stop = threading.Event()
        self.thread = Supervised("sparkplug", self._worker.run, self._stop)

    def start(self) -> None:
        """Begin to connect."""
        self.thread.start()

    def stop(self) -> None:
        """Die in order: DDEATHs, NDEATH, DISCONNECT; takes at most some seconds."""
        self._mailbox.stop()
        self._stop.set()
        if self.thread.is_alive():
            self.thread.join(JOIN_TIMEOUT_S)
        if not self.thread.is_alive():
            self._worker.close()

    def publish(self, unit: str | None, readings: Mapping[str, Reading]) -> None:
        """Report readings of a machine (None = the gateway itself); only news are sent."""
        self._mailbox.put_work(Update(unit, dict(readings)))

    def extend(self, unit: str | None, metrics: Sequence[Metric]) -> None:
        """Add metrics that were not known at the start; a new birth announces them."""
        self._mailbox.put_work(Extension(unit, tuple(metrics)))

    def device_lost(self, machine: str, reason: str) -> None:
        """Say that nothing is known of a machine any more."""
        self._mailbox.put_work(DeviceLost(machine, reason))

    def device_back(self, machine: str) -> None:
        """Report that a lost machine delivers again."""
        self._mailbox.put_work(DeviceBack(machine))

    @property
    def born(self) -> bool:
        """Return whether the births are out, so that readings are sent and not kept."""
        return self._worker.born

    @property
    def history_pending(self) -> int:
        """Return how many readings wait for the host."""
        return self._worker.history.pending

    @property
    def history_dropped(self) -> int:
        """Return how many readings were lost to the history's bounds, or to too many at once."""
        return self._worker.history.dropped + self._mailbox.dropped

    @property
    def commands_refused(self) -> int:
        """Return how many commands were refused."""
        return self._worker.commands.refused
