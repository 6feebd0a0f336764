"""Alarms as people handle them (ISA-18.2): one truth, kept where the events are made.

An event is one alarm. It asks for someone (`unacknowledged`) until it is acknowledged, also when
it has gone back to normal by itself (`returned`); a worse condition asks again. A machine can be
shelved until a time, or taken out of service: then its events ask nobody, and what ended meanwhile
is over. A shelf that runs out gives back unacknowledged what is still wrong; one that is ended by
hand leaves it acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from auscult.gateway.messages.payloads import AlarmState, SuppressionKind, SuppressionPart
from auscult.gateway.records import Event
from auscult.models.records import SEVERITY, Condition


class AlarmError(Exception):
    """What was asked can't be done to this alarm; the message says why."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """Where an event stands; ``changes`` grows with each change of its handling."""

    event: Event
    state: AlarmState
    changes: int = 0
    acknowledged_ns: int | None = None
    acknowledged_by: str = ""
    comment: str = ""

    @property
    def waits(self) -> bool:
        """Whether it asks for someone."""
        return self.state in ("unacknowledged", "returned")

    def moved(self, state: AlarmState) -> Alarm:
        """Return it in another state."""
        return replace(self, state=state, changes=self.changes + 1)

    def acknowledged(self, actor: str, comment: str, now_ns: int) -> Alarm:
        """Return it acknowledged."""
        state: AlarmState = "acknowledged" if self.event.ended_ns is None else "normal"
        return replace(
            self.moved(state), acknowledged_ns=now_ns, acknowledged_by=actor, comment=comment
        )


class MachineAlarms:
    """The alarms of one machine that are not over; the window loop owns it.

    Each method returns the alarms that it changed, for whoever stores and tells them.

    Parameters
    ----------
    machine : str
    alarms : iterable of Alarm
        What an earlier process left.
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
        """All alarms that are not over."""
        return tuple(self._alarms.values())

    @property
    def shown(self) -> Alarm | None:
        """The alarm that stands for the machine: the open one, else the newest that waits."""
        alarms = sorted(self._alarms.values(), key=lambda a: a.event.event_id, reverse=True)
        return next((a for a in alarms if a.event.ended_ns is None), alarms[0] if alarms else None)

    @property
    def waiting(self) -> int:
        """How many alarms ask for someone."""
        return sum(alarm.waits for alarm in self._alarms.values())

    def follow(self, event: Event) -> Alarm:
        """Take an event that starts, changes or ends."""
        before = self._alarms.get(event.event_id)
        if before is None:
            state: AlarmState = self.suppression.kind if self.suppression else "unacknowledged"
            before = Alarm(event, state)
        after = replace(before, event=event)
        worse = SEVERITY[event.peak_condition] > SEVERITY[before.event.peak_condition]
        if before.state == "acknowledged" and worse:
            after = after.moved("unacknowledged")
        if event.ended_ns is not None:
            after = after.moved("returned" if after.state == "unacknowledged" else "normal")
        return self._put(after)

    def acknowledge(
        self, event_id: str, actor: str, comment: str, now_ns: int, seen: Condition | None = None
    ) -> Alarm:
        """Note that someone knows of an event.

        Raises
        ------
        AlarmError
            If it does not wait for anyone, or is worse than what was `seen`.
        """
        alarm = self._alarms.get(event_id)
        if alarm is None:
            raise AlarmError(f"event {event_id} is over and waits for nobody")
        if alarm.state == "acknowledged":
            raise AlarmError(f"{alarm.acknowledged_by} has acknowledged it already")
        if not alarm.waits:
            raise AlarmError(f"the alarms of {self.machine} are {_words(alarm.state)}")
        if seen is not None and SEVERITY[alarm.event.peak_condition] > SEVERITY[seen]:
            raise AlarmError(f"it has become worse: {alarm.event.peak_condition}; look again")
        return self._put(alarm.acknowledged(actor, comment, now_ns))

    def suppress(self, suppression: SuppressionPart) -> list[Alarm]:
        """Shelve the machine's alarms or take them out of service.

        Raises
        ------
        AlarmError
            If it is out of service.
        """
        if self.suppression is not None and self.suppression.kind == "out_of_service":
            raise AlarmError(f"{self.machine} is out of service: bring it back first")
        self.suppression = suppression
        return [self._put(alarm.moved(suppression.kind)) for alarm in self._open()]

    def release(self, kind: SuppressionKind, actor: str, comment: str, now_ns: int) -> list[Alarm]:
        """End it by hand: what is still wrong is acknowledged by who ends it.

        Raises
        ------
        AlarmError
            If the machine is not shelved, or not out of service.
        """
        if self.suppression is None or self.suppression.kind != kind:
            raise AlarmError(f"{self.machine} is not {_words(kind)}")
        self.suppression = None
        said = comment or f"{_words(kind)} until now"
        return [self._put(alarm.acknowledged(actor, said, now_ns)) for alarm in self._open()]

    def expire_shelf(self, now_ms: int) -> list[Alarm] | None:
        """Give back what a shelf hid if its time is over, None if it is not."""
        shelf = self.suppression
        if shelf is None or shelf.until_ms is None or shelf.until_ms > now_ms:
            return None
        self.suppression = None
        return [self._put(alarm.moved("unacknowledged")) for alarm in self._open()]

    def _open(self) -> list[Alarm]:
        return [alarm for alarm in self._alarms.values() if alarm.event.ended_ns is None]

    def _put(self, alarm: Alarm) -> Alarm:
        if alarm.state == "normal":
            self._alarms.pop(alarm.event.event_id, None)
        else:
            self._alarms[alarm.event.event_id] = alarm
        return alarm


def _words(state: str) -> str:
    return state.replace("_", " ")
