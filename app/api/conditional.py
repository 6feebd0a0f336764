"""Answers that need not be sent again: ETags for what is large and changes seldom."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Response

IfNoneMatch = Annotated[
    str | None, Header(max_length=1000, description="`ETag` of the answer that the client holds")
]


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
