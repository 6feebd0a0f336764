"""Alarms as people handle them (ISA-18.2), kept where the events are made.

An event is one alarm. It is `unacknowledged` until someone acknowledges it, also after the machine
recovered by itself (`returned`); a worse condition, or what is added to the event, makes it
unacknowledged again. A machine can be shelved until a time, taken out of service, or worked on
(planned work): its events then need no acknowledgement, and events that end meanwhile are over.
When a shelf expires, open events become unacknowledged; when a person ends it, or planned work is
finished, they become acknowledged. They become unacknowledged again if the check after the work
finds a departure. Of the returned alarms of a machine the newest `MOST_RETURNED` wait for an
acknowledgement.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

from auscult.contract.event import Event
from auscult.contract.message import NS_PER_MS
from auscult.contract.parts import WAITING, AlarmState, SuppressionKind, SuppressionPart
from auscult.contract.records import SEVERITY, Condition
from auscult.contract.said import Rejection
from auscult.gateway.storage.audit import SELF

log = logging.getLogger(__name__)

MOST_RETURNED = 100
"""Returned alarms of one machine that wait; each costs memory and time at every hop."""


class AlarmError(Rejection):
    """A request that the state of an alarm or machine does not allow."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An event with its state as an alarm; ``changes`` grows with each change of the handling."""

    event: Event
    state: AlarmState
    changes: int = 0
    acknowledged_ns: int | None = None
    acknowledged_by: str = ""
    comment: str = ""

    @property
    def waits(self) -> bool:
        """Return whether it needs an acknowledgement."""
        return self.state in WAITING

    def moved(self, state: AlarmState) -> Alarm:
        """Return it in another state."""
        return replace(self, state=state, changes=self.changes + 1)

    def acknowledged(self, actor: str, comment: str, now_ns: int) -> Alarm:
        """Return it acknowledged."""
        state: AlarmState = "acknowledged" if self.event.ended_ms is None else "normal"
        return replace(
            self.moved(state), acknowledged_ns=now_ns, acknowledged_by=actor, comment=comment
        )


class MachineAlarms:
    """The active alarms of one machine; the window loop owns it.

    Each method returns the alarms that it changed, to be stored and published.

    Parameters
    ----------
    machine : str
    alarms : iterable of Alarm
        Active alarms of an earlier process.
    suppression : SuppressionPart or None
    """

    def __init__(
        self, machine: str, alarms: Iterable[Alarm] = (), suppression: SuppressionPart | None = None
    ) -> None:
        self.machine = machine
        self.suppression = suppression
        self._alarms = {alarm.event.event_id: alarm for alarm in alarms}

    @property
    def active(self) -> tuple[Alarm, ...]:
        """Return all alarms that are not over."""
        return tuple(self._alarms.values())

    @property
    def shown(self) -> Alarm | None:
        """The alarm that represents the machine: the open one, else the newest that waits."""
        # Asked for at each hop: no sort of what waits.
        return max(
            self._alarms.values(),
            key=lambda alarm: (alarm.event.ended_ms is None, alarm.event.event_id),
            default=None,
        )

    @property
    def waiting(self) -> int:
        """Return the number of alarms that need an acknowledgement."""
        return sum(alarm.waits for alarm in self._alarms.values())

    def follow(self, event: Event) -> Alarm:
        """Process an event that started, changed or ended."""
        before = self._alarms.get(event.event_id)
        if before is None:
            state: AlarmState = self.suppression.kind if self.suppression else "unacknowledged"
            before = Alarm(event, state)
        after = replace(before, event=event)
        worse = SEVERITY[event.peak_condition] > SEVERITY[before.event.peak_condition]
        worse |= event.added_ms > before.event.added_ms
        if before.state == "acknowledged" and worse:
            after = after.moved("unacknowledged")
        if event.ended_ms is not None:
            after = after.moved("returned" if after.state == "unacknowledged" else "normal")
        return self._put(after)

    def give_up_oldest(self) -> list[Alarm]:
        """End the wait of the oldest returned alarms beyond `MOST_RETURNED`."""
        returned = [alarm for alarm in self._alarms.values() if alarm.state == "returned"]
        comment = f"{MOST_RETURNED} newer alarms of this machine wait for an acknowledgement"
        oldest = returned[:-MOST_RETURNED]
        for alarm in oldest:
            log.warning("%s: alarm %s is over: %s", self.machine, alarm.event.event_id, comment)
        now_ns = returned[-1].event.updated_ms * NS_PER_MS if returned else 0
        return [self._put(alarm.acknowledged(SELF, comment, now_ns)) for alarm in oldest]

    def acknowledge(
        self, event_id: str, actor: str, comment: str, now_ns: int, seen: Condition | None = None
    ) -> Alarm:
        """Acknowledge an event.

        Raises
        ------
        AlarmError
            If it needs no acknowledgement, or is worse than the condition that was `seen`.
        """
        alarm = self._alarms.get(event_id)
        if alarm is None:
            raise AlarmError("alarm_over", event_id=event_id)
        if alarm.state == "acknowledged":
            raise AlarmError("alarm_acknowledged", actor=alarm.acknowledged_by)
        if not alarm.waits:
            raise AlarmError("alarm_suppressed", machine=self.machine, state=alarm.state)
        if seen is not None and SEVERITY[alarm.event.peak_condition] > SEVERITY[seen]:
            raise AlarmError("alarm_worse", condition=alarm.event.peak_condition.value)
        return self._put(alarm.acknowledged(actor, comment, now_ns))

    def suppress(self, suppression: SuppressionPart) -> list[Alarm]:
        """Shelve the machine's alarms, take it out of service, or begin planned work on it.

        Raises
        ------
        AlarmError
            If it is out of service, or worked on; planned work can be given another end.
        """
        held = self.suppression.kind if self.suppression else None
        if held == "out_of_service":
            raise AlarmError("machine_out_of_service", machine=self.machine)
        if held == "planned_work" != suppression.kind:
            raise AlarmError("machine_worked_on", machine=self.machine)
        self.suppression = suppression
        return [self._put(alarm.moved(suppression.kind)) for alarm in self._open()]

    def release(self, kind: SuppressionKind, actor: str, comment: str, now_ns: int) -> list[Alarm]:
        """End a suppression by hand; open events become acknowledged by this person.

        Raises
        ------
        AlarmError
            If the machine has no suppression of this kind.
        """
        if self.suppression is None or self.suppression.kind != kind:
            raise AlarmError("machine_not_suppressed", machine=self.machine, state=kind)
        self.suppression = None
        note = comment or ("" if kind == "planned_work" else f"{kind.replace('_', ' ')} until now")
        return [self._put(alarm.acknowledged(actor, note, now_ns)) for alarm in self._open()]

    def reopen(self) -> list[Alarm]:
        """Make acknowledged open events unacknowledged: the work on the machine did not help."""
        known = [alarm for alarm in self._open() if alarm.state == "acknowledged"]
        return [self._put(alarm.moved("unacknowledged")) for alarm in known]

    def expire(self, now_ms: int) -> list[Alarm] | None:
        """End an expired shelf, or planned work whose stated end is over; None if none expired.

        Open events become unacknowledged after a shelf, and acknowledged by the person who stated
        the end of the work: the check that follows decides on them. A suppression made while the
        clock was ahead must not hide alarms until then: it also ends when more than twice its
        length is left.
        """
        held = self.suppression
        if held is None or held.until_ms is None:
            return None
        left_ms = held.until_ms - now_ms
        if 0 < left_ms <= 2 * (held.until_ms - held.since_ms):
            return None
        if held.kind == "planned_work":
            return self.release(held.kind, held.actor, "", now_ms * NS_PER_MS)
        self.suppression = None
        return [self._put(alarm.moved("unacknowledged")) for alarm in self._open()]

    def _open(self) -> list[Alarm]:
        return [alarm for alarm in self._alarms.values() if alarm.event.ended_ms is None]

    def _put(self, alarm: Alarm) -> Alarm:
        self._alarms.pop(alarm.event.event_id, None)
        if alarm.state != "normal":
            self._alarms[alarm.event.event_id] = alarm  # in order of the last change
        return alarm
