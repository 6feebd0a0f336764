"""Which columns of a point's features are published: the overall values, and those of a trend."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.dsp.spec import FeatureSpec

LEVELS = (
    "velocity_rms_mm_s",
    "displacement_rms_um",
    "acceleration_rms_m_s2",
    "a_weighted_rms",
    "rms",
    "peak",
    "crest_factor",
    "kurtosis",
)
"""The overall values that people know: published with each state, and always in the trend."""

EVIDENCE = "evidence"
"""Name, in a trend, of the evidence that is compared with the warning and alarm levels."""


def trend_columns(spec: FeatureSpec) -> Sequence[int]:
    """Return columns that a trend carries: the features of the detector, and the overall values."""
    return tuple(i for i, f in enumerate(spec.features) if f.model or f.name in LEVELS)


def level_columns(spec: FeatureSpec) -> Sequence[int]:
    """Return the columns of the overall values."""
    return tuple(i for i, f in enumerate(spec.features) if f.name in LEVELS or f.group == "value")
