"""A machine as people configure it, in the gateway's file or from the dashboard."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from auscult.contract.records import Direction, IsoClass
from auscult.contract.said import Rejection
from auscult.contract.section import Section, Unit, marks
from auscult.contract.tacho import TachoSettings
from auscult.contract.train import (
    MEASURED_SHAFT,
    BearingSettings,
    BeltSettings,
    BladeSettings,
    GearSettings,
    OnShaft,
    ShaftSettings,
)
from auscult.contract.train import Id as Id
from auscult.dsp.quantities import QuantityName, conversion, units_of
from auscult.dsp.settings import FS_RANGE_HZ
from auscult.dsp.units import SAMPLED, WAVEFORM_UNITS
from auscult.dsp.units import PointKind as PointKind

RATIO_TOLERANCE = 0.005
"""Stated ratios of shafts may be rounded."""


Consequence = Literal["low", "medium", "high"]
CONSEQUENCES: Final[tuple[Consequence, ...]] = get_args(Consequence)
"""Classes of what a failure entails, the mildest first."""
NOT_STATED: Final[Consequence] = "medium"
"""What a machine without a stated consequence counts as: it must neither lead nor sink."""


class TemplatePart(StrEnum):
    """A group of settings that a machine can give to others as their template.

    The mark `x-group` of a setting names its group. Ids, names, areas and sources stay each
    machine's own.
    """

    NAME_PLATE = "name_plate"
    CRITICALITY = "criticality"
    TRAIN = "train"
    BASELINE = "baseline"
    LIMITS = "limits"
    POINTS = "points"


class LimitSettings(Section):
    """A fixed limit on one feature of a point, beside learned decisions."""

    feature: str = Field(description="Feature name, see docs/features.md")
    warning: float | None = Field(default=None, description="Warning limit, in the feature's unit")
    alarm: float | None = Field(default=None, description="Alarm limit, in the feature's unit")
    direction: Literal["above", "below"] = Field(
        default="above", description="Side of the limit that is abnormal"
    )

    @model_validator(mode="after")
    def _warning_before_alarm(self) -> Self:
        if self.warning is None and self.alarm is None:
            raise Rejection("limit_empty", feature=self.feature)
        if self.warning is not None and self.alarm is not None:
            sign = 1 if self.direction == "above" else -1
            if sign * self.warning > sign * self.alarm:
                raise Rejection(
                    "limit_order", feature=self.feature, warning=self.warning, alarm=self.alarm
                )
        return self


class PointSettings(Section):
    """A measuring point: one sensor channel on a machine."""

    id: Id = Field(description="Id within the machine; a level of the MQTT topic")
    name: str = Field(default="", max_length=100, description="Name for people")
    kind: PointKind = Field(
        description="What the sensor measures; `value` is one number an interval, from a "
        "transmitter or a controller"
    )
    unit: Unit = Field(
        min_length=1,
        max_length=16,
        description="Unit of the samples: `g`, `m/s2`, `mm/s`, `V`, `A`, `Pa`, `FS` or "
        "`as_delivered`; `V` needs `sensitivity_mv` and `sensitivity_unit`; with the undeclared "
        "units `as_delivered` and `FS` ISO zones do not apply. Unit of a value: one of its "
        "quantity",
    )
    quantity: QuantityName | None = Field(
        default=None,
        description="What a value is; `velocity_rms` and `displacement_rms` have ISO zones",
        json_schema_extra=marks(kind="value"),
    )
    interval_s: float | None = Field(
        default=None,
        ge=1,
        le=86_400,
        description="Usual time between two values, s. The point is silent after three of them",
        json_schema_extra=marks(unit="s", kind="value"),
    )
    resolution: float = Field(
        default=0,
        ge=0,
        description="Smallest step of a value, in its unit; 0 = fine. A change by one step is no "
        "departure",
        json_schema_extra=marks(kind="value"),
    )
    counter: Literal["", "per_s", "per_min", "per_h"] = Field(
        default="",
        description="The value counts up, as an energy meter does; its rate is monitored. A reset "
        "is left out",
        json_schema_extra=marks(kind="value"),
    )
    state: Literal["", "speed_rpm", "load", "running"] = Field(
        default="",
        description="The value is also this part of the machine's operating state",
        json_schema_extra=marks(kind="value"),
    )
    running_above: float = Field(
        default=0,
        description='With `state = "running"`: the machine runs while the value is above this',
        json_schema_extra=marks(kind="value"),
    )
    sensitivity_mv: float | None = Field(
        default=None,
        gt=0,
        description="Sensor sensitivity, mV per `sensitivity_unit`",
        json_schema_extra=marks(kind="samples"),
    )
    sensitivity_unit: Literal["g", "m/s2", "mm/s", "A", "Pa"] | None = Field(
        default=None,
        description="Physical unit that the sensitivity refers to",
        json_schema_extra=marks(kind="samples"),
    )
    fs_hz: float = Field(
        default=0,
        ge=0,
        le=200_000,
        validate_default=True,
        description="Sampling rate, 200 to 200 000 Hz; not of values",
        json_schema_extra=marks(unit="Hz", kind="samples"),
    )
    envelope_low_hz: float | None = Field(
        default=None,
        gt=0,
        description="Lower edge of the band that is demodulated for the envelope, Hz, chosen at "
        "commissioning and then fixed. An envelope spectrum on request names the kurtogram's best "
        "band; default: 8 % of the rate",
        json_schema_extra=marks(group=TemplatePart.POINTS, unit="Hz", kind="samples"),
    )
    envelope_high_hz: float | None = Field(
        default=None,
        gt=0,
        description="Upper edge of that band, Hz; default: 36 % of the rate",
        json_schema_extra=marks(group=TemplatePart.POINTS, unit="Hz", kind="samples"),
    )
    limits: tuple[LimitSettings, ...] = Field(
        default=(),
        description="Fixed limits",
        json_schema_extra=marks(group=TemplatePart.LIMITS),
    )
    direction: Direction | None = Field(
        default=None,
        description="Direction of measurement; imbalance, misalignment and a bent shaft differ by "
        "it",
        json_schema_extra=marks(group=TemplatePart.POINTS),
    )
    shaft: Id = Field(
        default=MEASURED_SHAFT,
        description="Shaft of the train whose bearing carries the point",
        json_schema_extra=marks(group=TemplatePart.POINTS),
    )
    bearings: tuple[str, ...] = Field(
        default=(),
        description="Names of the machine's bearings near this point; default: all of them",
        json_schema_extra=marks(group=TemplatePart.POINTS),
    )

    @field_validator("unit")
    @classmethod
    def _unit_of_samples(cls, unit: str, info: ValidationInfo) -> str:
        if info.data.get("kind") in SAMPLED and unit not in WAVEFORM_UNITS:
            raise Rejection("unit_unknown", unit=unit, units=WAVEFORM_UNITS)
        return unit

    @field_validator("fs_hz")
    @classmethod
    def _rate_of_samples(cls, fs_hz: float, info: ValidationInfo) -> float:
        if info.data.get("kind") in SAMPLED and fs_hz < FS_RANGE_HZ[0]:
            raise Rejection("rate_too_low", fs_hz=fs_hz, limit_hz=FS_RANGE_HZ[0])
        return fs_hz

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind == "value":
            self._check_value()
        elif self.quantity or self.interval_s or self.counter or self.state or self.resolution:
            raise Rejection("only_for_values", point=self.id)
        return self

    def _check_value(self) -> None:
        if self.quantity is None or self.interval_s is None:
            raise Rejection("value_incomplete", point=self.id)
        if self.fs_hz:
            raise Rejection("value_has_no_rate", point=self.id)
        if self.counter and units_of(self.quantity):
            raise Rejection("counter_needs_plain_quantity", quantity=self.quantity)
        if conversion(self.quantity, self.unit) is None:
            raise Rejection("unit_unknown", unit=self.unit, units=units_of(self.quantity))

    @model_validator(mode="after")
    def _volts_need_sensitivity(self) -> Self:
        if self.kind == "value":
            return self
        if self.unit == "V" and (self.sensitivity_mv is None or self.sensitivity_unit is None):
            raise Rejection("volts_without_sensitivity")
        return self

    @model_validator(mode="after")
    def _envelope_band_within_the_rate(self) -> Self:
        low, high = self.envelope_low_hz, self.envelope_high_hz
        if (low is None) != (high is None):
            raise Rejection("envelope_incomplete")
        if low is not None and high is not None and not low < high <= self.fs_hz / 2:
            raise Rejection(
                "envelope_outside_rate", low_hz=low, high_hz=high, limit_hz=self.fs_hz / 2
            )
        return self

    @property
    def envelope_band_hz(self) -> tuple[float, float] | None:
        """Return both edges, None for the default."""
        if self.envelope_low_hz is None or self.envelope_high_hz is None:
            return None
        return self.envelope_low_hz, self.envelope_high_hz


class MachineSettings(Section):
    """A machine with its name-plate data."""

    id: Id = Field(
        description="Id on this gateway; a level of the MQTT topic",
        json_schema_extra=marks(widget="id"),
    )
    name: str = Field(default="", max_length=100, description="Name for people")
    area: str = Field(default="", max_length=100, description="Location, e.g. `Hall 2`")
    template: str = Field(
        default="",
        max_length=200,
        description="Machines with the same text are sisters: each shows what was found at the "
        "others. A machine counts as its own template, by its id `site~gateway~machine`, until it "
        "states one. Empty: name plate and points decide",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE),
    )
    power_kw: float | None = Field(
        default=None,
        gt=0,
        description="Rated power, kW",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE, unit="kW"),
    )
    speed_rpm: float | None = Field(
        default=None,
        gt=0,
        le=200_000,
        description="Nominal shaft speed, r/min",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE, unit="r/min"),
    )
    shaft_height_mm: float | None = Field(
        default=None,
        gt=0,
        description="Shaft height, mm",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE, unit="mm"),
    )
    support: Literal["rigid", "flexible"] | None = Field(
        default=None,
        description="Foundation by ISO 20816-3: rigid or flexible",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE),
    )
    iso_class: IsoClass | None = Field(
        default=None,
        description="ISO 20816-3 group or ISO 10816-1 class; ISO zones need it",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE),
    )
    bearings: tuple[BearingSettings, ...] = Field(
        default=(),
        description="Rolling bearings",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    gear_teeth: tuple[Annotated[int, Field(ge=3, le=1000)], ...] = Field(
        default=(),
        description="Tooth counts on the measured shaft, for gear-mesh levels",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    shafts: tuple[ShaftSettings, ...] = Field(
        default=(),
        description="Further shafts of the train, beside the measured one",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    gears: tuple[GearSettings, ...] = Field(
        default=(),
        description="Pairs of gears in mesh",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    belts: tuple[BeltSettings, ...] = Field(
        default=(),
        description="Belts",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    blades: tuple[BladeSettings, ...] = Field(
        default=(),
        description="Wheels with blades or vanes: fans, impellers",
        json_schema_extra=marks(group=TemplatePart.TRAIN, widget="train"),
    )
    line_hz: float | None = Field(
        default=None,
        ge=10,
        le=1000,
        description="Line frequency of the motor, Hz",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE, unit="Hz"),
    )
    pole_pairs: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="Pole pairs of the motor (2 for about 1,500 r/min)",
        json_schema_extra=marks(group=TemplatePart.NAME_PLATE),
    )
    false_alarms_per_year: float | None = Field(
        default=None,
        ge=0.01,
        le=1000,
        description="Events that the healthy machine may raise in a year of running; "
        "default: the detector's. Fewer events need stronger evidence, so a fault is found later",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    baseline_windows: int | None = Field(
        default=None,
        ge=20,
        le=100_000,
        description="Windows of a point that this machine's baseline needs; default: the "
        "detector's. Use more if the machine needs long to run through its speeds and loads",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    baseline_days: float = Field(
        default=0,
        ge=0,
        le=366,
        description="Shortest healthy period, days of the machine's own time; 0 = as long as the "
        "windows take. Choose it so that the machine runs through its usual cycle: a shift, a "
        "week",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    baseline_starts: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Starts of the machine that the healthy period needs",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    start_s: float = Field(
        default=0,
        ge=0,
        le=3600,
        description="Seconds after a start that are left out of baseline and decisions",
        json_schema_extra=marks(group=TemplatePart.BASELINE, unit="s"),
    )
    running_from_signal: bool = Field(
        default=True,
        description="Without a value that says whether it runs: a vibration 20 dB below the lowest "
        "of the baseline at all points, or the lower of two levels of the overall values, means "
        "that the machine is at rest",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    approve_baseline: bool = Field(
        default=False,
        description="A person must approve each new baseline. Until then the machine is "
        "`learning`: limits and sensor faults apply, learned decisions do not",
        json_schema_extra=marks(group=TemplatePart.BASELINE),
    )
    consequence_safety: Consequence | None = Field(
        default=None,
        description="What a failure entails for the safety of people",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    consequence_production: Consequence | None = Field(
        default=None,
        description="What a failure entails for production",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    consequence_quality: Consequence | None = Field(
        default=None,
        description="What a failure entails for the quality of the product",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    consequence_cost: Consequence | None = Field(
        default=None,
        description="What a failure entails in costs of repair and consequential damage",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    downtime_cost_per_h: float | None = Field(
        default=None,
        ge=0,
        le=1e9,
        description="Cost of an hour of unplanned downtime, in the plant's currency",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    spare_part_days: float | None = Field(
        default=None,
        ge=0,
        le=3660,
        description="Longest lead time of a spare part, days; 0 = in stock",
        json_schema_extra=marks(group=TemplatePart.CRITICALITY),
    )
    points: tuple[PointSettings, ...] = Field(
        min_length=1,
        description="Measuring points",
        json_schema_extra=marks(widget="points"),
    )
    tacho: TachoSettings | None = Field(
        default=None,
        description="Sampled tachometer: speed, rest and phase of the shaft",
        json_schema_extra=marks(widget="tacho"),
    )

    @model_validator(mode="after")
    def _distinct_points(self) -> Self:
        ids = [p.id.lower() for p in self.channels]
        double = {i for i in ids if ids.count(i) > 1}
        if double:
            raise Rejection("point_id_twice", machine=self.id, point=min(double))
        return self

    @model_validator(mode="after")
    def _train_is_connected(self) -> Self:
        ratios = self.shaft_ratios
        if len(ratios) <= len(self.shafts):
            raise Rejection("shaft_twice", machine=self.id)
        parts: tuple[OnShaft, ...] = (*self.bearings, *self.gears, *self.belts, *self.blades)
        driven = [gear.driven_shaft for gear in self.gears if gear.driven_shaft is not None]
        tacho = () if self.tacho is None else (self.tacho,)
        for shaft in (*(p.shaft for p in (*parts, *self.points, *tacho)), *driven):
            if shaft not in ratios:
                raise Rejection("shaft_unknown", machine=self.id, shaft=shaft)
        for gear in self.gears:
            if gear.driven_shaft is not None:
                by_teeth = ratios[gear.shaft] * gear.driving_teeth / gear.driven_teeth
                stated = ratios[gear.driven_shaft]
                if abs(stated / by_teeth - 1) > RATIO_TOLERANCE:
                    raise Rejection(
                        "shaft_ratio", shaft=gear.driven_shaft, ratio=stated, by_teeth=by_teeth
                    )
        known = {bearing.name for bearing in self.bearings}
        for point in self.points:
            for name in point.bearings:
                if name not in known:
                    raise Rejection("point_bearing_unknown", point=point.id, name=name)
        return self

    @property
    def criticality(self) -> Consequence | None:
        """Return the worst consequence of a failure; None where no one has stated any."""
        stated = (
            self.consequence_safety,
            self.consequence_production,
            self.consequence_quality,
            self.consequence_cost,
        )
        return max(filter(None, stated), key=CONSEQUENCES.index, default=None)

    @property
    def channels(self) -> tuple[PointSettings, ...]:
        """Return what sources deliver: the points, and the tachometer as a channel."""
        if self.tacho is None:
            return self.points
        own = self.tacho
        # A pulse needs no sensitivity in mV.
        channel = PointSettings.model_construct(
            id=own.id, kind="vibration", unit=own.unit, fs_hz=own.fs_hz
        )
        return (*self.points, channel)

    @property
    def shaft_ratios(self) -> dict[str, float]:
        """Return the speed of each shaft of the train over the measured speed."""
        return {MEASURED_SHAFT: 1.0} | {shaft.id: shaft.ratio for shaft in self.shafts}
