"""The gateway's own health: load, memory, disk, temperature, and its clock."""

from __future__ import annotations

import ctypes
import logging
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

log = logging.getLogger(__name__)

STEP_S = 1.0
"""If the wall clock moves against the monotonic one by more than this, it was set."""
_TIME_ERROR = 5
_TIMEX_BYTES = 256
"""More than `struct timex` takes on any Linux."""


def return_free_memory() -> None:
    """Return memory that was freed to the system; glibc keeps it else (24 MB at 256 points)."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return  # another C library


@dataclass(frozen=True, slots=True)
class Health:
    """A reading; None where the machine gives no value."""

    cpu_percent: float
    memory_mb: float
    disk_free_mb: float | None
    temperature_c: float | None
    clock_synchronised: bool | None


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

    def read(self) -> Health:
        """Read all values; `cpu_percent` is this process's share of a core since the last call."""
        try:
            disk_free_mb = psutil.disk_usage(str(self._folder)).free / 1e6
        except OSError:
            disk_free_mb = None
        return Health(
            cpu_percent=self._process.cpu_percent(),
            memory_mb=self._process.memory_info().rss / 1e6,
            disk_free_mb=disk_free_mb,
            temperature_c=_temperature_c(),
            clock_synchronised=_clock_synchronised(),
        )


class ClockWatch:
    """Detects that the wall clock was set, by comparison with the monotonic clock."""

    def __init__(self) -> None:
        self._offset_s = _offset_s()
        self.steps = 0
        self.last_step_s: float | None = None

    def check(self) -> float | None:
        """Return the step in seconds (forward > 0) if the clock was set since the last check."""
        offset_s = _offset_s()
        step_s, self._offset_s = offset_s - self._offset_s, offset_s
        if abs(step_s) <= STEP_S:
            return None
        self.steps += 1
        self.last_step_s = step_s
        log.warning("the wall clock was set by %+.1f s; stored times are not changed", step_s)
        return step_s


def _offset_s() -> float:
    return time.time() - time.monotonic()


def _temperature_c() -> float | None:
    """Read the hottest sensor."""
    try:
        sensors = psutil.sensors_temperatures()
    except (AttributeError, OSError):
        return None
    return max((s.current for group in sensors.values() for s in group), default=None)


def _clock_synchronised() -> bool | None:
    """Ask the kernel (adjtimex) whether a time service synchronises its clock."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else state != _TIME_ERROR
