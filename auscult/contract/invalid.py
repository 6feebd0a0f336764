"""What is wrong with a value, as code and values: pydantic's errors in the catalogue's codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from auscult.contract.said import Rejection, Said

_PLAIN: dict[str, Said] = {
    "missing": Said("value_missing"),
    "extra_forbidden": Said("value_unknown_key"),
    "string_type": Said("value_not_text"),
    "float_type": Said("value_not_number"),
    "float_parsing": Said("value_not_number"),
    "finite_number": Said("value_not_number"),
    "int_type": Said("value_not_whole"),
    "int_parsing": Said("value_not_whole"),
    "int_parsing_size": Said("value_not_whole"),
    "int_from_float": Said("value_not_whole"),
    "bool_type": Said("value_not_truth"),
    "bool_parsing": Said("value_not_truth"),
    "list_type": Said("value_not_list"),
    "tuple_type": Said("value_not_list"),
    "dict_type": Said("value_not_object"),
    "model_type": Said("value_not_object"),
    "model_attributes_type": Said("value_not_object"),
    "json_invalid": Said("value_not_json"),
}


_LIMITED: dict[str, Callable[[Mapping[str, Any]], Said]] = {
    "string_too_short": lambda of: Said("value_too_short", {"least": of["min_length"]}),
    "string_too_long": lambda of: Said("value_too_long", {"most": of["max_length"]}),
    "string_pattern_mismatch": lambda of: Said("value_pattern", {"pattern": of["pattern"]}),
    "greater_than": lambda of: Said("value_more_than", {"limit": of["gt"]}),
    "greater_than_equal": lambda of: Said("value_at_least", {"limit": of["ge"]}),
    "less_than": lambda of: Said("value_less_than", {"limit": of["lt"]}),
    "less_than_equal": lambda of: Said("value_at_most", {"limit": of["le"]}),
    "too_short": lambda of: Said("list_too_short", {"least": of["min_length"]}),
    "too_long": lambda of: Said("list_too_long", {"most": of["max_length"]}),
    "literal_error": lambda of: Said("value_one_of", {"expected": _quoted(of["expected"])}),
    "enum": lambda of: Said("value_one_of", {"expected": _quoted(of["expected"])}),
}


def said_of(error: Mapping[str, Any]) -> Said:
    """Return what one entry of `ValidationError.errors()` says.

    A validator that raises a `Rejection` is quoted.

    >>> said_of({"type": "string_too_long", "ctx": {"max_length": 64}, "msg": "…"}).text
    'use at most 64 characters'
    >>> said_of({"type": "literal_error", "ctx": {"expected": "'g' or 'm/s2'"}, "msg": "…"}).text
    'must be one of: g, m/s2'
    """
    kind, context = error["type"], error.get("ctx") or {}
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in _LIMITED:
        return _LIMITED[kind](context)
    cause = context.get("error")
    if isinstance(cause, Rejection):
        return cause.said
    return Said("value_other", {"problem": str(error["msg"]).removeprefix("Value error, ")})


def _quoted(expected: str) -> tuple[str, ...]:
    return tuple(re.findall(r"'([^']*)'", expected))
