"""The catalogue: which stages make the features of a point, in the order of the values.

Each stage declares its features beside the code that computes them, with definition, source and the
fault that they show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from auscult.dsp.cepstrum import cepstrum_features
from auscult.dsp.envelope import envelope_features
from auscult.dsp.faults import bearing_features
from auscult.dsp.feature import Feature
from auscult.dsp.moments import time_features
from auscult.dsp.orders import gear_features, order_features
from auscult.dsp.parameters import Parameters
from auscult.dsp.quantities import feature_of
from auscult.dsp.sound import level_features, mel_features
from auscult.dsp.spectrum import band_features, octave_features, overall_features, shape_features

RENAMED: Final[dict[str, str]] = {}
"""Today's name of each feature that an earlier release named otherwise, with the same values."""


def features(spec: Parameters) -> tuple[Feature, ...]:
    """Return all features that `spec` supports, grouped in the order of the pipeline's stages."""
    if spec.kind == "value":
        return (feature_of(spec.quantity, spec.unit),)
    return tuple(_vibration(spec) if spec.kind == "vibration" else _sound(spec))


def _vibration(spec: Parameters) -> Iterator[Feature]:
    yield from time_features(spec)
    if spec.carries_severity:
        yield from overall_features(spec)
    yield from shape_features()
    yield from band_features(spec)
    yield from octave_features(spec)
    yield from envelope_features(spec)
    yield from bearing_features(spec)
    yield from cepstrum_features(spec)
    yield from order_features(spec)
    yield from gear_features(spec)


def _sound(spec: Parameters) -> Iterator[Feature]:
    yield from time_features(spec)
    yield from shape_features()
    yield from mel_features(spec)
    yield from level_features(spec)
    yield from octave_features(spec)
    yield from envelope_features(spec)
    yield from cepstrum_features(spec)
