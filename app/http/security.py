"""Headers of every answer (nothing from elsewhere, nothing inline, no framing), and who may ask."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auscult.app.api.problems import answer
from auscult.contract.said import Said

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


HSTS = "max-age=31536000"
"""Over HTTPS: for a year the browser opens this server over HTTPS only (RFC 6797)."""


class SecurityHeaders:
    """Adds the headers to every answer, and keeps answers of the API out of caches."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = HSTS
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_with_headers)


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class SameOrigin:
    """Rejects requests of another site's page that change something (CSRF).

    Browsers send `Sec-Fetch-Site`, older ones `Origin`. Other programs send neither, and no
    foreign cookie. Requests with a token are accepted: no other site's page can make a browser
    send one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["method"] not in SAFE_METHODS
            and not _by_token(Headers(scope=scope))
            and _foreign(Headers(scope=scope))
        ):
            rejection = answer(scope["path"], 403, Said("foreign_page"))
            await rejection(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _by_token(headers: Headers) -> bool:
    return headers.get("authorization", "").lower().startswith("bearer ")


def _foreign(headers: Headers) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


class KnownHost:
    """Rejects requests to another server's name (DNS rebinding), for servers without sign-in.

    A page of another site can give its own name this server's address. Then the browser takes
    both for one site. Addresses and `localhost` are safe: they are no names of another site.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {"localhost", *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._knows(host := _host(scope)):
            await self._app(scope, receive, send)
        else:
            rejection = answer(scope["path"], 403, Said("host_unknown", {"host": host[:253]}))
            await rejection(scope, receive, send)

    def _knows(self, host: str) -> bool:
        return host in self._hosts or _is_address(host)


def _host(scope: Scope) -> str:
    try:
        return urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
