"""Errors as the API answers them: problem details (RFC 9457) with code, values and English text."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse

from auscult.app.store.connection import StoreUnavailableError
from auscult.app.views import Problem
from auscult.contract.said import Rejection, Said

MEDIA_TYPE = "application/problem+json"


class ProblemError(Rejection):
    """Ends a request with a problem."""

    def __init__(self, code: str | Said, /, *, status: int, **values: Any) -> None:
        super().__init__(code, **values)
        self.status = status


def not_found(what: str, identity: str) -> ProblemError:
    """Return the problem that `identity` names nothing; `what` is a word of the catalogue."""
    return ProblemError("not_found", status=404, what=what, id=identity[:200])


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries for problems that an endpoint may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


def answer(path: str, status: int, said: Said, headers: Any = None) -> JSONResponse:
    """Return a problem as an answer; `path` is that of the request."""
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=said.text,
        instance=path,
        code=said.code,
        values=said.values,
    )
    return JSONResponse(problem.model_dump(mode="json"), status, headers, MEDIA_TYPE)


def unavailable(path: str, error: StoreUnavailableError) -> JSONResponse:
    """Return the answer while the database fails."""
    return answer(path, 503, Said("store_unavailable", {"cause": str(error)}))
