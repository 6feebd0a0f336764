"""Commands to gateways: an endpoint for each row of the contract's table that has a role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path
from pydantic import Field, create_model

from auscult.app.api.inputs import (
    ID_LENGTH,
    Asked,
    GatewayId,
    Limit,
    MachineFilter,
    MachineId,
    PointId,
    Reader,
)
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import at_least
from auscult.app.api.sending import ANSWERS, Sending
from auscult.app.identity import parts
from auscult.app.people.sessions import Person
from auscult.app.store import commands
from auscult.app.views import CommandPage, SentCommand
from auscult.app.views.roles import Role
from auscult.contract.payloads import MAX_SHELF_S
from auscult.contract.requests import COMMANDS, CommandSpec

router = APIRouter(tags=["commands"])

PATHS: Final = {
    "gateway": "/gateways/{gateway_id}",
    "machine": "/machines/{machine_id}",
    "point": "/machines/{machine_id}/points/{point}",
}
"""Path of each target; ``/commands/`` and the command's name follow."""
ALIASES: Final = {
    "approve_baseline": ("POST", "/machines/{machine_id}/baseline/approve"),
    "finish_work": ("POST", "/machines/{machine_id}/work-finished"),
    "out_of_service": ("POST", "/machines/{machine_id}/out-of-service"),
    "promote": ("POST", "/machines/{machine_id}/promote"),
    "reject": ("POST", "/machines/{machine_id}/reject"),
    "request_clip": ("POST", "/machines/{machine_id}/points/{point}/clips"),
    "request_spectrum": ("POST", "/machines/{machine_id}/points/{point}/spectra"),
    "return_to_service": ("POST", "/machines/{machine_id}/return-to-service"),
    "roll_back": ("POST", "/machines/{machine_id}/roll-back"),
    "set_limits": ("PUT", "/machines/{machine_id}/points/{point}/limits"),
    "shelve": ("POST", "/machines/{machine_id}/shelve"),
    "start_baseline": ("POST", "/machines/{machine_id}/baseline"),
    "stop_baseline": ("POST", "/machines/{machine_id}/baseline/stop"),
    "unshelve": ("POST", "/machines/{machine_id}/unshelve"),
}
"""Paths of the same endpoints up to version 0.3."""
LIMITS: Final = {"shelve": {"duration_s": (Annotated[int, Field(ge=60, le=MAX_SHELF_S)], ...)}}
"""Arguments that are narrower for people: hosts may shelve for seconds, as by OPC UA."""


def path_of(spec: CommandSpec[Any]) -> str:
    """Return the path of the endpoint of a command with a role."""
    return f"{PATHS[spec.target]}/commands/{spec.name}"


def _endpoint(spec: CommandSpec[Any], role: Role) -> Callable[..., Any]:
    """Return the function that sends a command to what the path names."""

    async def post_to_gateway(
        gateway_id: GatewayId, body: Asked, person: Person, send: Sending
    ) -> SentCommand:
        return await send(gateway_id, spec, person, body, _args(spec, body))

    async def post_to_machine(
        machine_id: MachineId, body: Asked, person: Person, send: Sending
    ) -> SentCommand:
        args = _args(spec, body, machine=parts(machine_id)[-1])
        return await send(machine_id, spec, person, body, args)

    async def post_to_point(
        machine_id: MachineId, point: PointId, body: Asked, person: Person, send: Sending
    ) -> SentCommand:
        args = _args(spec, body, machine=parts(machine_id)[-1], point=point)
        return await send(machine_id, spec, person, body, args)

    of_target: dict[str, Callable[..., Any]] = {
        "gateway": post_to_gateway,
        "machine": post_to_machine,
        "point": post_to_point,
    }
    endpoint = of_target[spec.target]
    endpoint.__name__, endpoint.__doc__ = f"post_{spec.name}", None
    # FastAPI reads the body's model and the role here
    endpoint.__annotations__["body"] = _body(spec)
    endpoint.__annotations__["person"] = Annotated[Person, Depends(at_least(role))]
    return endpoint


def _args(spec: CommandSpec[Any], body: Asked, **named: str) -> Any:
    return spec.args.model_validate(body.model_dump(exclude={*Asked.model_fields}) | named)


def _body(spec: CommandSpec[Any]) -> type[Asked]:
    """Return the body of a command's endpoint: its arguments without those of the path."""
    own = {
        name: (field.annotation, field)
        for name, field in spec.args.model_fields.items()
        if name not in ("machine", "point")
    }
    title = spec.name.title().replace("_", "")
    fields: dict[str, Any] = own | LIMITS.get(spec.name, {})
    return create_model(title, __base__=Asked, __doc__=_sentence(spec), **fields)


def _sentence(spec: CommandSpec[Any]) -> str:
    return spec.about[0].upper() + spec.about[1:] + "."


for _spec in COMMANDS.values():
    if _spec.role is None:
        continue
    _post, _alias = _endpoint(_spec, Role(_spec.role)), ALIASES.get(_spec.name)
    for _method, _path in [("POST", path_of(_spec)), *([_alias] if _alias else [])]:
        router.add_api_route(
            _path,
            _post,
            methods=[_method],
            operation_id=f"post_{_spec.name}" if _path == path_of(_spec) else f"alias_{_spec.name}",
            summary=f"Send {_spec.name}",
            description=_sentence(_spec),
            status_code=201,
            responses=ANSWERS,
        )


@router.get("/commands", summary="The newest commands")
def list_commands(
    reader: Reader, machine_id: MachineFilter = None, limit: Limit = 50
) -> CommandPage:
    """Return commands with their state, labels included."""
    return CommandPage(items=commands.view_newest(reader, machine_id, limit))


@router.get("/commands/{command_id}", summary="One command", responses=documented(404))
def get_command(
    command_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader
) -> SentCommand:
    """Return a command with its state."""
    command = commands.view(reader, command_id)
    if command is None:
        raise not_found("command", command_id)
    return command
