"""The parameters of a point: rate, window, unit, speed and parts, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.bands import USABLE, fractional_octaves, log_bands
from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.quantities import INTERVAL_S, QUANTITIES, conversion, units_of
from auscult.dsp.settings import (
    ENVELOPE_BAND,
    ENVELOPE_BANDS,
    ENVELOPE_LOWEST_LINE,
    ENVELOPE_TOP_HARMONICS,
    ENVELOPE_TOP_HZ,
    FS_RANGE_HZ,
    LOG_BANDS,
    LOWEST_BAND,
    LOWEST_LINE,
    MEL_FRAME_S,
    MIN_SAMPLES,
    SEVERITY_TOP_HZ,
    SMOOTH_HZ,
    SMOOTH_LINES,
    SPEED_TOLERANCE,
)
from auscult.dsp.units import (
    ACCELERATION_M_S2,
    KINDS,
    SOUND_UNITS,
    UNDECLARED,
    VELOCITY_MM_S,
    VIBRATION_UNITS,
    PointKind,
)
from auscult.errors import InputError


class SpecError(InputError):
    """Parameters that make no feature set; the message names value, limit and remedy."""


_FLOATS: Final = ("fs_hz", "speed_tolerance", "resolution")
_OPTIONAL: Final = ("full_scale", "nominal_speed_rpm")

Number = TypeVar("Number", int, float)


def number(name: str, value: Any, convert: Callable[[Any], Number]) -> Number:
    """Return a value as `float`, or by `operator.index` as a whole number."""
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError):
        wanted = "number" if convert is float else "whole number"
        raise SpecError(f"{name} = {value!r} is no {wanted}; give one") from None


def _several(name: str, value: Any) -> tuple[Any, ...]:
    try:
        return tuple(value)
    except TypeError:
        raise SpecError(f"{name} = {value!r} is no sequence; give a tuple") from None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Volts per unit of a sensor: ``Sensitivity(0.1, "g")`` is the usual 100 mV/g."""

    volts_per_unit: float
    unit: str

    def __post_init__(self) -> None:
        volts = number("volts_per_unit", self.volts_per_unit, float)
        object.__setattr__(self, "volts_per_unit", volts)


