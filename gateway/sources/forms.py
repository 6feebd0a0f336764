"""The forms by which the page sets up sources of overall values."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from auscult.contract.inventory import SourceForm
from auscult.contract.words import LANGUAGES, starting, values_of, words_in
from auscult.gateway.sources.contract import SourceKind
from auscult.gateway.sources.registry import kinds
from auscult.gateway.sources.values import ValueKind

log = logging.getLogger(__name__)

GIVEN = ("type", "machine", "point", "values")
"""Settings that the page fills in itself."""


def source_forms(allowed: Collection[str]) -> tuple[SourceForm, ...]:
    """Return the form of each installed kind that the page may set up.

    A kind whose settings make no form is left out with a line in the log.

    Parameters
    ----------
    allowed : collection of str
        The kinds that `page_sources` of the gateway's file names.
    """
    found = []
    for name, kind in kinds():
        if isinstance(kind, ValueKind) and _for_page(kind):
            try:
                own = not kind.page_if_allowed or name in allowed
                found.append(form_of(name, kind, allowed=own))
            except Exception:  # a plugin of others must not keep the gateway from starting
                log.exception("the page has no form of the sources of kind %s", name)
    return tuple(found)


def _for_page(kind: ValueKind[Any]) -> bool:
    """Say whether the page may set a kind up: by `page_if_allowed`, or by a rule of its own."""
    return kind.page_if_allowed or type(kind).forbidden is not SourceKind.forbidden


def form_of(name: str, kind: ValueKind[Any], *, allowed: bool) -> SourceForm:
    """Return the form of one kind."""
    schema = kind.settings.model_json_schema()
    rows = schema["properties"]["values"]["items"]["$ref"].rpartition("/")[2]
    tables = _shown(schema), _shown(schema["$defs"][rows])
    words = {language: _words(name, language) for language in LANGUAGES}
    if not words["en"]:
        words["en"] = {"kind.channel": name, "kind.title": name, **_named(*tables)}
    connection, row = map(_without_texts, tables)
    return SourceForm(kind=name, allowed=allowed, connection=connection, row=row, words=words)


def _shown(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a table that a form shows: no file and no table within."""
    properties = {
        name: one
        for name, one in schema["properties"].items()
        if name not in GIVEN
        and one.get("x-widget") != "none"
        and not any("$ref" in part or part.get("format") == "path" for part in _parts(one))
    }
    required = [name for name in schema.get("required", ()) if name in properties]
    return {"properties": properties, "required": required}


def _parts(one: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield one
    yield from one.get("anyOf", ())


def _words(kind: str, language: str) -> dict[str, str]:
    """Return the words of a form by key; the page puts the value of setting `x` for `{x}`."""
    start, words = f"form-{kind}-", words_in(language)
    return {
        message.removeprefix(start).replace("-", ".", 1): words.text(
            message, {name: f"{{{name}}}" for name in frozenset().union(*values_of(source))}
        )
        for message, source in starting(start, language).items()
    }


def _named(*tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the words of settings by their titles and descriptions."""
    found = {}
    for name, one in (pair for table in tables for pair in table["properties"].items()):
        found[name] = one.get("title", name)
        if "description" in one:
            found[f"{name}.help"] = one["description"]
    return found


def _without_texts(table: Mapping[str, Any]) -> dict[str, Any]:
    properties = {
        name: {key: value for key, value in one.items() if key not in ("title", "description")}
        for name, one in table["properties"].items()
    }
    return {**table, "properties": properties}
