"""Zone limits, ALARM and TRIP by the standard's numbers; incomplete name plates are rejected."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, ReasonKind
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.iso20816 import SeverityError, severity_of
from auscult.models.decision.limits import Limit, LimitChecks, LimitError
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

SPEC = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500)


def test_boundaries_by_group_and_foundation() -> None:
    big = severity_of(NamePlate("m", power_kw=500, support="flexible"))
    assert big.velocity_mm_s.zone(7.0) == "B"
    assert big.velocity_mm_s.zone(7.1) == "C"
    assert big.velocity_mm_s.zone(11.0) == "D"
    assert big.displacement_um is not None
    assert big.displacement_um.bc == 90
    small = severity_of(NamePlate("m", power_kw=5))
    assert small.title == "ISO 10816-1 class I"
    assert small.displacement_um is None
    tall = severity_of(NamePlate("m", shaft_height_mm=320, support="rigid"))
    assert tall.title == "ISO 20816-3 group 1, rigid"


@pytest.mark.parametrize(
    ("name_plate", "says"),
    [
        (NamePlate("m"), "neither rated power"),
        (NamePlate("m", power_kw=55), "set it to rigid or flexible"),
        (NamePlate("m", power_kw=60_000, support="rigid"), "50 MW"),
    ],
)
def test_an_incomplete_name_plate_is_rejected(name_plate, says) -> None:
    with pytest.raises(SeverityError, match=says):
        severity_of(name_plate)
    detector = MachineDetector(name_plate, {"de": SPEC})
    assert not detector.observe(_windows(20.0)[:1]).machine.reasons


def _windows(velocity: float, n: int = 6):
    x = np.full(len(SPEC), 0.1, np.float32)
    x[SPEC.index["velocity_rms_mm_s"]] = velocity
    x[SPEC.index["displacement_rms_um"]] = 5.0
    return [Observation("de", i * 10**9, x) for i in range(n)]


@pytest.mark.parametrize(
    ("velocity", "condition"),
    [(1.0, Condition.LEARNING), (3.0, Condition.WARNING), (5.0, Condition.ALARM)],
)
def test_zones_apply_before_a_baseline(velocity, condition) -> None:
    detector = MachineDetector(NamePlate("pump", power_kw=55, support="rigid"), {"de": SPEC})
    for observation in _windows(velocity):
        decision = detector.observe([observation])
    assert decision.machine.condition is condition
    if condition is not Condition.LEARNING:
        (reason,) = decision.points["de"].reasons
        assert reason.kind is ReasonKind.ISO_ZONE
        assert "ISO 20816-3 group 2, rigid" in reason.text
        assert reason.value == pytest.approx(velocity)


def test_a_single_spike_breaks_no_limit_and_a_limit_has_a_dead_band() -> None:
    checks = LimitChecks({"de": [Limit("rms", 1.0, None)]}, {"de": SPEC}, windows=5)

    def show(value: float, n: int) -> bool:
        x = np.full(len(SPEC), value, np.float32)
        for _ in range(n):
            checks.update("de", x)
        return bool(checks.reasons("de"))

    assert not show(0.5, 10)
    assert not show(9.0, 1)
    assert not show(0.5, 5)
    assert show(1.1, 5)
    assert show(0.97, 5)
    assert not show(0.9, 5)


def test_a_limit_may_be_below_and_needs_a_known_feature() -> None:
    checks = LimitChecks(
        {"de": [Limit("rms", 0.5, 0.2, direction="below")]}, {"de": SPEC}, windows=1
    )
    checks.update("de", np.full(len(SPEC), 0.3, np.float32))
    (reason,) = checks.reasons("de")
    assert reason.condition is Condition.WARNING
    assert "below the warning limit of 0.5" in reason.text
    with pytest.raises(LimitError, match="no feature loudness"):
        LimitChecks({"de": [Limit("loudness", 1, 2)]}, {"de": SPEC}, windows=1)
