"""The files that pass the diode: numbered messages, compressed, with a hash."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

SUFFIX = ".auscult"
MAX_FILE_BYTES = 50_000_000
"""Larger ones are not read."""
RETAINED = frozenset({"status", "inventory", "configuration", "state", "checkpoints"})
"""Last levels of topics whose latest message the broker keeps."""
IMPORTANT = frozenset({"event", "lesson", *RETAINED})
"""Sent more than once."""
NEVER = frozenset({"cmd", "ack", "receipt"})
"""Levels of topics that belong to a way with two directions."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A message with its number in the stream of a sender."""

    number: int
    topic: str
    payload: bytes


class DiodeFrameError(Exception):
    """A file is damaged."""


def last_level(topic: str) -> str:
    """Return the last level of a topic.

    >>> last_level("auscult/v1/plant/gw1/pump-3/event")
    'event'
    """
    return topic.rpartition("/")[2]


def packed(stream: str, highest: int, messages: Sequence[Numbered]) -> bytes:
    """Return the content of a file; ``highest`` is the last number given so far."""
    body = zlib.compress(
        json.dumps(
            {
                "stream": stream,
                "highest": highest,
                "messages": [
                    [one.number, one.topic, base64.b64encode(one.payload).decode()]
                    for one in messages
                ],
            }
        ).encode()
    )
    return hashlib.sha256(body).digest() + body


def unpacked(content: bytes) -> tuple[str, int, list[Numbered]]:
    """Return stream, highest number and messages of a file.

    Raises
    ------
    DiodeFrameError
    """
    digest, body = content[:32], content[32:]
    if hashlib.sha256(body).digest() != digest:
        raise DiodeFrameError("the hash differs")
    try:
        unzip = zlib.decompressobj()
        found = json.loads(unzip.decompress(body, 4 * MAX_FILE_BYTES))
        messages = [Numbered(int(n), str(t), base64.b64decode(p)) for n, t, p in found["messages"]]
        return str(found["stream"]), int(found["highest"]), messages
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise DiodeFrameError(str(error)) from error
