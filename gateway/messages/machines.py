"""A machine as people configure it, in the gateway's file or from the dashboard."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from auscult.gateway.messages.said import Rejection
from auscult.gateway.messages.section import Section
from auscult.gateway.messages.topics import check_id

Id = Annotated[str, AfterValidator(check_id)]


class BearingSettings(Section):
    """A rolling bearing, by its fault frequencies or by its geometry."""

    name: str = Field(min_length=1, max_length=64, description="Designation, e.g. `6205`")
    bpfo: float | None = Field(default=None, gt=0, lt=100, description="Outer race, orders")
    bpfi: float | None = Field(default=None, gt=0, lt=100, description="Inner race, orders")
    bsf: float | None = Field(default=None, gt=0, lt=100, description="Ball spin, orders")
    ftf: float | None = Field(default=None, gt=0, lt=1, description="Cage, orders")
    balls: int | None = Field(default=None, ge=3, le=100, description="Number of rolling elements")
    ball_diameter_mm: float | None = Field(default=None, gt=0, description="Ball diameter, mm")
    pitch_diameter_mm: float | None = Field(default=None, gt=0, description="Pitch diameter, mm")
    contact_angle_deg: float = Field(default=0, ge=0, lt=90, description="Contact angle, degrees")

    @model_validator(mode="after")
    def _orders_or_geometry(self) -> Self:
        geometry = (self.balls, self.ball_diameter_mm, self.pitch_diameter_mm)
        orders = (self.bpfo, self.bpfi, self.bsf, self.ftf)
        has_geometry = all(g is not None for g in geometry)
        if not has_geometry and all(o is None for o in orders):
            raise ValueError(
                "give balls, ball_diameter_mm and pitch_diameter_mm, or at least one of bpfo, "
                "bpfi, bsf, ftf in orders of shaft speed"
            )
        return self


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
    kind: Literal["vibration", "sound"] = Field(description="What the sensor measures")
    unit: Literal["g", "m/s2", "mm/s", "V", "Pa", "FS", "as_delivered"] = Field(
        description="Unit of the samples; `V` needs `sensitivity_mv` and `sensitivity_unit`; with "
        "the undeclared units `as_delivered` and `FS` ISO zones do not apply"
    )
    sensitivity_mv: float | None = Field(
        default=None, gt=0, description="Sensor sensitivity, mV per `sensitivity_unit`"
    )
    sensitivity_unit: Literal["g", "m/s2", "mm/s", "Pa"] | None = Field(
        default=None, description="Physical unit that the sensitivity refers to"
    )
    fs_hz: float = Field(ge=200, le=200_000, description="Sampling rate, Hz")
    envelope_low_hz: float | None = Field(
        default=None,
        gt=0,
        description="Lower edge of the band that is demodulated for the envelope, Hz, chosen at "
        "commissioning and then fixed. An envelope spectrum on request names the kurtogram's best "
        "band; default: 8 % of the rate",
    )
    envelope_high_hz: float | None = Field(
        default=None, gt=0, description="Upper edge of that band, Hz; default: 36 % of the rate"
    )
    limits: tuple[LimitSettings, ...] = Field(default=(), description="Fixed limits")

    @model_validator(mode="after")
    def _volts_need_sensitivity(self) -> Self:
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
        """Both edges, None for the default."""
        if self.envelope_low_hz is None or self.envelope_high_hz is None:
            return None
        return self.envelope_low_hz, self.envelope_high_hz


class MachineSettings(Section):
    """A machine with its name-plate data."""

    id: Id = Field(description="Id on this gateway; a level of the MQTT topic")
    name: str = Field(default="", max_length=100, description="Name for people")
    area: str = Field(default="", max_length=100, description="Location, e.g. `Hall 2`")
    power_kw: float | None = Field(default=None, gt=0, description="Rated power, kW")
    speed_rpm: float | None = Field(
        default=None, gt=0, le=200_000, description="Nominal shaft speed, r/min"
    )
    shaft_height_mm: float | None = Field(default=None, gt=0, description="Shaft height, mm")
    support: Literal["rigid", "flexible"] | None = Field(
        default=None, description="Foundation by ISO 20816-3: rigid or flexible"
    )
    iso_class: Literal["group1", "group2", "I", "II", "III", "IV"] | None = Field(
        default=None,
        description="ISO 20816-3 group or ISO 10816-1 class; ISO zones need it",
    )
    bearings: tuple[BearingSettings, ...] = Field(default=(), description="Rolling bearings")
    approve_baseline: bool = Field(
        default=False,
        description="A person must approve each new baseline. Until then the machine is "
        "`learning`: limits and sensor faults apply, learned decisions do not",
    )
    gear_teeth: tuple[Annotated[int, Field(ge=3, le=1000)], ...] = Field(
        default=(), description="Tooth counts on the measured shaft, for gear-mesh levels"
    )
    baseline_windows: int | None = Field(
        default=None,
        ge=20,
        le=100_000,
        description="Windows of a point that this machine's baseline needs; default: the "
        "detector's. Use more if the machine needs long to run through its speeds and loads",
    )
    points: tuple[PointSettings, ...] = Field(min_length=1, description="Measuring points")

    @model_validator(mode="after")
    def _distinct_points(self) -> Self:
        ids = [p.id.lower() for p in self.points]
        double = {i for i in ids if ids.count(i) > 1}
        if double:
            raise Rejection("point_id_twice", machine=self.id, point=min(double))
        return self
