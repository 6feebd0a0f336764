"""The page of all commands: arguments, what each does, who may send it, its endpoint."""

from __future__ import annotations

from typing import Any

from auscult.app.api.commands import ALIASES, path_of
from auscult.contract.requests import COMMANDS, CommandSpec

HEAD = """# Commands

The commands of a gateway: over [MQTT](mqtt.md) on `cmd/{name}` with these `args`, and through the
[dashboard's API](api.md). The path of an endpoint names gateway, machine and point; its body holds
the other arguments, an `id` and, without login, the `actor`. A command without an endpoint here is
sent by the dashboard itself, or by an endpoint that does more than send.
The JSON Schemas of the arguments are in the folder `docs/schemas`, each named after its command.

"""


def page() -> str:
    """Return the page."""
    rows = "".join(map(_row, COMMANDS.values()))
    endpoints = "".join(_endpoint(spec) for spec in COMMANDS.values() if spec.role)
    return (
        f"{HEAD}| name | arguments | what it does |\n|---|---|---|\n{rows}\n## Endpoints\n\n"
        f"| command | path below `/api/v1` | role | path up to version 0.3 |\n|---|---|---|---|\n"
        f"{endpoints}"
    )


def _row(spec: CommandSpec[Any]) -> str:
    fields = ", ".join(f"`{name}`" for name in spec.args.model_fields)
    return f"| `{spec.name}` | {fields} | {spec.about} |\n"


def _endpoint(spec: CommandSpec[Any]) -> str:
    method, alias = ALIASES.get(spec.name, ("", ""))
    before = f"`{alias}` ({method})" if alias else ""
    return f"| `{spec.name}` | `{path_of(spec)}` (POST) | {spec.role} | {before} |\n"


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/commands.md": page()}
