"""Values in any JSON: by JMESPath, or by JSON pointer (RFC 6901)."""

from __future__ import annotations

from functools import cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic_core import from_json

from auscult.gateway.sources.support.process_tags import TagError, value_at
from auscult.gateway.sources.values import MessageError

MAX_KEYS = 12
"""Keys that a message names for a wrong path."""


@cache
def compiled(path: str) -> Any:
    """Compile a JMESPath expression.

    Raises
    ------
    MessageError
        If it is malformed.
    """
    try:
        return jmespath.compile(path)
    except JMESPathError as error:
        raise MessageError("path_malformed", path=path, detail=str(error).split("\n")[0]) from error


def found_at(payload: bytes, path: str) -> Any:
    """Return what a path leads to in a message.

    Raises
    ------
    MessageError, TagError
        If the message is no JSON, or the path leads to nothing.

    Examples
    --------
    >>> found_at(b'{"object": {"t": 21.5}}', "object.t"), found_at(b'{"a": [1, 2]}', "/a/1")
    (21.5, 2)
    """
    if not path or path.startswith("/"):
        return value_at(payload, path)
    try:
        message = from_json(payload)
    except ValueError as error:
        raise TagError("not_json", payload=repr(payload[:40])) from error
    try:
        found = compiled(path).search(message)
    except JMESPathError as error:
        raise MessageError("path_malformed", path=path, detail=str(error)) from error
    if found is None:
        keys = tuple(list(message)[:MAX_KEYS]) if isinstance(message, dict) else ()
        raise MessageError("no_value_by", path=path, keys=keys)
    return found
