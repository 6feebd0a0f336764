"""Commissioning: the machines and sources of a gateway, as a list or as a table."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import Field

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, unchanged
from auscult.app.api.inputs import (
    ActingBody,
    Asked,
    GatewayId,
    Reader,
    Running,
    WaitS,
)
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Engineer, acting
from auscult.app.api.sending import ANSWERS, ASKED, Sending, ask_known
from auscult.app.commissioning import table
from auscult.app.commissioning.bearings import catalogue
from auscult.app.commissioning.table_sources import target_of
from auscult.app.dashboard import Dashboard
from auscult.app.people.sessions import Person
from auscult.app.store import commands, configurations
from auscult.app.views import ImportResult, MachineConfiguration, RowProblem, SentCommand
from auscult.app.views.topics import SourceTrial, TableMapping
from auscult.contract.inventory import Configuration
from auscult.contract.requests import (
    Commands,
    ConfigureArgs,
    MapTableArgs,
    ReadTableArgs,
    TrySourceArgs,
)
from auscult.contract.said import Said

router = APIRouter(tags=["commissioning"])

MAX_TABLE = 2_000_000
CSV_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A CSV table"}
}


class ConfigurationRequest(ConfigureArgs, Asked):
    """The whole new list of commissioned machines and their sources."""


class TrialRequest(TrySourceArgs, ActingBody):
    """A source of overall values to try, and the machine with the points that it feeds."""


class TableHeadRequest(ReadTableArgs, ActingBody):
    """A table of overall values to look into; empty = list the tables."""


class TableMappingRequest(MapTableArgs, Asked):
    """The machines of a table of overall values."""


class TableRequest(Asked):
    """A table of machines to add or change."""

    table: str = Field(
        max_length=MAX_TABLE,
        description="CSV with the columns of the template",
        examples=[table.template()],
    )
    dry_run: bool = Field(default=True, description="Only check, change nothing")


@router.get(
    "/gateways/{gateway_id}/configuration",
    summary="Machines and sources of a gateway",
    responses={**UNCHANGED, **documented(404)},
)
def get_configuration(
    gateway_id: GatewayId, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> MachineConfiguration:
    """Return machines with all settings: those of the gateway's own file, and commissioned ones."""
    found = _found(configurations.view(reader, gateway_id), gateway_id)
    unchanged(response, f"{found.ts}-{found.version}", if_none_match)
    return MachineConfiguration(
        gateway_id=gateway_id, **found.model_dump(include=set(MachineConfiguration.model_fields))
    )


@router.get(
    "/gateways/{gateway_id}/configuration.csv",
    summary="The commissioned machines as a table",
    response_class=Response,
    responses={**CSV_ANSWER, **documented(404)},
)
def get_configuration_table(gateway_id: GatewayId, reader: Reader) -> Response:
    """Return them as a table that can be imported again."""
    found = _found(configurations.view(reader, gateway_id), gateway_id)
    return _csv(
        table.written(found.machines, found.sources, catalogue(reader)),
        f"{gateway_id}-machines.csv",
    )


@router.get(
    "/commissioning/template.csv",
    summary="An empty table of machines",
    response_class=Response,
    responses=CSV_ANSWER,
)
def get_template() -> Response:
    """Return the columns with an example machine."""
    return _csv(table.template(), "auscult-machines.csv")


@router.post(
    "/gateways/{gateway_id}/configuration",
    summary="Commission machines",
    status_code=201,
    responses=ANSWERS,
)
async def post_configuration(
    gateway_id: GatewayId,
    body: ConfigurationRequest,
    person: Engineer,
    dashboard: Running,
    response: Response,
    wait_s: WaitS = 10,
) -> SentCommand:
    """Replace the list of commissioned machines; `problems` lists all that is wrong."""
    await _current(dashboard, gateway_id)
    args = ConfigureArgs(**body.model_dump(include=set(ConfigureArgs.model_fields)))
    who = acting(person, body)
    command, is_new = await configure(dashboard, gateway_id, body.id, who, args, wait_s)
    if not is_new:
        response.status_code = 200
    return command


@router.post(
    "/gateways/{gateway_id}/sources/trial",
    summary="What a source of values delivers",
    responses=ASKED,
)
async def post_trial(
    gateway_id: GatewayId,
    body: TrialRequest,
    person: Engineer,
    dashboard: Running,
    wait_s: WaitS = 20,
) -> SourceTrial:
    """Have the gateway open a source for at most 10 s and close it again; nothing is stored.

    The gateway obeys `page_sources` of its file. It tries one source at a time.
    """
    await _current(dashboard, gateway_id)
    args = TrySourceArgs(machine=body.machine, source=body.source)
    who, spec = acting(person, body), Commands.TRY_SOURCE
    answer = await ask_known(dashboard, gateway_id, spec, who, args, wait_s)
    if answer.trial is None:
        raise ProblemError("no_preview", status=424)
    return SourceTrial(**dict(answer.trial))


