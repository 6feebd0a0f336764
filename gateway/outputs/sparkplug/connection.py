"""One MQTT connection of the edge node, from CONNECT to its end; paho behind a narrow door.

Each connection is a client of its own, because each has another last will. It never comes back
by itself, and no wait in it is without limit.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from auscult.gateway.outputs.sparkplug.payload import MAX_COMMAND_BYTES
from auscult.link.broker import BrokerSettings
from auscult.link.credentials import BrokerCredentials
from auscult.link.link import why_lost

CONNECT_TIMEOUT_S = 5.0
SEND_TIMEOUT_S = 5.0
"""A message that is not on the wire after this will not be: the connection is given up."""
FAREWELL_TIMEOUT_S = 2.0
"""How long the death certificate may take on an intended disconnection."""
STOP_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Answered:
    """The server's answer to CONNECT; `refusal` is empty where it accepted."""

    refusal: str


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The server's answer to SUBSCRIBE; `refused` holds the topic filters it denied."""

    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The server answered a ping: it has all that was sent before the monotonic `until_s`."""

    until_s: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone."""

    reason: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message came in."""

    topic: str
    payload: bytes
    retained: bool


Event = Answered | Subscribed | Confirmed | Lost | Arrived


class _Client(paho.Client):
    """A client that reports when the ping was sent that the server has answered."""

    on_confirmed: Callable[[float], None]
    _pinged_s = float("-inf")

    def _send_pingreq(self) -> MQTTErrorCode:
        self._pinged_s = time.monotonic()
        return super()._send_pingreq()

    def _handle_pingresp(self) -> MQTTErrorCode:
        code = super()._handle_pingresp()
        if code == MQTTErrorCode.MQTT_ERR_SUCCESS:
            self.on_confirmed(self._pinged_s)
        return code


class NodeConnection:
    """One client.

    Parameters
    ----------
    broker : BrokerSettings
    client_id, version : str
        ``version`` is ``3.1.1`` or ``5.0``.
    will : tuple
        Topic and payload of the NDEATH.
    on_event : callable
        Gets each `Event` in the network thread: it must be quick.
    on_open : callable
        Runs when TCP is connected, before CONNECT is sent.

    Raises
    ------
    CredentialsError
        If a password or certificate file can't be used.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        version: str,
        will: tuple[str, bytes],
        on_event: Callable[[Event], None],
        on_open: Callable[[], object],
    ) -> None:
        self._broker = broker
        self._on_event = on_event
        self._on_open = on_open
        self._five = version == "5.0"
        self._filters: list[str] = []
        self._client = _Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=None if self._five else True,
            protocol=paho.MQTTv5 if self._five else paho.MQTTv311,
            reconnect_on_failure=False,
        )
        self._credentials = BrokerCredentials(broker)
        self._was_answered = False
        self._configure(will)

    def open(self) -> None:
        """Connect and start the network thread; the answer comes as an `Answered`.

        Raises
        ------
        OSError
            If the server cannot be reached.
        """
        properties = None
        if self._five:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.SessionExpiryInterval = 0
        try:
            self._client.connect(
                self._broker.host,
                self._broker.port,
                self._broker.keepalive_s,
                clean_start=True if self._five else paho.MQTT_CLEAN_START_FIRST_ONLY,
                properties=properties,
            )
        except OSError as error:
            raise OSError(self._credentials.why(str(error))) from error
        self._client.loop_start()

    def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribe with QoS 1; the answer comes as a `Subscribed`."""
        self._filters = list(filters)
        self._client.subscribe([(topic, 1) for topic in filters])

    def send(self, topic: str, payload: bytes) -> bool:
        """Publish with QoS 0, not retained; False if it was not on the wire in time."""
        return self._publish(topic, payload, qos=0, timeout_s=SEND_TIMEOUT_S)

    def leave(self, death: tuple[str, bytes] | None) -> None:
        """Send the death certificate, then DISCONNECT (5.0: with the will as well).

        Without a death certificate the server discards the will.
        """
        reason = None
        if death is not None:
            self._publish(*death, qos=1, timeout_s=FAREWELL_TIMEOUT_S)
            if self._five:
                reason = ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message")
        self._client.disconnect(reason)
        self._end()

    def abandon(self) -> None:
        """Cut the connection without DISCONNECT: the server sends the death certificate."""
        connected = self._client.socket()
        if connected is not None:
            with contextlib.suppress(OSError):
                cast(socket.socket, connected).shutdown(socket.SHUT_RDWR)
        self._end()

    def _publish(self, topic: str, payload: bytes, *, qos: int, timeout_s: float) -> bool:
        info = self._client.publish(topic, payload, qos=qos, retain=False)
        if info.rc != paho.MQTT_ERR_SUCCESS:
            return False
        try:
            info.wait_for_publish(timeout_s)
        except (RuntimeError, ValueError):
            return False
        return info.is_published()

    def _end(self) -> None:
        # `loop_stop` joins without limit.
        ending = threading.Thread(target=self._client.loop_stop, daemon=True)
        ending.start()
        ending.join(STOP_TIMEOUT_S)

    def _configure(self, will: tuple[str, bytes]) -> None:
        client = self._client
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.will_set(will[0], will[1], qos=1, retain=False)
        self._credentials.give_to(client)
        client.on_socket_open = self._opened
        client.on_connect = self._answered
        client.on_subscribe = self._subscribed
        client.on_disconnect = self._lost
        client.on_message = self._arrived
        client.on_confirmed = self._confirmed

    def _opened(self, _client: Any, _data: Any, _socket: Any) -> None:
        self._on_open()

    def _answered(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _p: Any) -> None:
        self._was_answered = True
        self._on_event(Answered(str(reason) if reason.is_failure else ""))

    def _subscribed(
        self, _client: Any, _data: Any, _mid: int, reasons: list[ReasonCode], _p: Any
    ) -> None:
        pairs = zip(self._filters, reasons, strict=False)
        self._on_event(Subscribed(tuple(f for f, reason in pairs if reason.is_failure)))

    def _confirmed(self, until_s: float) -> None:
        self._on_event(Confirmed(until_s))

    def _lost(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _p: Any) -> None:
        why = why_lost(reason) if self._was_answered else self._credentials.why_unanswered()
        self._on_event(Lost(why))

    def _arrived(self, _client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        # Cut off where a command is refused for its length: a flood must not fill the memory.
        payload = bytes(message.payload[: MAX_COMMAND_BYTES + 1])
        self._on_event(Arrived(topic, payload, message.retain))
