"""A broker outage of 30 days: the size of the outbox, and how it empties afterwards.

A plant's real messages are made first: half an hour of stream, played as fast as possible with the
link down. One point's 30 days at the default rates are then stored, hour by hour of a clock that is
set. A plant of n points is one point whose outbox has the n-th part of the bound: all points weigh
the same.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
from ulid import ULID

from auscult.contract.payloads import Trend
from auscult.contract.times import HOUR_NS
from auscult.contract.topics import Topics
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outbox_rows import packed
from auscult.gateway.storage.outgoing import Lane, Outgoing
from auscult.gateway.storage.store import Store
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received
from lab.bench.gateway_worker import POINTS_A_MACHINE, Load, plant_of
from lab.bench.timing import Figure, pin

STREAM_S = 1800.0
HOURS = 30 * 24
SPECTRUM_EACH_S = 0.5
"""Time in which messages are made: enough spectra of each kind to know their size."""
POINTS = (1, 16, 256)
BYTES_PER_MB = 1e6
UNBOUNDED = 10**12
BACKLOG = 20_000
LIVE_S = 0.02
TOPICS = Topics("bench", "outage")
STATE, EVENT = f"{TOPICS.base}/live/state", f"{TOPICS.base}/live/event"
RATES = {
    name: float(GatewaySection.model_fields[name].default)
    for name in ("outbox_max_mb", "trend_interval_s", "spectrum_interval_s")
}


@dataclass(frozen=True, slots=True)
class Kept:
    """Content of the outbox of a point after 30 days."""

    size_bytes: int
    minutes: int
    """Trends as sent."""
    hours: int
    """Trends that are joined, each of up to an hour."""
    dropped: int


def figures(port: int, state: bytes) -> list[Figure]:
    """Measure sizes, and the emptying over the broker; takes some minutes."""
    load = Load(POINTS_A_MACHINE, STREAM_S, 0.0, port, state, spectrum_interval_s=SPECTRUM_EACH_S)
    context = multiprocessing.get_context("spawn")
    with _Ear(port) as ear, context.Pool(1) as pool:
        messages = pool.apply(messages_without_broker, (load,))
        found = [Figure(f"outbox_kb_{kind}", kb, "kB") for kind, kb in _sizes_kb(messages)]
        whole = pool.apply(thirty_days, (messages, UNBOUNDED))
        found.append(Figure("outbox_mb_a_point_in_30_days", whole.size_bytes / BYTES_PER_MB, "MB"))
        for points in POINTS:
            # The default bound, and twice, four times … as much where that loses something.
            for bound_mb in (RATES["outbox_max_mb"] * 2**k for k in range(10)):
                bound_bytes = int(bound_mb * BYTES_PER_MB / points)
                held = pool.apply(thirty_days, (messages, bound_bytes))
                found += _at(points, round(bound_mb), held)
                if not held.dropped:
                    break
        rate, began_ns, ended_ns = pool.apply(drain, (port, messages))
        found.append(Figure("outbox_drain_per_s", rate, "messages/s"))
        for name, late_ms in ear.late_ms(began_ns, ended_ns):
            found += [
                Figure(
                    f"live_{name}_p99_ms_while_draining", float(np.percentile(late_ms, 99)), "ms"
                ),
                Figure(f"live_{name}_max_ms_while_draining", max(late_ms), "ms"),
            ]
    return found


def _at(points: int, bound_mb: int, kept: Kept) -> list[Figure]:
    name = f"30_days_at_{points}_of_{bound_mb}_mb"
    minutes_days = kept.minutes * RATES["trend_interval_s"] / 86_400
    return [
        Figure(f"outbox_mb_{name}", kept.size_bytes * points / BYTES_PER_MB, "MB"),
        Figure(f"outbox_days_of_minutes_{name}", minutes_days, "d"),
        Figure(f"outbox_days_of_hours_{name}", kept.hours / 24, "d"),
        Figure(f"outbox_dropped_{name}", float(kept.dropped * points), "messages"),
    ]


def _sizes_kb(messages: Sequence[Outgoing]) -> list[tuple[str, float]]:
    """Mean size of each kind of message as it is stored, by the end of its topic."""
    sizes: dict[str, list[int]] = {}
    for message in messages:
        sizes.setdefault(message.topic.rpartition("/")[2], []).append(len(packed(message.payload)))
    return [(kind, sum(own) / len(own) / 1e3) for kind, own in sorted(sizes.items())]


def messages_without_broker(load: Load) -> list[Outgoing]:
    """Play without the broker; return the messages in the outbox."""
    with tempfile.TemporaryDirectory() as folder:
        plant = plant_of(load, Path(folder), "outage")
        plant.away()
        plant.play(load.stream_s, pace=0)
        messages = plant.waiting()
        plant.close()
    return messages


def thirty_days(messages: Sequence[Outgoing], bound_bytes: int) -> Kept:
    """Store one point's trends and spectra of 30 days, an hour at a time."""
    start_ns = time.time_ns() // HOUR_NS * HOUR_NS - HOURS * HOUR_NS
    now_ns = start_ns
    trends = cycle([Trend.read(m.payload) for m in messages if m.topic.endswith("/trend")])
    spectra = [m for m in messages if m.topic.endswith("/spectrum")][:2]
    an_hour, spectrum_hours = (
        round(3600 / RATES["trend_interval_s"]),
        RATES["spectrum_interval_s"] / 3600,
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        away = Link(BrokerSettings(), "bench-away")
        outbox = Outbox(store, away, bound_bytes, now_ns=lambda: now_ns)
        for hour in range(HOURS):
            now_ns = start_ns + hour * HOUR_NS
            said = [_minute(next(trends), now_ns // 10**6 + i * 60_000) for i in range(an_hour)]
            if hour % spectrum_hours == 0:
                said += [Outgoing(str(ULID()), m.topic, m.payload, Lane.TREND) for m in spectra]
            outbox.put(said).result()
        [(size,)] = store.read("SELECT bytes FROM outbox_size")
        [(minutes, hours)] = store.read(
            "SELECT sum(held = 1), sum(held = 2) FROM outbox WHERE topic LIKE '%/trend'"
        )
        kept = Kept(int(size), int(minutes or 0), int(hours or 0), outbox.dropped)
        store.close()
    return kept


def _minute(trend: Trend, start_ms: int) -> Outgoing:
    """Make a trend of a minute from a real one."""
    end_ms = start_ms + round(RATES["trend_interval_s"] * 1e3)
    made = trend.model_copy(
        update={
            "id": str(ULID()), "ts": end_ms, "start_ms": start_ms, "end_ms": end_ms,
            "machine": "m0", "point": "p0",
        }
    )  # fmt: skip
    return Outgoing(made.id, TOPICS.trend("m0", "p0"), made.to_json(), Lane.TREND, made.id)


def drain(port: int, messages: Sequence[Outgoing]) -> tuple[float, int, int]:
    """Send a backlog of trends, on one core, while live states and events are published.

    Returns
    -------
    tuple
        Messages a second of real time, and when it began and ended (UTC, ns).
    """
    pin()
    trends = cycle([m for m in messages if m.topic.endswith("/trend")])
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))

        def connected() -> None:
            states.connected()
            outbox.connected()

        link = Link(BrokerSettings(port=port), "bench-outage", on_connected=connected)
        outbox, states = Outbox(store, link, UNBOUNDED), RetainedStates(link)
        for _ in range(BACKLOG // 100):
            outbox.put(
                [Outgoing(str(ULID()), m.topic, m.payload, Lane.TREND)
                 for m, _ in zip(trends, range(100), strict=False)]
            ).result()  # fmt: skip
        drained = threading.Event()
        live = threading.Thread(target=_say_live, args=(states, outbox, drained))
        link.start()
        link.wait_connected(5)
        outbox.start()
        began_ns = time.time_ns()
        live.start()
        while store.read("SELECT 1 FROM outbox WHERE lane = ? LIMIT 1", [int(Lane.TREND)]):
            time.sleep(0.02)
        ended_ns = time.time_ns()
        drained.set()
        live.join()
        link.stop()
        outbox.stop()
        store.close()
    return BACKLOG / (ended_ns - began_ns) * 1e9, began_ns, ended_ns


def _say_live(states: RetainedStates, outbox: Outbox, drained: threading.Event) -> None:
    while not drained.wait(LIVE_S):
        now = str(time.time_ns()).encode()
        states.put(STATE, now)
        outbox.put([Outgoing(str(ULID()), EVENT, now, Lane.EVENT)])


class _Ear:
    """Receives live messages; their payload is the time of publication (UTC, ns)."""

    def __init__(self, port: int) -> None:
        self._heard: list[tuple[str, int, int]] = []
        self._link = Link(
            BrokerSettings(port=port), "bench-ear", on_message=self._take,
            subscriptions=[STATE, EVENT], persistent=False,
        )  # fmt: skip

    def __enter__(self) -> _Ear:
        self._link.start()
        self._link.wait_connected(5)
        return self

    def __exit__(self, *_: object) -> None:
        self._link.stop()

    def _take(self, message: Received) -> None:
        self._heard.append((message.topic, int(message.payload), time.time_ns()))

    def late_ms(self, began_ns: int, ended_ns: int) -> list[tuple[str, list[float]]]:
        """Return the latencies of the messages published in that time, by kind."""
        late: dict[str, list[float]] = {"state": [], "event": []}
        for topic, said_ns, heard_ns in self._heard:
            if began_ns <= said_ns <= ended_ns:
                late[topic.rpartition("/")[2]].append((heard_ns - said_ns) / 1e6)
        return [(name, own) for name, own in late.items() if own]
