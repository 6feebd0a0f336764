"""The reference of all keys of the configuration, from the models that check it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from auscult.app.command.configuration import ConfigurationFile
from auscult.gateway.settings.outputs import OutputTables, installed, tables
from auscult.gateway.settings.source import SourceSettings, load_kind
from lab.documents import plugin_pages

OURS = "auscult.gateway."
EXAMPLE = Path(__file__).parents[2] / "app/demo/auscult.toml"

HEAD = """# Configuration

One TOML file configures a gateway, a dashboard or both: `auscult gateway --config auscult.toml`,
`auscult dashboard --config auscult.toml`. All keys are checked before a program starts. For an
unknown key, a value out of bounds or a missing file, one line names file, key, value and remedy and
the command ends with exit code 2. Relative paths start at the folder of the file.
"""


def render() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    for table, model, many in _tables("", ConfigurationFile):
        parts.append(f"\n## `{'[[' if many else '['}{table}{']]' if many else ']'}`\n")
        parts.append(f"{(model.__doc__ or '').strip().splitlines()[0]}\n")
        rows = [
            f"| `{name}` | {_type_text(field.annotation)}{_bounds_text(field)} "
            f"| {_default_text(field)} | {field.description or ''} |"
            for name, field in model.model_fields.items()
            if not _models_of(field.annotation)
        ]
        parts.append("| key | value | default | meaning |\n|---|---|---|---|")
        parts.append("\n".join(rows))
        if issubclass(model, SourceSettings):
            kind = get_args(model.model_fields["type"].annotation)[0]
            page = plugin_pages.page_of(kind).relative_to("docs").as_posix()
            example = plugin_pages.example_of(kind).rstrip()
            parts.append(f"\n[What the keys mean together]({page}); an example:\n")
            parts.append(f"```toml\n{example}\n```")
    parts.append(f"\n\n## An example\n\n```toml\n{EXAMPLE.read_text(encoding='utf-8')}```\n")
    return "\n".join(parts).replace("\n\n\n", "\n\n")


def _tables(prefix: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel], bool]]:
    """Walk the tables depth first: their dotted name, model, and whether there may be many."""
    for name, field in _fields(model):
        for inner in _models_of(field.annotation):
            table = f"{prefix}{name}"
            for each in _source_models() if inner is SourceSettings else [inner]:
                yield table, each, _is_tuple(field.annotation)
                yield from _tables(f"{table}.", each)


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields of a model, with the tables of this package's outputs in their place."""
    for name, field in model.model_fields.items():
        if field.annotation is not OutputTables:
            yield name, field
            continue
        for output, table in tables().model_fields.items():
            if installed()[output].value.startswith(OURS):
                yield output, table


def _source_models() -> list[type[BaseModel]]:
    """Return the settings of the kinds of source in this package; other packages add theirs."""
    return [load_kind(name).settings for name in plugin_pages.kinds()]


def _models_of(annotation: Any) -> list[type[BaseModel]]:
    """Return the settings models inside an annotation such as ``tuple[X | Y, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models_of(inner)]


def _is_tuple(annotation: Any) -> bool:
    return get_origin(annotation) is tuple or any(map(_is_tuple, get_args(annotation)))


def _type_text(annotation: Any) -> str:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_text(args[0])
    if origin is Literal:
        return " or ".join(f"`{a}`" for a in args)
    if origin in (Union, types.UnionType):
        return " or ".join(_type_text(a) for a in args if a is not type(None))
    if origin is tuple:
        return f"list of {_type_text(args[0])}"
    if origin is dict:
        return "table of text"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path"}
    return names.get(annotation, str(annotation))


def _bounds_text(field: FieldInfo) -> str:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    bounds = [
        f"{sign} {getattr(rule, name):,}".replace(",", " ")
        for rule in field.metadata
        for name, sign in signs.items()
        if getattr(rule, name, None) is not None
    ]
    return f", {', '.join(bounds)}" if bounds else ""


def _default_text(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "*required*" if field.default_factory is None else ""
    if field.default in (None, "", ()):
        return ""
    value = field.default
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/configuration.md": render()}
