"""Credentials of a request: the cookie of a session, or a program's token in its header."""

from __future__ import annotations

from fastapi import Request, Response

from auscult.app.people.sessions import LIFE_MS

COOKIE = "auscult_session"


def address_of(request: Request) -> str:
    """Return the client's network address, for the audit."""
    return request.client.host if request.client else ""


def bearer_of(request: Request) -> str | None:
    """Return the token of `Authorization: Bearer …`, None without one."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def with_session(response: Response, request: Request, token: str) -> Response:
    """Give the browser the session's token."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=LIFE_MS // 1000,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",  # with strict, a link in a mail would lead to the sign-in form
    )
    return response
