"""Fixed limits that people set at run time, stored beside the configuration.

They replace the limits of the configuration until someone resets them, or the configuration of the
point's limits changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pydantic import TypeAdapter

from auscult.gateway.settings.gateway import LimitSettings, MachineSettings
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

_LIMITS = TypeAdapter(tuple[LimitSettings, ...])


def with_set_limits(
    machines: Sequence[MachineSettings], store: Store
) -> tuple[MachineSettings, ...]:
    """Return the machines with the limits that were set at run time."""
    rows = store.read("SELECT machine, point, limits, configured FROM limits")
    chosen = {(row[0], row[1]): (_LIMITS.validate_json(row[2]), row[3]) for row in rows}

    def limits_of(
        machine: str, point: str, own: tuple[LimitSettings, ...]
    ) -> tuple[LimitSettings, ...]:
        limits, configured = chosen.get((machine, point), (own, ""))
        return limits if configured == _json(own) else own

    return tuple(
        machine.model_copy(
            update={
                "points": tuple(
                    p.model_copy(update={"limits": limits_of(machine.id, p.id, p.limits)})
                    for p in machine.points
                )
            }
        )
        for machine in machines
    )


class FixedLimits:
    """The fixed limits of all points.

    Parameters
    ----------
    configured, machines : sequence of MachineSettings
        As configured, and with the limits that were set at run time.
    publish : callable
        Gets all machines when a limit has changed.
    """

    def __init__(
        self,
        configured: Sequence[MachineSettings],
        machines: Sequence[MachineSettings],
        publish: Callable[[tuple[MachineSettings, ...]], None],
    ) -> None:
        self._configured = {(m.id, p.id): p.limits for m in configured for p in m.points}
        self._machines = tuple(machines)
        self._publish = publish

    def chosen(
        self, machine: str, point: str, limits: tuple[LimitSettings, ...] | None
    ) -> tuple[LimitSettings, ...]:
        """Return the given limits, or those of the configuration for None."""
        return self._configured[machine, point] if limits is None else limits

    def saving(
        self, machine: str, point: str, limits: tuple[LimitSettings, ...] | None, actor: str
    ) -> Callable[[Database], None]:
        """Return what stores them, in the caller's transaction."""
        configured = _json(self._configured[machine, point])

        def save(db: Database) -> None:
            db.execute("DELETE FROM limits WHERE machine = ? AND point = ?", [machine, point])
            if limits is not None:
                db.execute(
                    "INSERT INTO limits (machine, point, limits, configured, actor, at_ns)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    [machine, point, _json(limits), configured, actor, time.time_ns()],
                )

        return save

    def replace(self, machine: str, point: str, limits: tuple[LimitSettings, ...]) -> None:
        """Replace the limits of a point and publish them."""
        self._machines = tuple(
            m
            if m.id != machine
            else m.model_copy(
                update={
                    "points": tuple(
                        p if p.id != point else p.model_copy(update={"limits": limits})
                        for p in m.points
                    )
                }
            )
            for m in self._machines
        )
        self._publish(self._machines)


def _json(limits: tuple[LimitSettings, ...]) -> str:
    return _LIMITS.dump_json(limits).decode()
