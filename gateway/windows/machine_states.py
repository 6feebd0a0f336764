"""The operating state of each machine, from any of its sources.

A drive's speed may come over OPC UA while the vibration comes from a card. The newest speed, load
and tags of a machine hold for all of its points.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from auscult.contract.records import OperatingState

STALE_AFTER_S = 300.0
"""A state that came with samples is unknown after this time."""


@dataclass(slots=True)
class _Known:
    parts: dict[str, tuple[float | bool, float]] = field(default_factory=dict)
    """Speed, load and running from overall values, each with the time until which it holds."""
    state: OperatingState | None = None
    until_s: float = 0.0


class MachineStates:
    """The newest operating state of each machine.

    Parameters
    ----------
    now_s : callable, optional
        Monotonic clock.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._known: dict[str, _Known] = {}

    def came_with_samples(self, machine: str, state: OperatingState) -> None:
        """Note the operating state of a block."""
        known = self._known.setdefault(machine, _Known())
        known.state, known.until_s = state, self._now_s() + STALE_AFTER_S

    def put(self, machine: str, part: str, value: float | bool, for_s: float) -> None:
        """Note `speed_rpm`, `load` or `running` from an overall value; it holds for `for_s`."""
        known = self._known.setdefault(machine, _Known())
        known.parts[part] = value, self._now_s() + for_s

    def state_of(self, machine: str, given: OperatingState | None = None) -> OperatingState | None:
        """Operating state of a machine now; what came with the samples takes precedence."""
        known = self._known.get(machine)
        if known is None:
            return given
        now_s = self._now_s()
        if given is None and known.state is not None and now_s <= known.until_s:
            given = known.state
        parts = {name: v for name, (v, until_s) in known.parts.items() if now_s <= until_s}
        if not parts:
            return given
        state = given or OperatingState()
        if "speed_rpm" in parts and state.speed_rpm is None:
            state = replace(state, speed_rpm=abs(float(parts["speed_rpm"])))
        if "load" in parts and state.load is None:
            state = replace(state, load=float(parts["load"]))
        if "running" in parts and "running" not in state.tags:
            running = "yes" if parts["running"] else "no"
            state = replace(state, tags={**state.tags, "running": running})
        return state
