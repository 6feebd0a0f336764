"""Makes every error of a request a problem (RFC 9457)."""

from __future__ import annotations

import sqlite3

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from auscult.app.api.conditional import NotModifiedError
from auscult.app.api.problems import ProblemError, answer, not_found, unavailable
from auscult.app.http.security import HEADERS
from auscult.app.people.access import NotAdmittedError, TooManyAttemptsError
from auscult.app.store import scope
from auscult.app.store.commands import IdTakenError
from auscult.app.store.connection import StoreUnavailableError
from auscult.app.store.sqlite import is_damage
from auscult.contract.invalid import said_of
from auscult.contract.said import Rejection, Said

STATUS: dict[type[Rejection], int] = {
    IdTakenError: 409,
    NotAdmittedError: 401,
    TooManyAttemptsError: 429,
}
"""Of rejections that are not 422."""


def _shown(error: Rejection) -> ProblemError:
    """Return a rejection as the caller may see it."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, IdTakenError) and not scope.sees(error.site):
        return not_found("command", error.id)
    return ProblemError(error.said, status=STATUS.get(type(error), 422))


def add_handlers(app: FastAPI) -> None:
    """Make the application answer every error with a problem."""

    @app.exception_handler(Rejection)
    def _rejected(request: Request, error: Rejection) -> JSONResponse:
        shown = _shown(error)
        return answer(request.url.path, shown.status, shown.said)

    @app.exception_handler(NotModifiedError)
    def _not_modified(_request: Request, error: NotModifiedError) -> Response:
        headers = {"ETag": error.etag, "Cache-Control": "private, no-cache"}
        return Response(status_code=304, headers=headers)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> JSONResponse:
        path = request.url.path
        if error.status_code == 404:
            said = Said("no_such_path", {"path": path[:200]})
        else:
            said = Said("http_error", {"problem": str(error.detail)})
        return answer(path, error.status_code, said, error.headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        said = Said("invalid_request", {"where": where, "problem": said_of(first)})
        return answer(request.url.path, 422, said)

    @app.exception_handler(StoreUnavailableError)
    def _unavailable(request: Request, error: StoreUnavailableError) -> JSONResponse:
        return unavailable(request.url.path, error)

    @app.exception_handler(sqlite3.DatabaseError)
    def _damaged(request: Request, error: sqlite3.DatabaseError) -> JSONResponse:
        if is_damage(error):
            request.app.state.dashboard.store.engine.damage.report_file(str(error))
        return unavailable(request.url.path, StoreUnavailableError(str(error)))

    @app.exception_handler(Exception)
    def _unexpected(request: Request, _error: Exception) -> JSONResponse:
        # The server's log has the trace; the answer gives an attacker no details.
        # This answer does not pass through the middleware that adds the headers.
        return answer(request.url.path, 500, Said("server_error"), HEADERS)
