"""The audit of rejected requests: a flood must not fill the disk."""

from __future__ import annotations

import time
from types import SimpleNamespace

from auscult.gateway.storage import audit
from auscult.gateway.storage.store import Store


def lines(store: Store) -> list[tuple[str, str, str]]:
    store.write(lambda _: None).result()
    return [tuple(row) for row in store.read("SELECT actor, action, outcome FROM audit")]


def test_rejections_are_audited_at_intervals_with_their_number(store, monkeypatch):
    assert audit.REFUSALS_EACH_S == 10
    clock_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: clock_s, time_ns=time.time_ns)
    monkeypatch.setattr(audit, "time", clock)
    refusals = audit.Refusals(store)
    refusals.count_rejection("scada", "x" * 10_000, "first")
    assert lines(store) == [("scada", "x" * 64, "refused (1): first")], "at once"
    for _ in range(3):
        refusals.count_rejection("scada", "write", "more")
    assert len(lines(store)) == 1
    clock_s = 10.0
    refusals.count_rejection("host", "write", "last")
    assert lines(store)[1:] == [("host", "write", "refused (4): last")]


def test_the_last_lines_are_kept(store, monkeypatch):
    monkeypatch.setattr(audit, "KEPT_AUDIT", 3)
    for number in range(5):
        store.write(lambda db, n=number: audit.audit(db, "a", str(n), "done"))
    assert [action for _, action, _ in lines(store)] == ["2", "3", "4"]
