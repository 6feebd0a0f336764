"""Names of features for people."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from auscult.contract.own_band import own_band_hz
from auscult.dsp.mels import hz_to_mel, mel_to_hz
from auscult.dsp.quantities import QUANTITIES
from auscult.dsp.settings import FLUCTUATION_BANDS, MELS
from auscult.dsp.spec import FeatureSpec

NAMES: Final = {
    "rms": "overall r.m.s.",
    "peak": "peak",
    "peak_to_peak": "peak to peak",
    "velocity_rms_mm_s": "velocity r.m.s.",
    "displacement_rms_um": "displacement r.m.s.",
    "acceleration_rms_m_s2": "acceleration r.m.s.",
    "spectral_centroid_hz": "centre of the spectrum",
    "spectral_spread_hz": "width of the spectrum",
    "spectral_entropy": "noisiness of the spectrum (entropy)",
    "spectral_flatness": "flatness of the spectrum",
    "spectral_rolloff_hz": "roll-off of the spectrum (85 % of the power below)",
    "cepstrum_peak": "strongest family of harmonics (cepstrum)",
    "cepstrum_quefrency_s": "spacing of the strongest family (quefrency)",
    "cepstrum_shaft": "family spaced at shaft speed (cepstrum)",
    "order_1x": "1× shaft speed",
    "order_2x": "2× shaft speed",
    "order_3x": "3× shaft speed",
    "a_weighted_rms": "A-weighted level",
    "gear_mesh_level": "gear mesh",
    "gear_mesh_sidebands": "gear-mesh sidebands",
    **{q.feature: q.words for q in QUANTITIES.values() if q.unit},
}
_BAND = re.compile(r"(envelope_)?band_(\d+)")
_MEL = re.compile(r"mel_(fluctuation_)?(\d+)")
_OCTAVE = re.compile(r"(third_)?octave_([\d.]+)(k?)hz")
_BEARING = re.compile(r"(bpfo|bpfi|bsf|ftf)_(\w+)")
_BEARING_WORDS: Final = {
    "level": "level at {} (envelope)",
    "prominence": "height of the {} lines over the floor (envelope)",
    "sidebands": "sidebands of {} (envelope)",
}


def feature_words(spec: FeatureSpec, name: str) -> str:
    """Return the name of a feature in English.

    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> feature_words(spec, "band_39")
    'band 10.7–12.8 kHz'
    >>> feature_words(spec, "envelope_band_10")
    'envelope 37–47 Hz (1.7 × shaft)'
    >>> feature_words(FeatureSpec.sound(16000, 16000), "mel_fluctuation_15")
    'fluctuation of band 6.3–8 kHz'
    """
    if name in NAMES:
        return NAMES[name]
    own = own_band_hz(name)
    if own is not None:
        return f"r.m.s. {_range(*own)}"
    band = feature_band_hz(spec, name)
    if band is not None:
        if name.startswith("mel_"):
            of = "fluctuation of " if name.startswith("mel_fluctuation_") else ""
            return f"{of}band {_range(*band)}"
        order = feature_order(spec, name)
        what = "envelope" if name.startswith("envelope_") else "band"
        return f"{what} {_range(*band)}" + (f" ({order:.1f} × shaft)" if order else "")
    if match := _OCTAVE.fullmatch(name):
        return f"{'1/3-octave' if match[1] else 'octave'} band at {match[2]} {match[3]}Hz"
    if match := _BEARING.fullmatch(name):
        return _BEARING_WORDS[match[2]].format(match[1].upper())
    return name.replace("_", " ")


def feature_band_hz(spec: FeatureSpec, name: str) -> tuple[float, float] | None:
    """Return the edges of a feature's band in Hz, None for features without a band.

    >>> spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)
    >>> [round(hz) for hz in feature_band_hz(spec, "band_39")], feature_band_hz(spec, "rms")
    ([10704, 12800], None)
    """
    if match := _BAND.fullmatch(name):
        edges = spec.envelope_edges_hz if match[1] else spec.band_edges_hz
        low, high = edges[int(match[2])]
        return float(low), float(high)
    if match := _MEL.fullmatch(name):
        group = MELS // FLUCTUATION_BANDS if match[1] else 1
        first = int(match[2]) * group
        edges_hz = mel_to_hz(np.linspace(0.0, float(hz_to_mel(spec.fs_hz / 2)), MELS + 2))
        return float(edges_hz[first]), float(edges_hz[first + group + 1])
    return None


def band_values(spec: FeatureSpec, name: str) -> dict[str, float]:
    """Return edges of a feature's band as values of a `Said`; empty for features without a band."""
    band = feature_band_hz(spec, name)
    return {} if band is None else {"low_hz": band[0], "high_hz": band[1]}


def feature_order(spec: FeatureSpec, name: str) -> float | None:
    """Middle of an envelope band in multiples of shaft speed; None for others or unknown speed."""
    band = feature_band_hz(spec, name) if name.startswith("envelope_band_") else None
    return (band[0] * band[1]) ** 0.5 / spec.shaft_hz if band and spec.shaft_hz else None


def _range(low: float, high: float) -> str:
    if high >= 1000:
        return f"{low / 1000:.3g}–{high / 1000:.3g} kHz"
    return f"{low:.2g}–{high:.2g} Hz" if high < 100 else f"{low:.0f}–{high:.0f} Hz"
