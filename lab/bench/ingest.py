"""CPU time of the dashboard for each received message, by stage and whole.

``python -m lab.bench.ingest [--messages N] [--postgres] [--plant]`` decodes, stores and receives
the same messages: trends of 97 features of 200 points, with ``--plant`` as many states besides,
as a plant sends them. `whole` is link, ingest, store and receipts in one process, with all
messages waiting at a real Mosquitto. The figures are user and system time of this process,
microseconds a message; `messages/s` is by the clock, with the broker on the same processor.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.app.metrics import DashboardMetrics
from auscult.app.mqtt.decode import decode
from auscult.app.mqtt.ingest import MAX_BATCH, SUBSCRIPTION, Ingest
from auscult.app.mqtt.receipts import Receipts
from auscult.app.settings import DashboardSettings
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_messages
from auscult.app.store.place import place
from auscult.app.store.received import Origin
from auscult.contract.message import now_ms
from auscult.contract.topics import Topics
from auscult.link.link import Link, Received
from lab.bench.flood import FEATURES, POINTS
from tests.app import messages as m
from tests.app.postgres import Cluster
from tests.conftest import Mosquitto

Sent = tuple[str, bytes]


def made(count: int, *, plant: bool) -> list[Sent]:
    """Return topics and payloads, a minute of all points after the other."""
    return list(_plant(count) if plant else _trends(count))


def _trends(count: int) -> Iterator[Sent]:
    topics = Topics("plant", "gw1")
    values = {f"feature_{i:03}": (0.5123 + i, 1.0456 + i, 2.0789 + i) for i in range(FEATURES)}
    units = dict.fromkeys(values, "g")
    begin_ms = m.now_ms() - count // POINTS * 60_000
    for i in range(count):
        minute, point = divmod(i, POINTS)
        machine, name = f"machine-{point // 4}", f"p{point % 4}"
        start_ms = begin_ms + 60_000 * minute
        message = m.trend(machine, name, start_ms, values=values, units=units)
        yield topics.trend(machine, name), message.to_json()


def _plant(count: int) -> Iterator[Sent]:
    """Four trends, four states of points and one of the machine."""
    topics = Topics("plant", "gw1")
    for i, trend in enumerate(_trends(-(-count * 4 // 9))):
        point = i % POINTS
        machine, name = f"machine-{point // 4}", f"p{point % 4}"
        yield trend
        yield topics.point_state(machine, name), m.point_state(machine, name).to_json()
        if point % 4 == 3:
            yield topics.machine_state(machine), m.machine_state(machine).to_json()


def _us(work: Callable[[], object], count: int) -> float:
    begun = time.process_time()
    work()
    return 1e6 * (time.process_time() - begun) / count


def decoding(sent: list[Sent]) -> float:
    """Check payloads, nothing else."""
    return _us(lambda: [decode(topic, payload) for topic, payload in sent], len(sent))


def storing(sent: list[Sent], store: DashboardStore) -> float:
    """Store messages that are decoded, a batch a transaction."""
    decoded = [found for one in sent if (found := decode(*one)) is not None]
    at_ms = now_ms()
    messages = [(Origin(a.site, a.gateway, at_ms, False, a.path), one) for a, one in decoded]

    def work() -> None:
        for start in range(0, len(messages), MAX_BATCH):
            some = messages[start : start + MAX_BATCH]
            store.write(lambda db, some=some: store_messages(db, some))  # type: ignore[misc]

    return _us(work, len(sent))


def waiting(sent: list[Sent], broker: Mosquitto, client: str) -> None:
    """Have the broker keep messages for a client that is away."""
    reader = Link(broker.settings, client, subscriptions=[SUBSCRIPTION], manual_ack=True)
    reader.start()
    assert reader.wait_connected(10)
    time.sleep(0.5)
    reader.stop()
    delivered = threading.Semaphore(0)
    writer = Link(broker.settings, "writer")
    writer.start()
    assert writer.wait_connected(10)
    for topic, payload in sent:
        writer.publish(topic, payload, on_delivered=delivered.release)
    for _ in sent:
        delivered.acquire()
    writer.stop()


def receiving(sent: list[Sent], broker: Mosquitto) -> float:
    """Receive and acknowledge, nothing else."""
    waiting(sent, broker, "reader")
    done = threading.Event()
    found: list[Received] = []
    left = [len(sent)]

    def take(received: Received) -> None:
        found.append(received)
        left[0] -= 1
        if len(found) == MAX_BATCH or not left[0]:
            for one in found:
                one.acknowledge()
            found.clear()
        if not left[0]:
            done.set()

    link = Link(
        broker.settings, "reader", on_message=take, subscriptions=[SUBSCRIPTION], manual_ack=True
    )

    def work() -> None:
        link.start()
        assert done.wait(120), left

    took = _us(work, len(sent))
    link.stop()
    return took


def whole(sent: list[Sent], broker: Mosquitto, store: DashboardStore) -> tuple[float, float]:
    """Receive, store, acknowledge and confirm; return also messages a second."""
    waiting(sent, broker, "dashboard")
    receipts, left = Receipts(Ed25519PrivateKey.generate()), [len(sent)]
    done = threading.Event()

    def confirm(batch: list[tuple[Received, object]]) -> None:
        receipts.confirm(batch)  # type: ignore[arg-type]
        left[0] -= len(batch)
        if left[0] <= 0:
            done.set()

    ingest = Ingest(store, DashboardMetrics(), confirm)  # type: ignore[arg-type]
    link = Link(
        broker.settings,
        "dashboard",
        on_message=ingest.receive,
        subscriptions=[SUBSCRIPTION],
        manual_ack=True,
    )
    receipts.use(link)
    begun = time.monotonic()

    def work() -> None:
        ingest.start()
        link.start()
        assert done.wait(120), left

    took = _us(work, len(sent))
    rate = len(sent) / (time.monotonic() - begun)
    ingest.stop()
    link.stop()
    return took, rate


def stores(url: str | None, folder: Path) -> DashboardStore:
    """Return an empty database."""
    folder.mkdir(exist_ok=True)
    more = {"database": url} if url else {}
    return DashboardStore(place(DashboardSettings(data_dir=folder, **more)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--postgres", action="store_true", help="instead of a SQLite file")
    parser.add_argument("--plant", action="store_true", help="states too")
    asked = parser.parse_args()
    sent = made(asked.messages, plant=asked.plant)
    cluster = Cluster(fsync=True) if asked.postgres else None
    url = cluster.database if cluster is not None else lambda: None
    try:
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            broker = Mosquitto(folder)
            broker.start()
            figures = {"decode": decoding(sent)}
            store = stores(url(), folder / "a")
            figures["store"] = storing(sent, store)
            store.close()
            figures["MQTT"] = receiving(sent, broker)
            store = stores(url(), folder / "b")
            figures["whole"], rate = whole(sent, broker, store)
            store.close()
            broker.stop()
    finally:
        if cluster is not None:
            cluster.remove()
    print(
        ", ".join(f"{name} {us:.0f} us" for name, us in figures.items()), f"{rate:.0f} messages/s"
    )


if __name__ == "__main__":
    main()
