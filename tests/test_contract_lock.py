"""A released reader of the public contract continues reading, until the version says otherwise."""

from __future__ import annotations

import pytest

from lab import contract_lock


def test_nothing_that_a_released_reader_relies_on_has_changed():
    released, before = contract_lock.read()
    found = contract_lock.breaks(before, contract_lock.current())
    assert not found or contract_lock.may_break(released, contract_lock.version()), (
        f"released readers of {released} break; keep the field, or raise the version"
    )


def test_the_lock_reads_back_what_it_wrote():
    _, entries = contract_lock.read()
    assert len(entries) > 1000
    assert entries["message EventMessage.event_id"] == "string!"
    assert entries["modbus machine.0"]


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        ({"message A.x": "string"}, {}, True),
        ({"message A.x": "string"}, {"message A.x": "number"}, True),
        ({"message A.x": "string"}, {"message A.x": "string", "message A.y": "string!"}, False),
        ({"command a.x": "string"}, {"command a.x": "string", "command a.y": "string!"}, True),
        ({"command a.x": "string"}, {"command a.x": "string", "command a.y": "string"}, False),
        ({"message A.x": "one of a|b"}, {"message A.x": "one of a|b|c"}, False),
        ({"message A.x": "one of a|b"}, {"message A.x": "one of a"}, True),
    ],
)
def test_a_break_is_a_loss_for_a_reader(before, after, broken):
    assert bool(contract_lock.breaks(before, after)) == broken


@pytest.mark.parametrize(
    ("released", "now", "may"),
    [("0.3.0", "0.3.1", False), ("0.3.0", "0.4.0", True), ("1.2.0", "1.3.0", False),
     ("1.2.0", "2.0.0", True)],
)  # fmt: skip
def test_a_break_needs_a_version_of_its_own(released, now, may):
    assert contract_lock.may_break(released, now) == may
