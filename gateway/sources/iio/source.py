"""MEMS accelerometers by the Industrial I/O interface of Linux: its files, without a library.

The kernel's documentation (Documentation/ABI/testing/sysfs-bus-iio) describes the files. A physical
value in m/s² is (raw + offset) × scale. The device file delivers records of all enabled channels in
the order of their index; each value is aligned to its own size.
"""

from __future__ import annotations

import os
import re
import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.sources.contract import Attached, SourceContext, SourceKind
from auscult.gateway.sources.iio.settings import IioSource
from auscult.gateway.sources.support.device import Capture, DeviceError, DeviceReader, now_ns

STANDARD_G = 9.80665
SYSFS = Path("/sys/bus/iio/devices")
BUFFER_S = 2.0
SILENT_S = 2.0
READ_BYTES = 1 << 20
_TYPE = re.compile(r"(le|be):([su])(\d+)/(\d+)(?:X\d+)?>>(\d+)")


@dataclass(frozen=True, slots=True)
class Scan:
    """One channel of a record, from `scan_elements/in_…_type`, such as ``le:s20/32>>12``.

    Parameters
    ----------
    index : int
        Order in the record.
    bits, storage_bits, shift : int
    signed, big_endian : bool
    """

    index: int
    bits: int
    storage_bits: int
    shift: int
    signed: bool
    big_endian: bool

    @classmethod
    def parse(cls, index: int, text: str) -> Scan:
        """Read the kernel's description.

        >>> Scan.parse(0, "be:s20/24>>4").storage_bits
        24
        """
        match = _TYPE.fullmatch(text.strip())
        if match is None:
            raise DeviceError("device_failed", device="IIO", detail=f"unknown type {text.strip()}")
        return cls(
            index, int(match[3]), int(match[4]), int(match[5]), match[2] == "s", match[1] == "be"
        )

    @property
    def size(self) -> int:
        """Return the bytes of the storage."""
        return self.storage_bits // 8

    def values(self, records: NDArray[np.uint8], offset: int) -> NDArray[np.float64]:
        """Read its raw values from records [shape=(n, record size)]."""
        raw = records[:, offset : offset + self.size]
        raw = raw[:, ::-1] if self.big_endian else raw
        wide = np.zeros((len(records), 8), np.uint8)
        wide[:, : self.size] = raw
        whole = wide.view("<u8")[:, 0] >> np.uint64(self.shift)
        whole &= np.uint64((1 << self.bits) - 1)
        if not self.signed:
            return whole.astype(np.float64)
        spare = np.uint64(64 - self.bits)
        return ((whole << spare).view("<i8") >> np.int64(spare)).astype(np.float64)


