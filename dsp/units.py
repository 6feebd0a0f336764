"""Declared units of vibration, current and sound, and their size in SI units."""

from __future__ import annotations

from typing import Final

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
