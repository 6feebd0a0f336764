"""The edge node at work: one thread that connects, is born, reports, obeys and dies in order."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path

from auscult.contract.message import now_ms
from auscult.gateway.outputs.sparkplug.bd_seq import BdSeq
from auscult.gateway.outputs.sparkplug.commands import (
    CommandReader,
    NodeCommand,
    OnCommand,
    OnRejected,
)
from auscult.gateway.outputs.sparkplug.connection import (
    Answered,
    Arrived,
    Confirmed,
    Event,
    Lost,
    NodeConnection,
    Subscribed,
)
from auscult.gateway.outputs.sparkplug.delivery import ReadingDelivery
from auscult.gateway.outputs.sparkplug.history import History
from auscult.gateway.outputs.sparkplug.host import HostChange
from auscult.gateway.outputs.sparkplug.mailbox import (
    DeviceBack,
    DeviceLost,
    Extension,
    Mailbox,
    Update,
    Work,
)
from auscult.gateway.outputs.sparkplug.servers import Servers
from auscult.gateway.outputs.sparkplug.session import NodeSession, SessionPhase
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from auscult.gateway.tags.metrics import NEXT_SERVER, REBIRTH, Metric, TagInventory
from auscult.link.broker import BrokerSettings
from auscult.sparkplug.topics import NAMESPACE, SparkplugTopics

log = logging.getLogger(__name__)

ANSWER_TIMEOUT_S = 10.0
"""How long a server may take to answer CONNECT and SUBSCRIBE."""
REBIRTH_PAUSE_S = 1.0
"""Births asked for follow one another no faster: a flood of requests causes none of births."""
EXTENSION_PAUSE_S = 1.0
"""New metrics wait this long for others, so that one new birth announces them all."""


class _Leave(Exception):  # noqa: N818 - leaving is no error
    """Ends the connection; `pause` asks for a pause before the next one."""

    def __init__(self, reason: str, *, in_order: bool, next_server: bool, pause: bool) -> None:
        super().__init__(reason)
        self.in_order = in_order
        self.next_server = next_server
        self.pause = pause


class NodeWorker:
    """Connects, is born, reports, obeys and dies; all of it in one thread, see `SparkplugNode`."""

    def __init__(
        self,
        settings: SparkplugSettings,
        brokers: Sequence[BrokerSettings],
        inventory: TagInventory,
        on_command: OnCommand,
        data_dir: Path,
        mailbox: Mailbox,
        on_refused: OnRejected | None = None,
    ) -> None:
        self._settings = settings
        self._servers = Servers(brokers, settings.client_id)
        self._on_command = on_command
        self._topics = SparkplugTopics(settings.group_id, settings.edge_node_id)
        self._session = NodeSession(
            self._topics,
            inventory,
            self._send,
            mark_historical=settings.mark_historical,
            data_types=settings.data_types,
        )
        self._bd_seq = BdSeq(data_dir / "bd_seq")
        self.history = History(
            data_dir / "history.db", settings.history_max_values, settings.history_max_days
        )
        self._delivery = ReadingDelivery(self._session, self.history)
        self.commands = CommandReader(settings.command_max_age_s, on_refused)
        self._mailbox = mailbox
        self._connection: NodeConnection | None = None
        self._subscribed = False
        self._birth_begun = False
        self._deadline_s: float | None = None
        self._rebirth_due_s: float | None = None
        self._rebirth_asked_s = float("-inf")
        self._resubscribe = False

    @property
    def born(self) -> bool:
        """Return whether the births are out, so that readings are sent and not kept."""
        return self._session.phase is SessionPhase.BORN

    def close(self) -> None:
        """Close the history, after the thread has ended."""
        self.history.close()

    def run(self) -> None:
        """Work until the mailbox says stop."""
        while not self._mailbox.stopping:
            try:
                pause = self._connect_and_serve()
            except Exception:
                # The thread's supervisor logs it and runs this again.
                self._drop(in_order=False)
                raise
            if pause:
                self._pause()
        self._work_off()

    def _connect_and_serve(self) -> bool:
        """Live one connection; True if a pause must follow."""
        broker = self._servers.broker
        self._mailbox.discard_events()
        try:
            self._connection = NodeConnection(
                broker,
                self._settings.client_id,
                self._settings.version,
                self._session.will(self._bd_seq.next),
                self._on_event,
                # A number is used up only by a CONNECT that is really sent.
                self._bd_seq.use,
            )
            self._connection.open()
            self._subscribed = self._birth_begun = False
            self._deadline_s = time.monotonic() + ANSWER_TIMEOUT_S
            self._serve()
        except OSError as error:
            self._connection = None
            self._servers.failed(f"cannot be reached ({error})")
            self._servers.next()
            return True
        except _Leave as leave:
            self._drop(in_order=leave.in_order)
            if leave.in_order:
                log.info("Sparkplug edge node leaves %s: %s", broker.host, leave)
            else:
                self._servers.failed(str(leave))
            if leave.next_server:
                self._servers.next()
            return leave.pause
        return False

    def _serve(self) -> None:
        obeyed = False
        while True:
            if self._mailbox.stopping:
                self._work_off()
                if self.born:
                    self._session.farewell(now_ms())
                raise _Leave("stopping", in_order=True, next_server=False, pause=False)
            # After each command the rest has its turn, however many commands wait.
            event = self._mailbox.next_event(commands=not obeyed)
            obeyed = isinstance(event, Arrived)
            if event is not None:
                self._handle(event)
            elif self._rebirth_is_due():
                self._birth()
            elif self.born and self._delivery.resending and self._rebirth_due_s is None:
                if not self._delivery.send_kept():
                    raise _lost("kept readings did not leave")
            elif work := self._next_work():
                self._work(work)
            elif self._deadline_s is not None and time.monotonic() >= self._deadline_s:
                self._too_late()
            else:
                times = [t for t in (self._deadline_s, self._rebirth_due_s) if t is not None]
                self._mailbox.wait(min(times, default=None))

    def _handle(self, event: Event) -> None:
        match event:
            case Answered(refusal=""):
                self._subscribe()
            case Answered(refusal=refusal):
                raise _lost(f"the server refused the connection ({refusal})", next_server=True)
            case Subscribed(refused=refused):
                self._have_subscribed(refused)
            case Confirmed(until_s=until_s):
                self._delivery.confirm(until_s)
            case Lost(reason=reason):
                # A server that ends connections before they are complete is left for the next.
                raise _lost(f"connection lost ({reason})", next_server=not self._subscribed)
            case Arrived(topic=topic) if topic.startswith(f"{NAMESPACE}/STATE/"):
                self._receive_host(event)
            case Arrived():
                self._read_commands(event)

    def _subscribe(self) -> None:
        self._resubscribe = False
        if self._connection is not None:
            self._connection.subscribe(self._session.subscriptions(self._settings.primary_host_id))

    def _have_subscribed(self, refused: tuple[str, ...]) -> None:
        if refused:
            log.error("the server denies the subscription to %s: check its access list", refused)
        if self._subscribed:
            return
        self._subscribed = True
        self._deadline_s = None
        if self._servers.several:
            self._deadline_s = time.monotonic() + self._settings.walk_after_s
        host = self._settings.primary_host_id
        where = f"{self._servers.broker.host}:{self._servers.broker.port}"
        log.info("Sparkplug edge node %s: connected to %s", self._settings.edge_node_id, where)
        if self._may_be_born():
            self._birth()
        else:
            log.info("Sparkplug edge node waits for primary host %s", host)

    def _receive_host(self, message: Arrived) -> None:
        if message.topic != self._topics.state(self._settings.primary_host_id):
            return
        change = self._servers.host.receive(message.payload)
        if change is HostChange.OFFLINE and self.born:
            raise _Leave(
                "the primary host is offline", in_order=True, next_server=True, pause=False
            )
        if change is HostChange.ONLINE and not self.born and self._subscribed:
            self._birth()

    def _read_commands(self, message: Arrived) -> None:
        unit = self._topics.command_unit(message.topic)
        if unit is None:
            return
        for command in self.commands.read(
            unit[0], message.payload, message.retained, self._session.inventory, now_ms()
        ):
            self._carry_out(command)

    def _carry_out(self, command: NodeCommand) -> None:
        if command.unit is None and command.metric == REBIRTH:
            if command.value is True and self.born and self._rebirth_due_s is None:
                self._rebirth_due_s = max(time.monotonic(), self._rebirth_asked_s + REBIRTH_PAUSE_S)
                self._rebirth_asked_s = self._rebirth_due_s
            return
        if command.unit is None and command.metric == NEXT_SERVER:
            if command.value is True:
                raise _Leave("asked to", in_order=True, next_server=True, pause=False)
            return
        try:
            refusal = self._on_command(command)
        except Exception:
            log.exception("Sparkplug command %s failed", command.metric)
            refusal = "it failed inside the gateway: see its log"
        if refusal:
            self.commands.refuse(command.unit, command.metric, refusal)
        else:
            log.info("Sparkplug command to %s: %s", command.unit, command.metric)

    def _birth(self) -> None:
        rebirth = self.born
        if not rebirth:
            self._work_off()  # what was reported before belongs to the birth
        for extension in self._mailbox.take_extensions():
            self._work(extension)
        self._rebirth_due_s = None
        self._deadline_s = None
        if self._resubscribe:
            self._subscribe()
        self._birth_begun = True
        if not self._session.birth(now_ms()):
            raise _lost("a birth certificate did not leave")
        log.info(
            "Sparkplug edge node %s: %s",
            self._settings.edge_node_id,
            "born again" if rebirth else "born",
        )
        self._delivery.resending = True
        self._servers.works()

    def _rebirth_is_due(self) -> bool:
        return (
            self.born
            and self._rebirth_due_s is not None
            and time.monotonic() >= self._rebirth_due_s
        )

    def _next_work(self) -> Work | None:
        # Between the request for a birth and the birth, no data may be sent.
        return None if self._rebirth_due_s is not None else self._mailbox.next_work()

    def _work(self, work: Work) -> None:
        try:
            sent = self._do(work)
        except ValueError:
            # A mistake of the caller in one update must not end the node.
            log.exception("Sparkplug: cannot report %s", type(work).__name__)
            return
        if not sent:
            raise _lost("a message did not leave")

    def _do(self, work: Work) -> bool:
        at_ms = now_ms()
        match work:
            case Update(unit=unit, readings=readings):
                return self._delivery.report(unit, readings, at_ms)
            case DeviceLost(device=device, reason=reason):
                log.info("Sparkplug device %s lost: %s", device, reason)
                return self._session.device_lost(device, at_ms)
            case DeviceBack(device=device):
                log.info("Sparkplug device %s is back", device)
                self._delivery.resending = True
                return self._session.device_back(device, at_ms)
            case Extension(unit=unit, metrics=metrics):
                self._extend(unit, metrics)
                return True

    def _extend(self, unit: str | None, metrics: tuple[Metric, ...]) -> None:
        known = self._session.inventory.unit(unit).metrics
        new = [metric for metric in metrics if known.get(metric.name) != metric]
        if not new:
            return
        host = self._settings.primary_host_id
        before = self._session.subscriptions(host)
        self._session.inventory = self._session.inventory.extended(unit, *new)
        self._resubscribe = self._session.subscriptions(host) != before
        if self.born and self._rebirth_due_s is None:
            # The new aliases hold from the next birth on: no data until then.
            self._rebirth_due_s = time.monotonic() + EXTENSION_PAUSE_S

    def _too_late(self) -> None:
        if not self._subscribed:
            raise _lost(f"the server does not answer within {ANSWER_TIMEOUT_S:.0f} s", True)
        raise _Leave("no primary host here", in_order=True, next_server=True, pause=False)

    def _may_be_born(self) -> bool:
        return not self._settings.primary_host_id or self._servers.host.online

    def _send(self, topic: str, payload: bytes) -> bool:
        return self._connection is not None and self._connection.send(topic, payload)

    def _on_event(self, event: Event) -> None:
        is_state = isinstance(event, Arrived) and event.topic.startswith(f"{NAMESPACE}/STATE/")
        self._mailbox.put_event(event, is_state=is_state)

    def _drop(self, *, in_order: bool) -> None:
        """End the connection; after an unexpected end, what is in doubt is kept to go again."""
        connection, self._connection = self._connection, None
        was_born = self.born
        self._session.away()
        self._servers.host.disconnected()
        self._rebirth_due_s = None
        if connection is not None:
            if in_order:
                # A death without a birth would carry a bdSeq that no host knows.
                connection.leave(self._session.death() if self._birth_begun else None)
            else:
                connection.abandon()
        self._delivery.ended(lost=was_born and not in_order)

    def _pause(self) -> None:
        """Wait before the next attempt, keeping what is reported meanwhile."""
        until_s = time.monotonic() + self._servers.pause_s()
        while not self._mailbox.stopping and time.monotonic() < until_s:
            self._work_off()
            self._mailbox.discard_events()
            self._mailbox.wait(until_s)

    def _work_off(self) -> None:
        """Do all work that waits."""
        while work := self._mailbox.next_work():
            self._work(work)


def _lost(reason: str, next_server: bool = False) -> _Leave:
    return _Leave(reason, in_order=False, next_server=next_server, pause=True)
