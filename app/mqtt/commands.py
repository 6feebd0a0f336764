"""Sends commands to gateways and waits for answers; each stored command is sent until it ends.

A command is stored first, sent when there is a broker, and sent again while its gateway is
online and silent, until it is answered or its time is over. The gateway does a command once,
however often it comes.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.app.identity import GATEWAY_PARTS, gateway_of, parts
from auscult.app.people import audit
from auscult.app.people.audit import Action
from auscult.app.people.sessions import Person
from auscult.app.store import audited, cases, commands, labels
from auscult.app.store.commands import NewCommand
from auscult.app.store.connection import WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.received import Change
from auscult.app.worker import Worker
from auscult.contract import requests
from auscult.contract.label import Label
from auscult.contract.message import now_ms
from auscult.contract.payloads import Command as CommandMessage
from auscult.contract.requests import (
    AcknowledgeArgs,
    ArgsT,
    CheckRepairArgs,
    CommandSpec,
    LabelArgs,
    ReportFaultArgs,
)
from auscult.contract.topics import Topics
from auscult.link.link import Link
from auscult.link.signing import signed

log = logging.getLogger(__name__)

RESEND_S = (30.0, 3600.0)
"""First and longest pause before a silent gateway is asked again; it doubles."""
LOOK_EACH_S = 2.0
"""How often waiting commands are checked without another cause."""


class CommandSender:
    """Stores, sends and resends commands; made on the server's event loop.

    Parameters
    ----------
    store : DashboardStore
    link : Link
    key : Ed25519PrivateKey
        Signs the commands.
    """

    def __init__(self, store: DashboardStore, link: Link, key: Ed25519PrivateKey) -> None:
        self._store = store
        self._key = key
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._answered: dict[str, set[asyncio.Event]] = {}
        self._worker = Worker("commands", self._look, LOOK_EACH_S)

    def start(self) -> None:
        """Begin to send what waits."""
        self._worker.start()

    def stop(self) -> None:
        """Stop sending; what waits is sent after the next start."""
        self._worker.stop()

    def wake(self) -> None:
        """Look at waiting commands now: some were stored, or the broker or a gateway is back."""
        self._worker.wake()

    def notice(self, changes: Iterable[Change]) -> None:
        """Wake the requests that wait for a changed command; any thread may call it."""
        changed = [change.id for change in changes if change.kind == "command"]
        if changed:
            self._loop.call_soon_threadsafe(self._notice, changed)

    async def send_report(
        self, machine_id: str, label: Label, args: ReportFaultArgs, person: Person, wait_s: float
    ) -> bool:
        """Store and send a missed fault and the label that it is, as `send_label` does."""
        spec = requests.Commands.REPORT_FAULT
        return await self._send_label(machine_id, label, spec, args, person, wait_s)

    async def send_label(
        self,
        machine_id: str,
        label: Label,
        person: Person,
        wait_s: float,
        work_s: int | None = None,
    ) -> bool:
        """Store and send a label, wait up to `wait_s` for its answer; False if it is known.

        The acknowledgement of its case is stored with it: neither is without the other. `work_s` is
        the length of planned work (`LabelArgs`).

        Raises
        ------
        IdTakenError
            If the id was used for something else.
        StoreUnavailableError
        """
        args = LabelArgs(
            event_id=label.event_id,
            verdict=label.verdict,
            kind=label.kind,
            note=label.note,
            work_s=work_s,
        )
        spec = requests.Commands.LABEL
        return await self._send_label(machine_id, label, spec, args, person, wait_s)

    async def _send_label(
        self,
        machine_id: str,
        label: Label,
        spec: CommandSpec[ArgsT],
        args: ArgsT,
        person: Person,
        wait_s: float,
    ) -> bool:
        command = _new(label.label_id, machine_id, spec, label.actor, args)

        def job(db: WritableDatabase) -> bool:
            added = _add(db, command, person)
            if added:
                labels.add(db, machine_id, label)
                db.announce([Change("label", label.label_id), Change("event", label.event_id)])
                case_id = cases.of_event(db, label.event_id)
                if case_id is not None:
                    begin_ms = command.created_ms + 1
                    _acknowledge(db, case_id, person, label.note, uuid.uuid4().hex, begin_ms)
            return added

        return await self._store_and_wait(command.id, job, wait_s)

    async def acknowledge_case(
        self, case_id: str, person: Person, comment: str, wait_s: float = 0
    ) -> None:
        """Acknowledge the events of a case that wait; wait up to `wait_s` for the last.

        Raises
        ------
        StoreUnavailableError
        """
        last = uuid.uuid4().hex

        def job(db: WritableDatabase) -> bool:
            return _acknowledge(db, case_id, person, comment, last, now_ms())

        await self._store_and_wait(last, job, wait_s)

    def close_case(
        self, db: WritableDatabase, case_id: str, person: Person, comment: str, repaired: bool
    ) -> None:
        """Acknowledge what waits; after a repair, have the machine compared with before it."""
        now, waiting = now_ms(), cases.waiting_events(db, case_id)
        _acknowledge(db, case_id, person, comment, uuid.uuid4().hex, now)
        if repaired:
            # after the acknowledgements: commands are sent in the order of their times
            self.check_repair(db, case_id, person, now + len(waiting))

    def check_repair(
        self, db: WritableDatabase, case_id: str, person: Person, created_ms: int
    ) -> None:
        """Have a machine compared with before its repair, by the case's newest event."""
        row, event_id = cases.row(db, case_id), cases.newest_event(db, case_id)
        if row is not None and event_id is not None:
            args = CheckRepairArgs(event_id=event_id)
            spec = requests.Commands.CHECK_REPAIR
            check = _new(uuid.uuid4().hex, row["machine_id"], spec, person.name, args)
            _add(db, replace(check, created_ms=created_ms), person)

    async def send(
        self,
        identity: str,
        target: str,
        spec: CommandSpec[ArgsT],
        person: Person,
        args: ArgsT,
        wait_s: float,
    ) -> bool:
        """Store and send a command, wait up to `wait_s` for its answer; False if it is known.

        `target` is the id of a machine, or of a gateway for what concerns it whole.

        Raises
        ------
        IdTakenError
            If the id was used for something else.
        StoreUnavailableError
        """
        command = _new(identity, target, spec, person.name, args)
        return await self._store_and_wait(identity, lambda db: _add(db, command, person), wait_s)

    def post(
        self,
        identity: str,
        target: str,
        spec: CommandSpec[ArgsT],
        person: Person,
        args: ArgsT,
        also: Callable[[WritableDatabase], None],
    ) -> None:
        """Store a command together with what else belongs to it, and send it without waiting."""
        command = _new(identity, target, spec, person.name, args)

        def job(db: WritableDatabase) -> None:
            if _add(db, command, person):
                also(db)

        self._store.write(job)
        self._worker.wake()

    async def _store_and_wait(
        self, identity: str, job: Callable[[WritableDatabase], bool], wait_s: float
    ) -> bool:
        answered = asyncio.Event()
        self._answered.setdefault(identity, set()).add(answered)
        try:
            added = await asyncio.to_thread(self._store.write, job)
            if added:
                self._worker.wake()
            try:
                async with asyncio.timeout(wait_s):
                    while await self._is_waiting(identity):
                        await answered.wait()
                        answered.clear()
            except TimeoutError:
                pass
            return added
        finally:
            self._answered[identity].discard(answered)
            if not self._answered[identity]:
                del self._answered[identity]

    async def _is_waiting(self, identity: str) -> bool:
        command = await asyncio.to_thread(lambda: commands.view(self._store.read(), identity))
        return command is not None and command.state in ("pending", "sent")

    def _notice(self, changed: list[str]) -> None:
        for identity in changed:
            for event in self._answered.get(identity, ()):
                event.set()

    def _look(self) -> None:
        now = now_ms()
        waiting = commands.waiting(self._store.read())
        if any(entry.command.expires_ms <= now for entry in waiting):
            self._store.write(partial(_expire, now=now))
        for entry in waiting:
            command = entry.command
            if command.expires_ms > now and _due(entry, now) and self._publish(entry):
                self._store.write(partial(_mark_sent, identity=command.id, now=now))

    def _publish(self, entry: commands.Waiting) -> bool:
        command = entry.command
        message = CommandMessage(
            ts=now_ms(),
            id=command.id,
            actor=command.actor,
            expires_ms=command.expires_ms,
            args=entry.args,
        )
        site, gateway = parts(command.gateway_id)
        topic = Topics(site, gateway, entry.path).command(command.name)
        return self._link.publish(topic, signed(message, topic, self._key).to_json())


def _add(db: WritableDatabase, command: NewCommand, person: Person) -> bool:
    added = commands.add(db, command)
    if added:
        target = command.machine_id or command.gateway_id
        subject = audited.describe(db, target, command.name, command.args)
        audit.add(
            db,
            Action(
                command.created_ms, person.name, person.address, command.name, subject, audited.SENT
            ),
        )
        db.announce([Change("command", command.id)])
    return added


def _acknowledge(
    db: WritableDatabase, case_id: str, person: Person, comment: str, last: str, begin_ms: int
) -> bool:
    """Acknowledge each event of a case that waits, up to its present condition; False if none does.

    Parameters
    ----------
    last : str
        Id of the last command.
    begin_ms : int
        Time of the first command: they are sent in the order of their times.
    """
    row, waiting = cases.row(db, case_id), cases.waiting_events(db, case_id)
    if row is None:
        return False
    for i, event_id in enumerate(waiting):
        args = AcknowledgeArgs(event_id=event_id, comment=comment, seen=row["peak_condition"])
        identity = last if event_id == waiting[-1] else uuid.uuid4().hex
        spec = requests.Commands.ACKNOWLEDGE
        command = _new(identity, row["machine_id"], spec, person.name, args)
        _add(db, replace(command, created_ms=begin_ms + i), person)
    return bool(waiting)


def _expire(db: WritableDatabase, now: int) -> None:
    for identity in commands.expire(db, now):
        audited.add_answer(db, identity, now, audited.NO_ANSWER)
        db.announce(_changes(identity))


def _mark_sent(db: WritableDatabase, identity: str, now: int) -> None:
    commands.mark_sent(db, identity, now)
    db.announce(_changes(identity))


def _due(entry: commands.Waiting, now: int) -> bool:
    """Tell whether to send now: the first time always, later only to a gateway that is online."""
    if entry.sent_ms is None:
        return True
    pause_s = min(RESEND_S[0] * 2 ** (entry.command.attempts - 1), RESEND_S[1])
    return entry.gateway_online and now - entry.sent_ms >= 1000 * pause_s


def _changes(identity: str) -> list[Change]:
    return [Change("command", identity), Change("label", identity)]


def _new(
    identity: str, target: str, spec: CommandSpec[ArgsT], actor: str, args: ArgsT
) -> NewCommand:
    now = now_ms()
    given: dict[str, Any] = args.model_dump(mode="json", exclude_none=True)
    # a null without a default is a value: `limits` of None are those of the configuration
    given |= {
        field: None
        for field, about in type(args).model_fields.items()
        if about.is_required() and getattr(args, field) is None
    }
    of_machine = len(parts(target)) > len(GATEWAY_PARTS)
    return NewCommand(
        id=identity,
        gateway_id=gateway_of(target) if of_machine else target,
        machine_id=target if of_machine else "",
        name=spec.name,
        actor=actor,
        args=given,
        created_ms=now,
        expires_ms=now + int(1000 * spec.lifetime_s),
    )
