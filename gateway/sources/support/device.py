"""Devices at the gateway: opened, read in pieces, opened again after a failure."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from auscult.contract.machines import PointSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId
from auscult.gateway.sources.contract import Source, SourceContext
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.support.clock import SampleClock
from auscult.gateway.sources.support.device_settings import DeviceSource

RETRY_S = 2.0
"""A device that is gone is looked for again after this."""


class DeviceError(Rejection):
    """A device that can't be opened or read; one line: device, cause, remedy."""


@dataclass(frozen=True, slots=True)
class Capture:
    """Samples of all wanted channels, taken together.

    Parameters
    ----------
    samples : np.ndarray [shape=(channels, n), dtype=float32]
        In the order of the settings, in `units` of the device.
    arrival_ns : int
        UTC time at which the last sample was available.
    overrun : bool
        The device lost samples before these.
    clipped : frozenset of int
        Rows whose converter was at full scale.
    faults : mapping of int to Said
        Rows whose sensor the device reports as faulty.
    """

    samples: NDArray[np.float32]
    arrival_ns: int
    overrun: bool = False
    clipped: frozenset[int] = frozenset()
    faults: Mapping[int, Said] = field(default_factory=dict)


class Device(Protocol):
    """An open device."""

    @property
    def fs_hz(self) -> float:
        """Rate that it really has."""

    @property
    def units(self) -> Sequence[str]:
        """Return the unit of each row."""

    def read(self) -> Capture | None:
        """Return what was taken since the last call, None after at most 0.5 s without.

        Raises
        ------
        DeviceError
            If the device is gone.
        """


class DeviceReader(Source):
    """A `Source` that reads a device.

    A device that fails is reported at its points and opened again every `RETRY_S` until it is
    back. Losses that the device reports are counted and become gaps.
    """

    def __init__(self, settings: DeviceSource, context: SourceContext) -> None:
        self._kind = settings.type
        self._machine = settings.machine
        self._points = [settings.point_of(one) for one in settings.wanted]
        self._plates = [context.point(point) for point in self._points]
        self._feed = Feed(self.name)
        self._faulty: dict[PointId, Said] = {}
        self.overruns = 0

    @property
    def name(self) -> str:
        return f"{self._kind}:{self._machine}"

    @property
    def clocks(self) -> Mapping[PointId, str]:
        return dict.fromkeys(self._points, self.name)

    @property
    def status(self) -> Said:
        said = self._feed.status
        if not self.overruns:
            return said
        lost = Said("device_overruns", {"count": self.overruns})
        return lost if said.code == "source_ok" else Said("parts", {"parts": (said, lost)})

    @abstractmethod
    def opened(self) -> AbstractContextManager[Device]:
        """Open the device, and close it at the end.

        Raises
        ------
        DeviceError
        """

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                with self.opened() as device:
                    self._check(device)
                    self._feed.clear("device")
                    self._read(device, inlet, stop)
            except DeviceError as error:
                if self._feed.note("device", error.said):
                    for point in self._points:
                        self._feed.fail(inlet, point, error.said)
                stop.wait(RETRY_S)

    def _check(self, device: Device) -> None:
        """Compare rate and units with the points; each mismatch would reject every block."""
        for plate, unit in zip(self._plates, device.units, strict=True):
            check_rate(plate, device.fs_hz)
            if unit != plate.unit:
                raise DeviceError("wrong_unit", unit=unit, configured=plate.unit)

    def _read(self, device: Device, inlet: Inlet, stop: threading.Event) -> None:
        clock = SampleClock(device.fs_hz)
        gap = True
        while not stop.is_set():
            capture = device.read()
            if capture is None:
                continue
            if capture.overrun:
                self.overruns += 1
                clock, gap = SampleClock(device.fs_hz), True
            if capture.samples.shape[1]:
                self._deliver(device, capture, clock, inlet, gap=gap)
                gap = False

    def _deliver(
        self, device: Device, capture: Capture, clock: SampleClock, inlet: Inlet, *, gap: bool
    ) -> None:
        t0_ns, broke = clock.stamp(capture.samples.shape[1], capture.arrival_ns)
        blocks = []
        for row, (point, samples) in enumerate(zip(self._points, capture.samples, strict=True)):
            if (said := capture.faults.get(row)) is not None:
                if self._faulty.get(point) != said:
                    self._faulty[point] = said
                    self._feed.note(str(point), said)
                    self._feed.fail(inlet, point, said)
                continue
            if self._faulty.pop(point, None) is not None:
                self._feed.clear(str(point))
            blocks.append(
                self._feed.block(
                    point, self._plates[row].fs_hz, t0_ns, samples, device.units[row],
                    gap=gap or broke, clipped=row in capture.clipped,
                )
            )  # fmt: skip
        self._feed.deliver(inlet, blocks)


RATE_TOLERANCE = 1e-4
"""Share by which a device's rate may differ from the configured one: 100 ppm."""


def check_rate(plate: PointSettings, fs_hz: float) -> None:
    """Compare a device's rate with the configured one.

    Raises
    ------
    DeviceError
    """
    if abs(fs_hz - plate.fs_hz) > RATE_TOLERANCE * plate.fs_hz:
        raise DeviceError("wrong_rate", fs_hz=fs_hz, configured_hz=plate.fs_hz)


def now_ns() -> int:
    """Return UTC time, ns since 1970."""
    return time.time_ns()
