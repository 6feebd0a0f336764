"""Settings of one machine for many others, across gateways: previewed, then applied."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from auscult.app.api.commissioning import configure
from auscult.app.api.inputs import ID_LENGTH, Asked, Running, WaitS
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Engineer, acting
from auscult.app.commissioning import bulk
from auscult.app.dashboard import Dashboard
from auscult.app.identity import gateway_of, parts
from auscult.app.people.sessions import Person
from auscult.app.store import configurations
from auscult.app.views import BulkMachine, BulkResult
from auscult.contract.inventory import Configuration
from auscult.contract.machines import MachineSettings, TemplatePart
from auscult.contract.requests import ConfigureArgs
from auscult.contract.said import Rejection, Said

router = APIRouter(prefix="/commissioning", tags=["commissioning"])

Name = Annotated[str, Field(max_length=ID_LENGTH)]


class BulkRequest(Asked):
    """The template, the machines that take from it, and what they take."""

    template: Name = Field(description="`site~gateway~machine`")
    machines: tuple[Name, ...] = Field(min_length=1, max_length=2000)
    parts: frozenset[TemplatePart] = Field(min_length=1)
    dry_run: bool = Field(default=True, description="Only check, change nothing")


@dataclass(slots=True)
class _Gateway:
    """The machines of one gateway that a request is about."""

    id: str
    current: Configuration
    new: dict[str, MachineSettings] = field(default_factory=dict)
    """Machines that would change, by their id on the gateway."""

    def args(self, *, dry_run: bool) -> ConfigureArgs:
        machines = tuple(self.new.get(one.id, one) for one in self.current.machines)
        return ConfigureArgs(
            machines=machines,
            sources=self.current.sources,
            base=self.current.version,
            dry_run=dry_run,
        )


@router.post("/bulk", summary="Apply a machine's settings", responses=documented(403, 404, 503))
async def apply_to_machines(
    body: BulkRequest, person: Engineer, dashboard: Running, wait_s: WaitS = 10
) -> BulkResult:
    """Give settings of one machine to others; each that is rejected says why.

    Each gateway checks its machines. With `dry_run` off it then stores those that it accepts. A
    gateway that does not answer the check gets no change.
    """
    who = acting(person, body)
    template = await _template(dashboard, body.template)
    found: dict[str, BulkMachine] = {}
    gateways = await _planned(dashboard, body, template, found)
    await asyncio.gather(
        *(_apply(dashboard, gateway, body, who, wait_s, found) for gateway in gateways)
    )
    return BulkResult(items=[found[one] for one in dict.fromkeys(body.machines)])


async def _template(dashboard: Dashboard, identity: str) -> MachineSettings:
    current = await dashboard.reading(configurations.view, gateway_of(identity))
    name = parts(identity)[-1]
    for machine in (*current.machines, *current.fixed) if current else ():
        if machine.id == name:
            return machine.model_copy(update={"template": machine.template or identity})
    raise not_found("machine", identity)


async def _planned(
    dashboard: Dashboard,
    body: BulkRequest,
    template: MachineSettings,
    found: dict[str, BulkMachine],
) -> list[_Gateway]:
    """Put what is known without the gateways into `found`; return those that must be asked."""
    by_gateway: defaultdict[str, list[str]] = defaultdict(list)
    for identity in dict.fromkeys(body.machines):
        by_gateway[gateway_of(identity)].append(identity)
    planned = []
    for gateway_id, identities in by_gateway.items():
        current = await dashboard.reading(configurations.view, gateway_id)
        gateway = None if current is None else _Gateway(gateway_id, current)
        for identity in identities:
            found[identity] = _plan(identity, gateway, template, body.parts)
        if gateway is not None and gateway.new:
            planned.append(gateway)
    return planned


def _plan(
    identity: str,
    gateway: _Gateway | None,
    template: MachineSettings,
    chosen: frozenset[TemplatePart],
) -> BulkMachine:
    try:
        if gateway is None:
            unknown = {"what": "gateway", "id": gateway_of(identity)}
            return _rejected(identity, Said("not_found", unknown))
        before = _commissioned(gateway.current, identity)
        after = bulk.applied(template, before, chosen)
    except Rejection as error:
        return _rejected(identity, error.said)
    if after == before:
        return BulkMachine(machine_id=identity, state="unchanged", changes=[])
    gateway.new[before.id] = after
    return BulkMachine(machine_id=identity, state="changes", changes=bulk.changes(before, after))


def _commissioned(current: Configuration, identity: str) -> MachineSettings:
    name = parts(identity)[-1]
    for machine in current.machines:
        if machine.id == name:
            return machine
    if any(machine.id == name for machine in current.fixed):
        raise Rejection("machine_of_the_file", machine=name)
    raise Rejection("not_found", what="machine", id=identity)


async def _apply(
    dashboard: Dashboard,
    gateway: _Gateway,
    body: BulkRequest,
    who: Person,
    wait_s: float,
    found: dict[str, BulkMachine],
) -> None:
    """Have a gateway check its machines, and store those without a problem."""
    await _ask(dashboard, gateway, body, who, wait_s, found, dry_run=True)
    if body.dry_run or not gateway.new:
        return
    await _ask(dashboard, gateway, body, who, wait_s, found, dry_run=False)
    for name in gateway.new:
        identity = f"{gateway.id}~{name}"
        found[identity] = found[identity].model_copy(update={"state": "changed"})


async def _ask(
    dashboard: Dashboard,
    gateway: _Gateway,
    body: BulkRequest,
    who: Person,
    wait_s: float,
    found: dict[str, BulkMachine],
    *,
    dry_run: bool,
) -> None:
    """Send the list; note why machines are rejected, and take them out of it."""
    seed = f"{body.id}/{gateway.id}/{dry_run}/{sorted(gateway.new)}"
    identity = hashlib.sha256(seed.encode()).hexdigest()[:32]
    args = gateway.args(dry_run=dry_run)
    command, _ = await configure(dashboard, gateway.id, identity, who, args, wait_s)
    if command.state == "acknowledged":
        return
    reasons: dict[str, Said] = {}
    for problem in command.problems:
        place = problem.path[1] if len(problem.path) > 1 and problem.path[0] == "machines" else None
        if isinstance(place, int) and args.machines[place].id in gateway.new:
            said = problem.said or Said("gateway_rejected", {"reason": problem.text})
            reasons.setdefault(args.machines[place].id, said)
    if not reasons:
        if command.state == "refused":
            rest = command.answered
        else:
            rest = Said("no_answer", {"gateway": parts(gateway.id)[-1], "wait_s": wait_s})
        reasons = dict.fromkeys(gateway.new, rest)
    for name, said in reasons.items():
        found[f"{gateway.id}~{name}"] = _rejected(f"{gateway.id}~{name}", said)
        del gateway.new[name]


def _rejected(identity: str, said: Said) -> BulkMachine:
    return BulkMachine(machine_id=identity, state="rejected", changes=[], text=said.text, said=said)
