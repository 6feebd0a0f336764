"""Reasons for tests, read as a receiver reads them."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from auscult.contract.parts import WordedReason

_REASON = TypeAdapter(WordedReason)


def reason(**given: Any) -> WordedReason:
    """Return a reason from its fields; from `text` alone as a version before 0.2 sent it."""
    return _REASON.validate_python(given)
