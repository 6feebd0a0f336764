"""What endpoints that send a command to a gateway share."""

from __future__ import annotations

import uuid
from typing import Any

from fastapi import Response

from auscult.app.api.inputs import Asked
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import acting
from auscult.app.dashboard import Dashboard
from auscult.app.identity import gateway_of
from auscult.app.people.sessions import Person
from auscult.app.store import commands, machines
from auscult.app.views import Command
from auscult.gateway.messages.payloads import Acknowledgement
from auscult.gateway.messages.requests import ArgsT, CommandSpec

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": Command, "description": "The command was stored before (a repeated request)"},
    **documented(403, 404, 409, 503),
}
"""The answers of such an endpoint, beside 201."""


ASKED: dict[int | str, dict[str, Any]] = documented(403, 404, 409, 424, 503)
"""The problems of an endpoint that needs the gateway's answer; 409 = it refused, 424 = it is away
or too busy (not 504: nothing is wrong with the server, and its monitoring shall not say so)."""


async def ask(
    dashboard: Dashboard,
    machine_id: str,
    spec: CommandSpec[ArgsT],
    person: Person,
    args: ArgsT,
    wait_s: float,
) -> Acknowledgement:
    """Have a gateway tell something that is not kept, and give its answer.

    Raises
    ------
    ProblemError
        404 for an unknown machine, 409 if the gateway refuses, 424 if it does not answer in time.
    """
    if await dashboard.reading(machines.view, dashboard.freshness(), machine_id) is None:
        raise not_found("machine", machine_id)
    identity = uuid.uuid4().hex
    await dashboard.commands.send(identity, machine_id, spec, person, args, wait_s)
    command = await dashboard.reading(commands.view, identity)
    if command is not None and command.state == "refused":
        raise ProblemError("gateway_rejected", status=409, reason=command.reason)
    answer = await dashboard.reading(commands.brought, identity)
    if answer is None:
        gateway = gateway_of(machine_id)
        raise ProblemError("no_answer", status=424, gateway=gateway, wait_s=wait_s)
    return answer


async def send(
    dashboard: Dashboard,
    response: Response,
    machine_id: str,
    spec: CommandSpec[ArgsT],
    person: Person,
    body: Asked,
    args: ArgsT,
    wait_s: float,
) -> Command:
    """Store and send a command, wait for its answer; tell what became of it so far."""
    if await dashboard.reading(machines.view, dashboard.freshness(), machine_id) is None:
        raise not_found("machine", machine_id)
    who = acting(person, body)
    if not await dashboard.commands.send(body.id, machine_id, spec, who, args, wait_s):
        response.status_code = 200
    command = await dashboard.reading(commands.view, body.id)
    if command is None:
        raise not_found("command", body.id)
    return command
