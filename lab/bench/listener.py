"""A subscriber beside the benchmark: measures the latency of each decision."""

from __future__ import annotations

import json
import time
from types import TracebackType

from auscult.contract.topics import ROOT
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received
from lab.bench.workload import FS_HZ, N


class Listener:
    """Receives the states of the plant that plays in real time, while the context lasts.

    ``received`` holds (time of arrival in ms since 1970, ms since the window's last sample).
    """

    def __init__(self, port: int) -> None:
        self.received: list[tuple[float, float]] = []
        self._link = Link(
            BrokerSettings(port=port), "bench-listener", on_message=self._take,
            subscriptions=[f"{ROOT}/bench/real_time/+/+/state"], persistent=False,
        )  # fmt: skip

    def __enter__(self) -> Listener:
        self._link.start()
        self._link.wait_connected(5)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._link.stop()

    def late_ms(self, after_ns: int) -> list[float]:
        """Return the latencies of what arrived after a time."""
        return [late_ms for at_ms, late_ms in self.received if at_ms > after_ns / 1e6]

    def _take(self, message: Received) -> None:
        now_ms = time.time_ns() / 1e6
        body = json.loads(message.payload)
        self.received.append((now_ms, now_ms - body["window_ms"] - N / FS_HZ * 1e3))
