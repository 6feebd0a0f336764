"""The gateway's own numbers for Prometheus, and its health for a watchdog, over HTTP.

`/metrics` has one series for each machine and source and a fixed number besides. `/health`
separates degraded from dead: 200 with ``ok`` or ``degraded`` while the gateway scores and stores,
503 with ``failing`` when it can't, and no answer when the process is gone.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from socketserver import ThreadingMixIn
from typing import Any, Final, Literal
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from auscult.contract.payloads import Condition, Status
from auscult.contract.said import Said
from auscult.gateway.records import PointId
from auscult.gateway.windows.assembler import StreamCounts
from auscult.gateway.windows.values import ValueCounts
from auscult.host.supervised import Supervised

SLOW_CLIENT_S = 10.0
Families = tuple[tuple[str, str, str, tuple[str, ...]], ...]
OF_BLOCKS: Final[Families] = (
    ("blocks", "Blocks of samples by what became of them", "outcome", ("used", "duplicates")),
    ("windows", "Windows made of the blocks", "", ("windows",)),
    ("breaks", "Breaks between blocks", "cause", ("gaps", "overlaps", "restarts")),
)
"""Name, description, label and counts; the values of a label exclude each other, so that they add
up to all."""
OF_VALUES: Final[Families] = (
    ("values", "Overall values by what became of them", "outcome",
     ("used", "joined", "repeated", "late")),
    ("resets", "Counters that fell", "", ("resets",)),
)  # fmt: skip
State = Literal["ok", "degraded", "failing"]


@dataclass(frozen=True, slots=True)
class MetricsReading:
    """What is read at each scrape.

    Parameters
    ----------
    status : Status
        As published over MQTT.
    connected : bool
        Whether the broker has accepted the gateway.
    conditions : mapping of str to Condition
        By machine.
    sources : mapping of str to Said
    commands_waiting : int
    samples_waiting_bytes : int
        Samples that wait for the window loop.
    blocks : mapping of PointId to StreamCounts
        What became of blocks of samples.
    values : mapping of PointId to ValueCounts
        What became of overall values.
    """

    status: Status
    connected: bool
    conditions: Mapping[str, Condition]
    sources: Mapping[str, Said]
    commands_waiting: int
    samples_waiting_bytes: int
    blocks: Mapping[PointId, StreamCounts]
    values: Mapping[PointId, ValueCounts]

    @property
    def state(self) -> State:
        """Return whether the gateway does its work."""
        if not self.status.storing:
            return "failing"
        well = self.connected and not self.status.troubles
        return "ok" if well and not self.failed_sources else "degraded"

    @property
    def failed_sources(self) -> list[str]:
        """Return the names of the sources with a fault."""
        return sorted(n for n, said in self.sources.items() if not _is_well(said))


class MetricsServer:
    """Serves `/metrics` and `/health`.

    Parameters
    ----------
    host, port : str, int
    read : callable
        Gives a reading.
    stop : threading.Event
    """

    def __init__(
        self, host: str, port: int, read: Callable[[], MetricsReading], stop: threading.Event
    ) -> None:
        self._address = (host, port)
        self._read = read
        registry = CollectorRegistry()
        registry.register(_GatewayCollector(read))
        self._metrics = make_wsgi_app(registry)
        self.thread = Supervised("metrics", self._serve, stop)
        self._server: WSGIServer | None = None
        self._stop = stop

    @property
    def port(self) -> int | None:
        """Return the port that it listens on, None before it does."""
        return None if self._server is None else self._server.server_port

    def start(self) -> None:
        """Begin to serve; a port in use is tried again."""
        self.thread.start()

    def stop(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.shutdown()

    def _serve(self) -> None:
        with make_server(*self._address, self._answer, _MetricsServer, _Handler) as server:
            self._server = server
            if not self._stop.is_set():
                server.serve_forever(poll_interval=0.2)

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            answer: Iterable[bytes] = self._metrics(environ, start)
            return answer
        if environ["PATH_INFO"] != "/health":
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"see /metrics and /health\n"]
        reading = self._read()
        code = "503 Service Unavailable" if reading.state == "failing" else "200 OK"
        start(code, [("Content-Type", "application/json")])
        about = {
            "status": reading.state,
            "broker": "connected" if reading.connected else "not connected",
            "troubles": reading.status.troubles,
            "sources": {name: reading.sources[name].text for name in reading.failed_sources},
        }
        return [json.dumps(about).encode()]


class _MetricsServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = SLOW_CLIENT_S
    server_version, sys_version = "auscult", ""

    def log_message(self, *_: object) -> None:
        """Log no scrape."""


class _GatewayCollector(Collector):
    def __init__(self, read: Callable[[], MetricsReading]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        return []  # else the registry reads once before anything runs

    def collect(self) -> Iterable[Metric]:
        reading = self._read()
        status = reading.status
        for name, about, value in (
            ("broker_connected", "1 while connected to the broker", reading.connected),
            ("storing", "1 while the database stores", status.storing),
            ("outbox_messages", "Messages that wait for the dashboard", status.outbox_pending),
            ("commands_waiting", "Commands that wait", reading.commands_waiting),
            ("samples_waiting_bytes", "Samples that wait", reading.samples_waiting_bytes),
            ("cpu_percent", "Share of one core since the last reading", status.cpu_percent),
            ("memory_bytes", "Resident memory", _times(status.memory_mb, 1e6)),
            ("disk_free_bytes", "Free space at the data folder", _times(status.disk_free_mb, 1e6)),
            ("temperature_celsius", "Hottest sensor of the computer", status.temperature_c),
            ("clock_synchronised", "1 if a time service does so", status.clock_synchronised),
            (
                "clock_error_seconds",
                "Largest error of the clock, by the kernel",
                _times(status.clock_error_ms, 1e-3),
            ),
            ("certificate_days", "Until the client certificate expires", status.certificate_days),
            ("start_time_seconds", "Start of this run, UTC", status.started_ms / 1000),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"auscult_gateway_{name}", about, value=float(value))
        for name, about, value in (
            ("windows", "Windows scored since the start", status.windows_total),
            ("windows_skipped", "Windows left out by overload", status.windows_skipped),
            ("outbox_dropped", "Messages discarded by a full outbox", status.outbox_dropped),
            ("clock_steps", "Changes of the wall clock since the start", status.clock_steps),
        ):
            yield CounterMetricFamily(f"auscult_gateway_{name}", about, value=float(value))
        info = GaugeMetricFamily("auscult_gateway_info", "1", labels=["version"])
        info.add_metric([status.version], 1)
        yield info
        troubles = GaugeMetricFamily("auscult_gateway_trouble", "A failed part", labels=["part"])
        for part in status.troubles:
            troubles.add_metric([part], 1)
        yield troubles
        sources = GaugeMetricFamily("auscult_source_ok", "1 without a fault", labels=["source"])
        for source, said in reading.sources.items():
            sources.add_metric([source], float(_is_well(said)))
        yield sources
        machines = GaugeMetricFamily(
            "auscult_machine_condition",
            "1 for the present condition",
            labels=["machine", "condition"],
        )
        for machine, present in reading.conditions.items():
            for condition in Condition:
                machines.add_metric([machine, str(condition)], float(condition == present))
        yield machines
        yield from _counters(reading.blocks, OF_BLOCKS)
        yield from _counters(reading.values, OF_VALUES)


def _counters(
    of_points: Mapping[PointId, StreamCounts] | Mapping[PointId, ValueCounts],
    families: Families,
) -> Iterator[Metric]:
    """Add up the counts of the points of each machine."""
    for name, about, label, fields in families:
        found: Counter[tuple[str, ...]] = Counter()
        for point, counts in of_points.items():
            for field in fields:
                found[(point.machine, field) if label else (point.machine,)] += getattr(
                    counts, field
                )
        labels = ["machine", label] if label else ["machine"]
        family = CounterMetricFamily(f"auscult_machine_{name}", about, labels=labels)
        for values, count in found.items():
            family.add_metric(values, count)
        yield family


def _is_well(said: Said) -> bool:
    return said.code in ("source_ok", "source_ended")


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
