"""Limits on bands with own edges: the value, what is rejected, and the reason."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from auscult.contract.records import Condition
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.limited_values import LimitError, limited_value
from auscult.models.decision.limits import Limit, LimitChecks

FS = 25_600
SPEC = FeatureSpec.vibration(FS, FS, "g")


def features(samples: np.ndarray) -> np.ndarray:
    return FeaturePipeline(SPEC).extract(samples.astype(np.float32)[None]).values[0]


def test_the_value_is_the_rms_of_the_filtered_signal() -> None:
    noise = np.random.default_rng(1).standard_normal(FS)
    sos = signal.butter(12, (500, 2000), "bandpass", fs=FS, output="sos")
    value = limited_value(SPEC, "de", "rms_500_2000hz").compute(features(noise))
    assert value == pytest.approx(float(np.std(signal.sosfiltfilt(sos, noise))), rel=0.03)


def test_a_tone_counts_inside_and_not_outside() -> None:
    t = np.arange(FS) / FS
    read = limited_value(SPEC, "de", "rms_500_2000hz")
    assert read.compute(features(np.sin(2 * np.pi * 1000 * t))) == pytest.approx(0.5**0.5, rel=0.01)
    assert read.compute(features(np.sin(2 * np.pi * 2500 * t))) < 0.01


@pytest.mark.parametrize("name", ["rms_2_2000hz", "rms_500_20000hz", "rms_500_510hz", "rms_9_5hz"])
def test_a_band_that_the_point_does_not_have_is_rejected(name: str) -> None:
    with pytest.raises(LimitError, match="between"):
        LimitChecks({"de": [Limit(name, 1.0, None)]}, {"de": SPEC}, windows=1)


def test_beyond_the_limit_is_a_reason() -> None:
    checks = LimitChecks({"de": [Limit("rms_500_2000hz", 0.2, 0.5)]}, {"de": SPEC}, windows=1)
    checks.update("de", features(np.sin(2 * np.pi * 1000 * np.arange(FS) / FS)))
    (reason,) = checks.reasons("de")
    assert (reason.condition, reason.limit, reason.unit) == (Condition.ALARM, 0.5, "g")
