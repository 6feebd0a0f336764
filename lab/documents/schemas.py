"""The JSON Schemas of all messages and command arguments, for readers in any language."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from auscult.contract.message import Message
from auscult.contract.payloads import MESSAGES
from auscult.contract.requests import COMMANDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(message: type[Message]) -> dict[str, Any]:
    """Return the JSON Schema of a message type, with the constant `schema` that it carries."""
    body = message.model_json_schema(by_alias=True, mode="validation")
    name = message.schema_name
    properties = {"schema": {"const": name, "type": "string"}, **body.pop("properties")}
    required = ["schema", *body.pop("required", [])]
    return {
        "$schema": DIALECT,
        "$id": f"urn:{name.replace('/', ':')}",
        **body,
        "properties": properties,
        "required": required,
    }


def args_schema_of(name: str, args: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a command's `args`."""
    return {
        "$schema": DIALECT,
        "$id": f"urn:auscult:v1:command:{name}",
        **args.model_json_schema(),
    }


def files() -> dict[str, str]:
    """Return the content of all schema files by path."""
    schemas = {f"{m.schema_name.rsplit('/', 1)[1]}.json": schema_of(m) for m in MESSAGES}
    for name, spec in COMMANDS.items():
        schemas[f"command.{name}.json"] = args_schema_of(name, spec.args)
    return {
        f"docs/schemas/{name}": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }
