"""Commands to this gateway: checked, stored before they are done, done once, always answered.

A command is confirmed to the broker when it is in the database, and its effect is stored in one
transaction with its answer; where possible, it is stored first and takes effect then. So a kill at
any moment neither loses a command nor does it twice: a repeated command gets the same answer, and
one without an answer is done after the restart.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from auscult.contract.payloads import Acknowledgement, Command, ProblemPart
from auscult.contract.requests import COMMANDS, MAX_COMMAND_BYTES
from auscult.contract.said import Rejection, Said
from auscult.contract.topics import Topics, parse_topic
from auscult.gateway.commands.handler import (
    CommandHandler,
    CommandOutcome,
    CommandRejection,
    invalid_fields,
)
from auscult.gateway.commands.origin import Origins, reported
from auscult.gateway.loop import StoppingError
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.storage import archive
from auscult.gateway.storage.audit import AuditWrite, Refusals
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store, StoreError
from auscult.host.supervised import Supervised, give_way
from auscult.link.link import Received

log = logging.getLogger(__name__)

MAX_WAITING = 1_000
KEPT_COMMANDS = 10_000
CLOCKS_APART_S = 86_400.0
"""A command may expire so much later than its lifetime from now, because clocks differ. A later
expiry is rejected: until then, a copy of the command could be sent."""
RETRY_S = 5.0
"""Pause before commands that failed on a full disk are tried again."""
BESIDE_S = 5.0
"""Longest wait, when the gateway ends, for each command that waits for other devices."""
BETWEEN_S = 1.0
"""How often other work is done between commands."""
NICENESS = 5
"""The window loop and the network go first. Yet a label's few milliseconds come before the minutes
of a baseline (10): a person waits for the answer."""


ID = re.compile(r"[A-Za-z0-9_.:\-]{1,64}")
"""Ids of commands become a level of the answer's topic, so only these characters are allowed."""


