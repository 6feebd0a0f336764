"""Fixed limits that people set at run time, stored beside the configuration.

They replace the limits of the configuration until someone resets them, or the configuration of the
point's limits changes. Those of a feature that the point has no longer are not used.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from auscult.gateway.machines.restore import limits_from
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings, LimitSettings, MachineSettings
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.points import PointPlan, ValuePlan, plan_points, plan_values
from auscult.models.decision.limits import LimitChecks, LimitError

log = logging.getLogger(__name__)

_LIMITS = TypeAdapter(tuple[LimitSettings, ...])


def with_set_limits(settings: GatewaySettings, store: Store) -> tuple[MachineSettings, ...]:
    """Return the machines with the limits that were set at run time."""
    chosen = _set_limits(settings, store)
    return tuple(
        machine.model_copy(
            update={
                "points": tuple(
                    p.model_copy(update={"limits": chosen.get(PointId(machine.id, p.id), p.limits)})
                    for p in machine.points
                )
            }
        )
        for machine in settings.machines
    )


def _set_limits(
    settings: GatewaySettings, store: Store
) -> dict[PointId, tuple[LimitSettings, ...]]:
    """Read the limits that were set for the points as they are configured now."""
    rows = store.read("SELECT machine, point, limits, configured FROM limits")
    if not rows:
        return {}
    plans: dict[PointId, PointPlan | ValuePlan] = {
        **plan_points(settings, {}),
        **plan_values(settings),
    }
    found = {}
    for machine, name, stored, configured in rows:
        point = PointId(machine, name)
        plan = plans.get(point)
        if plan is None or _json(plan.settings.limits) != configured:
            continue
        try:
            limits = _LIMITS.validate_json(stored)
            LimitChecks({name: limits_from(limits)}, {name: plan.spec}, windows=1)
        except (LimitError, ValidationError) as error:
            log.error("%s: the limits that were set are not used: %s", point, error)
        else:
            found[point] = limits
    return found


@dataclass(frozen=True, slots=True)
class LimitsWrite:
    """Replaces the limits that people set at a point; None removes them."""

    machine: str
    point: str
    limits: tuple[LimitSettings, ...] | None
    configured: tuple[LimitSettings, ...]
    actor: str

    def write_to(self, db: Database) -> None:
        """Write them, in the caller's transaction."""
        db.execute("DELETE FROM limits WHERE machine = ? AND point = ?", [self.machine, self.point])
        if self.limits is not None:
            db.execute(
                "INSERT INTO limits (machine, point, limits, configured, actor, at_ns)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [
                    self.machine, self.point, _json(self.limits), _json(self.configured),
                    self.actor, time.time_ns(),
                ],
            )  # fmt: skip


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

    def write(
        self, machine: str, point: str, limits: tuple[LimitSettings, ...] | None, actor: str
    ) -> LimitsWrite:
        """Return the write of a person's limits; None removes them."""
        return LimitsWrite(machine, point, limits, self._configured[machine, point], actor)

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
