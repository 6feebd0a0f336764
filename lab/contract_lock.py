"""The lock of the public contract: names, types and units that a released reader relies on.

`python -m lab.contract_lock` writes `contract.lock` at a release. `tests/test_contract_lock.py`
fails when the code has lost or changed an entry, until the version says that it may.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auscult.contract.payloads import MESSAGES
from auscult.contract.requests import COMMANDS
from auscult.gateway.outputs.modbus.registers import GATEWAY, MACHINE, POINT
from lab.documents import asyncapi, features, rights, sparkplug_metrics
from lab.documents.schemas import args_schema_of, schema_of

ROOT = Path(__file__).parents[1]
FILE = ROOT / "contract.lock"
IN = ("command", "request")
"""Kinds of entries that a caller writes: a new one that is required breaks the callers."""

Entries = dict[str, str]
"""Type of each entry by its key, ``kind name.field``; ``!`` marks a required field."""


def current() -> Entries:
    """Return the entries of the code."""
    return dict(
        sorted([*_mqtt(), *_http(), *_registers(), *sparkplug_metrics.entries(), *_features()])
    )


def version() -> str:
    """Return the version of the code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def breaks(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return what a reader of ``before`` can't rely on any more, a line each."""
    found = [f"{key}: {before[key]} is gone" for key in before.keys() - after.keys()]
    found += [
        f"{key}: was {before[key]}, is {after[key]}"
        for key in before.keys() & after.keys()
        if not _holds(before[key], after[key])
    ]
    for key in after.keys() - before.keys():
        known = any(other.startswith(key.partition(".")[0] + ".") for other in before)
        if key.startswith(IN) and after[key].endswith("!") and known:
            found.append(f"{key}: {after[key]} is new and required")
    return sorted(found)


def may_break(released: str, now: str) -> bool:
    """Return whether the version says that the contract changed (Semantic Versioning, 4 and 8)."""
    before, after = ([int(n) for n in v.split(".")[:2]] for v in (released, now))
    return after[0] > before[0] or (before[0] == 0 and after > before)


def read() -> tuple[str, Entries]:
    """Return the released version and its entries."""
    first, *rest = FILE.read_text(encoding="utf-8").splitlines()
    entries: Entries = {}
    for line in rest:
        name, _, fields = line.partition(": ")
        for field in fields.split("; "):
            key, _, kind = field.partition("=")
            entries[f"{name}.{key}"] = kind
    return first.removeprefix("version "), entries


def _holds(before: str, after: str) -> bool:
    """Return whether a reader of one type can read the other: a choice may gain values."""
    if before.startswith("one of ") and after.startswith("one of "):
        return set(before[7:].rstrip("!").split("|")) <= set(after[7:].rstrip("!").split("|"))
    return before.rstrip("!") == after.rstrip("!")


def _mqtt() -> Iterator[tuple[str, str]]:
    for channel in asyncapi.channels():
        yield f"topic {channel.name}.address", channel.address
    for message in MESSAGES:
        yield from _fields("message", schema_of(message))
    for name, spec in COMMANDS.items():
        yield from _fields("command", {**args_schema_of(name, spec.args), "title": name})


def _http() -> Iterator[tuple[str, str]]:
    document = rights.application().openapi()
    schemas = document["components"]["schemas"]
    asked: set[str] = set()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield f"http {path}.{method}", "operation"
            asked |= _named(operation.get("requestBody"))
    todo = list(asked)
    while todo:
        new = _named(schemas[todo.pop()]) - asked
        asked |= new
        todo += new
    for name, schema in schemas.items():
        kind = "request" if name in asked else "answer"
        yield from _fields(kind, {**schema, "title": name})


def _named(part: Any) -> set[str]:
    """Return the names of all types that a part of a schema refers to."""
    if isinstance(part, list):
        return {name for one in part for name in _named(one)}
    if not isinstance(part, dict):
        return set()
    own = {part["$ref"].rpartition("/")[2]} if "$ref" in part else set()
    return own.union(*(_named(one) for one in part.values()))


def _fields(kind: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        mark = "!" if name in required else ""
        yield f"{kind} {schema['title']}.{name}", _type(field) + mark
    if "enum" in schema:
        yield f"{kind} {schema['title']}.value", _type(schema)
    for name, inner in schema.get("$defs", {}).items():
        yield from _fields(kind, {**inner, "title": name})


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return "one of " + "|".join(map(str, sorted(field["enum"], key=str)))
    if "const" in field:
        return f"one of {field['const']}"
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in field:
            return "/".join(sorted(_type(one) for one in field[key]))
    if field.get("type") == "array":
        return f"[{_type(field.get('items', {}))}]"
    return str(field.get("type", "any"))


def _registers() -> Iterator[tuple[str, str]]:
    for place, registers in (("gateway", GATEWAY), ("machine", MACHINE), ("point", POINT)):
        for r in registers:
            of = "quality of " if r.quality else "time of " if r.stamp else ""
            yield f"modbus {place}.{r.offset}", f"{r.kind} {of}{r.tag} {r.unit}".strip()


def _features() -> Iterator[tuple[str, str]]:
    for spec in features.reference_specs():
        for feature in spec.features:
            yield f"feature {feature.group}.{feature.name}", feature.unit or "1"


def text() -> str:
    """Return the lock as it is stored: a line for each name, with its fields."""
    lines: dict[str, list[str]] = {}
    for key, kind in current().items():
        name, _, field = key.rpartition(".") if key.startswith("http") else key.partition(".")
        lines.setdefault(name, []).append(f"{field}={kind}")
    return f"version {version()}\n" + "".join(
        f"{name}: {'; '.join(fields)}\n" for name, fields in lines.items()
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
