"""Sends commands to gateways: shared by the endpoints that do so."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from fastapi import Depends, Response

from auscult.app.api.inputs import Asked, Running, WaitS
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import acting
from auscult.app.dashboard import Dashboard
from auscult.app.identity import GATEWAY_PARTS, gateway_of, parts
from auscult.app.people.sessions import Person
from auscult.app.store import commands, gateways, machines
from auscult.app.views import SentCommand
from auscult.contract.payloads import Acknowledgement
from auscult.contract.requests import ArgsT, CommandSpec

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": SentCommand,
        "description": "The command was stored before (a repeated request)",
    },
    **documented(403, 404, 409, 503),
}
"""The answers of such an endpoint, beside 201."""


ASKED: dict[int | str, dict[str, Any]] = documented(403, 404, 409, 424, 503)
"""The problems of an endpoint that needs the gateway's answer; 409 = it rejected the request, 424 =
it is away or too busy (not 504: the server itself is well, and its monitoring counts 5xx)."""


async def ask(
    dashboard: Dashboard,
    machine_id: str,
    spec: CommandSpec[ArgsT],
    person: Person,
    args: ArgsT,
    wait_s: float,
) -> Acknowledgement:
    """Ask a gateway for something that the dashboard does not store; return its answer.

    Raises
    ------
    ProblemError
        404 for an unknown machine, 409 if the gateway rejects it, 424 without an answer in time.
    """
    await _known(dashboard, machine_id)
    return await ask_known(dashboard, machine_id, spec, person, args, wait_s)


async def ask_known(
    dashboard: Dashboard,
    target: str,
    spec: CommandSpec[ArgsT],
    person: Person,
    args: ArgsT,
    wait_s: float,
) -> Acknowledgement:
    """Ask as `ask` does; `target` is a machine or gateway that exists.

    Raises
    ------
    ProblemError
        409 if the gateway rejects it, 424 without an answer in time.
    """
    identity = uuid.uuid4().hex
    await dashboard.commands.send(identity, target, spec, person, args, wait_s)
    command = await dashboard.reading(commands.view, identity)
    if command is not None and command.state == "refused":
        raise ProblemError(command.answered, status=409)
    answer = await dashboard.reading(commands.brought, identity)
    if answer is None:
        gateway = gateway_of(target)
        raise ProblemError("no_answer", status=424, gateway=gateway, wait_s=wait_s)
    return answer


class Sender:
    """Sends what a request asks of a gateway, and answers with what became of it so far."""

    def __init__(self, dashboard: Running, response: Response, wait_s: WaitS = 5) -> None:
        self._dashboard = dashboard
        self._response = response
        self._wait_s = wait_s

    async def __call__(
        self, target: str, spec: CommandSpec[ArgsT], person: Person, body: Asked, args: ArgsT
    ) -> SentCommand:
        """Store and send a command and wait for its answer; 200 if it was stored before.

        ``target`` is the id of a machine, or of a gateway.
        """
        dashboard = self._dashboard
        await _known(dashboard, target)
        who = acting(person, body)
        sent = await dashboard.commands.send(body.id, target, spec, who, args, self._wait_s)
        if not sent:
            self._response.status_code = 200
        command = await dashboard.reading(commands.view, body.id)
        if command is None:
            raise not_found("command", body.id)
        return command


async def _known(dashboard: Dashboard, target: str) -> None:
    """Reject a machine or gateway that is unknown, or of a site that the caller may not read."""
    of_machine = len(parts(target)) > len(GATEWAY_PARTS)
    store = machines if of_machine else gateways
    if await dashboard.reading(store.view, dashboard.freshness(), target) is None:
        raise not_found("machine" if of_machine else "gateway", target)


Sending = Annotated[Sender, Depends()]
