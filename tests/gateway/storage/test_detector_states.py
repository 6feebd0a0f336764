"""States of detectors: a model is stored once, in two copies; damage costs no more than it must."""

from __future__ import annotations

from random import Random

import pytest

from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store
from auscult.models.baseline.container import join

MODEL, OTHER = Random(1).randbytes(190_000), Random(2).randbytes(190_000)


def save(store: Store, state: bytes, stream_ns: int, machine: str = "pump") -> None:
    store.write(lambda db: detector_states.save(db, machine, state, stream_ns)).result()


def states(store: Store) -> list[tuple[bytes, int]]:
    return [(one.state, one.stream_ns) for one in detector_states.good_states(store, "pump")]


def models(store: Store) -> int:
    return int(store.read("SELECT count(*) FROM detector_models")[0][0])


def written(store: Store, saves: int) -> int:
    """Bytes of the log, which holds every page that was written."""
    log = store.path.with_name(f"{store.path.name}-wal")
    before = log.stat().st_size
    for number in range(saves):
        save(store, join(b"state %d" % number, MODEL), number)
    return log.stat().st_size - before


def test_a_model_is_written_once(store):
    save(store, join(b"first", MODEL), 1)
    assert written(store, 5) < 5 * 50_000, "five states with their pages, without the model"
    assert models(store) == detector_states.COPIES
    assert states(store) == [(join(b"state %d" % n, MODEL), n) for n in (4, 3, 2)]


def test_models_that_no_state_has_are_deleted_of_this_machine_only(store):
    save(store, join(b"fan", OTHER), 1, "fan")
    save(store, join(b"old", OTHER), 1)
    for number in range(2, 2 + detector_states.KEPT):
        assert models(store) == (4 if number == 2 else 6)
        save(store, join(b"new", MODEL), number)
    assert models(store) == 4


def test_a_state_of_an_older_version_holds_its_own_model(store):
    save(store, b"AUSC of an older version", 7)
    assert states(store) == [(b"AUSC of an older version", 7)]
    assert models(store) == 0


def damage(store: Store, copy: int) -> None:
    """Damage a copy of the newest state's model."""
    update = (
        "UPDATE detector_models SET model = zeroblob(9) WHERE copy = ? AND sha256 ="
        " (SELECT model_sha256 FROM detector_states ORDER BY id DESC LIMIT 1)"
    )
    store.write(lambda db: db.execute(update, [copy])).result()


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_copies_damaged_one_after_the_other_cost_nothing(store, first, second):
    for number, copy in enumerate((first, second)):
        save(store, join(b"state %d" % number, MODEL), number)
        damage(store, copy)
        assert states(store)[0] == (join(b"state %d" % number, MODEL), number)


def test_a_damaged_copy_of_a_model_costs_nothing_and_both_only_their_states(store, caplog):
    save(store, join(b"old", OTHER), 1)
    save(store, join(b"new", MODEL), 2)
    damage(store, 0)
    assert states(store) == [(join(b"new", MODEL), 2), (join(b"old", OTHER), 1)]
    assert "copy 0 of its model is damaged" in caplog.text
    save(store, join(b"newer", MODEL), 3)
    caplog.clear()
    assert states(store)[0] == (join(b"newer", MODEL), 3)
    assert not caplog.text, "the copy is whole again"
    damage(store, 0)
    damage(store, 1)
    assert states(store) == [(join(b"old", OTHER), 1)]


def test_a_stream_goes_on_behind_all_that_was_published(store):
    """A time that comes twice would overwrite trends that the dashboard has."""
    assert detector_states.stream_end_ns(store, "pump") == 0
    for end_ns in (7, 5):
        store.write(detector_states.StreamEndWrite("pump", end_ns).write_to).result()
    assert detector_states.stream_end_ns(store, "pump") == 7
    save(store, join(b"state", MODEL), 9)
    assert detector_states.stream_end_ns(store, "pump") == 9
    assert detector_states.stream_end_ns(store, "fan") == 0
