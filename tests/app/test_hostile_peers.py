"""Notification beside peers that hang, drip or answer without end: the others do not wait."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from multiprocessing import Pipe
from typing import Any

import psutil
import pytest

from auscult.app.notify import notifier, orders, sending, transport
from auscult.app.notify.notifier import Notifier
from auscult.app.notify.sending import SendError, within_limits
from auscult.app.store import notifications
from auscult.app.store import orders as order_rows
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.notifications import NewDelivery, StoredChannel
from auscult.app.store.orders import StoredSystem
from auscult.app.views import OrderSystem
from auscult.contract.message import now_ms
from tests.app import hostile_peers as peers
from tests.app.receiver import receiving
from tests.waiting import DEADLINE_S, wait_until

MAIL = "from=auscult@plant.example&to=shift@plant.example&mode=insecure"
VALUES = dict.fromkeys(orders.NAMES, "x") | {"priority": "high"}
_RUNNING = Pipe(duplex=False)


def system(address: str) -> StoredSystem:
    atlas = next(one for one in orders.shipped() if one.name == "Atlas CMMS")
    shown = OrderSystem(
        id="cmms", headers=[], actor="ada", changed_ms=0, url=f"http://{address}", template=atlas
    )
    return StoredSystem(shown, {})


def send(scheme: str, address: str) -> str:
    url = f"{scheme}://{address}/" + (f"?{MAIL}" if scheme == "mailto" else "")
    return within_limits(_RUNNING[0], transport.send, url, "subject", "body", None)


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """The first message waits until the server of processes runs."""
    with receiving() as (_, address):
        send("json", address)


def test_processes_begin_with_all_that_they_need():
    """An import that fails in the server of processes is silent: each message costs a second."""
    for module in ("auscult.app.views", "apprise.plugins.email", "requests"):
        loaded = f"str({module!r} in __import__('sys').modules)"
        assert within_limits(_RUNNING[0], eval, loaded) == "True"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "TOTAL_S", 1.0)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that drips holds its message for longer than a test waits."""
    monkeypatch.setattr(sending, "TOTAL_S", 10 * DEADLINE_S)


@pytest.mark.parametrize(
    ("scheme", "answer"),
    [
        ("json", peers.drips_head),
        ("json", peers.drips_body),
        ("mailto", peers.drips_greeting),
        ("mailto", peers.endless_greeting),
    ],
)
def test_a_message_ends_in_time(short, scheme, answer):
    with (
        peers.answering(answer) as address,  # for ever
        pytest.raises(SendError, match=r"within 1 s|exceeds 4 MB"),
    ):
        send(scheme, address)


def peak_mb(stop: Callable[[], bool]) -> float:
    """Return the most memory that this process and its children have, until `stop`."""
    me, most = psutil.Process(), 0
    while not stop():
        total = 0
        for one in (me, *me.children(recursive=True)):
            try:
                total += one.memory_full_info().uss
            except psutil.NoSuchProcess:
                continue
        most = max(most, total)
        time.sleep(0.05)
    return most / 1e6


@pytest.mark.parametrize("scheme", ["json", "order", "mailto"])
def test_an_answer_of_700_mb_takes_no_memory(scheme):
    ended: list[Any] = []

    def work(address: str) -> None:
        try:
            if scheme == "order":
                ended.append(within_limits(_RUNNING[0], orders.post, system(address), VALUES))
            else:
                send(scheme, address)
                ended.append("")
        except SendError as error:
            ended.append(error)

    answer = peers.endless_greeting if scheme == "mailto" else peers.huge
    with peers.answering(answer) as address:
        before = peak_mb(iter([False, True]).__next__)
        thread = threading.Thread(target=work, args=(address,))
        thread.start()
        most = peak_mb(lambda: not thread.is_alive())
    assert most - before < sending.MOST_MEMORY / 1e6 + 20
    if scheme != "mailto":
        assert ended == [""], "its status was success"


@pytest.fixture
def working(opened_store: DashboardStore) -> Iterator[Notifier]:
    one = Notifier(opened_store, lambda: Freshness(now_ms(), 10**9), "http://page", "UTC")
    one.start()
    yield one
    one.stop()


def channel(store: DashboardStore, name: str, address: str) -> None:
    row = StoredChannel(name, name, f"json://{address}/", "en", True, "ada", 0)
    store.write(lambda db: notifications.put_channel(db, row))


def message(
    store: DashboardStore, channel: str, subject: str, reason: str = "opened", **more: Any
) -> None:
    new = NewDelivery(f"{channel}:{subject}", reason, channel, subject, "body", **more)
    store.write(lambda db: notifications.plan(db, new, now_ms()))


def alarm(store: DashboardStore, channel: str, subject: str) -> None:
    message(store, channel, subject, case_id="e1", peak="alarm")


@pytest.mark.usefixtures("endless")
def test_peers_that_hang_delay_no_other_channel(opened_store, working):
    hostile = [peers.drips_head] * 9 + [peers.never, peers.drips_body, peers.huge]
    with ExitStack() as stack:
        for n, answer in enumerate(hostile):
            channel(opened_store, f"bad{n}", stack.enter_context(peers.answering(answer)))
        cmms = system(stack.enter_context(peers.answering(peers.drips_head))).system
        opened_store.write(lambda db: order_rows.put(db, "cmms", cmms, {}, "ada", 0))
        got, address = stack.enter_context(receiving())
        channel(opened_store, "good", address)
        for n in range(len(hostile)):
            for again in range(3):
                alarm(opened_store, f"bad{n}", f"{again}")
        values = '{"priority": "high"}'
        message(opened_store, "cmms", "order", "order", case_id="e1", extra=values)
        working.wake()
        wait_until(lambda: states(opened_store)["sending"] >= 10, what="those that hang")
        for n in range(5):
            alarm(opened_store, "good", f"alarm {n}")
            working.wake()
            wait_until(lambda n=n: len(got) > n, what="the message of the good channel")


def test_alarms_go_first(opened_store, working):
    with receiving() as (got, address):
        channel(opened_store, "c", address)
        message(opened_store, "c", "test", "test")
        message(opened_store, "c", "digest", "digest")
        message(opened_store, "c", "warning", case_id="e1", peak="warning")
        alarm(opened_store, "c", "alarm")
        working.wake()
        wait_until(lambda: len(got) == 4, what="four messages")
        assert [one.body["title"] for one in got] == ["alarm", "warning", "digest", "test"]


@pytest.mark.usefixtures("endless")
def test_a_stop_does_not_wait_for_a_peer_that_hangs(opened_store, monkeypatch):
    monkeypatch.setattr(notifier, "STOP_S", 0.5)
    one = Notifier(opened_store, lambda: Freshness(now_ms(), 10**9), "http://page", "UTC")
    with peers.answering(peers.drips_head) as address:
        channel(opened_store, "c", address)
        alarm(opened_store, "c", "alarm")
        one.start()
        wait_until(lambda: states(opened_store)["sending"], what="the message")
        one.stop()
    assert states(opened_store) == {"waiting": 1}, "the next start sends it"


def states(store: DashboardStore) -> Counter[str]:
    return Counter(one.state for one in notifications.view_newest(store.read(), None, 100))
