"""Reasons for tests, read as a receiver reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from auscult.contract.parts import WordedReason
from auscult.contract.said import Said

_REASON = TypeAdapter(WordedReason)


def reason(**given: Any) -> WordedReason:
    """Return a reason from its fields; from `text` alone as a version before 0.2 sent it."""
    return _REASON.validate_python(given)


def text_of(answer: Mapping[str, Any]) -> str:
    """Return what an answer says, in English."""
    said = answer.get("said")
    return TypeAdapter(Said).validate_python(said).text if said else ""