@router.post(
    "/gateways/{gateway_id}/tables/head",
    summary="Tables of overall values, or the head of one with its mapping",
    responses=ASKED,
)
async def post_table_head(
    gateway_id: GatewayId,
    body: TableHeadRequest,
    person: Engineer,
    dashboard: Running,
    wait_s: WaitS = 20,
) -> TableMapping:
    """Return what the gateway finds below its `recordings_dir`; nothing is stored.

    The mapping is that of `values.toml`, or a draft from the names and cells of the columns.
    """
    await _current(dashboard, gateway_id)
    who = acting(person, body)
    args = ReadTableArgs(**body.model_dump(include=set(ReadTableArgs.model_fields)))
    answer = await ask_known(dashboard, gateway_id, Commands.READ_TABLE, who, args, wait_s)
    if answer.table is None:
        raise ProblemError("no_preview", status=424)
    return TableMapping(**dict(answer.table))


@router.post(
    "/gateways/{gateway_id}/tables",
    summary="Map the columns of a table of overall values",
    status_code=201,
    responses=ANSWERS,
)
async def post_table_mapping(
    gateway_id: GatewayId, body: TableMappingRequest, person: Engineer, sending: Sending
) -> SentCommand:
    """Have the gateway check the machines of a table and put them into `values.toml`.

    `problems` lists what is wrong, each with its place in `machines`.
    """
    args = MapTableArgs(**body.model_dump(include=set(MapTableArgs.model_fields)))
    return await sending(gateway_id, Commands.MAP_TABLE, person, body, args)


@router.post(
    "/gateways/{gateway_id}/configuration/table",
    summary="Import machines from a table",
    responses=documented(403, 404, 409, 503),
)
async def post_table(
    gateway_id: GatewayId,
    body: TableRequest,
    person: Engineer,
    dashboard: Running,
    wait_s: WaitS = 10,
) -> ImportResult:
    """Add the table's machines, or replace those of the same id; others stay unchanged.

    The dashboard checks each row, then the gateway checks the whole. Only a table without a
    problem is stored.
    """
    current = await _current(dashboard, gateway_id)
    read = table.read(body.table, await dashboard.reading(catalogue))
    points = sum(len(machine.points) for machine in read.machines)
    if read.problems or not read.machines:
        problems = read.problems or [RowProblem.from_said(1, "", Said("table_empty"))]
        return ImportResult(machines=len(read.machines), points=points, problems=problems)
    command = await dashboard.reading(commands.view, body.id)
    if command is None or (command.gateway_id, command.name) != (
        gateway_id,
        Commands.CONFIGURE.name,
    ):
        args = _merged(current, read, dry_run=body.dry_run)
        who = acting(person, body)
        command, _ = await configure(dashboard, gateway_id, body.id, who, args, wait_s)
    return ImportResult(
        machines=len(read.machines),
        points=points,
        problems=[read.place(problem, command.args["machines"]) for problem in command.problems],
        command=command,
    )


def _merged(current: Configuration, read: table.Table, *, dry_run: bool) -> ConfigureArgs:
    """Put the table's machines into the list; sources stay where the table names none."""
    new = {machine.id for machine in read.machines}
    read_machines = {target_of(source) for source in read.sources}
    kept = [machine for machine in current.machines if machine.id not in new]
    before = [source for source in current.sources if target_of(source) not in read_machines]
    return ConfigureArgs(
        machines=(*read.machines, *kept),
        sources=(*read.sources, *before),
        base=current.version,
        dry_run=dry_run,
    )


async def configure(
    dashboard: Dashboard,
    gateway_id: str,
    identity: str,
    person: Person,
    args: ConfigureArgs,
    wait_s: float,
) -> tuple[SentCommand, bool]:
    """Send a list of machines, wait for the answer; return the command and whether it is new."""
    is_new = await dashboard.commands.send(
        identity, gateway_id, Commands.CONFIGURE, person, args, wait_s
    )
    command = await dashboard.reading(commands.view, identity)
    if command is None:
        raise not_found("command", identity)
    return command, is_new


async def _current(dashboard: Dashboard, gateway_id: str) -> Configuration:
    return _found(await dashboard.reading(configurations.view, gateway_id), gateway_id)


def _found(configuration: Configuration | None, gateway_id: str) -> Configuration:
    if configuration is None:
        raise not_found("configuration", gateway_id)
    return configuration


def _csv(text: str, name: str) -> Response:
    return Response(
        text,
        media_type="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
