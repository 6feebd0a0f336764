"""Work orders: from a case and a template to a request, and what the system answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from auscult.app.notify.secrets import of_url, without
from auscult.app.notify.sending import MOST_TEXT, SendError, beginning
from auscult.app.store.orders import StoredSystem
from auscult.app.views import OrderTemplate

if TYPE_CHECKING:
    import requests

FILE: Final = Path(__file__).parent / "orders.json"
TIMEOUT_S: Final = 15
_NAME: Final = re.compile(r"\{(\w+)\}")
NAMES: Final = (
    "title", "text", "machine", "machine_id", "area", "priority", "due_date", "case_url",
    "order_id",
)  # fmt: skip


@cache
def shipped() -> tuple[OrderTemplate, ...]:
    """Return the shipped templates."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))["templates"]
    return tuple(OrderTemplate(**entry) for entry in entries)


def filled(template: Any, values: Mapping[str, str]) -> Any:
    """Return JSON with its placeholders replaced; unknown ones stay.

    >>> filled({"t": "{title} ({x})", "n": [1]}, {"title": "Outer race"})
    {'t': 'Outer race ({x})', 'n': [1]}
    """
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    if isinstance(template, str):
        return _NAME.sub(lambda found: values.get(found[1], found[0]), template)
    return template


def post(stored: StoredSystem, values: Mapping[str, str]) -> str:
    """Send an order; return the number that the system gives it, empty if it gives none.

    A system can hold it as long as it likes: call it by `sending.within_limits`. Once its status is
    known, the order counts as taken or rejected, however the rest of the answer comes.

    Raises
    ------
    SendError
        If the system can't be reached or rejects the order.
    """
    import requests

    template = stored.system.template
    own_words = {str(key): word for key, word in template.priorities.items()}
    words = {**values, "priority": own_words.get(values["priority"], values["priority"])}
    path = filled(template.path, {key: quote(value, safe="") for key, value in words.items()})
    try:
        answer = requests.request(
            template.method,
            stored.system.url.rstrip("/") + "/" + path.lstrip("/"),
            json=filled(template.body, words),
            headers=stored.secrets,
            timeout=TIMEOUT_S,
            stream=True,
            allow_redirects=False,  # the headers are secret
        )
    except requests.RequestException as error:
        raise SendError(f"{template.name}: {type(error).__name__}") from error
    content = _content(answer)
    if not answer.ok or answer.is_redirect:
        headers = stored.secrets.values()
        hidden = {*headers, *" ".join(headers).split(), *of_url(stored.system.url)}
        said = without(content[:MOST_TEXT].decode(errors="replace"), hidden)
        raise SendError(f"{template.name}: {answer.status_code}", said)
    return _number(content, template.number_path)


def _content(answer: requests.Response) -> bytes:
    from urllib3.exceptions import HTTPError

    content = b""
    try:
        for piece in beginning(answer):
            content += piece
    except (OSError, HTTPError):
        pass  # the status reports what became of the order
    return content


def _number(content: bytes, path: str) -> str:
    try:
        found = json.loads(content)
    except ValueError:
        return ""
    for key in filter(None, path.split(".")):
        found = found.get(key) if isinstance(found, dict) else None
    return str(found)[:64] if isinstance(found, str | int) else ""
