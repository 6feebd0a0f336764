"""Sentences as code and values, for all that reads or writes messages; see `auscult.models.said`.

The dashboard imports them from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from auscult.models.said import Rejection as Rejection
from auscult.models.said import Said as Said
from auscult.models.said import SaidValue as SaidValue

_LIMITS: Final[Mapping[str, tuple[str, Callable[[SaidValue], Said]]]] = {
    "greater_than": ("gt", lambda limit: Said("more_than", {"limit": limit})),
    "greater_than_equal": ("ge", lambda limit: Said("at_least", {"limit": limit})),
    "less_than": ("lt", lambda limit: Said("less_than", {"limit": limit})),
    "less_than_equal": ("le", lambda limit: Said("at_most", {"limit": limit})),
    "string_too_short": ("min_length", lambda limit: Said("too_short", {"limit": limit})),
    "string_too_long": ("max_length", lambda limit: Said("too_long", {"limit": limit})),
    "too_short": ("min_length", lambda limit: Said("too_few", {"limit": limit})),
    "too_long": ("max_length", lambda limit: Said("too_many", {"limit": limit})),
    "literal_error": ("expected", lambda expected: Said("expected", {"expected": expected})),
    "enum": ("expected", lambda expected: Said("expected", {"expected": expected})),
}
"""Kinds of pydantic's errors that we word ourselves, each with the name of its limit."""


def problem_of(error: ErrorDetails) -> Said:
    """Word one of pydantic's errors, without its place."""
    context = error.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, Rejection):
        return cause.said
    kind = error["type"]
    if kind == "missing":
        return Said("missing")
    if kind in _LIMITS:
        name, worded = _LIMITS[kind]
        return worded(context[name])
    return Said("invalid", {"detail": error["msg"].removeprefix("Value error, ")})


def said_of(error: ValidationError, whole: str = "") -> Said:
    """Word the first of pydantic's errors, with its place; ``whole`` names all of the input."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or whole
    return Said("at", {"where": where, "problem": problem_of(first)})
