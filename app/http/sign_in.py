"""The page to sign in, or at the first start to make the administrator: HTML without scripts."""

from __future__ import annotations

import asyncio
import html
from functools import partial
from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from auscult.app.api.inputs import Running
from auscult.app.people.access import CODE_FILE, Access, NotAdmittedError, TooManyAttemptsError
from auscult.app.people.accounts import AccountError
from auscult.app.people.cookie import address_of, with_session
from auscult.app.people.passwords import MIN_LENGTH

PATH = "/sign-in"
STYLE_PATH = "/sign-in.css"
MAX_FORM_BYTES = 4096

router = APIRouter(include_in_schema=False)

Language = Annotated[str, Header(max_length=1000)]
"""`Accept-Language` of the browser; the page's own setting is not known yet."""

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>Auscult: {title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{style}"></head>
<body><main><h1>Auscult</h1><p>{lead}</p>{problem}
<form method="post" action="{action}">
<label>{name}<input name="name" value="{given}" autocomplete="username" required autofocus
 maxlength="64"></label>
<label>{password}<input name="password" type="password" autocomplete="{completion}" required
 maxlength="256"></label>{more}
<button>{title}</button></form></main></body></html>
"""
_CODE = '<label>Code<input name="code" autocomplete="off" required maxlength="64"></label>'

_WORDS = {
    "en": {
        "name": "Name",
        "password": "Password",
        "sign_in": "Sign in",
        "lead": "Sign in to continue.",
        "first": "Make the administrator",
        "first_lead": "First start: make the administrator's account. The password needs "
        "{length} characters; the code is in the server's log and in {code} in its data folder.",
        "not_admitted": "",
        "too_many_attempts": "",
        "too_long": "The form is too long.",
        "first_refused": "",
    },
    "de": {
        "name": "Name",
        "password": "Passwort",
        "sign_in": "Anmelden",
        "lead": "Bitte melden Sie sich an.",
        "first": "Administrator anlegen",
        "first_lead": "Erster Start: Legen Sie das Konto des Administrators an. Das Passwort "
        "braucht {length} Zeichen; der Code steht im Protokoll des Servers und in {code} in seinem "
        "Datenordner.",
        "not_admitted": "Name oder Passwort stimmen nicht, oder das Konto ist nach Fehlversuchen "
        "vorübergehend gesperrt.",
        "too_many_attempts": "Zu viele Versuche. Bitte in einer Minute noch einmal versuchen.",
        "too_long": "Das Formular ist zu lang.",
        "first_refused": "Der Code stimmt nicht, oder das Passwort ist zu schwach: mindestens "
        "{length} Zeichen, nicht aus dem Namen gebildet. Namen haben 2 bis 64 Buchstaben oder "
        "Ziffern.",
    },
}
"""Words of the form, in the languages of the page; English problems come from the catalogue."""

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
    dashboard: Running,
    to: Annotated[str, Query(max_length=2000)] = "/",
    accept_language: Language = "",
) -> Response:
    """Show the form."""
    return HTMLResponse(await _form(dashboard.access, to, _words(accept_language)))


@router.get(STYLE_PATH)
async def get_style() -> Response:
    """Return the form's style."""
    return Response(_STYLE, media_type="text/css")


@router.post(PATH)
async def post_sign_in(
    request: Request,
    dashboard: Running,
    to: Annotated[str, Query(max_length=2000)] = "/",
    accept_language: Language = "",
) -> Response:
    """Sign in with the form's fields, then go where the visitor wanted to."""
    words = _words(accept_language)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return HTMLResponse(await _form(dashboard.access, to, words, words["too_long"]), 413)
    fields = {key: values[0] for key, values in parse_qs(body.decode("utf-8", "replace")).items()}
    name, password, code = (fields.get(key, "") for key in ("name", "password", "code"))
    try:
        address = address_of(request)
        job = partial(_admit, dashboard.access, name, password, code, address)
        token = await dashboard.access.admitted(address, job)
    except TooManyAttemptsError as error:
        problem = words["too_many_attempts"] or str(error)
        return HTMLResponse(await _form(dashboard.access, to, words, problem, name), 429)
    except (NotAdmittedError, AccountError) as error:
        first = await asyncio.to_thread(lambda: dashboard.access.first_start)
        said = words["first_refused" if first else "not_admitted"]
        problem = said.format(length=MIN_LENGTH) or str(error)
        return HTMLResponse(await _form(dashboard.access, to, words, problem, name), 401)
    return with_session(RedirectResponse(_local(to), 303), request, token)


def _admit(access: Access, name: str, password: str, code: str, address: str) -> str:
    if access.first_start:
        return access.first_administrator(name, password, code, address)
    return access.sign_in(name, password, address)


def _words(accept_language: str) -> dict[str, str]:
    """Choose the words by the first language that the browser names and the page has.

    >>> _words("fr, de-AT;q=0.9, en;q=0.8")["sign_in"], _words("")["sign_in"]
    ('Anmelden', 'Sign in')
    """
    wanted = (part.strip()[:2].lower() for part in accept_language.split(","))
    language = next((one for one in wanted if one in _WORDS), "en")
    return {**_WORDS[language], "language": language}


async def _form(
    access: Access, to: str, words: dict[str, str], problem: str = "", given: str = ""
) -> str:
    first = await asyncio.to_thread(lambda: access.first_start)
    lead = words["first_lead"] if first else words["lead"]
    return _PAGE.format(
        language=words["language"],
        name=words["name"],
        given=html.escape(given),
        password=words["password"],
        title=words["first" if first else "sign_in"],
        style=STYLE_PATH,
        lead=lead.format(length=MIN_LENGTH, code=CODE_FILE),
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
