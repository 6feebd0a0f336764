"""Numbers for Prometheus about the dashboard itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from auscult.app.store.connection import StoreUnavailableError

disable_created_metrics()  # type: ignore[no-untyped-call]
# the start time of a counter has no use here

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class DashboardMetrics:
    """The counters of one dashboard, and what it looks up in its database at each scrape."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._stored = CollectorRegistry()
        self.received = Counter(
            "auscult_dashboard_messages_received_total",
            "Messages received and understood",
            ["kind"],
            registry=self.registry,
        )
        self.rejected = Counter(
            "auscult_dashboard_messages_rejected_total",
            "Messages that could not be used",
            ["reason"],
            registry=self.registry,
        )
        self.store_failures = Counter(
            "auscult_dashboard_store_failures_total",
            "Batches that could not be stored at once",
            registry=self.registry,
        )

    def gauge(
        self, name: str, description: str, value: Callable[[], float], *, stored: bool = False
    ) -> None:
        """Add a number that is asked for at each scrape; ``stored`` if the database has it."""
        registry = self._stored if stored else self.registry
        Gauge(f"auscult_dashboard_{name}", description, registry=registry).set_function(value)

    def counts(
        self, name: str, description: str, label: str, values: Callable[[], dict[str, int]]
    ) -> None:
        """Add numbers of the database by a label that are asked for at each scrape."""
        self._stored.register(_Counts(f"auscult_{name}", description, label, values))

    def text(self) -> bytes:
        """Return all in Prometheus' text format; while the database is away, all but its own."""
        ours = generate_latest(self.registry)
        try:
            return ours + generate_latest(self._stored)
        except StoreUnavailableError:
            return ours


class _Counts(Collector):
    def __init__(
        self, name: str, description: str, label: str, values: Callable[[], dict[str, int]]
    ) -> None:
        self._name = name
        self._description = description
        self._label = label
        self._values = values

    def describe(self) -> Iterable[Metric]:
        return []  # asked for at registration, when there is nothing to read yet

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(self._name, self._description, labels=[self._label])
        for value, count in self._values().items():
            family.add_metric([value], count)
        yield family
