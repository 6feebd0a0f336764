"""Kinds of measuring points; declared units of their samples, and their size in SI units."""

from __future__ import annotations

from typing import Final, Literal, get_args

SampledKind = Literal["vibration", "sound"]
PointKind = Literal[SampledKind, "value"]
SAMPLED: Final[tuple[SampledKind, ...]] = get_args(SampledKind)
KINDS: Final[tuple[PointKind, ...]] = get_args(PointKind)
"""Kinds of points, in the order of a model's arrays, which a stored state relies on."""

STANDARD_GRAVITY_M_S2: Final = 9.80665
"""ISO 80000-3: 1 g."""

UNDECLARED: Final = frozenset({"as_delivered", "FS"})
"""The source states no physical unit; ISO zones do not apply."""

ACCELERATION_M_S2: Final = {"g": STANDARD_GRAVITY_M_S2, "m/s2": 1.0}
"""Acceleration units and their size in m/s²."""

VELOCITY_MM_S: Final = {"mm/s": 1.0}
"""Velocity units and their size in mm/s."""

CURRENT_UNIT: Final = "A"
"""A motor's current is a waveform like a vibration, but no vibration is searched in it."""
VIBRATION_UNITS: Final = (
    frozenset(ACCELERATION_M_S2) | frozenset(VELOCITY_MM_S) | UNDECLARED | {CURRENT_UNIT}
)
SOUND_UNITS: Final = frozenset({"Pa"}) | UNDECLARED
WAVEFORM_UNITS: Final = ("g", "m/s2", "mm/s", "V", "A", "Pa", "FS", "as_delivered")
"""Units in which a point's samples may be stated; `V` needs the sensor's sensitivity."""
