"""Whether this computer can train now: other load, heat, battery."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import psutil

from auscult.contract.said import Said

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """Limits beyond which training pauses.

    Parameters
    ----------
    cpu_share_max : float
        Share 0..1 of all cores that other work may take; training uses the rest of one core.
    temperature_c_max : float
        Of the hottest sensor, °C: boards throttle from about 85.
    battery_share_min : float
        Charge 0..1, while on battery.
    pause_s : float
        Pause between two readings.
    load_patience_s : float
        Longest pause of one training for load, in total: a busy gateway learns late rather than
        never, and its low priority yields anyway. Heat and battery have no such limit.
    """

    cpu_share_max: float = 0.9
    temperature_c_max: float = 80.0
    battery_share_min: float = 0.3
    pause_s: float = 0.5
    load_patience_s: float = 20.0


class Sensors(Protocol):
    """Readings of the computer; None where it has no such sensor."""

    def others_cpu_share(self) -> float | None:
        """Share 0..1 of all cores that other processes took since the last call."""

    def temperature_c(self) -> float | None:
        """Read the hottest sensor in °C."""

    def battery_share(self) -> float | None:
        """Read the charge 0..1 while on battery."""


class Budget:
    """Lets training run in slices, or pauses it.

    Parameters
    ----------
    settings : BudgetSettings
    sensors : Sensors, optional
        psutil's, unless a test has others.
    """

    def __init__(
        self, settings: BudgetSettings | None = None, sensors: Sensors | None = None
    ) -> None:
        self.settings = settings or BudgetSettings()
        self._sensors = sensors or PsutilSensors()
        self._logged = False
        self._held_up_s = 0.0

    def begin(self) -> None:
        """Begin a training: its patience with load is whole, and its first pause is logged."""
        self._held_up_s = 0.0
        self._logged = False

    def wait(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Return when the next slice of training may run, or when `stopped()` is true.

        Call it between slices, from the training thread.
        """
        while not stopped():
            reason = self.hard_obstacle()
            if reason is None and self._held_up_s < self.settings.load_patience_s:
                reason = self._load()
                self._held_up_s += self.settings.pause_s if reason else 0.0
            if reason is None:
                break
            if not self._logged:
                logger.info("training waits and then continues by itself: %s", reason)
                self._logged = True
            time.sleep(self.settings.pause_s)

    def hard_obstacle(self) -> Said | None:
        """Return whether heat or battery forbid training now, None if not."""
        settings = self.settings
        heat, charge = self._sensors.temperature_c(), self._sensors.battery_share()
        if heat is not None and heat > settings.temperature_c_max:
            values = {"temperature_c": round(heat), "limit_c": round(settings.temperature_c_max)}
            return Said("too_hot", values)
        if charge is not None and charge < settings.battery_share_min:
            return Said("battery_low", {"share": charge, "limit": settings.battery_share_min})
        return None

    def _load(self) -> Said | None:
        share = self._sensors.others_cpu_share()
        if share is not None and share > self.settings.cpu_share_max:
            return Said("cpu_busy", {"share": share, "limit": self.settings.cpu_share_max})
        return None


class PsutilSensors:
    """Sensors of this computer by psutil."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._last = self._read()

    def others_cpu_share(self) -> float | None:
        """Share of all cores that other processes took since the last call."""
        reading = self._read()
        busy, own, total = (new - old for new, old in zip(reading, self._last, strict=True))
        self._last = reading
        return max(0.0, (busy - own) / total) if total > 0 else None

    def temperature_c(self) -> float | None:
        """Read the hottest sensor in °C."""
        if not hasattr(psutil, "sensors_temperatures"):
            return None
        chips = psutil.sensors_temperatures().values()
        return max((sensor.current for chip in chips for sensor in chip), default=None)

    def battery_share(self) -> float | None:
        """Read the charge while on battery."""
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
        return None if battery is None or battery.power_plugged else battery.percent / 100

    def _read(self) -> tuple[float, float, float]:
        """Return the seconds of all cores so far: busy, busy in this process, all."""
        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        own = self._process.cpu_times()
        return sum(times) - idle, own.user + own.system, sum(times)
