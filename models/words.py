"""Features in the field's words, for reasons that people read."""

from __future__ import annotations

import re

from dsp.spec import FeatureSpec
from models.records import Contribution

NAMES = {
    "rms": "overall r.m.s.",
    "peak": "peak",
    "crest_factor": "crest factor",
    "kurtosis": "kurtosis",
    "velocity_rms_mm_s": "velocity r.m.s.",
    "displacement_rms_um": "displacement r.m.s.",
    "order_1x": "1× shaft speed",
    "order_2x": "2× shaft speed",
    "order_3x": "3× shaft speed",
    "a_weighted_rms": "A-weighted level",
    "gear_mesh_level": "gear mesh",
    "gear_mesh_sidebands": "gear-mesh sidebands",
}
_BAND = re.compile(r"(envelope_)?band_(\d+)")


def feature_words(spec: FeatureSpec, name: str) -> str:
    """Say what a feature is.

    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> feature_words(spec, "band_39")
    'band 10.7–12.8 kHz'
    >>> feature_words(spec, "envelope_band_10")
    'envelope 37–47 Hz (1.7 × shaft)'
    """
    if name in NAMES:
        return NAMES[name]
    match = _BAND.fullmatch(name)
    if match:
        edges = spec.envelope_edges_hz if match[1] else spec.band_edges_hz
        low, high = edges[int(match[2])]
        words = f"{'envelope' if match[1] else 'band'} {_range(low, high)}"
        if match[1] and spec.shaft_hz:
            words += f" ({(low * high) ** 0.5 / spec.shaft_hz:.1f} × shaft)"
        return words
    for fault in ("bpfo", "bpfi", "bsf", "ftf"):
        if name.startswith(fault):
            return f"envelope at {fault.upper()}{name[len(fault) :].replace('_', ' ')}"
    return name.replace("_", " ")


def change_words(spec: FeatureSpec, moved: Contribution) -> str:
    """Say how a feature moved, for example ``overall r.m.s. +6.0 dB``."""
    words = feature_words(spec, moved.feature)
    if moved.change_db is not None:
        return f"{words} {moved.change_db:+.1f} dB"
    return f"{words} {moved.sigma:+.1f} σ"


def _range(low: float, high: float) -> str:
    if high >= 1000:
        return f"{low / 1000:.3g}–{high / 1000:.3g} kHz"
    return f"{low:.2g}–{high:.2g} Hz" if high < 100 else f"{low:.0f}–{high:.0f} Hz"
