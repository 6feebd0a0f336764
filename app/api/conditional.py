"""ETags: an answer that the client already holds is not sent again."""

from __future__ import annotations

import hashlib
from collections.abc import Set as AbstractSet
from typing import Annotated, Any

from fastapi import Header, Response
from pydantic import BaseModel

IfNoneMatch = Annotated[
    str | None, Header(max_length=1000, description="`ETag` of the answer that the client holds")
]


UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client holds the current answer (`If-None-Match`)"}
}
"""The OpenAPI entry of an answer that need not be sent again."""


class NotModifiedError(Exception):
    """Ends a request with 304: the client holds the current answer."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


def unchanged(response: Response, version: str, if_none_match: str | None) -> None:
    """Give the answer's ETag, or end the request if the client has this version.

    Raises
    ------
    NotModifiedError
    """
    etag = f'W/"{version}"'
    if if_none_match is not None and etag in (part.strip() for part in if_none_match.split(",")):
        raise NotModifiedError(etag)
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"


def same(
    response: Response,
    answer: BaseModel,
    if_none_match: str | None,
    but: AbstractSet[str] = frozenset(),
) -> None:
    """Do as `unchanged` by the answer's content without the fields ``but``.

    This saves the transfer, not the query.

    Raises
    ------
    NotModifiedError
    """
    content = answer.model_dump_json(exclude=set(but)).encode()
    unchanged(response, hashlib.blake2b(content, digest_size=12).hexdigest(), if_none_match)
