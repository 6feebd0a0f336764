"""Stores received messages by their kind, and returns what changed for the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from auscult.app.identity import gateway_id, gateway_of
from auscult.app.store import (
    audited,
    cases,
    checkpoints,
    clips,
    commands,
    configurations,
    events,
    evidence,
    gateways,
    labels,
    lost,
    machines,
    run_ups,
    spectra,
    trends,
)
from auscult.app.store.connection import Database
from auscult.app.store.point_trend import Stored, StoredTrend
from auscult.app.store.received import Change, Origin
from auscult.contract.inventory import Configuration, Inventory
from auscult.contract.learning import Checkpoints, Lesson
from auscult.contract.payloads import (
    Acknowledgement,
    Clip,
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    SpectrumMessage,
    Status,
    Trend,
)
from auscult.contract.run_up import RunUpMessage


def store_message(db: Database, origin: Origin, message: Stored) -> list[Change]:
    """Store one message; a repeated or outdated one changes nothing."""
    return _KINDS[type(message)](db, origin, message)


def store_messages(db: Database, messages: Sequence[tuple[Origin, Stored]]) -> list[Change]:
    """Store messages, all trends in one go: they are the most by far."""
    trends.store(db, [(o, message) for o, message in messages if isinstance(message, StoredTrend)])
    return [
        change
        for origin, message in messages
        if not isinstance(message, StoredTrend)
        for change in store_message(db, origin, message)
    ]


def _status(db: Database, origin: Origin, message: Status) -> list[Change]:
    return [Change("gateway", identity) for identity in gateways.store_status(db, origin, message)]


def _inventory(db: Database, origin: Origin, message: Inventory) -> list[Change]:
    changed = gateways.store_inventory(db, origin, message)
    return [Change("machine", identity) for identity in changed]


def _configuration(db: Database, origin: Origin, message: Configuration) -> list[Change]:
    identity = configurations.store(db, origin, message)
    return [Change("gateway", identity)] if identity else []


def _machine_state(db: Database, origin: Origin, message: MachineStateMessage) -> list[Change]:
    identity = machines.store_machine_state(db, origin, message)
    if identity:
        evidence.store(db, identity, message.ts, message.evidence)
    return _of_machine(db, identity) if identity else []


def _of_machine(db: Database, identity: str) -> list[Change]:
    """Return the changes of a machine's state, which its cases show too."""
    of_cases = (Change("case", case) for case in cases.standing(db, identity))
    return [Change("machine", identity), *of_cases]


def _point_state(db: Database, origin: Origin, message: PointStateMessage) -> list[Change]:
    identity = machines.store_point_state(db, origin, message)
    return [Change("point", identity, message.point)] if identity else []


def _event(db: Database, origin: Origin, message: EventMessage) -> list[Change]:
    case = events.store(db, origin, message)
    return [Change("event", message.event_id), Change("case", case)] if case else []


def _lesson(db: Database, origin: Origin, message: Lesson) -> list[Change]:
    identity = labels.store_lesson(db, origin, message)
    if identity is None:
        return []
    return [*_of_label(db, identity), Change("command", identity)]


def _checkpoints(db: Database, origin: Origin, message: Checkpoints) -> list[Change]:
    identity = checkpoints.store(db, origin, message)
    return [Change("machine", identity)] if identity else []


def _trend(db: Database, origin: Origin, message: Trend | StoredTrend) -> list[Change]:
    one = StoredTrend.from_message(message) if isinstance(message, Trend) else message
    trends.store(db, [(origin, one)])
    return []


def _spectrum(db: Database, origin: Origin, message: SpectrumMessage) -> list[Change]:
    spectra.store(db, origin, message)
    return []


def _run_up(db: Database, origin: Origin, message: RunUpMessage) -> list[Change]:
    run_ups.store(db, origin, message)
    return []


def _clip(db: Database, origin: Origin, message: Clip) -> list[Change]:
    identity = clips.store(db, origin, message)
    return [Change("clip", identity)] if identity else []


def _acknowledgement(db: Database, origin: Origin, message: Acknowledgement) -> list[Change]:
    if not commands.answer(db, origin, message):
        return []
    changes = [Change("command", message.id)]
    outcome = audited.DONE if message.ok else f"rejected: {message.text}"
    if message.said is not None and message.said.code == lost.UNKNOWN_EVENT:
        event_id = str(message.said.values.get("event_id"))
        if _note_lost(db, origin, event_id) and message.command == "acknowledge":
            _acknowledge_lost(db, message.id, event_id, origin.now_ms)
            outcome = f"stored here: {message.text}"
    audited.add_answer(db, message.id, origin.now_ms, outcome)
    if message.command in ("label", "report_fault"):
        labels.store_answer(db, origin, message)
        changes += _of_label(db, message.id)
    if message.command == "roll_back" and message.ok:
        changes += _undone_by(db, message.id)
    return changes


def _of_label(db: Database, label_id: str) -> list[Change]:
    """Return the changes of a label that was answered, of those it took back, and of its event."""
    label = labels.view(db, label_id)
    if label is None:
        return [Change("label", label_id)]
    taken_back = labels.taken_back_by(db, label_id, label.event_id)
    return [
        *(Change("label", one) for one in (label_id, *taken_back)),
        Change("event", label.event_id),
        Change("case", cases.of_event(db, label.event_id) or label.event_id),
    ]


def _undone_by(db: Database, command_id: str) -> list[Change]:
    """Return the changes of labels whose lessons a rollback took back, and of their events."""
    command = commands.view(db, command_id)
    if command is None:
        return []
    changes = []
    for label_id, (at_ms, _) in labels.undone(db, {command.machine_id}).items():
        label = labels.view(db, label_id)
        if label is not None and at_ms == command.created_ms:
            case = cases.of_event(db, label.event_id) or label.event_id
            changes += [
                Change("label", label_id), Change("event", label.event_id), Change("case", case)
            ]  # fmt: skip
    return changes


def _note_lost(db: Database, origin: Origin, event_id: str) -> bool:
    """Note an event that its own gateway says it does not have; False if it is another's."""
    machine = events.machine_of(db, event_id)
    if machine is None or gateway_of(machine) != gateway_id(origin.site, origin.gateway):
        return False
    lost.note(db, event_id, origin.now_ms)
    return True


def _acknowledge_lost(db: Database, command_id: str, event_id: str, now_ms: int) -> None:
    command = commands.view(db, command_id)
    if command is not None:
        comment = str(command.args.get("comment", ""))
        lost.acknowledge(db, event_id, now_ms, command.actor, comment)


_KINDS: dict[type[Stored], Callable[[Database, Origin, Any], list[Change]]] = {
    Status: _status,
    Inventory: _inventory,
    Configuration: _configuration,
    MachineStateMessage: _machine_state,
    PointStateMessage: _point_state,
    EventMessage: _event,
    Lesson: _lesson,
    Checkpoints: _checkpoints,
    Trend: _trend,
    StoredTrend: _trend,
    SpectrumMessage: _spectrum,
    RunUpMessage: _run_up,
    Clip: _clip,
    Acknowledgement: _acknowledgement,
}
