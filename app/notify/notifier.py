"""Plans messages and delivers them, each channel by itself, retrying those that fail."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from multiprocessing import Pipe
from typing import Any, Final
from zoneinfo import ZoneInfo

from auscult.app.cases import compose, prescriptions
from auscult.app.notify import message, regular, rules, transport
from auscult.app.notify import orders as work_orders
from auscult.app.notify.sending import SendError, within_limits
from auscult.app.people import audit
from auscult.app.people.audit import Action
from auscult.app.store import cases, notifications, orders, report_schedules
from auscult.app.store.cases import NewEntry
from auscult.app.store.connection import StoreUnavailableError, WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.notifications import NewDelivery, StoredChannel
from auscult.app.store.received import Change
from auscult.app.views import Case, CaseList
from auscult.app.worker import Worker
from auscult.contract.message import now_ms

log = logging.getLogger(__name__)

LOOK_EACH_S: Final = 5.0
"""How often a process looks for what another one has changed."""
DELIVER_EACH_S: Final = 1.0
"""A message that is due waits this long at most."""
FOLD_MS: Final = 3000
"""A message about a case waits so long for other machines with the same cause."""
HELD: Final = ("opened", "worse", "again", "escalated")
"""Reasons of messages about cases."""
RETRY_S: Final = (30, 120, 600, 1800, 3600, 7200, 14_400, 28_800)
"""Pauses before further attempts; after the last one the message has failed (16 hours)."""
MOST_AT_ONCE: Final = 24
"""Messages that are sent at the same time, one a channel: each is a process (3 MB, two tasks)."""
STOP_S: Final = 5.0
"""How long a stop waits for messages that are being sent; the rest is sent after the next start."""
ACTOR: Final = "auscult"


class Notifier:
    """Plans what the rules want, and delivers what is planned.

    Parameters
    ----------
    store : DashboardStore
    freshness : callable
        Gives the limits of staleness now.
    page : str
        Address of the page in messages, without a final slash; empty = none is known.
    time_zone : str
        Of shifts, quiet hours and times in messages (IANA).
    """

    def __init__(
        self, store: DashboardStore, freshness: Callable[[], Freshness], page: str, time_zone: str
    ) -> None:
        self._store = store
        self._freshness = freshness
        self._page = page.rstrip("/")
        self._zone = ZoneInfo(time_zone)
        self._planner = Worker("planner of messages", self.plan, LOOK_EACH_S)
        self._deliverer = Worker("notifier", self.deliver, DELIVER_EACH_S)
        self._sending: dict[str, threading.Thread] = {}
        """By channel, what it sends."""
        self._stopped, self._stop = Pipe(duplex=False)

    def start(self) -> None:
        """Begin to plan and deliver."""
        self._planner.start()
        self._deliverer.start()

    def stop(self) -> None:
        """Stop after the messages that are being sent, or after `STOP_S`."""
        self._planner.stop()
        self._deliverer.stop()
        end = time.monotonic() + STOP_S
        for thread in list(self._sending.values()):
            thread.join(max(end - time.monotonic(), 0))
        self._stop.close()  # ends the sendings that are left
        for thread in list(self._sending.values()):
            thread.join()

    def wake(self) -> None:
        """Look now: something was planned, or is to be planned."""
        self._planner.wake()
        self._deliverer.wake()

    def now(self) -> datetime:
        """Return the time in the plant's zone."""
        return datetime.fromtimestamp(now_ms() / 1000, self._zone)

    def plan(self) -> None:
        """Store the messages that the rules want now."""
        self._plan_cases()
        self._plan_reports()

    def _plan_cases(self) -> None:
        db = self._store.read()
        active = [rule for rule in notifications.rules(db) if rule.enabled]
        if not active:
            return
        listed = compose.view_active(db, self._freshness())
        before = notifications.planned(db, [case.id for case in listed.items])
        now = self.now()
        wanted = (one for r in active for one in rules.wanted(r, listed.items, before, now))
        found = list(rules.folded(wanted, before, int(now.timestamp() * 1000)))
        if found:
            languages = {c.id: c.language for c in notifications.channels(db) if c.enabled}
            new = [d for some in found for d in self._deliveries(some, listed, languages, now)]
            self._plan([d for d in new if not notifications.has(db, d[0].key)])

    def _plan(self, new: list[list[NewDelivery]]) -> None:
        if new:
            self._store.write(partial(_plan_all, new=new, now=now_ms()))
            self._deliverer.wake()

    def _plan_reports(self) -> None:
        db = self._store.read()
        schedules = report_schedules.view_all(db)
        if schedules:
            new = regular.due(db, self._freshness(), schedules, self.now(), self._page)
            self._plan([[one] for one in new if not notifications.has(db, one.key)])

    def deliver(self) -> None:
        """Begin to send what is due: one message a channel, on a thread of its own."""
        for channel, identity in notifications.due(self._store.read(), now_ms()):
            if len(self._sending) >= MOST_AT_ONCE:
                return
            if channel not in self._sending:
                thread = threading.Thread(
                    target=self._send_one, args=(channel, identity), name="send", daemon=True
                )
                self._sending[channel] = thread
                thread.start()

    def _send_one(self, channel: str, identity: str) -> None:
        done = self._claimed_and_sent(identity)
        del self._sending[channel]
        if done:
            self._deliverer.wake()  # for the channel's next message

    def _claimed_and_sent(self, identity: str) -> bool:
        """Send a message, unless another process does; False if the store is out of order."""
        try:
            taken = self._store.write(
                partial(notifications.claim, identity=identity, now_ms=now_ms())
            )
            if taken is not None:
                self._send(taken)
        except StoreUnavailableError:
            return False  # the store logs its own failure
        except Exception:
            log.exception("message %s could not be sent", identity)
            return False
        return True

    def _deliveries(
        self, some: list[rules.Wanted], listed: CaseList, languages: dict[str, str], now: datetime
    ) -> Iterator[list[NewDelivery]]:
        """Give the rows of each channel's message, those of a common cause together."""
        for channel in dict.fromkeys(some[0].channels):
            if channel in languages:
                subject, body = self._text(some[0], listed, languages[channel], now)
                yield [
                    NewDelivery(
                        key=f"{one.key}:{channel}",
                        reason=one.reason,
                        channel_id=channel,
                        subject=subject,
                        body=body,
                        rule_id=one.rule.id,
                        case_id=one.case.id if one.case else "",
                        peak=one.case.peak_condition if one.case else "",
                        times=one.case.repeats.times if one.case else 0,
                        extra=json.dumps({"cases": _about(one.case)}) if one.case else "",
                    )
                    for one in some
                ]

    def _text(
        self, one: rules.Wanted, listed: CaseList, language: str, now: datetime
    ) -> tuple[str, str]:
        if one.case is None:
            needing = [c for c in listed.items if c.attention == "needs_someone"]
            return message.digest(listed.status, needing, language, self._page)
        check = prescriptions.of_case(self._store.read(), self._freshness(), one.case)
        text = message.about_case(one.case, check, one.reason, language, now, self._page)
        about = _about(one.case)
        together = [case for case in listed.items if case.id in about]
        return message.about_several(one.case, together, text, one.reason, language)

    def _order(self, row: dict[str, Any]) -> None:
        """Send a work order; failures are retried like those of messages."""
        known = orders.systems(self._store.read())
        system = next((one for one in known if one.system.id == row["channel_id"]), None)
        name = system.system.template.name if system else ""
        try:
            if system is None:
                raise SendError("the system was removed")  # noqa: TRY301 - recorded like the rest
            number = within_limits(
                self._stopped, work_orders.post, system, json.loads(row["extra"])
            )
        except SendError as error:
            again = system is not None and row["attempts"] <= len(RETRY_S)
            next_ms = now_ms() + 1000 * RETRY_S[row["attempts"] - 1] if again else None
            self._store.write(
                partial(_note_failed, row=row, name=name, error=error, next_ms=next_ms)
            )
            values = {"state": "requested" if again else "failed", "reason": str(error)}
        else:
            self._store.write(partial(notifications.sent, identity=row["id"], now_ms=now_ms()))
            values = {"state": "open", "number": number, "reason": ""}
        self._store.write(partial(_note_order, case=row["case_id"], values=values))

    def _send(self, row: dict[str, Any]) -> None:
        if row["reason"] == "order":
            self._order(row)
            return
        channel = next(
            (c for c in notifications.channels(self._store.read()) if c.id == row["channel_id"]),
            None,
        )
        try:
            if channel is None:
                raise SendError("the channel was removed")  # noqa: TRY301 - recorded like the rest
            carried = None
            if row["reason"] == "report":
                db = self._store.read()
                carried = regular.attachment(db, self._freshness(), row, self.now())
            within_limits(
                self._stopped, transport.send, channel.url, row["subject"], row["body"], carried
            )
        except SendError as error:
            self._failed(row, channel, error)
        except Exception as error:  # of the report that the message carries
            log.exception("message %s could not be sent", row["id"])
            self._failed(row, channel, SendError(type(error).__name__))
        else:
            self._store.write(partial(_note_sent, row=row, channel=channel))

    def _failed(self, row: dict[str, Any], channel: StoredChannel | None, error: SendError) -> None:
        attempts = row["attempts"]
        again = channel is not None and attempts <= len(RETRY_S) and row["reason"] != "test"
        next_ms = now_ms() + 1000 * RETRY_S[attempts - 1] if again else None
        name = channel.name if channel else ""
        self._store.write(partial(_note_failed, row=row, name=name, error=error, next_ms=next_ms))
        if attempts == 1:
            log.warning("message to %s failed: %s", name, error)


