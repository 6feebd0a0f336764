"""The connection to the broker, for gateway and dashboard; it reconnects by itself.

A `Link` is connected only after the broker has accepted it. It logs a failure once and its
recovery once, and reports for each message when the broker has it.
"""

from __future__ import annotations

import logging
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from auscult.contract.payloads import MAX_PAYLOAD_BYTES
from auscult.contract.said import Said
from auscult.host.supervised import Supervised
from auscult.link.broker import BrokerSettings, CredentialsError
from auscult.link.credentials import BrokerCredentials, user_of
from auscult.link.mqtt_client import MqttClient
from auscult.link.retry import RETRY_S, pause_s
from auscult.link.takeover import TakeoverWatch

log = logging.getLogger(__name__)

SHARED_SESSION_S = 600
"""The broker keeps the share of an absent client of a group for this long; no other client gets it
until then."""
FILTERS_A_PACKET = 8
"""Topic filters of one SUBSCRIBE packet: brokers limit its size, AWS IoT Core its filters to 8."""
UNSPECIFIED = 0x80
"""MQTT 5: "Unspecified error"; paho's word for the end of a connection with MQTT 3.1.1."""
STOP_TIMEOUT_S = 1.5
"""How long a stop waits for the network thread, which may sit in a connection attempt."""


