"""The page to sign in, or at the first start to make the administrator: HTML without scripts."""

from __future__ import annotations

import asyncio
import html
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from app.api.inputs import Running
from app.people.accounts import AccountError
from app.people.cookie import address_of, with_session
from app.people.gate import CODE_FILE, Gate, NotAdmittedError
from app.people.passwords import MIN_LENGTH

PATH = "/sign-in"
STYLE_PATH = "/sign-in.css"
MAX_FORM_BYTES = 4096

router = APIRouter(include_in_schema=False)

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Auscult: {title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{style}"></head>
<body><main><h1>Auscult</h1><p>{lead}</p>{problem}
<form method="post" action="{action}">
<label>Name<input name="name" autocomplete="username" required autofocus maxlength="64"></label>
<label>Password<input name="password" type="password" autocomplete="{completion}" required
 maxlength="256"></label>{more}
<button>{title}</button></form></main></body></html>
"""
_CODE = '<label>Code<input name="code" autocomplete="off" required maxlength="64"></label>'

_STYLE = """
:root { color-scheme: light dark; font: 1.05rem/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { width: min(22rem, 88vw); }
label { display: block; margin: 0 0 1rem; }
input, button { font: inherit; box-sizing: border-box; width: 100%; min-height: 3rem;
  padding: 0 .75rem; border: 1px solid GrayText; border-radius: .4rem; }
button { font-weight: 600; cursor: pointer; }
[role=alert] { border-left: .3rem solid currentColor; padding-left: .75rem; }
"""


@router.get(PATH)
async def get_sign_in(
    dashboard: Running, to: Annotated[str, Query(max_length=2000)] = "/"
) -> Response:
    """Show the form."""
    return HTMLResponse(await _form(dashboard.gate, to))


@router.get(STYLE_PATH)
async def get_style() -> Response:
    """Return the form's style."""
    return Response(_STYLE, media_type="text/css")


@router.post(PATH)
async def post_sign_in(
    request: Request, dashboard: Running, to: Annotated[str, Query(max_length=2000)] = "/"
) -> Response:
    """Sign in with the form's fields, then go where the visitor wanted to."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return HTMLResponse(await _form(dashboard.gate, to, "That is too long."), 413)
    fields = {key: values[0] for key, values in parse_qs(body.decode("utf-8", "replace")).items()}
    name, password, code = (fields.get(key, "") for key in ("name", "password", "code"))
    try:
        token = await asyncio.to_thread(
            _admit, dashboard.gate, name, password, code, address_of(request)
        )
    except (NotAdmittedError, AccountError) as error:
        return HTMLResponse(await _form(dashboard.gate, to, str(error)), 401)
    return with_session(RedirectResponse(_local(to), 303), request, token)


def _admit(gate: Gate, name: str, password: str, code: str, address: str) -> str:
    if gate.first_start:
        return gate.first_administrator(name, password, code, address)
    return gate.sign_in(name, password, address)


async def _form(gate: Gate, to: str, problem: str = "") -> str:
    first = await asyncio.to_thread(lambda: gate.first_start)
    lead = (
        f"First start: make the administrator's account. The password needs {MIN_LENGTH} "
        f"characters; the code is in the server's log and in {CODE_FILE} in its data folder."
        if first
        else "Sign in to go on."
    )
    return _PAGE.format(
        title="Make the administrator" if first else "Sign in",
        style=STYLE_PATH,
        lead=lead,
        problem=f'<p role="alert">{html.escape(problem)}</p>' if problem else "",
        action=f"{PATH}?to={quote(_local(to), safe='')}",
        completion="new-password" if first else "current-password",
        more=_CODE if first else "",
    )


def _local(to: str) -> str:
    """Return a path on this server: never another site's address.

    >>> _local("/machines/x"), _local("//evil.example"), _local("https://evil.example")
    ('/machines/x', '/', '/')
    """
    fine = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if fine else "/"
