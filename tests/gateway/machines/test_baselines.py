"""Earlier baselines, kept for a roll-back."""

from __future__ import annotations

from auscult.gateway.machines import baselines
from auscult.gateway.storage.store import Store


def keep(store: Store, name: str, since_ns: int) -> None:
    state = name.encode()
    store.write(lambda db: baselines.keep(db, "pump", name, state, since_ns, 3)).result()


def names(store: Store) -> list[str]:
    return [one.baseline_id for one in baselines.kept(store, "pump")]


def test_the_newest_are_kept_also_after_the_clock_was_set_back(store):
    for number, name in enumerate("abc"):
        keep(store, name, 1_000 + number)
    keep(store, "d", 1)
    keep(store, "e", 2)
    assert names(store) == ["e", "d", "c"]


def test_a_baseline_that_becomes_active_again_is_the_newest(store):
    for number, name in enumerate("abc"):
        keep(store, name, number)
    keep(store, "a", 0)
    keep(store, "d", 0)
    assert names(store) == ["d", "a", "c"]
    assert baselines.state_of(store, "pump", "a") == b"a"