@dataclass(frozen=True, slots=True)
class LastWill:
    """What the broker says for us, retained, when we vanish."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """A message from the broker.

    With `Link(manual_ack=True)` the broker keeps it, and sends it again to a later connection,
    until `acknowledge` was called; any thread may call it.
    """

    topic: str
    payload: bytes
    retained: bool
    duplicate: bool
    acknowledge: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Sharing:
    """How several clients take messages in turn (MQTT 5 shared subscriptions).

    Each message of the link's subscriptions goes to one client of ``group``. A broker does not
    send retained messages to shared subscriptions, so each client asks for them when it connects.
    Messages that match the filters in ``everyone`` go to every client.
    """

    group: str
    everyone: tuple[str, ...] = ()


class Link:
    """One client of the broker.

    Parameters
    ----------
    settings : BrokerSettings
    client_id : str
        Must be unique at the broker; also names the session.
    on_message : callable
        Gets each `Received`; runs in the network thread, so it must be quick.
    subscriptions : sequence of str
        Topic filters, subscribed with QoS 1 at each connection.
    on_connected : callable
        Runs in the network thread after each successful connection.
    will : LastWill or None
    persistent : bool
        The broker keeps subscriptions and QoS 1 messages for us while we are away.
    manual_ack : bool
        See `Received`.
    sharing : Sharing or None
        Needs a broker with MQTT 5.

    Raises
    ------
    CredentialsError
        If a password or certificate file can't be used.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        client_id: str,
        *,
        on_message: Callable[[Received], None] | None = None,
        subscriptions: Sequence[str] = (),
        on_connected: Callable[[], None] | None = None,
        will: LastWill | None = None,
        persistent: bool = True,
        manual_ack: bool = False,
        sharing: Sharing | None = None,
    ) -> None:
        self._settings = settings
        self._subscriptions = tuple(subscriptions)
        self._on_message = on_message
        self._on_connected = on_connected
        self._connected = threading.Event()
        self._logged: set[str] = set()
        self._answered = False
        self._failures = 0
        self._stopping = False
        self._oversized = 0
        self._client_id = client_id
        self._takeover = TakeoverWatch()
        self._lock = threading.Lock()
        self._waiting: dict[int, Callable[[], None]] = {}
        self._early: set[int] = set()
        self._sharing = sharing
        self._asked: dict[int, Sequence[str]] = {}
        self._refused: frozenset[str] = frozenset()
        self._stop_event = threading.Event()
        self._loop = Supervised("mqtt", self._run_loop, self._stop_event)
        self._client = MqttClient(
            self._loop.run,
            self._pause_s,
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            # MQTT 5 asks for it at the connection
            clean_session=not persistent if sharing is None else None,
            protocol=paho.MQTTv311 if sharing is None else paho.MQTTv5,
            manual_ack=manual_ack,
        )
        self._persistent = persistent
        self._manual_ack = manual_ack
        self._credentials = BrokerCredentials(settings)
        self._configure(will)

    @property
    def _peer(self) -> str:
        return f"{self._settings.host}:{self._settings.port}"

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribe to more topics; only before `start`."""
        self._subscriptions += tuple(topics)

    @property
    def connected(self) -> bool:
        """Return whether the connection is open and the broker has accepted the client."""
        return self._connected.is_set()

    @property
    def trouble(self) -> Said | None:
        """That another client uses this client id, or the network thread failed; else None."""
        self._settle()
        if self._loop.trouble:
            return Said("part_failed", {"detail": self._loop.trouble})
        if not self._takeover.suspected:
            return None
        return Said("client_id_taken", {"client": self._client_id, "broker": self._peer})

    @property
    def subscribed(self) -> bool:
        """Return whether the broker has answered all subscriptions of this connection."""
        return self.connected and not self._asked

    def refusal(self, topics: Iterable[str]) -> Said | None:
        """Say which of these subscriptions the broker refused; None where it refused none.

        Mosquitto with an access list grants each subscription and withholds the messages instead.
        """
        if refused := self._refused.intersection(topics):
            values = {"topic": min(refused), "user": user_of(self._settings)}
            return Said("subscription_refused", values)
        return None

    @property
    def oversized(self) -> int:
        """How many received messages were larger than `MAX_PAYLOAD_BYTES` and thrown away."""
        return self._oversized

    def start(self) -> None:
        """Connect in the background, and again whenever the connection is lost."""
        self._stopping = False
        self._stop_event.clear()
        self._client.loop_start()

    def wait_connected(self, timeout_s: float) -> bool:
        """Wait for the connection; False if there is none after `timeout_s`."""
        return self._connected.wait(timeout_s)

    def stop(self) -> None:
        """Disconnect in order (so that the last will is not sent); takes at most 1.5 s."""
        self._stopping = True
        self._stop_event.set()
        self._client.disconnect()
        # `loop_stop` joins without limit, and the thread may be in a connection attempt.
        ending = threading.Thread(target=self._client.loop_stop, daemon=True)
        with suppress(RuntimeError):  # no thread is left; the network thread ends by itself
            ending.start()
            ending.join(STOP_TIMEOUT_S)
        self._connected.clear()

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int = 1,
        retain: bool = False,
        on_delivered: Callable[[], None] | None = None,
    ) -> bool:
        """Hand a message to the broker's connection; False, and nothing done, without one.

        Once taken, a QoS 1 message is sent again by this link after each reconnection until the
        broker has acknowledged it; then `on_delivered` runs, in the network thread: it must be
        quick.
        """
        if not self.connected:
            return False
        info = self._client.publish(topic, payload, qos=qos, retain=retain)
        if info.rc not in (paho.MQTT_ERR_SUCCESS, paho.MQTT_ERR_NO_CONN):
            return False
        delivered = on_delivered or _nothing
        with self._lock:
            # The acknowledgement may have been quicker than we are.
            if info.mid not in self._early:
                self._waiting[info.mid] = delivered
                return True
            self._early.remove(info.mid)
        delivered()
        return True

    def _run_loop(self) -> None:
        """Connect and serve the connection; after a failure, with a new connection."""
        self._connected.clear()
        address = (self._settings.host, self._settings.port, self._settings.keepalive_s)
        if self._sharing is None:
            self._client.connect_async(*address)
        else:
            session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            session.SessionExpiryInterval = SHARED_SESSION_S if self._persistent else 0
            self._client.connect_async(
                *address, clean_start=not self._persistent, properties=session
            )
        self._client.serve()

    def _configure(self, will: LastWill | None) -> None:
        client = self._client
        client.max_inflight_messages_set(0)
        self._credentials.give_to(client)
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.on_connect = self._connect_answered
        client.on_connect_fail = self._connect_failed
        client.on_subscribe = self._subscribed
        client.on_disconnect = self._disconnected
        client.on_publish = self._published
        client.on_message = self._arrived

    def _connect_answered(
        self, client: paho.Client, _userdata: Any, _flags: Any, reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:  # fmt: skip
        self._answered = True
        if reason.is_failure:
            self._log_failure(f"the broker refused the connection ({reason})", always=True)
            return
        self._failures = 0
        self._subscribe(client)
        self._takeover.connected(time.monotonic())
        if not self._takeover.suspected:
            self._log_recovery()
        self._connected.set()
        self._guarded(self._on_connected)

    def _subscribe(self, client: paho.Client) -> None:
        self._asked.clear()
        self._refused = frozenset()
        if self._sharing is None:
            self._ask(client, self._subscriptions)
            return
        group = self._sharing.group
        self._ask(client, [f"$share/{group}/{topic}" for topic in self._subscriptions])
        # brings what is retained, and nothing that comes later
        self._ask(client, self._subscriptions)
        client.unsubscribe(list(self._subscriptions))
        self._ask(client, self._sharing.everyone)

    def _ask(self, client: paho.Client, topics: Sequence[str]) -> None:
        for first in range(0, len(topics), FILTERS_A_PACKET):
            some = topics[first : first + FILTERS_A_PACKET]
            _, mid = client.subscribe([(topic, 1) for topic in some])
            if mid is not None:
                self._asked[mid] = some

    def _subscribed(
        self, _client: paho.Client, _userdata: Any, mid: int, reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:  # fmt: skip
        for topic, reason in zip(self._asked.pop(mid, ()), reasons, strict=False):
            if reason.is_failure:
                self._refused |= {topic}
                log.warning(
                    "broker %s refuses the subscription to %s (%s)", self._peer, topic, reason
                )

    def _connect_failed(self, _client: paho.Client, _userdata: Any) -> None:
        self._takeover.failed()
        # paho calls this while it handles the exception, and gives no other way to it.
        error = sys.exc_info()[1]
        refused = isinstance(error, ssl.SSLError | CredentialsError)
        self._log_failure(
            f"cannot be reached ({self._credentials.why(str(error))})", always=refused
        )

    def _disconnected(
        self, _client: paho.Client, _userdata: Any, _flags: Any, reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:  # fmt: skip
        was_connected, answered = self.connected, self._answered
        self._connected.clear()
        self._answered = False
        if self._stopping:
            return
        if was_connected:
            self._note_loss(reason)
        elif not answered:
            self._log_failure(self._credentials.why_unanswered(), always=True)

    def _note_loss(self, reason: ReasonCode) -> None:
        if self._takeover.lost(time.monotonic(), reason) and self.trouble:
            self._log_failure(self.trouble.text, always=True)
        elif not self._takeover.suspected:
            self._log_failure(f"connection lost ({why_lost(reason)})")

    def _pause_s(self) -> float:
        self._failures += 1
        # Two clients that reconnect at once would end each other's connections each second.
        return max(pause_s(self._failures), self._takeover.pause_s)

    def _settle(self) -> None:
        if self._takeover.settled(time.monotonic()):
            self._log_recovery()

    def _log_recovery(self) -> None:
        if self._logged:
            log.info("broker %s: client %s is connected again", self._peer, self._client_id)
        self._logged.clear()

    def _published(
        self, _client: paho.Client, _userdata: Any, mid: int, _reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:  # fmt: skip
        self._settle()
        with self._lock:
            delivered = self._waiting.pop(mid, None)
            if delivered is None:
                self._early.add(mid)
                return
        self._guarded(delivered)

    def _arrived(self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage) -> None:
        acknowledge = _nothing
        if self._manual_ack and message.qos:
            acknowledge = partial(self._client.acknowledge, self._client.connection, message.mid)
        if len(message.payload) > MAX_PAYLOAD_BYTES:
            self._oversized += 1
            acknowledge()
            return
        if self._on_message is not None:
            try:
                topic = message.topic
            except UnicodeDecodeError:
                acknowledge()
                return
            received = Received(
                topic, bytes(message.payload), message.retain, message.dup, acknowledge
            )
            self._guarded(lambda: self._on_message and self._on_message(received))

    def _guarded(self, call: Callable[[], Any] | None) -> None:
        """Run one of our callbacks; its error must not end the network thread."""
        if call is None:
            return
        try:
            call()
        except Exception:
            log.exception("a callback of the broker's connection failed")

    def _log_failure(self, reason: str, *, always: bool = False) -> None:
        """Log the first failure, and `always` those that someone must see to, each once."""
        if not self._logged or (always and reason not in self._logged):
            log.warning(
                "broker %s, client %s: %s; trying again every %.0f to %.0f s",
                self._peer, self._client_id, reason, *RETRY_S,
            )  # fmt: skip
        self._logged.add(reason)


def nothing_arrived(settings: BrokerSettings, topic_filter: str, after_s: float) -> Said:
    """Say that nothing arrived on a topic filter, and which right to read we may lack."""
    line = "TOPIC/#" if topic_filter == "#" else topic_filter  # all topics are too many to open
    values: dict[str, str | float] = {
        "topic": topic_filter, "after_s": after_s, "line": line, "user": user_of(settings),
    }  # fmt: skip
    return Said("nothing_on_topic", values)


def why_lost(reason: ReasonCode) -> str:
    """Return why a connection ended, as far as the broker says; with MQTT 3.1.1 it says nothing."""
    unspecified = reason.value == UNSPECIFIED
    return "the broker or the network ended it, without a reason" if unspecified else str(reason)


def _nothing() -> None:
    pass
