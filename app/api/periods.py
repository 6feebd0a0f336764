"""The period of a request."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from auscult.app.api.problems import ProblemError
from auscult.contract.message import MAX_TIME_MS, now_ms
from auscult.contract.times import DAY_MS

DEFAULT_DAYS = 7


def _period(
    since_ms: Annotated[
        int | None,
        Query(ge=0, lt=MAX_TIME_MS, description="Inclusive; default: 7 days before `until_ms`"),
    ] = None,
    until_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Exclusive; default: now")
    ] = None,
) -> tuple[int, int]:
    until_ms = until_ms if until_ms is not None else now_ms() + 1
    since_ms = since_ms if since_ms is not None else max(0, until_ms - DEFAULT_DAYS * DAY_MS)
    if since_ms >= until_ms:
        raise ProblemError("empty_period", status=422, start_ms=since_ms, end_ms=until_ms)
    return since_ms, until_ms


Period = Annotated[tuple[int, int], Depends(_period)]
"""From `since_ms` on, before `until_ms`."""
