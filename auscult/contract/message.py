"""The base of all JSON messages: form, times and ids.

Times are integers in UTC milliseconds since 1970, named ``ts`` or ``*_ms``. Messages that must
not be counted twice carry an ``id``. Receivers ignore unknown keys, so that a newer gateway
can talk to an older dashboard.
"""

from __future__ import annotations

import time
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from auscult.contract.times import NS_PER_MS as NS_PER_MS
from auscult.contract.times import NS_PER_S as NS_PER_S

MAX_TIME_MS = 9_214_646_400_000
"""Begin of the year 2262, UTC: gateways store times as nanoseconds in 64 bits, which end in it."""
Millis = Annotated[
    int, Field(ge=0, lt=MAX_TIME_MS, description="UTC, milliseconds since 1970-01-01")
]
MessageId = Annotated[str, Field(min_length=1, max_length=64)]
Count = Annotated[int, Field(ge=0, lt=1 << 53)]


def now_ms() -> int:
    """Return the present UTC time in milliseconds since 1970."""
    return time.time_ns() // NS_PER_MS


def millis(t_ns: int) -> int:
    """Convert UTC nanoseconds to milliseconds."""
    return t_ns // NS_PER_MS


class Message(BaseModel):
    """A message with its `schema` name and its UTC time."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        serialize_by_alias=True,
        allow_inf_nan=False,  # JSON has none of them
        # built at import: CPython 3.11 must not parse docstrings in two threads at once
    )

    schema_name: ClassVar[str]

    ts: Millis

    def to_json(self) -> bytes:
        """Return the payload: UTF-8 JSON with `schema` first."""
        body = self.model_dump_json(exclude_none=True)
        return f'{{"schema":"{self.schema_name}",{body[1:]}'.encode()

    def payload(self) -> bytes:
        """Return the payload to send."""
        return self.to_json()

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Check a received payload.

        Raises
        ------
        ValueError
            If it is malformed (pydantic's `ValidationError` is one).
        """
        return cls.model_validate_json(payload)


class Part(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)
