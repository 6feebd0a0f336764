"""The gateway's own health: load, memory, disk, temperature, and its clock."""

from __future__ import annotations

import ctypes
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import psutil

log = logging.getLogger(__name__)

CLOCK_S = 60.0
"""The state of the clock is read this often: it lists all processes."""
TIME_SERVICES: Final = {
    "chronyd": "NTP (chrony)",
    "systemd-timesyn": "NTP (systemd-timesyncd)",
    "ntpd": "NTP (ntpd)",
    "ptp4l": "PTP (ptp4l)",
    "phc2sys": "PTP (phc2sys)",
}
_TIME_ERROR = 5
_TIMEX_BYTES = 256
"""More than `struct timex` takes on any Linux."""


@dataclass(frozen=True, slots=True)
class ComputerHealth:
    """A reading; None where the machine gives no value."""

    cpu_percent: float
    memory_mb: float
    disk_free_mb: float | None
    temperature_c: float | None
    clock: ClockState


class HealthMonitor:
    """Reads the health of this process and its machine.

    Parameters
    ----------
    folder : Path
        A folder on the disk whose free space is read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = psutil.Process()
        self._process.cpu_percent()
        self._clock_due_s = 0.0

    def read(self) -> ComputerHealth:
        """Read all values; `cpu_percent` is this process's share of a core since the last call."""
        try:
            disk_free_mb = psutil.disk_usage(str(self._folder)).free / 1e6
        except OSError:
            disk_free_mb = None
        return ComputerHealth(
            cpu_percent=self._process.cpu_percent(),
            memory_mb=self._process.memory_info().rss / 1e6,
            disk_free_mb=disk_free_mb,
            temperature_c=_temperature_c(),
            clock=self._clock(),
        )

    def _clock(self) -> ClockState:
        if time.monotonic() >= self._clock_due_s:
            self._clock_due_s = time.monotonic() + CLOCK_S
            self._clock_state = clock_state()
        return self._clock_state


def _temperature_c() -> float | None:
    """Read the hottest sensor."""
    try:
        sensors = psutil.sensors_temperatures()
    except (AttributeError, OSError):
        return None
    return max((s.current for group in sensors.values() for s in group), default=None)


@dataclass(frozen=True, slots=True)
class ClockState:
    """What the kernel and its time services say of the clock; None where they say nothing.

    ``largest_error_ms`` is the kernel's bound of the clock's error; it grows by 0.5 ms a second
    while no service renews it.
    """

    synchronised: bool | None
    largest_error_ms: float | None
    services: tuple[str, ...]


class _Timex(ctypes.Structure):
    """The first fields of `struct timex` (adjtimex(2)) of any Linux."""

    _fields_: ClassVar = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * _TIMEX_BYTES),
    ]


def clock_state() -> ClockState:
    """Ask the kernel (adjtimex) for the state of its clock, and look for time services."""
    services = _time_services()
    timex = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError):
        return ClockState(None, None, services)
    if state < 0:
        return ClockState(None, None, services)
    return ClockState(state != _TIME_ERROR, timex.maxerror / 1000, services)


def _time_services() -> tuple[str, ...]:
    """Return names of the running time services; those outside a container can't be seen in it."""
    found = set()
    for process in psutil.process_iter(["name"]):
        name = str(process.info["name"] or "")
        found |= {words for start, words in TIME_SERVICES.items() if name.startswith(start)}
    return tuple(sorted(found))
