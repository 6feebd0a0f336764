"""The JSON Schemas of all messages and command arguments, for readers in any language."""

from __future__ import annotations

import json

from auscult.contract.json_schema import args_schema_of, schema_of
from auscult.contract.payloads import MESSAGES
from auscult.contract.requests import COMMANDS


def files() -> dict[str, str]:
    """Return the content of all schema files by path."""
    schemas = {f"{m.schema_name.rsplit('/', 1)[1]}.json": schema_of(m) for m in MESSAGES}
    for name, spec in COMMANDS.items():
        schemas[f"command.{name}.json"] = args_schema_of(name, spec.args)
    return {
        f"docs/schemas/{name}": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }
