"""Serves the built page from `app/static`, deep links included, and the documentation."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from auscult.app import page_files
from auscult.app.people.access import Access
from auscult.app.people.cookie import COOKIE, address_of

ASSETS = "assets/"
"""Vite puts files here whose names hold a hash of their content."""

NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Auscult: page not built</title>
<h1>The page is not built</h1>
<p>The server runs and its API answers under <code>/api</code>. To build the page, run
<code>make web</code> in the source tree and load this page again.</p></html>
"""


class Page(StaticFiles):
    """Static files; any other path that names no file gives the page, which routes itself."""

    def __init__(self) -> None:
        super().__init__(directory=page_files.FOLDER, check_dir=False)

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("api/") or path in ("api", "metrics"):
            raise HTTPException(404, f"there is nothing at /{path}; see /api/openapi.json")
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or _names_a_file(path):
                raise
            path = "index.html"
            response = await self._page(scope)
        hashed = path.startswith(ASSETS)
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if hashed else "no-cache"
        )
        return response

    async def check_config(self) -> None:
        """Let a missing folder be: the page may not be built yet."""

    async def _page(self, scope: Scope) -> Response:
        if not page_files.built():
            return HTMLResponse(NOT_BUILT, 503)
        request = Request(scope)
        access: Access = request.app.state.dashboard.access
        token, address = request.cookies.get(COOKIE), address_of(request)
        if await asyncio.to_thread(access.person, token, address) is None:
            wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/sign-in?to={quote(wanted, safe='')}", 303)
        return await super().get_response("index.html", scope)

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if not page_files.FOLDER.is_dir():
            return "", None
        return super().lookup_path(path)


class Documentation(StaticFiles):
    """The documentation that `make docs` builds, readable without sign-in."""

    def __init__(self) -> None:
        super().__init__(directory=page_files.DOCUMENTATION, html=True, check_dir=False)

    async def check_config(self) -> None:
        """Accept a missing folder: a source tree may have no documentation built yet."""


def _names_a_file(path: str) -> bool:
    """Tell whether a path means a file: below them, ids may hold dots (machine ``pump.3``).

    >>> _names_a_file("favicon.ico"), _names_a_file("assets/index-1.js")
    (True, True)
    >>> _names_a_file("machines/plant~gw1~pump.3"), _names_a_file("events")
    (False, False)
    """
    return path.startswith(ASSETS) or ("/" not in path and Path(path).suffix != "")