def layout(scans: Sequence[Scan]) -> tuple[list[int], int]:
    """Return the offset of each channel in the record, and the record's length.

    Each value begins at a multiple of its own size; the record ends at one of the largest.

    >>> s16, s64 = Scan.parse(0, "le:s16/16>>0"), Scan.parse(3, "le:s64/64>>0")
    >>> layout([s16, s16, s16, s64])
    ([0, 2, 4, 8], 16)
    """
    offsets, at = [], 0
    for scan in scans:
        at = -(-at // scan.size) * scan.size
        offsets.append(at)
        at += scan.size
    largest = max(scan.size for scan in scans)
    return offsets, -(-at // largest) * largest


class IioDevice(DeviceReader):
    """A `Source` that reads one accelerometer; its points are in m/s² or g."""

    def __init__(self, settings: IioSource, context: SourceContext) -> None:
        super().__init__(settings, context)
        self._settings = settings

    @contextmanager
    def opened(self) -> Iterator[_Buffer]:
        """Enable the axes, set rate and watermark, start the buffer, and stop it at the end."""
        own = self._settings
        try:
            folder = _find(own.sysfs, own.device)
            _write(folder / "buffer" / "enable", 0)
            fs_hz = _set_rate(folder, self._plates[0].fs_hz)
            for path in (folder / "scan_elements").glob("*_en"):
                axis = path.name.removeprefix("in_accel_").removesuffix("_en")
                _write(path, int(any(one.axis == axis for one in own.channels)))
            _write(folder / "buffer" / "length", round(BUFFER_S * fs_hz))
            with suppress(OSError):  # older drivers have none
                _write(folder / "buffer" / "watermark", max(1, round(own.watermark_s * fs_hz)))
            # Non-blocking: a driver that delivers nothing must not hold up the stop.
            file = os.open(own.dev / folder.name, os.O_RDONLY | os.O_NONBLOCK)
            try:
                _write(folder / "buffer" / "enable", 1)
                yield _Buffer(folder, file, [c.axis for c in own.channels], fs_hz,
                              [p.unit for p in self._plates])  # fmt: skip
            finally:
                os.close(file)
                with suppress(OSError):
                    _write(folder / "buffer" / "enable", 0)
        except OSError as error:
            raise DeviceError("device_failed", device=own.device, detail=str(error)) from error


class _Buffer:
    def __init__(
        self, folder: Path, file: int, axes: Sequence[str], fs_hz: float, units: Sequence[str]
    ) -> None:
        self._file, self._fs_hz = file, fs_hz
        self._units = [unit if unit in ("g", "m/s2") else "m/s2" for unit in units]
        elements = folder / "scan_elements"
        scans = {
            axis: Scan.parse(
                int((elements / f"in_accel_{axis}_index").read_text()),
                (elements / f"in_accel_{axis}_type").read_text(),
            )
            for axis in axes
        }
        ordered = sorted(scans.values(), key=lambda scan: scan.index)
        offsets, self._size = layout(ordered)
        at = {scan.index: offset for scan, offset in zip(ordered, offsets, strict=True)}
        self._columns = [(scans[axis], at[scans[axis].index]) for axis in axes]
        self._scales = [_number(folder, axis, "scale", 1.0) for axis in axes]
        self._offsets = [_number(folder, axis, "offset", 0.0) for axis in axes]
        self._rest = b""
        self._idle_s = 0.0

    @property
    def fs_hz(self) -> float:
        return self._fs_hz

    @property
    def units(self) -> Sequence[str]:
        return self._units

    def read(self) -> Capture | None:
        """Return whole records; the bytes of one that is cut wait for the rest of it.

        A FIFO may deliver any number of values, also one that is no multiple of the axes: without
        this, x would become y from there on.
        """
        ready, _, _ = select.select([self._file], [], [], 0.25)
        data = b""
        if ready:
            with suppress(BlockingIOError):
                data = os.read(self._file, READ_BYTES)
        if not data:
            self._idle_s += 0.25
            if self._idle_s > SILENT_S:
                raise DeviceError("device_silent", device="IIO", after_s=SILENT_S)
            return None
        arrival_ns = now_ns()
        self._idle_s = 0.0
        joined = self._rest + data
        whole = len(joined) // self._size * self._size
        self._rest = joined[whole:]
        if not whole:
            return None
        records = np.frombuffer(joined[:whole], np.uint8).reshape(-1, self._size)
        rows, clipped = [], []
        for row, (scan, offset) in enumerate(self._columns):
            raw = scan.values(records, offset)
            limit = (1 << (scan.bits - 1)) - 1 if scan.signed else (1 << scan.bits) - 1
            if raw.max() >= limit or (scan.signed and raw.min() <= -limit - 1):
                clipped.append(row)
            value = (raw + self._offsets[row]) * self._scales[row]
            rows.append(value / STANDARD_G if self._units[row] == "g" else value)
        return Capture(np.array(rows, np.float32), arrival_ns, clipped=frozenset(clipped))


def _find(sysfs: Path, wanted: str) -> Path:
    names = {}
    for folder in sorted(sysfs.glob("iio:device*")):
        name = (folder / "name").read_text().strip()
        if wanted in (name, folder.name):
            return folder
        names[folder.name] = name
    raise DeviceError("device_absent", device=wanted, devices=tuple(names.values()))


def _set_rate(folder: Path, fs_hz: float) -> float:
    """Set the rate, and return what the driver made of it."""
    for name in ("in_accel_sampling_frequency", "sampling_frequency"):
        path = folder / name
        if path.exists():
            with suppress(OSError):
                _write(path, f"{fs_hz:g}")
            return float(path.read_text())
    raise DeviceError("device_failed", device=folder.name, detail="no sampling_frequency")


def _number(folder: Path, axis: str, what: str, default: float) -> float:
    """Read a channel's own number, or the one that all channels share."""
    for name in (f"in_accel_{axis}_{what}", f"in_accel_{what}"):
        if (folder / name).exists():
            return float((folder / name).read_text())
    return default


def _write(path: Path, value: object) -> None:
    path.write_text(str(value))


class IioKind(SourceKind[IioSource]):
    """MEMS accelerometers of Linux."""

    settings = IioSource

    def open(self, settings: IioSource, context: SourceContext) -> IioDevice:
        return IioDevice(settings, context)

    def attached(self) -> Iterator[Attached]:
        for folder in sorted(SYSFS.glob("iio:device*")):
            axes = len(list(folder.glob("scan_elements/in_accel_*_en")))
            if axes:
                yield Attached("iio", folder.name, (folder / "name").read_text().strip(), axes)


KIND = IioKind()