def _about(case: Case) -> list[str]:
    """Return the cases that a message about a case is about."""
    return [one.id for one in case.common.cases] if case.common else [case.id]


def _plan_all(db: WritableDatabase, new: list[list[NewDelivery]], now: int) -> None:
    for some in new:
        if some[0].reason in HELD:
            about = json.loads(some[0].extra)["cases"]
            notifications.plan_together(db, some, about, now, now + FOLD_MS)
        else:
            for one in some:
                notifications.plan(db, one, now)


def _note_sent(db: WritableDatabase, row: dict[str, Any], channel: StoredChannel) -> None:
    now = now_ms()
    notifications.sent(db, row["id"], now)
    about = json.loads(row["extra"] or "{}").get("cases", []) or [row["case_id"]]
    for case in filter(None, about):
        cases.add_entry(db, NewEntry(case, now, ACTOR, "notified", channel.name))
        db.announce([Change("case", case)])


def _note_failed(
    db: WritableDatabase, row: dict[str, Any], name: str, error: SendError, next_ms: int | None
) -> None:
    notifications.failed(db, row["id"], str(error), error.answer, next_ms)
    if row["attempts"] == 1 or next_ms is None:
        outcome = f"failed: {error}" if next_ms is None else f"retried: {error}"
        subject = f"{name}: {row['subject']}"
        audit.add(db, Action(now_ms(), ACTOR, "", "send message", subject, outcome))


def _note_order(db: WritableDatabase, case: str, values: dict[str, str]) -> None:
    orders.change(db, case, **values)
    db.announce([Change("case", case)])
