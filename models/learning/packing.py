"""Named parts in one run of bytes: a line of JSON with their sizes, then the parts."""

from __future__ import annotations

import json
from collections.abc import Mapping


def pack(parts: Mapping[str, bytes], about: Mapping[str, str]) -> bytes:
    """Join named parts with a few words about them.

    >>> unpack(pack({"a": b"12", "b": b""}, {"of": "pump"}))
    ({'a': b'12', 'b': b''}, {'of': 'pump'})
    """
    sizes = {name: len(part) for name, part in parts.items()}
    header = json.dumps({"sizes": sizes, "about": dict(about)}).encode()
    return header + b"\n" + b"".join(parts.values())


def unpack(data: bytes) -> tuple[dict[str, bytes], dict[str, str]]:
    """Separate what `pack` joined; check the hash of the bytes before."""
    header, body = data.split(b"\n", 1)
    fields = json.loads(header)
    parts, start = {}, 0
    for name, size in fields["sizes"].items():
        parts[name] = body[start : start + size]
        start += size
    return parts, fields["about"]
