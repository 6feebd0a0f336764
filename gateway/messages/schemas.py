"""The JSON Schemas of all messages and command arguments, for whoever reads us without Python.

``python -m auscult.gateway.messages.schemas`` writes them, and the AsyncAPI document beside; a
test holds
them current.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from auscult.gateway.messages.message import Message
from auscult.gateway.messages.payloads import MESSAGES
from auscult.gateway.messages.requests import COMMAND_ARGS

FOLDER = Path("docs/schemas")
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
    """Return all schema files by name, as they should be."""
    schemas = {f"{m.schema_name.rsplit('/', 1)[1]}.json": schema_of(m) for m in MESSAGES}
    for command, args in COMMAND_ARGS.items():
        schemas[f"command.{command.value}.json"] = args_schema_of(command.value, args)
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def write(folder: Path) -> None:
    """Write all schemas, and remove those of messages that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = files()
    for stale in {p.name for p in folder.glob("*.json")} - wanted.keys():
        (folder / stale).unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    from auscult.gateway.messages import asyncapi

    write(FOLDER)
    asyncapi.FILE.write_text(asyncapi.text(), encoding="utf-8")
