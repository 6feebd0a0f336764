"""The stored state of a detector: JSON and named arrays, with version and hash.

"AUSC" | version, 1 byte | SHA-256 of the rest, 32 bytes | zlib of (length of JSON | JSON | npz)

With a model, which stays the same for months, the state is two of these:

"AUS2" | length of the first, 8 bytes | what changes | the model
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Rejection
from auscult.inflate import InflateError, inflated

MAGIC = b"AUSC"
JOINED = b"AUS2"
LENGTH = 8
VERSION = 1
LARGEST = 256 * 2**20
"""Largest unpacked state, so that a damaged length does not exhaust the memory."""


class StateError(Rejection):
    """Bytes that are not a state, are damaged, or belong to another machine or feature set."""


def pack(meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Pack JSON and arrays; the same content gives the same bytes.

    Digits of weights repeat nowhere, so that only runs are searched for: 2 ms instead of 5 for a
    machine of four points, for 2 % more bytes.
    """
    text = json.dumps(meta, sort_keys=True).encode()
    buffer = io.BytesIO()
    for name, array in sorted(arrays.items()):
        label = name.encode()
        buffer.write(len(label).to_bytes(2, "big") + label)
        np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    packer = zlib.compressobj(1, strategy=zlib.Z_RLE)
    body = packer.compress(len(text).to_bytes(4, "big") + text + buffer.getvalue())
    body += packer.flush()
    return MAGIC + bytes([VERSION]) + hashlib.sha256(body).digest() + body


def join(state: bytes, model: bytes) -> bytes:
    """Join what changes and the model, each the result of `pack`.

    >>> divide(join(b"state", b"model")), divide(b"state")
    ((b'state', b'model'), (b'state', b''))
    """
    return JOINED + len(state).to_bytes(LENGTH, "big") + state + model


def divide(data: bytes) -> tuple[bytes, bytes]:
    """Separate what changes from the model, which is empty where there is none beside it."""
    if not data.startswith(JOINED):
        return data, b""
    start = len(JOINED) + LENGTH
    end = start + int.from_bytes(data[len(JOINED) : start], "big")
    return data[start:end], data[end:]


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the result of `pack`, or of `join` as one.

    Raises
    ------
    StateError
        If the bytes are not a state of this version, their hash is wrong, or they are too large.

    Examples
    --------
    >>> meta, arrays = unpack(pack({"a": 1}, {"x": np.arange(3)}))
    >>> meta["a"], arrays["x"].tolist()
    (1, [0, 1, 2])
    """
    if data.startswith(JOINED):
        (meta, arrays), (more_meta, more_arrays) = map(unpack, divide(data))
        return meta | more_meta, arrays | more_arrays
    if data[:4] != MAGIC:
        raise StateError("state_not_one")
    if data[4] != VERSION:
        raise StateError("state_version", version=data[4], reads=VERSION)
    body = data[37:]
    if hashlib.sha256(body).digest() != data[5:37]:
        raise StateError("state_damaged")
    try:
        plain = inflated(body, LARGEST)
    except InflateError as error:
        raise StateError("text", text=f"{error}; use another copy of it") from error
    size = int.from_bytes(plain[:4], "big")
    meta = json.loads(plain[4 : 4 + size])
    buffer = io.BytesIO(plain[4 + size :])
    arrays = {}
    while head := buffer.read(2):
        name = buffer.read(int.from_bytes(head, "big")).decode()
        arrays[name] = np.load(buffer, allow_pickle=False)
    return meta, arrays


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with the prefix, without it."""
    return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
