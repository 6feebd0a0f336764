"""Errors as the API says them: problem details of RFC 9457, in clear words."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse

from auscult.app.views import Problem

MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """Ends a request with a problem; `detail` says what is wrong and what to do."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def not_found(what: str, identity: str) -> ProblemError:
    """Say that there is no such thing."""
    return ProblemError(404, f"there is no {what} {identity[:200]!r}")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries for problems that an endpoint may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


def answer(path: str, status: int, detail: str, headers: Any = None) -> JSONResponse:
    """Return a problem as an answer; `path` is that of the request."""
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, instance=path)
    return JSONResponse(problem.model_dump(), status, headers, MEDIA_TYPE)
