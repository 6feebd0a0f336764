"""Reads overall values from an OPC UA server: a subscription, the values' quality, reconnection."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from auscult.contract.said import Said
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.sources.contract import (
    Source,
    SourceContext,
    SourceProblem,
    not_from_page,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.opcua.settings import OpcUaSource
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.support.reach import said_of_os
from auscult.gateway.sources.support.sender_time import TimeError, checked_ns
from auscult.gateway.sources.values import MessageError, ValueKind, number_of, scaled

LOOK_S = 0.2
ALIVE_S = 5.0
"""How often the connection is tested."""
LONGEST_PAUSE_S = 60.0
CONNECT_S = 10.0
NODES_AT_ONCE = 100
"""Nodes of one request: small controllers reject more, and thousands one by one take minutes."""
NS_PER_US = 1_000


@dataclass(slots=True)
class _Held:
    """The newest value of a node: a server sends a value only when it changes."""

    value: float
    uncertain: bool
    due_s: float


class OpcUaReader(Source):
    """A `Source` of overall values from an OPC UA server.

    A server sends changes only. While the connection lives and the quality is good, an unchanged
    value is delivered again each interval: a steady temperature is no silent sensor.
    """

    def __init__(self, settings: OpcUaSource, context: SourceContext) -> None:
        with vendor("asyncua", "opcua"):
            import asyncua
        self._asyncua = asyncua
        self._settings = settings
        self._values = {value.point: value for value in settings.values}
        self._feed = Feed(self.name)
        self._plates = context.plates(settings.machine)
        self._interval_s = {
            value.point: context.point(PointId(settings.machine, value.point)).interval_s or 60.0
            for value in settings.values
        }
        self._held: dict[str, _Held] = {}
        self._down: Said | None = Said("source_not_connected")

    @property
    def name(self) -> str:
        return f"opcua:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return self._down or self._feed.status

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        asyncio.run(self._run(inlet, stop))

    async def _run(self, inlet: Inlet, stop: threading.Event) -> None:
        pause_s = 1.0
        while not stop.is_set():
            session = asyncio.ensure_future(self._session(inlet, stop))
            while not stop.is_set() and not session.done():
                await asyncio.wait([session], timeout=LOOK_S)
            if not session.done():
                # It ends by itself once connected; an attempt to connect has to be stopped.
                await asyncio.wait([session], timeout=2 * LOOK_S)
                session.cancel()
            try:
                await session
                pause_s = 1.0
            except asyncio.CancelledError:
                return
            except (OSError, self._asyncua.ua.UaError) as error:
                self._lost(inlet, self._why(error))
            until_s = time.monotonic() + pause_s
            while not stop.is_set() and time.monotonic() < until_s:
                await asyncio.sleep(LOOK_S)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _session(self, inlet: Inlet, stop: threading.Event) -> None:
        own = self._settings
        client = self._asyncua.Client(own.url, timeout=CONNECT_S)
        if own.user:
            client.set_user(own.user)
            if own.password_file is not None:
                client.set_password(own.password_file.read_text(encoding="utf-8").split("\n")[0])
        if own.certificate_file is not None and own.key_file is not None:
            await client.set_security_string(
                f"Basic256Sha256,SignAndEncrypt,{own.certificate_file},{own.key_file}"
            )
        async with client:
            await self._subscribe(client, inlet)
            self._down = None
            tested_s = time.monotonic()
            while not stop.is_set():
                await asyncio.sleep(LOOK_S)
                self._repeat(inlet)
                if time.monotonic() - tested_s >= ALIVE_S:
                    await client.nodes.server_state.read_value()
                    tested_s = time.monotonic()

    async def _subscribe(self, client: Any, inlet: Inlet) -> None:
        """Subscribe to all nodes, and read each once."""
        points: dict[Any, list[str]] = {}
        for value in self._settings.values:
            try:
                points.setdefault(client.get_node(value.node), []).append(value.point)
            except (self._asyncua.ua.UaError, ValueError):
                self._fail(inlet, value.point, Said("node_malformed", {"node": value.node}))
        listener = _Changes(self, {node.nodeid: own for node, own in points.items()}, inlet)
        period_ms = 1000 * max(0.1, min(self._interval_s.values()) / 2)
        subscription = await client.create_subscription(period_ms, listener)
        nodes = list(points)
        for first in range(0, len(nodes), NODES_AT_ONCE):
            some = nodes[first : first + NODES_AT_ONCE]
            handles = await subscription.subscribe_data_change(some)
            # The first notification comes after a publishing period, up to half a day.
            read = await client.read_attributes(some)
            for node, handle, data in zip(some, handles, read, strict=True):
                if not isinstance(handle, int):  # a status code
                    for point in points[node]:
                        unknown = Said("node_unknown", {"node": self._values[point].node})
                        self._fail(inlet, point, unknown)
                elif node.nodeid not in listener.notified:
                    listener.read[node.nodeid] = data
                    for point in points[node]:
                        self.take(point, data, inlet)

    def take(self, point: str, data: Any, inlet: Inlet) -> None:
        """Take a change of a node: value, quality and time."""
        status = data.StatusCode
        if status is not None and status.is_bad():
            self._held.pop(point, None)
            self._fail(inlet, point, Said("value_quality", {"quality": status.name}))
            return
        try:
            own = self._values[point]
            value = scaled(number_of(data.Value.Value, self._plates.get(point)), own)
        except MessageError as error:
            self._held.pop(point, None)
            self._fail(inlet, point, error.said)
            return
        uncertain = status is not None and status.is_uncertain()
        due_s = time.monotonic() + self._interval_s[point]
        self._held[point] = _Held(value, uncertain, due_s)
        self._feed.clear(point)
        t_ns, measured = _time_of(data.SourceTimestamp)
        self._deliver(inlet, point, value, t_ns, uncertain, measured=measured)

    def _repeat(self, inlet: Inlet) -> None:
        """Deliver unchanged values whose interval is over."""
        now_s = time.monotonic()
        for point, held in self._held.items():
            if now_s >= held.due_s:
                held.due_s = now_s + self._interval_s[point]
                self._deliver(
                    inlet, point, held.value, time.time_ns(), held.uncertain, measured=False
                )

    def _deliver(
        self, inlet: Inlet, point: str, value: float, t_ns: int, uncertain: bool, *, measured: bool
    ) -> None:
        own = self._values[point]
        place = PointId(self._settings.machine, point)
        self._feed.deliver(inlet, [PointValue(place, t_ns, value, own.unit, measured, uncertain)])

    def _fail(self, inlet: Inlet, point: str, said: Said) -> None:
        self._feed.note(point, said)
        self._feed.fail(inlet, PointId(self._settings.machine, point), said)

    def _why(self, error: Exception) -> Said:
        """Say what ended a session, or kept it from beginning."""
        ua = self._asyncua.ua
        if isinstance(error, OSError) and not error.filename:  # else a password or key file
            return said_of_os(error, urlsplit(self._settings.url).hostname or "", CONNECT_S)
        text = f"{type(error).__name__} {error}"
        if "Identity" in text or isinstance(error, ua.uaerrors.BadUserAccessDenied):
            return Said("opcua_login")
        if "Certificate" in text:
            return Said("opcua_certificate", {"detail": type(error).__name__})
        if "endpoint" in text.lower() or "Security" in text:
            return Said("opcua_security")
        return Said("text", {"text": text[:100]})

    def _lost(self, inlet: Inlet, detail: Said) -> None:
        said = Said("link_down", {"peer": _without_user(self._settings.url), "detail": detail})
        if self._down != said:
            for value in self._settings.values:
                self._feed.fail(inlet, PointId(self._settings.machine, value.point), said)
        self._held.clear()
        self._down = said


class _Changes:
    """Gets the changes of a subscription; asyncua calls it in the event loop."""

    def __init__(self, reader: OpcUaReader, points: dict[Any, list[str]], inlet: Inlet) -> None:
        self._reader, self._points, self._inlet = reader, points, inlet
        self.notified: set[Any] = set()
        self.read: dict[Any, Any] = {}
        """Values that were read at the subscription; their first notification repeats them."""

    def datachange_notification(self, node: Any, _: Any, data: Any) -> None:
        """Take a change."""
        identity, value = node.nodeid, data.monitored_item.Value
        self.notified.add(identity)
        known = self.read.pop(identity, None)
        if known is None or not _same(known, value):
            for point in self._points[identity]:
                self._reader.take(point, value, self._inlet)

    def status_change_notification(self, _: Any) -> None:
        """Do nothing: a lost subscription shows in the test of the connection."""


def _without_user(url: str) -> str:
    """Return an address without user and password, which it may hold: statuses are public."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _same(one: Any, other: Any) -> bool:
    """Return whether two data values are one measurement; the server's own time may differ."""
    return all(
        getattr(one, key) == getattr(other, key)
        for key in ("Value", "StatusCode", "SourceTimestamp")
    )


def _time_of(stamp: datetime | None) -> tuple[int, bool]:
    """Return the time of a value, ns, and whether the server gave one that can be true."""
    if stamp is not None:
        utc = stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)
        try:
            return checked_ns(round(utc.timestamp() * 1e6) * NS_PER_US), True
        except TimeError:
            pass
    return time.time_ns(), False


class OpcUaKind(ValueKind[OpcUaSource]):
    """Overall values from OPC UA servers."""

    settings = OpcUaSource
    page_if_allowed = True

    def open(self, settings: OpcUaSource, context: SourceContext) -> OpcUaReader:
        return OpcUaReader(settings, context)

    def forbidden(self, settings: OpcUaSource, recordings_dir: Path) -> SourceProblem | None:
        # A password in an address would be shown to all who may read the configuration.
        if "@" in urlsplit(settings.url).netloc:
            return not_from_page("url")
        return super().forbidden(settings, recordings_dir)


KIND = OpcUaKind()
