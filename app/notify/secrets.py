"""Secrets in addresses of channels, and texts without them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, unquote, unquote_plus, urlsplit

SHOWS_HOST: Final = re.compile(r"^(https?|(json|xml|form|ntfy|matrix|mqtt|gotify|rocket)s?)$")
"""Services whose host is no secret; others have a token in its place."""
MAIL: Final = re.compile(r"^mailtos?$")
OF_MAIL: Final = ("to", "from", "cc", "bcc", "mode", "format")
"""What the query of a mail address states openly."""
SHORTEST: Final = 4


def of_url(url: str) -> set[str]:
    """Return the parts of an address that no log and no answer may hold.

    >>> sorted(of_url("json://ada:pass1@host/hook?key=abcd"))
    ['YWRhOnBhc3Mx', 'abcd', 'ada', 'hook', 'pass1']
    """
    parts = urlsplit(url)
    mail = MAIL.match(parts.scheme) is not None
    found = {parts.username, parts.password, *parts.path.split("/")}
    for one in parts.query.split("&"):
        name, _, value = one.partition("=")
        if not mail or name not in OF_MAIL:
            found.add(value)
    if not mail and not SHOWS_HOST.match(parts.scheme):
        found.add(parts.netloc.rpartition("@")[2].partition(":")[0])
    if parts.username and parts.password:
        pair = f"{unquote(parts.username)}:{unquote(parts.password)}"
        found.add(b64encode(pair.encode()).decode())
    return {one for one in found if one}


def without(text: str, secrets: Iterable[str]) -> str:
    """Return a text in one line, with each secret replaced in whatever form it is written.

    >>> without("no: /HOOK?key=a%20bc%20d", ["hook", "a bc d"])
    'no: /…?key=…'
    """
    forms = {form for one in secrets for form in _forms(one) if len(form) >= SHORTEST}
    text = " ".join(text.split())
    if forms:
        longest_first = sorted(forms, key=len, reverse=True)
        text = re.sub("|".join(map(re.escape, longest_first)), "…", text, flags=re.IGNORECASE)
    return text


def _forms(secret: str) -> Iterator[str]:
    for plain in (secret, unquote(secret), unquote_plus(secret)):
        yield from (plain, quote(plain), quote(plain, safe=""), plain.replace(" ", "+"))
