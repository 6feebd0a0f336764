"""What endpoints that send a command to a gateway share."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from pydantic import BaseModel

from app.api.inputs import Asked
from app.api.rights import acting
from app.dashboard import Dashboard
from app.people.sessions import Person
from app.problems import documented, not_found
from app.store import commands, machines
from app.views import Command
from gateway.messages.requests import CommandName

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": Command, "description": "The command was stored before (a repeated request)"},
    **documented(403, 404, 409, 503),
}
"""The answers of such an endpoint, beside 201."""


async def send(
    dashboard: Dashboard,
    response: Response,
    machine_id: str,
    name: CommandName,
    person: Person,
    body: Asked,
    args: BaseModel,
    wait_s: float,
) -> Command:
    """Store and send a command, wait for its answer; tell what became of it so far."""
    if await dashboard.reading(machines.view, dashboard.freshness(), machine_id) is None:
        raise not_found("machine", machine_id)
    who = acting(person, body)
    if not await dashboard.commands.send(body.id, machine_id, name, who, args, wait_s):
        response.status_code = 200
    command = await dashboard.reading(commands.view, body.id)
    if command is None:
        raise not_found("command", body.id)
    return command
