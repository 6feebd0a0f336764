"""The feature set of a point: the order of the values, and an id that equal sets share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

from auscult.dsp import catalogue
from auscult.dsp.bearing import Bearing
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters, Sensitivity, SpecError, number
from auscult.dsp.settings import SPEED_TOLERANCE

__all__ = ["Bearing", "Feature", "FeatureSpec", "Sensitivity", "SpecError"]

VERSION = 1
"""Of stored ids: earlier versions of the program compute the same."""


@dataclass(frozen=True)
class FeatureSpec(Parameters):
    """The feature set of one kind of point; equal specs share one pipeline and one `spec_id`.

    Make it by `vibration`, `sound` or `value`; the parameters are those of `Parameters`. A feature
    that rate, window, unit, speed, bearings or gears do not support is absent from `features`.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> "velocity_rms_mm_s" in spec.names, "bpfo_prominence" in spec.names, len(spec)
    (True, False, 115)
    """

    @classmethod
    def vibration(
        cls,
        fs_hz: float,
        n_samples: int,
        unit: str,
        *,
        sensitivity: Sensitivity | None = None,
        full_scale: float | None = None,
        nominal_speed_rpm: float | None = None,
        speed_tolerance: float = SPEED_TOLERANCE,
        bearings: tuple[Bearing, ...] = (),
        gear_teeth: tuple[int, ...] = (),
        envelope_band_hz: tuple[float, float] | None = None,
        prewhiten: bool = False,
    ) -> Self:
        """Return the feature set of an accelerometer or velocity sensor."""
        return cls(
            kind="vibration",
            fs_hz=fs_hz,
            n_samples=n_samples,
            unit=unit,
            sensitivity=sensitivity,
            full_scale=full_scale,
            nominal_speed_rpm=nominal_speed_rpm,
            speed_tolerance=speed_tolerance,
            bearings=bearings,
            gear_teeth=gear_teeth,
            envelope_band_hz=envelope_band_hz,
            prewhiten=prewhiten,
        )

    @classmethod
    def sound(
        cls,
        fs_hz: float,
        n_samples: int,
        unit: str = "Pa",
        *,
        full_scale: float | None = None,
        envelope_band_hz: tuple[float, float] | None = None,
    ) -> Self:
        """Return the feature set of a microphone."""
        return cls(
            kind="sound",
            fs_hz=fs_hz,
            n_samples=n_samples,
            unit=unit,
            full_scale=full_scale,
            envelope_band_hz=envelope_band_hz,
        )

    @classmethod
    def value(
        cls,
        quantity: str,
        unit: str,
        interval_s: float,
        resolution: float = 0.0,
        *,
        states_run: bool = False,
    ) -> Self:
        """Return the feature set of an overall value: one feature, in the unit of its quantity.

        Raises
        ------
        SpecError
            If the quantity is unknown, or does not have this unit.

        Examples
        --------
        >>> spec = FeatureSpec.value("velocity_rms", "in/s", 60.0)
        >>> spec.names, spec.features[0].unit
        (('velocity_rms_mm_s',), 'mm/s')
        """
        seconds = number("interval_s", interval_s, float)
        return cls(
            kind="value",
            fs_hz=1.0 / seconds if seconds else 0.0,
            n_samples=1,
            unit=unit,
            quantity=quantity,
            resolution=resolution,
            states_run=states_run,
        )

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Return all features, in the order of the values."""
        return catalogue.features(self)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of `features`."""
        return tuple(f.name for f in self.features)

    @cached_property
    def model_names(self) -> tuple[str, ...]:
        """Names of the features for the detector: fewer than 128 over all specs of a kind."""
        return tuple(f.name for f in self.features if f.model)

    @cached_property
    def index(self) -> dict[str, int]:
        """Return the column of each name."""
        return {name: i for i, name in enumerate(self.names)}

    def columns(self, group: str) -> slice:
        """Return the columns of a group; empty if the spec does not have it."""
        where = [i for i, f in enumerate(self.features) if f.group == group]
        return slice(where[0], where[-1] + 1) if where else slice(0, 0)

    @cached_property
    def spec_id(self) -> str:
        """Stable hash (16 hex digits) of feature names, their versions, and parameters."""
        changed = {f.name: f.version for f in self.features if f.version > 1}
        return self._hash(self.names, *([changed] if changed else []))

    @cached_property
    def parameters_id(self) -> str:
        """Stable hash (16 hex digits) of the parameters: equal for specs of different releases."""
        return self._hash()

    @cached_property
    def unnamed_id(self) -> str:
        """Return the `spec_id` of version 0.3, whose stored states do not name their features."""
        return self._hash(tuple(f.name for f in self.features if not f.added))

    def _hash(self, *more: object) -> str:
        parameters = [
            (f.name, getattr(self, f.name))
            for f in fields(self)
            # Ids of waveforms are older than values, and those of values than `states_run`.
            if f.name != "states_run"
            and (f.name not in ("quantity", "resolution") or getattr(self, f.name))
        ]
        text = repr((VERSION, *more, parameters))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def versions(self) -> dict[str, int]:
        """Return the version of the values of each feature, by name."""
        return {f.name: f.version for f in self.features}

    def __len__(self) -> int:
        return len(self.features)
