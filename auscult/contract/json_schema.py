"""The JSON Schema of a message type or of a command's arguments."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from auscult.contract.message import Message

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