class CommandQueue:
    """Receives commands from the broker and does them, one after the other, in its own thread.

    A command that waits for other devices has a thread of its own meanwhile.

    Parameters
    ----------
    store, publisher : Store, Publisher
    topics : Topics
    handlers : iterable of CommandHandler
        They run in this thread, or beside it where `CommandSpec.waits`.
    refusals : Refusals
        Audits messages that are no command.
    between : callable
        Other work of this thread, done about once a second.
    origins : Origins
        Checks in whose name commands from the broker are given.
    """

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        topics: Topics,
        handlers: Iterable[CommandHandler[Any]],
        refusals: Refusals,
        between: Callable[[], None],
        origins: Origins,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._topics = topics
        self._handlers = {handler.spec.name: handler for handler in handlers}
        self._queue: queue.Queue[tuple[Received, bool] | None] = queue.Queue(MAX_WAITING)
        self._refusals = refusals
        self._origins = origins
        self._held_up: dict[str, deque[tuple[CommandHandler[Any], Command]]] = {}
        self._beside: list[threading.Thread] = []
        self._between = between
        self._again_at = 0.0
        self._between_at = 0.0
        self._stopping = threading.Event()
        self.thread = Supervised("commands", self._run, self._stopping)

    @property
    def waiting(self) -> int:
        """Return how many commands wait in memory."""
        return self._queue.qsize() + sum(map(len, self._held_up.values()))

    def start(self) -> None:
        """Do the commands that an earlier process left undone, then new ones."""
        self.thread.start()

    def stop(self) -> None:
        """End after the present command; what waits stays with the broker."""
        self._stopping.set()
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            log.debug("the queue of commands is full; the thread ends after the present one")
        self.thread.join()
        for thread in self._beside:
            thread.join(BESIDE_S)

    def receive(self, message: Received, *, own: bool = False) -> bool:
        """Queue a message of the network thread, if there is room for it; never waits.

        ``own`` marks a command that this gateway made from the action of a SCADA host.
        """
        try:
            self._queue.put_nowait((message, own))
        except queue.Full:
            # The dashboard repeats it. Without the acknowledgement it would hold one of the few
            # places that the broker has for messages on their way, and block all commands.
            message.acknowledge()
            return False
        return True

    def _run(self) -> None:
        give_way(NICENESS)
        self._guarded(self._finish_undone)
        while not self._stopping.is_set():
            with contextlib.suppress(queue.Empty):
                entry = self._queue.get(timeout=self._pause_s())
                if entry is None:
                    return
                self._guarded(lambda e=entry: self._process(*e))  # type: ignore[misc]
            now_s = time.monotonic()
            if self._held_up and now_s >= self._again_at:
                self._guarded(self._try_again)
            if now_s >= self._between_at:
                self._between_at = now_s + BETWEEN_S
                self._guarded(self._between)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreError:
            # Logged by the store. The broker still has the command and will send it again.
            log.debug("a command waits for the database")
        except Exception:
            log.exception("a command could not be processed")

    def _pause_s(self) -> float:
        """Return how long to wait for the next command."""
        next_at = min(self._between_at, self._again_at) if self._held_up else self._between_at
        return max(0.0, next_at - time.monotonic())

    def _finish_undone(self) -> None:
        rows = self._store.read(
            "SELECT name, payload FROM commands WHERE answer IS NULL ORDER BY rowid"
        )
        for name, payload in rows:
            self._guarded(lambda n=name, p=payload: self._finish(n, p))  # type: ignore[misc]

    def _finish(self, name: str, payload: bytes) -> None:
        """Do a command that was stored and not answered; raises if a newer version stored it."""
        handler, command = self._handlers[name], Command.model_validate_json(payload)
        self._begin(handler, command, self._turn(handler, command))

    def _begin(self, handler: CommandHandler[Any], command: Command, turn: str) -> None:
        """Do a stored command: beside the others where it waits for other devices."""
        if not handler.spec.waits:
            self._do_in_turn(handler, command, turn)
            return
        work = partial(self._guarded, partial(self._do_in_time, handler, command))
        self._beside = [thread for thread in self._beside if thread.is_alive()]
        self._beside.append(threading.Thread(target=work, name=handler.spec.name, daemon=True))
        self._beside[-1].start()

    def _do_in_time(self, handler: CommandHandler[Any], command: Command) -> None:
        """Do a command once, unless it expired meanwhile, as after a restart."""
        code = "command_expired_waiting"
        if time.time() * 1000 <= command.expires_ms:
            if self._do(handler, command):
                return
            code = "command_failed"  # it would expire before the next attempt
        self._answer(
            handler.spec.name, command, command.to_json(), CommandOutcome(Said(code)), ok=False
        )

    def _try_again(self) -> None:
        """Do the commands that failed on a full disk, unless they expired."""
        self._again_at = time.monotonic() + RETRY_S
        for turn, waiting in list(self._held_up.items()):
            while waiting:
                handler, command = waiting[0]
                if time.time() * 1000 > command.expires_ms:
                    late = CommandOutcome(Said("command_expired_waiting"))
                    self._answer(handler.spec.name, command, command.to_json(), late, ok=False)
                elif not self._do(handler, command):
                    # To the end, and no more now: other queues come first, and new commands wait.
                    self._held_up[turn] = self._held_up.pop(turn)
                    self._again_at = time.monotonic() + RETRY_S
                    return
                waiting.popleft()
            del self._held_up[turn]
        log.info("the results of commands can be stored again")

    def _do_in_turn(self, handler: CommandHandler[Any], command: Command, turn: str) -> None:
        """Do a stored command, or keep it for another time, without an answer yet."""
        if turn in self._held_up or not self._do(handler, command):
            if not self._held_up:
                self._again_at = time.monotonic() + RETRY_S
            self._held_up.setdefault(turn, deque()).append((handler, command))

    def _turn(self, handler: CommandHandler[Any], command: Command) -> str:
        """Name the queue in which a command waits: a machine's ordered commands share one."""
        if not handler.spec.in_order:
            return command.id
        event_id = command.args.get("event_id")
        machine = archive.machine_of(self._store, event_id) if event_id else None
        return str(machine or command.args.get("machine") or command.id)

    def _process(self, message: Received, own: bool) -> None:
        address = parse_topic(message.topic)
        name = address.item if address and address.item else message.topic
        try:
            command = self._parsed(name, message)
        except CommandRejection as error:
            self._refusals.count_rejection("", name, f"malformed: {error}")
            message.acknowledge()
            return
        if known := self._stored(command.id):
            if answer := known[0]["answer"]:
                again = Acknowledgement.model_validate_json(answer)
                self._publisher.send([self._publication(again)])
        else:
            given, trusted = command, own or self._origins.trusts(command, message.topic)
            if not trusted:
                command = reported(given)
            try:
                if not trusted:
                    self._origins.check(given, message.topic)
                handler = self._checked(name, command, message)
            except CommandRejection as error:
                self._answer(name, command, command.to_json(), CommandOutcome(error.said), ok=False)
            else:
                turn = self._turn(handler, command)
                self._remember(handler, command)
                message.acknowledge()
                self._begin(handler, command, turn)
        message.acknowledge()

    def _parsed(self, name: str, message: Received) -> Command:
        most = COMMANDS[name].max_bytes if name in COMMANDS else MAX_COMMAND_BYTES
        if len(message.payload) > most:
            raise CommandRejection("command_too_large", bytes=len(message.payload), limit=most)
        try:
            command = Command.model_validate_json(message.payload)
        except ValidationError as error:
            raise invalid_fields(error) from error
        if not ID.fullmatch(command.id):
            raise CommandRejection("command_bad_id", id=command.id[:64])
        return command

    def _checked(self, name: str, command: Command, message: Received) -> CommandHandler[Any]:
        if message.retained:
            raise CommandRejection("command_retained")
        handler = self._handlers.get(name)
        if handler is None:
            raise CommandRejection("command_unknown", name=name[:64])
        late_s = time.time() - command.expires_ms / 1000
        if late_s > 0:
            raise CommandRejection("command_expired", late_s=round(late_s))
        longest_s = handler.spec.lifetime_s + CLOCKS_APART_S
        if -late_s > longest_s:
            raise CommandRejection(
                "command_expires_late", ahead_s=round(-late_s), limit_s=round(longest_s)
            )
        try:
            handler.spec.args.model_validate(command.args)
        except ValidationError as error:
            raise invalid_fields(error) from error
        return handler

    def _do(self, handler: CommandHandler[Any], command: Command) -> bool:
        """Do a command and answer it; False if its result can't be stored."""
        name, payload = handler.spec.name, command.to_json()
        try:
            self._answer(name, command, payload, handler.do(command), ok=True)
        except StoppingError:
            # Without an answer it is done after the restart.
            log.debug("command %s waits for the next start", command.id)
        except Rejection as error:
            problems = error.problems if isinstance(error, CommandRejection) else ()
            self._answer(name, command, payload, CommandOutcome(error.said), problems, ok=False)
        except Exception as error:
            if isinstance(error, StoreError | OSError) and not isinstance(error, TimeoutError):
                if not self._held_up:
                    log.error("command %s failed (%s); trying again", command.id, error)
                return False
            log.exception("command %s %s failed", name, command.id)
            failed = CommandOutcome(Said("command_failed"))
            self._answer(name, command, payload, failed, ok=False)
        return True

    def _answer(
        self,
        name: str,
        command: Command,
        payload: bytes,
        outcome: CommandOutcome,
        problems: tuple[ProblemPart, ...] = (),
        *,
        ok: bool,
    ) -> None:
        """Store the answer with all that belongs to it, and send it.

        What has its effect afterwards (`CommandOutcome.then`) raises if it can't be stored.
        """
        acknowledgement = Acknowledgement(
            ts=time.time_ns() // 1_000_000,
            id=command.id,
            command=name[:64],
            ok=ok,
            said=outcome.reason and outcome.reason.portable,
            lesson=outcome.lesson,
            preview=outcome.preview,
            delta=outcome.delta,
            trial=outcome.trial,
            table=outcome.table,
            problems=problems,
        )
        text = _outcome_text(ok, outcome)
        writes = (
            *outcome.writes,
            AnswerWrite(command, name[:64], payload, acknowledgement.to_json()),
            AuditWrite(command.actor, f"{name[:64]} {command.id}", text),
        )
        publications = [*outcome.publications, self._publication(acknowledgement)]
        if outcome.then is not None:
            self._publisher.store(publications, writes)
        else:
            failed = partial(self._answer_not_stored, name, command, payload)
            self._publisher.send(publications, writes, failed if outcome.writes else None)
        log.info("command %s by %s: %s", name[:64], command.actor, text)
        if outcome.then is not None:
            try:
                outcome.then()
            except Exception:
                log.exception("command %s is stored; it takes effect at a restart", command.id)

    def _answer_not_stored(
        self, name: str, command: Command, payload: bytes, _error: Exception
    ) -> None:
        """Answer a command that was done, but whose writes failed; the outbox has logged why."""
        self._answer(name, command, payload, CommandOutcome(Said("command_not_stored")), ok=False)

    def _publication(self, answer: Acknowledgement) -> Publication:
        return Publication(self._topics.acknowledgement(answer.id), answer)

    def _stored(self, command_id: str) -> Sequence[sqlite3.Row]:
        return self._store.read("SELECT answer FROM commands WHERE id = ?", [command_id])

    def _remember(self, handler: CommandHandler[Any], command: Command) -> None:
        row = [command.id, handler.spec.name, command.actor, time.time_ns(), command.to_json()]
        self._store.write(
            lambda db: db.execute("INSERT INTO commands VALUES (?, ?, ?, ?, ?, NULL)", row)
        ).result()


@dataclass(frozen=True, slots=True)
class AnswerWrite:
    """Stores the answer to a command, and discards the oldest answered ones."""

    command: Command
    name: str
    payload: bytes
    answer: bytes

    def write_to(self, db: Database) -> None:
        """Write the answer, in the caller's transaction."""
        db.execute(
            "INSERT INTO commands (id, name, actor, received_ns, payload, answer)"
            " VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET answer = excluded.answer",
            [
                self.command.id, self.name, self.command.actor, time.time_ns(), self.payload,
                self.answer,
            ],
        )  # fmt: skip
        # The oldest by their rows: by the time, a clock that was set back discards the newest.
        db.execute(
            "DELETE FROM commands WHERE answer IS NOT NULL AND rowid <="
            " (SELECT rowid FROM commands ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
            [KEPT_COMMANDS],
        )


def _outcome_text(ok: bool, outcome: CommandOutcome) -> str:
    reason = f": {outcome.reason.text}" if outcome.reason else ""
    return ("done" if ok else "refused") + reason
