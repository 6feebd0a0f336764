"""Takes overall values by HTTP POST: scripts, PLCs and gateways that push JSON with a token."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic_core import from_json

from auscult.contract.said import Rejection, Said
from auscult.dsp.quantities import conversion_of
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.settings.value_source import ValueSettings
from auscult.gateway.sources.contract import Source, SourceContext
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.http.settings import HttpSource
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.support.sender_time import TimeError, time_ns_of
from auscult.gateway.sources.values import (
    MessageError,
    Receiver,
    ValueKind,
    number_of,
    scaled,
)
from auscult.link.broker import BrokerSettings

log = logging.getLogger(__name__)

MAX_BODY = 1_000_000
REQUEST_S = 5.0
"""A request that takes longer in all loses its connection, however steadily it sends."""
MOST_AT_ONCE = 64
"""Requests at once; each has a thread."""
MOST_OF_ONE = 8
"""Requests at once from one address, so that one sender can't take all."""
DIGITS = 10
"""Of a length that is read."""
LOOK_S = 0.2
"""How often the server looks for requests that take too long."""


class _Server(ThreadingHTTPServer):
    """Bounded in time and number: anyone on the network may connect, before a token is seen."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: dict[socket.socket, tuple[str, float]] = {}
        self._changing = threading.Lock()
        super().__init__(address, handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Accept a connection while there is room."""
        with self._changing:
            of_one = sum(host == client_address[0] for host, _ in self._open.values())
            if len(self._open) >= MOST_AT_ONCE or of_one >= MOST_OF_ONE:
                return False
            self._open[request] = client_address[0], time.monotonic()
            return True

    def service_actions(self) -> None:
        """End requests that take too long; called between connections and every `LOOK_S`."""
        late_s = time.monotonic() - REQUEST_S
        with self._changing:
            for request in [one for one, (_, since_s) in self._open.items() if since_s < late_s]:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        with self._changing:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a request that ended early in one line."""
        del request
        log.debug("a request of %s ended: %s", client_address[0], sys.exc_info()[1])


class HttpReceiver(Receiver):
    """A `Source` that serves ``POST /values``.

    The body is an object of point ids: ``{"temperature": 61.5}`` or, with a time and a unit,
    ``{"temperature": {"value": 61.5, "time": "2026-01-01T12:00:00Z", "unit": "°C"}}``; or a list of
    such objects. The header ``Authorization: Bearer TOKEN`` is required.
    """

    def __init__(self, settings: HttpSource, context: SourceContext) -> None:
        self._settings = settings
        self._plates = context.plates(settings.machine)
        self._values = {value.point: value for value in settings.values}
        self._feed = Feed(self.name)
        self._down: Said | None = None
        self._lock = threading.Lock()
        self.latest: dict[str, tuple[int, PointValue]] = {}
        self.port = settings.port

    @property
    def name(self) -> str:
        return f"http:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return self._down or self._feed.status

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            timeout = REQUEST_S
            server_version, sys_version = "auscult", ""

            def do_POST(self) -> None:
                code, answer = receiver.answer(self.path, dict(self.headers), self._body, inlet)
                body = json.dumps(answer, ensure_ascii=False).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _body(self, length: int) -> bytes:
                return self.rfile.read(length)

            def log_message(self, *_: Any) -> None:
                """Log nothing; problems are in the status."""

        try:
            server = _Server((self._settings.host, self._settings.port), Handler)
        except OSError as error:
            said = Said("push_port", {"port": self._settings.port, "detail": str(error)})
            self._down = said
            for point in self._values:
                self._feed.fail(inlet, PointId(self._settings.machine, point), said)
            raise
        self._down = None
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(LOOK_S,), daemon=True)
        thread.start()
        stop.wait()
        server.shutdown()
        server.server_close()

    def answer(
        self, path: str, headers: dict[str, str], body: Any, inlet: Inlet
    ) -> tuple[int, dict[str, Any]]:
        """Answer a request: status code and JSON. The token is checked before the body is read."""
        given = headers.get("Authorization", "").removeprefix("Bearer ").strip()
        digest = hashlib.sha256(given.encode()).hexdigest()
        if not given or not hmac.compare_digest(digest, self._settings.token_sha256):
            with self._lock:
                self._feed.note("token", Said("push_token"))
            return 401, {"error": "give the token: Authorization: Bearer TOKEN"}
        if path.split("?")[0] != "/values":
            return 404, {"error": "POST to /values"}
        length = headers.get("Content-Length", "")[:DIGITS]
        if not length.isdecimal() or int(length) > MAX_BODY:
            return 413, {"error": f"Content-Length must be 0 to {MAX_BODY} bytes"}
        try:
            message = from_json(body(int(length)))
        except ValueError as error:
            return 400, {"error": f"no JSON: {error}"}
        entries = message if isinstance(message, list) else [message]
        if not all(isinstance(entry, dict) for entry in entries):
            return 400, {"error": "send an object of point ids, or a list of such objects"}
        with self._lock:
            self._feed.clear("token")
            items, problems = self._items(entries)
            taken = self._feed.deliver(inlet, items) if items else True
        if not taken:
            return 503, {"error": "the gateway is too busy; send again later"}
        return (422 if problems and not items else 200), {
            "taken": len(items), "problems": {p: said.text for p, said in problems.items()},
        }  # fmt: skip

    def _items(self, entries: list[Any]) -> tuple[list[PointValue], dict[str, Said]]:
        """Return the values of a message, and what is wrong by point; the status shows it."""
        items: list[PointValue] = []
        problems: dict[str, Said] = {}
        for point, value in (pair for entry in entries for pair in entry.items()):
            try:
                items.append(self._item(point, value))
            except (MessageError, TimeError) as error:
                problems[point] = error.said
        if problems:
            self._feed.note("values", next(iter(problems.values())))
        else:
            self._feed.clear("values")
        return items, problems

    def _item(self, point: str, given: Any) -> PointValue:
        own = self._values.get(point)
        if own is None:
            raise MessageError("point_not_configured", point=str(point)[:64])
        entry = given if isinstance(given, dict) else {"value": given}
        plate = self._plates.get(point)
        number = number_of(entry.get("value"), plate)
        t_ns, measured = time.time_ns(), False
        if "time" in entry:
            t_ns, measured = time_ns_of(entry["time"]), True
        unit = str(entry.get("unit", ""))[:16] or own.unit
        if plate and plate.quantity and not conversion_of(plate.quantity, plate.unit, unit):
            raise MessageError("wrong_unit", unit=unit, configured=plate.unit)
        raw = PointValue(PointId(self._settings.machine, point), t_ns, number, unit, measured)
        self.latest[point] = time.time_ns(), raw
        return raw._replace(value=scaled(number, own))


class HttpKind(ValueKind[HttpSource]):
    """Overall values by HTTP."""

    settings = HttpSource
    page_if_allowed = True

    def open(self, settings: HttpSource, context: SourceContext) -> HttpReceiver:
        return HttpReceiver(settings, context)

    def receiver(self, settings: HttpSource, running: Iterable[Source]) -> HttpReceiver | None:
        found = (source for source in running if isinstance(source, HttpReceiver))
        own = next((one for one in found if one.port == settings.port), None)
        if own is not None and own.name != f"http:{settings.machine}":
            machine = own.name.partition(":")[2]
            raise Rejection("trial_port_used", machine=machine, port=settings.port)
        return own

    def nothing(
        self, settings: HttpSource, value: ValueSettings, broker: BrokerSettings, after_s: float
    ) -> Said:
        del value, broker
        return Said("trial_nothing_pushed", {"port": settings.port, "after_s": after_s})


KIND = HttpKind()
