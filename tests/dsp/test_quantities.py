"""Units of declared values: the conversions of textbooks."""

from __future__ import annotations

import pytest

from auscult.dsp.quantities import conversion


@pytest.mark.parametrize(
    ("quantity", "unit", "value", "expected"),
    [
        ("temperature", "°F", 32.0, 0.0),
        ("temperature", "°F", 212.0, 100.0),
        ("temperature", "degF", -40.0, -40.0),
        ("temperature", "K", 273.15, 0.0),
        ("temperature", "K", 373.15, 100.0),
        ("velocity_rms", "in/s", 1.0, 25.4),
        ("displacement_rms", "mm", 0.025, 25.0),
        ("displacement_rms", "mil", 1.0, 25.4),
    ],
)
def test_a_value_is_converted(quantity, unit, value, expected):
    converted = conversion(quantity, unit)
    assert converted is not None
    gain, offset = converted
    assert gain * value + offset == pytest.approx(expected, abs=1e-9)
