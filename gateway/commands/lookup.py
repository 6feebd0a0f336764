"""Find what a command names, or reject it."""

from __future__ import annotations

from collections.abc import Mapping

from auscult.gateway.commands.handler import CommandRejection
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.records import PointId
from auscult.gateway.storage import archive
from auscult.gateway.storage.store import Store
from auscult.models.learning.head_updater import HeadUpdater

Machines = Mapping[str, MonitoredMachine]


def machine_named(machines: Machines, machine_id: str) -> MonitoredMachine:
    """Return a machine by its id."""
    if machine_id not in machines:
        raise CommandRejection("machine_unknown", machine=machine_id)
    return machines[machine_id]


def machine_of_event(store: Store, machines: Machines, event_id: str) -> MonitoredMachine:
    """Return the machine of an event, or of a question."""
    machine_id = archive.machine_of(store, event_id)
    if machine_id is None:
        asked = (id_ for id_, one in machines.items() if one.learning.question(event_id))
        machine_id = next(asked, None)
    if machine_id is None or machine_id not in machines:
        raise CommandRejection("event_unknown", event_id=event_id)
    return machines[machine_id]


def point_named(machines: Machines, machine_id: str, point: str) -> PointId:
    """Return a point by the ids of machine and point."""
    if point not in machine_named(machines, machine_id).detector.specs:
        raise CommandRejection("point_unknown", machine=machine_id, point=point)
    return PointId(machine_id, point)


def updater_of(machine: MonitoredMachine) -> HeadUpdater:
    """Return what updates a machine's heads; it needs a baseline."""
    if machine.head_updater is None:
        raise CommandRejection("no_baseline_yet", machine=machine.id)
    return machine.head_updater
