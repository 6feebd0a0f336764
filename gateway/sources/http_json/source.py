"""Asks a device for its JSON over HTTP and takes the values out of it."""

from __future__ import annotations

import threading
import time
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from auscult.contract.said import Said
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.sources.contract import Source, SourceContext
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.http_json.settings import HttpJsonSource
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.support.json_path import found_at
from auscult.gateway.sources.support.process_tags import TagError
from auscult.gateway.sources.support.reach import said_of_os
from auscult.gateway.sources.values import MessageError, ValueKind, number_of, scaled

MAX_BODY = 1_000_000
INTERVAL_S = 60.0
"""For points that say none."""
STOP_S = 0.4


class HttpJsonReader(Source):
    """A `Source` that asks at the shortest interval of its points."""

    def __init__(self, settings: HttpJsonSource, context: SourceContext) -> None:
        self._settings = settings
        self._plates = context.plates(settings.machine)
        plates = [self._plates[value.point] for value in settings.values]
        self._interval_s = min(plate.interval_s or INTERVAL_S for plate in plates)
        self._feed = Feed(self.name)
        self._down: Said | None = None

    @property
    def name(self) -> str:
        return f"http_json:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return self._down or self._feed.status

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        while not stop.is_set():
            due_s = time.monotonic() + self._interval_s
            # A device that hangs must not keep the gateway from stopping.
            asking = threading.Thread(target=self._ask, args=(inlet, stop), daemon=True)
            asking.start()
            while asking.is_alive() and not stop.is_set():
                asking.join(STOP_S)
            stop.wait(max(0.0, due_s - time.monotonic()))

    def _ask(self, inlet: Inlet, stop: threading.Event) -> None:
        answer = self._answer()
        if stop.is_set():
            return
        if isinstance(answer, Said):
            self._down = Said("link_down", {"peer": self._settings.url, "detail": answer})
            for value in self._settings.values:
                self._feed.fail(inlet, PointId(self._settings.machine, value.point), self._down)
            return
        self._down = None
        items, t_ns = [], time.time_ns()
        for value in self._settings.values:
            point = PointId(self._settings.machine, value.point)
            try:
                found = number_of(found_at(answer, value.path), self._plates[value.point])
                number = scaled(found, value)
            except (MessageError, TagError) as error:
                self._feed.note(value.point, error.said)
                self._feed.fail(inlet, point, error.said)
                continue
            self._feed.clear(value.point)
            items.append(PointValue(point, t_ns, number, value.unit, measured=False))
        self._feed.deliver(inlet, items)

    def _answer(self) -> bytes | Said:
        """Return the body that the device answers, or why there is none."""
        url, timeout_s = urlsplit(self._settings.url), self._settings.timeout_s
        host = url.hostname or ""
        connection = HTTPConnection(host, url.port or 80, timeout=timeout_s)
        try:
            query = f"?{url.query}" if url.query else ""
            connection.request("GET", f"{url.path or '/'}{query}")
            answer = connection.getresponse()
            body = answer.read(MAX_BODY)
        except OSError as error:
            return said_of_os(error, host, timeout_s)
        except HTTPException as error:
            return Said("text", {"text": f"{type(error).__name__}: {error}"[:100]})
        finally:
            connection.close()
        if answer.status != 200:
            return Said("text", {"text": f"HTTP {answer.status} {answer.reason}"[:100]})
        return body


class HttpJsonKind(ValueKind[HttpJsonSource]):
    """Overall values in JSON, asked for by HTTP."""

    settings = HttpJsonSource
    page_if_allowed = True

    def open(self, settings: HttpJsonSource, context: SourceContext) -> HttpJsonReader:
        return HttpJsonReader(settings, context)


KIND = HttpJsonKind()