@dataclass(frozen=True)
class Parameters:
    """Signal, shaft and parts of one kind of point.

    Parameters
    ----------
    kind : {"vibration", "sound", "value"}
        ``value`` is an overall value of a transmitter: one number an interval.
    fs_hz : float
        Sampling rate, 200..200 000 Hz; of a value one over its interval.
    n_samples : int
        Window length, ≥ 64; of a value 1.
    unit : str
        Unit of the samples: ``g``, ``m/s2``, ``mm/s``, ``V`` (with `sensitivity`), ``Pa``, or the
        undeclared ``FS`` and ``as_delivered``.
    sensitivity : Sensitivity or None
        Only with ``V``; features are then in the sensitivity's unit.
    full_scale : float or None
        Largest magnitude that the converter can deliver, in `unit`; int16 samples are multiplied
        by ``full_scale / 32768`` (by ``1 / 32768`` if None).
    nominal_speed_rpm : float or None
        Shaft speed for windows whose speed is not measured.
    speed_tolerance : float
        Largest relative error of the nominal speed, 0..0.1.
    bearings : tuple of Bearing
    gear_teeth : tuple of int
        Teeth of the gears on this shaft.
    envelope_band_hz : (float, float) or None
        Demodulation band; None = 0.08..0.36 of the rate.
    prewhiten : bool
        Cepstral pre-whitening before demodulation: every line of the band has equal magnitude.
    quantity : str
        Of a value: a name of `auscult.dsp.quantities.QUANTITIES`.
    resolution : float
        Of a value: its smallest step, in the unit of its feature; 0 = fine.
    states_run : bool
        Of a value: it states whether the machine runs. It is no part of the `spec_id`.

    Raises
    ------
    SpecError
        If a value has the wrong type, is outside its limits, or a unit does not fit the kind.
    """

    kind: PointKind
    fs_hz: float
    n_samples: int
    unit: str
    sensitivity: Sensitivity | None = None
    full_scale: float | None = None
    nominal_speed_rpm: float | None = None
    speed_tolerance: float = SPEED_TOLERANCE
    bearings: tuple[Bearing, ...] = ()
    gear_teeth: tuple[int, ...] = ()
    envelope_band_hz: tuple[float, float] | None = None
    prewhiten: bool = False
    quantity: str = ""
    resolution: float = 0.0
    states_run: bool = False

    @property
    def is_run_bit(self) -> bool:
        """Return whether it states whether the machine runs, and measures nothing.

        A velocity or a current that states it is a measurement too.
        """
        return self.states_run and self.quantity == "other"

    def __post_init__(self) -> None:
        self._convert()
        if self.kind == "value":
            self._check_value()
        else:
            self._check_waveform()

    def _convert(self) -> None:
        """Give each number its declared type: 1500, 1500.0 and numpy's 1500 are one `spec_id`."""
        given = {name: getattr(self, name) for name in _OPTIONAL}
        given = {name: value for name, value in given.items() if value is not None}
        for name in (*_FLOATS, *given):
            object.__setattr__(self, name, number(name, getattr(self, name), float))
        if self.envelope_band_hz is not None:
            band = _several("envelope_band_hz", self.envelope_band_hz)
            if len(band) != 2:
                raise SpecError(f"envelope_band_hz = {band!r} is no pair of edges in Hz")
            edges = tuple(number("envelope_band_hz", edge, float) for edge in band)
            object.__setattr__(self, "envelope_band_hz", edges)
        object.__setattr__(self, "n_samples", number("n_samples", self.n_samples, index))
        teeth = (
            number("gear_teeth", one, index) for one in _several("gear_teeth", self.gear_teeth)
        )
        object.__setattr__(self, "gear_teeth", tuple(teeth))
        object.__setattr__(self, "bearings", _several("bearings", self.bearings))
        sensitivity = () if self.sensitivity is None else (self.sensitivity,)
        for name, values, wanted in (
            ("kind, unit or quantity", (self.kind, self.unit, self.quantity), str),
            ("sensitivity", sensitivity, Sensitivity),
            ("bearings", self.bearings, Bearing),
        ):
            if wrong := [one for one in values if not isinstance(one, wanted)]:
                raise SpecError(f"{name} = {wrong[0]!r} is no {wanted.__name__}")
        if self.kind not in KINDS:
            raise SpecError(f"kind {self.kind!r} is not one of {', '.join(KINDS)}")

    def _check_value(self) -> None:
        low_s, high_s = INTERVAL_S
        if not low_s <= round(self.interval_s, 6) <= high_s:
            raise SpecError(
                f"interval_s = {self.interval_s:g} is outside {low_s:g}..{high_s:g} s; "
                f"check the interval"
            )
        if self.quantity not in QUANTITIES:
            raise SpecError(f"quantity {self.quantity!r} is not one of {', '.join(QUANTITIES)}")
        if conversion(self.quantity, self.unit) is None:
            raise SpecError(
                f"unit {self.unit!r} is not one of {', '.join(units_of(self.quantity))} for "
                f"{self.quantity}"
            )

    def _check_waveform(self) -> None:
        low, high = FS_RANGE_HZ
        if not low <= self.fs_hz <= high:
            raise SpecError(f"fs_hz = {self.fs_hz} is outside {low:g}..{high:g} Hz; check the rate")
        if self.n_samples < MIN_SAMPLES:
            raise SpecError(
                f"n_samples = {self.n_samples} is below {MIN_SAMPLES}; take a longer window"
            )
        allowed = VIBRATION_UNITS | {"V"} if self.kind == "vibration" else SOUND_UNITS
        if self.unit not in allowed:
            raise SpecError(
                f"unit {self.unit!r} is not one of {', '.join(sorted(allowed))} for {self.kind}"
            )
        if (self.unit == "V") != (self.sensitivity is not None):
            raise SpecError(
                "give a sensitivity (V per g, m/s2 or mm/s) with unit V, and only with unit V"
            )
        if (
            self.sensitivity is not None
            and self.sensitivity.unit not in VIBRATION_UNITS - UNDECLARED
        ):
            raise SpecError(f"sensitivity unit {self.sensitivity.unit!r} is not g, m/s2 or mm/s")
        if not 0 <= self.speed_tolerance <= 0.1:
            raise SpecError(f"speed_tolerance = {self.speed_tolerance} is outside 0..0.1")
        if self.nominal_speed_rpm is not None and not 0 < self.nominal_speed_rpm < 1e6:
            raise SpecError(f"nominal_speed_rpm = {self.nominal_speed_rpm} is outside 0..1e6 r/min")
        band = self.envelope_band_hz
        if band is not None and not 0 < band[0] < band[1] <= self.fs_hz / 2:
            raise SpecError(
                f"envelope_band_hz = {band} is not within 0..{self.fs_hz / 2:g} Hz (half the rate)"
            )

    # ---------------------------------------------------------------- derived quantities

    @property
    def interval_s(self) -> float:
        """Return the time between two values, or length of a window, in s."""
        return self.n_samples / self.fs_hz if self.fs_hz > 0 else 0.0

    @cached_property
    def value_unit(self) -> str:
        """Return the unit of the features that have the signal's unit."""
        return self.sensitivity.unit if self.sensitivity else self.unit

    @cached_property
    def n_fft(self) -> int:
        """Return the samples of a spectrum: the largest even fast FFT length ≤ `n_samples`."""
        half = self.n_samples // 2
        while sf.next_fast_len(half, real=True) != half:
            half -= 1
        return 2 * half

    @cached_property
    def df_hz(self) -> float:
        """Return the line spacing in Hz."""
        return self.fs_hz / self.n_fft

    @cached_property
    def smoothing(self) -> int:
        """Return the lines of the density averaged for shape and cepstrum."""
        widest = min(SMOOTH_HZ / self.df_hz, self.n_fft / 2 / SMOOTH_LINES)
        return max(1, int(widest))

    @cached_property
    def shaft_hz(self) -> float | None:
        """Return the nominal shaft frequency in Hz."""
        return None if self.nominal_speed_rpm is None else self.nominal_speed_rpm / 60

    @cached_property
    def demodulation_band_hz(self) -> tuple[float, float]:
        """Return the demodulation band: the chosen one, else the default for this rate."""
        if self.envelope_band_hz is not None:
            return self.envelope_band_hz
        return ENVELOPE_BAND[0] * self.fs_hz, ENVELOPE_BAND[1] * self.fs_hz

    @cached_property
    def envelope_top_hz(self) -> float:
        """Return the highest modulation frequency of the envelope spectrum."""
        low, high = self.demodulation_band_hz
        wanted = ENVELOPE_TOP_HZ
        if self.shaft_hz is not None:
            orders = [o for b in self.bearings for f in FAULTS if (o := b.order(f)) is not None]
            reach = ENVELOPE_TOP_HARMONICS * (1 + self.speed_tolerance) * self.shaft_hz
            wanted = max([wanted, *(reach * o for o in orders)])
        return min(wanted, (high - low) / 2)

    @cached_property
    def severity_low_hz(self) -> float:
        """Lower edge of the ISO 20816 velocity band: 10 Hz, 2 Hz below 600 r/min."""
        slow = self.nominal_speed_rpm is not None and self.nominal_speed_rpm < 600
        return 2.0 if slow else 10.0

    @cached_property
    def band_edges_hz(self) -> NDArray[np.float64]:
        """Return the edges of the log bands, [shape=(40, 2)], up to half the rate."""
        low = max(LOWEST_BAND * self.fs_hz, LOWEST_LINE * self.df_hz)
        return log_bands(LOG_BANDS, low, self.fs_hz / 2)

    @cached_property
    def envelope_edges_hz(self) -> NDArray[np.float64]:
        """Edges of the envelope bands, [shape=(24, 2)], or none if the window is too short."""
        low = ENVELOPE_LOWEST_LINE * self.df_hz
        if self.envelope_top_hz < 2 * low:
            return np.empty((0, 2))
        return log_bands(ENVELOPE_BANDS, low, self.envelope_top_hz)

    @cached_property
    def octaves(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Names and edges of the supported 1/3-octave (vibration) or octave (sound) bands."""
        return fractional_octaves(self.fs_hz, self.df_hz, 3 if self.kind == "vibration" else 1)

    @cached_property
    def mel_frame(self) -> int:
        """Return the samples of a log-mel frame, a power of two."""
        wanted = 2 ** round(np.log2(MEL_FRAME_S * self.fs_hz))
        return int(max(16, min(wanted, 2 ** int(np.log2(self.n_samples)))))

    def carries_order(self, order: float, *, envelope: bool) -> bool:
        """Whether an order of nominal speed lies above DC and below the top of its spectrum."""
        if self.shaft_hz is None:
            return False
        f = order * self.shaft_hz
        lowest = ENVELOPE_LOWEST_LINE if envelope else 2.0
        top = self.envelope_top_hz if envelope else self.fs_hz / 2
        return (
            f * (1 - self.speed_tolerance) >= lowest * self.df_hz
            and f * (1 + self.speed_tolerance) <= top
        )

    def faults_carried(self) -> tuple[str, ...]:
        """Return the faults of the bearings whose frequency lies within the envelope spectrum."""
        return tuple(
            f
            for f in FAULTS
            if any(
                (o := b.order(f)) and self.carries_order(o, envelope=True) for b in self.bearings
            )
        )

    @cached_property
    def carries_severity(self) -> bool:
        """Return whether unit, rate and window support velocity over the ISO 20816 band."""
        physical = self.value_unit in ACCELERATION_M_S2 or self.value_unit in VELOCITY_MM_S
        return (
            self.kind == "vibration"
            and physical
            and self.fs_hz * USABLE >= SEVERITY_TOP_HZ
            and self.df_hz * 2 <= self.severity_low_hz
        )
