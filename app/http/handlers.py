"""Makes every error of a request a problem (RFC 9457)."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from auscult.app.api.conditional import NotModifiedError
from auscult.app.api.problems import ProblemError, answer
from auscult.app.http.security import HEADERS
from auscult.app.people.accounts import AccountError
from auscult.app.store.commands import IdTakenError
from auscult.app.store.connection import StoreUnavailableError
from auscult.app.store.cursor import CursorError


def add_handlers(app: FastAPI) -> None:
    """Make the application answer every error with a problem."""

    @app.exception_handler(ProblemError)
    def _problem(request: Request, error: ProblemError) -> JSONResponse:
        return answer(request.url.path, error.status, error.detail)

    @app.exception_handler(NotModifiedError)
    def _not_modified(_request: Request, error: NotModifiedError) -> Response:
        headers = {"ETag": error.etag, "Cache-Control": "private, no-cache"}
        return Response(status_code=304, headers=headers)

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> JSONResponse:
        return answer(request.url.path, error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        return answer(request.url.path, 422, f"{where}: {message}")

    @app.exception_handler(CursorError)
    def _cursor(request: Request, error: CursorError) -> JSONResponse:
        return answer(request.url.path, 422, f"query.{error}")

    @app.exception_handler(IdTakenError)
    def _taken(request: Request, error: IdTakenError) -> JSONResponse:
        return answer(request.url.path, 409, str(error))

    @app.exception_handler(AccountError)
    def _account(request: Request, error: AccountError) -> JSONResponse:
        return answer(request.url.path, 422, f"body.{error}")

    @app.exception_handler(StoreUnavailableError)
    def _unavailable(request: Request, error: StoreUnavailableError) -> JSONResponse:
        detail = (
            f"nothing can be stored or read now ({error}); try again, and check the database and "
            "its disk"
        )
        return answer(request.url.path, 503, detail)

    @app.exception_handler(Exception)
    def _unexpected(request: Request, _error: Exception) -> JSONResponse:
        # The server's log has the trace; the answer tells an attacker nothing.
        # The usual middleware is passed by.
        return answer(
            request.url.path, 500, "an error inside the server; its log says more", HEADERS
        )
