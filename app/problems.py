"""Errors as the API says them: problem details of RFC 9457, in clear words."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from auscult.app.api.conditional import NotModifiedError
from auscult.app.people.accounts import AccountError
from auscult.app.security import HEADERS
from auscult.app.store.commands import IdTakenError
from auscult.app.store.connection import StoreUnavailableError
from auscult.app.store.cursor import CursorError
from auscult.app.views import Problem

log = logging.getLogger(__name__)

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


def add_handlers(app: FastAPI) -> None:
    """Make the application answer every error with a problem."""

    @app.exception_handler(ProblemError)
    def _problem(request: Request, error: ProblemError) -> JSONResponse:
        return _answer(request, error.status, error.detail)

    @app.exception_handler(NotModifiedError)
    def _not_modified(_request: Request, error: NotModifiedError) -> Response:
        headers = {"ETag": error.etag, "Cache-Control": "private, no-cache"}
        return Response(status_code=304, headers=headers)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> JSONResponse:
        return _answer(request, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        return _answer(request, 422, f"{where}: {message}")

    @app.exception_handler(CursorError)
    def _cursor(request: Request, error: CursorError) -> JSONResponse:
        return _answer(request, 422, f"query.{error}")

    @app.exception_handler(IdTakenError)
    def _taken(request: Request, error: IdTakenError) -> JSONResponse:
        return _answer(request, 409, str(error))

    @app.exception_handler(AccountError)
    def _account(request: Request, error: AccountError) -> JSONResponse:
        return _answer(request, 422, f"body.{error}")

    @app.exception_handler(StoreUnavailableError)
    def _unavailable(request: Request, error: StoreUnavailableError) -> JSONResponse:
        detail = (
            f"nothing can be stored or read now ({error}); try again, and check the database and "
            "its disk"
        )
        return _answer(request, 503, detail)

    @app.exception_handler(Exception)
    def _unexpected(request: Request, _error: Exception) -> JSONResponse:
        # The server's log has the trace; the answer tells an attacker nothing.
        # The usual middleware is passed by.
        return _answer(request, 500, "an error inside the server; its log says more", HEADERS)


def _answer(request: Request, status: int, detail: str, headers: Any = None) -> JSONResponse:
    problem = Problem(
        title=HTTPStatus(status).phrase, status=status, detail=detail, instance=request.url.path
    )
    return JSONResponse(problem.model_dump(), status, headers, MEDIA_TYPE)
