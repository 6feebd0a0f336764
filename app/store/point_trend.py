"""A received trend as it is stored: the payload is read once, straight into its interval.

Trends are most of all messages and the longest, so msgspec reads them, by the fields and limits of
the message's own model. A payload that it can't read is for pydantic, which decides whether it is
malformed, and why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic.fields import FieldInfo

from auscult.app.store.tiers import CONDITIONS, TrendSpan
from auscult.contract.message import Message
from auscult.contract.payloads import Trend


@dataclass(frozen=True, slots=True)
class StoredTrend:
    """One interval of a point's trend."""

    schema_name: ClassVar[str] = Trend.schema_name

    id: str
    machine: str
    point: str
    interval: TrendSpan

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Check a received payload.

        Raises
        ------
        ValueError
            If it is malformed (pydantic's `ValidationError` is one).
        """
        try:
            found = _decode(payload.decode())  # msgspec does not check the keys that it skips
            order, features = _layout(tuple(found.values), bytes(found.units))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return cls.from_message(Trend.read(payload))
        return cls._made(found, order, features)

    @classmethod
    def from_message(cls, message: Trend) -> Self:
        """Return a checked message as it is stored."""
        units = msgspec.json.encode(message.units)
        return cls._made(message, *_layout(tuple(message.values), units))

    @classmethod
    def _made(cls, found: Any, order: NDArray[np.intp], features: str) -> Self:
        """Return the interval of a message, its features in the order of their names."""
        triples: Iterable[float] = chain.from_iterable(found.values.values())
        with np.errstate(over="ignore"):
            values = np.fromiter(triples, np.float64, 3 * len(order)).astype("<f4")
        values[np.isinf(values)] = np.nan  # beyond float32: no value, here and in hours and days
        return cls(
            found.id,
            found.machine,
            found.point,
            TrendSpan(
                found.start_ms,
                found.end_ms,
                found.windows,
                CONDITIONS.index(found.condition),
                features,
                values.reshape(-1, 3).T.take(order, axis=1),
            ),
        )


Stored: TypeAlias = Message | StoredTrend
"""What is received and stored."""


@lru_cache(maxsize=1000)
def _layout(names: tuple[str, ...], units: bytes) -> tuple[NDArray[np.intp], str]:
    """Return the features' places in the order of their names, and names to units as JSON."""
    known = msgspec.json.decode(units, type=dict[str, str])
    order = sorted(range(len(names)), key=names.__getitem__)
    features = json.dumps({names[i]: known.get(names[i], "") for i in order})
    return np.array(order, np.intp), features


def _struct(model: type[Message], **kinds: Any) -> type[msgspec.Struct]:
    """Return what msgspec reads as a model; `kinds` replace the types of fields.

    The model has no validators, and no limits within the types of its fields.
    """
    fields = [
        _field(name, info, kinds.get(name, info.annotation))
        for name, info in model.model_fields.items()
    ]
    return msgspec.defstruct(model.__name__, fields, kw_only=True)


LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length")


def _field(name: str, info: FieldInfo, kind: Any) -> tuple[str, Any] | tuple[str, Any, Any]:
    limits = {
        limit: value
        for one in info.metadata
        for limit in LIMITS
        if (value := getattr(one, limit, None)) is not None
    }
    if limits:
        kind = Annotated[kind, msgspec.Meta(**limits)]
    return (name, kind) if info.is_required() else (name, kind, info.default)


_decode: Any = msgspec.json.Decoder(_struct(Trend, units=msgspec.Raw)).decode
"""A plant's trends name the same units again and again: they are read once (`_layout`)."""
