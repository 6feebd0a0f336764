"""Features in words that a technician knows."""

from __future__ import annotations

import pytest

from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.feature_names import feature_words

SPEC = FeatureSpec.sound(16_000, 16_000)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("third_octave_31.5hz", "1/3-octave band at 31.5 Hz"),
        ("octave_8khz", "octave band at 8 kHz"),
        ("bpfo_level", "level at BPFO (envelope)"),
        ("ftf_sidebands", "sidebands of FTF (envelope)"),
        ("oil_level", "oil level"),
    ],
)
def test_features_without_words_of_their_own_are_named_by_what_they_measure(name, words) -> None:
    assert feature_words(SPEC, name) == words
