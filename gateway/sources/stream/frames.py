"""Frames of raw samples: header, samples, CRC-32 (docs/sensors/streams.md)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.sources.support.samples import WIDTH, numbers

MAGIC = b"AUSF"
VERSION = 1
HEADER = struct.Struct("<4sBBBBIIqIfHH")
"""Magic, version, encoding, channels, unit, sensor, sequence, t0_ns, rate in mHz, scale, samples of
each channel, flags."""
CRC = struct.Struct("<I")
ENCODINGS = ("int16", "int24", "float32")
UNITS = ("as_delivered", "g", "m/s2", "mm/s", "Pa", "V", "FS", "A")
CLIPPED, GAP = 1, 2
MAX_CHANNELS = 64
MAX_BUFFER = 4_000_000
"""Bytes of one connection that wait for the end of a frame; a longer frame is damaged."""
FS_MHZ_RANGE = (200_000, 200_000_000)


class FrameError(ValueError):
    """Bytes that are no frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; ``samples`` [shape=(channels, n), dtype=float32] are in ``unit``."""

    sensor: int
    sequence: int
    t0_ns: int
    fs_hz: float
    unit: str
    samples: NDArray[np.float32]
    clipped: bool = False
    gap: bool = False


def pack(frame: Frame, encoding: str = "float32", scale: float = 1.0) -> bytes:
    """Return a frame as bytes, as a sensor would send it.

    >>> one = Frame(7, 3, 0, 1000.0, "g", np.array([[0.5, -1.0]], np.float32))
    >>> unpack(pack(one, "int16", 0.5)).samples
    array([[ 0.5, -1. ]], dtype=float32)
    """
    channels, count = frame.samples.shape
    scaled = frame.samples.T / np.float32(scale)
    if encoding == "float32":
        body = scaled.astype("<f4").tobytes()
    elif encoding == "int16":
        body = np.round(scaled).astype("<i2").tobytes()
    else:
        wide = np.round(scaled).astype("<i4").reshape(-1, 1).view(np.uint8)
        body = np.ascontiguousarray(wide[:, :3]).tobytes()
    head = HEADER.pack(
        MAGIC, VERSION, ENCODINGS.index(encoding), channels, UNITS.index(frame.unit), frame.sensor,
        frame.sequence & 0xFFFFFFFF, frame.t0_ns, round(frame.fs_hz * 1000), scale, count,
        CLIPPED * frame.clipped | GAP * frame.gap,
    )  # fmt: skip
    return head + body + CRC.pack(zlib.crc32(head + body))


def length_of(head: bytes | bytearray | memoryview) -> int:
    """Return the length of a frame in bytes from its header.

    Raises
    ------
    FrameError
        If it can't be a header.
    """
    magic, version, encoding, channels, unit, _, _, _, fs_mhz, _, count, _ = HEADER.unpack_from(
        head
    )
    low, high = FS_MHZ_RANGE
    if (
        magic != MAGIC
        or version != VERSION
        or encoding >= len(ENCODINGS)
        or not 0 < channels <= MAX_CHANNELS
        or unit >= len(UNITS)
        or not low <= fs_mhz <= high
        or count == 0
    ):
        raise FrameError("no header")
    return HEADER.size + int(count * channels) * WIDTH[ENCODINGS[encoding]] + CRC.size


def unpack(data: bytes) -> Frame:
    """Read one whole frame.

    Raises
    ------
    FrameError
        If it is cut, damaged, or holds no finite numbers.
    """
    if len(data) < HEADER.size + CRC.size or len(data) != length_of(data):
        raise FrameError("wrong length")
    (crc,) = CRC.unpack_from(data, len(data) - CRC.size)
    if crc != zlib.crc32(memoryview(data)[: -CRC.size]):
        raise FrameError("wrong CRC")
    _, _, encoding, channels, unit, sensor, sequence, t0_ns, fs_mhz, scale, _, flags = (
        HEADER.unpack_from(data)
    )
    samples = numbers(data[HEADER.size : -CRC.size], ENCODINGS[encoding]) * np.float32(scale)
    if not np.isfinite(samples).all():
        raise FrameError("not finite")
    rows = np.ascontiguousarray(samples.reshape(-1, channels).T)
    return Frame(
        sensor, sequence, t0_ns, fs_mhz / 1000, UNITS[unit], rows,
        bool(flags & CLIPPED), bool(flags & GAP),
    )  # fmt: skip


class FrameBuffer:
    """Finds frames in a stream of bytes; after damage it continues at the next header.

    Examples
    --------
    >>> one = pack(Frame(7, 3, 0, 1000.0, "g", np.zeros((1, 4), np.float32)))
    >>> buffer = FrameBuffer()
    >>> [f.sequence for f in buffer.add(b"noise" + one[:20])], buffer.damaged
    ([], 0)
    >>> [f.sequence for f in buffer.add(one[20:] + one[:-1] + b"?" + one)], buffer.damaged
    ([3, 3], 1)
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.damaged = 0

    def add(self, data: bytes) -> Iterator[Frame]:
        """Add received bytes; yield the frames that are whole now."""
        self._bytes += data
        while True:
            at = self._bytes.find(MAGIC)
            if at < 0:
                # the beginning of a header may be the last bytes
                del self._bytes[: max(0, len(self._bytes) - len(MAGIC) + 1)]
                return
            del self._bytes[:at]
            if len(self._bytes) < HEADER.size:
                return
            try:
                length = length_of(self._bytes)
                if length > MAX_BUFFER:
                    raise FrameError("too long")  # noqa: TRY301
                if len(self._bytes) < length:
                    return
                frame = unpack(bytes(self._bytes[:length]))
            except FrameError:
                self.damaged += 1
                del self._bytes[: len(MAGIC)]
                continue
            del self._bytes[:length]
            yield frame
