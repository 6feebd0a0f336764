"""The JSON Schemas of all messages and command arguments, for readers in any language.

``python -m auscult.gateway.messages.schemas`` writes them, and the AsyncAPI document beside; a test
holds them current.
"""

from __future__ import annotations

import json
from pathlib import Path

from auscult.gateway.messages import asyncapi
from auscult.gateway.messages.json_schema import args_schema_of, schema_of
from auscult.gateway.messages.payloads import MESSAGES
from auscult.gateway.messages.requests import COMMANDS

FOLDER = Path("docs/schemas")


def files() -> dict[str, str]:
    """Return the content of all schema files by name."""
    schemas = {f"{m.schema_name.rsplit('/', 1)[1]}.json": schema_of(m) for m in MESSAGES}
    for name, spec in COMMANDS.items():
        schemas[f"command.{name}.json"] = args_schema_of(name, spec.args)
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def write(folder: Path) -> None:
    """Write all schemas, and delete those of removed messages."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = files()
    for stale in {p.name for p in folder.glob("*.json")} - wanted.keys():
        (folder / stale).unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
    asyncapi.FILE.write_text(asyncapi.text(), encoding="utf-8")
