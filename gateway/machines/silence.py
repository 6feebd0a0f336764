"""Silence: points and channels of a machine that deliver nothing, or nothing that can be used."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from auscult.contract.records import SEVERITY, Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.gateway.machines.idle import undecided
from auscult.models.records import Decision, Observation

STALE_AT_LEAST_S = 10.0
"""A point counts as silent no earlier: sources pause for a moment now and then."""
STALE_INTERVALS = 3.0
"""Intervals between windows after which a point is silent."""


class Silence:
    """Follows which points of a machine are silent, and why.

    Parameters
    ----------
    interval_s : mapping of point to float
        Real time between two windows of each point.
    """

    def __init__(self, interval_s: Mapping[str, float]) -> None:
        self._stale_after_s = {
            point: max(STALE_AT_LEAST_S, STALE_INTERVALS * interval)
            for point, interval in interval_s.items()
        }
        self._received_s = dict.fromkeys(interval_s, time.monotonic())
        self.received: set[str] = set()
        """Points that delivered since the start."""
        self._silent: dict[str, Decision] = {}
        self._channels: tuple[Reason, ...] = ()

    def hear(self, observations: Iterable[Observation]) -> None:
        """Note that these points delivered a window or value."""
        now_s = time.monotonic()
        for observation in observations:
            self._received_s[observation.point] = now_s
            self.received.add(observation.point)
            self._silent.pop(observation.point, None)

    def is_silent(self, point: str) -> bool:
        """Return whether a point delivers nothing that can be used."""
        return point in self._silent

    def restart(self) -> None:
        """Measure silence from now on, after a time in which the loop took no samples."""
        self._received_s = dict.fromkeys(self._received_s, time.monotonic())

    def follow(
        self, faults: Mapping[str, Said], t_ns: int, *, at_rest: bool
    ) -> Mapping[str, Decision]:
        """Return decisions on points that became silent, or are silent for another reason.

        Parameters
        ----------
        faults : mapping of point or channel to Said
            What can't be used, and why.
        t_ns : int
            Stream time of the decisions.
        at_rest : bool
            Whether the machine is at rest: sensors that it feeds fall silent with it.
        """
        now_s = time.monotonic()
        became = {}
        for point, received_s in self._received_s.items():
            said = faults.get(point)
            stale_after_s = self._stale_after_s[point]
            if said is None and now_s - received_s > stale_after_s:
                said = Said("silent", {"after_s": stale_after_s})
            if said is not None and said.code == "silent" and at_rest:
                said = Said("not_running")
            before = self._silent.get(point)
            if said is not None and (before is None or before.reasons[0].said != said):
                became[point] = (
                    undecided(point, t_ns)
                    if said.code == "not_running"
                    else Decision(point, t_ns, Condition.UNKNOWN, (_lack(said, point),))
                )
        self._silent |= became
        self._channels = tuple(
            _lack(said, channel)
            for channel, said in faults.items()
            if channel not in self._received_s
        )
        return became

    def added_to(self, decision: Decision) -> Decision:
        """Return the decision on the machine with its silent points and failed channels.

        A machine with a silent point is at best unknown; one that is silent as a whole has no
        decision.
        """
        if not self._silent and not self._channels:
            return decision
        silent = tuple(reason for one in self._silent.values() for reason in one.reasons)
        if silent and len(self._silent) == len(self._received_s):
            decision = Decision(None, decision.t_ns, Condition.UNKNOWN, ())
        elif silent:
            condition = max(decision.condition, Condition.UNKNOWN, key=SEVERITY.__getitem__)
            decision = decision._replace(condition=condition)
        further = silent + self._channels
        return decision._replace(reasons=decision.reasons + further) if further else decision


def _lack(said: Said, point: str) -> Reason:
    return Reason(ReasonKind.SENSOR, Condition.UNKNOWN, said, point=point)
