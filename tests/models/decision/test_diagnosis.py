"""What moved features say of a fault, and what they can't say."""

from __future__ import annotations

import pytest

from auscult.contract.records import Condition
from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import diagnose_bearing
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.bearing_diagnosis import bearing_diagnosis
from auscult.models.decision.diagnosis import (
    MOST_CONFIDENT,
    MOST_CONFIDENT_OF_BEARING,
    diagnose,
    without_superseded,
)
from tests.dsp.signals import faulty_bearing

BEARING = Bearing.from_geometry(9, 7.94, 39.04, name="6205")


def spec(*bearings: Bearing) -> FeatureSpec:
    return FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1500, bearings=bearings)


def moved(spec: FeatureSpec, *features: str, sigma: float = 12.0) -> dict[str, float]:
    bands = [name for name in spec.model_names if name.startswith("band_")]
    wanted = {*features} | (set(bands) if "bands" in features else set())
    return {name: sigma if name in wanted else 0.0 for name in spec.model_names} | {
        name: sigma for name in features if name != "bands"
    }


@pytest.mark.parametrize("line", ["bpfo", "bpfi", "bsf"])
def test_a_window_names_the_bearing_and_not_its_part(line):
    own = spec(BEARING)
    found = diagnose(own, moved(own, f"{line}_prominence", f"{line}_sidebands", "kurtosis"))
    assert found.fault == "bearing"
    assert found.confidence <= MOST_CONFIDENT_OF_BEARING


@pytest.mark.parametrize("bearings", [(), (BEARING,)])
def test_impacts_without_lines_are_a_bearing_or_a_rub(bearings):
    own = spec(*bearings)
    found = diagnose(own, moved(own, "bands", "kurtosis", "crest_factor", "skewness"))
    assert found.fault == "unclear"
    assert found.said.values["faults"] == ("bearing", "rub")
    assert found.said.text == "unclear: bearing defect or rub possible"


def test_imbalance_is_distinguished_from_misalignment():
    own = spec()
    found = diagnose(own, moved(own, "order_1x"))
    assert (found.fault, found.confidence) == ("imbalance", MOST_CONFIDENT)
    assert diagnose(own, moved(own, "order_1x", "order_2x")).fault == "misalignment"


@pytest.mark.parametrize(("bands_db", "fault"), [(0.0, "imbalance"), (9.0, "unclear")])
def test_a_line_that_rises_with_all_bands_is_no_shaft_fault(bands_db, fault):
    own = spec()
    rise_db = {name: bands_db for name in own.model_names if name.startswith("band_")}
    found = diagnose(own, moved(own, "order_1x"), rise_db | {"order_1x": 10.0})
    assert found.fault == fault


def test_sound_names_no_fault():
    assert diagnose(FeatureSpec.sound(16000, 16000, "Pa"), {}) is None


def test_a_named_part_of_the_bearing_replaces_the_bearing():
    own = spec(BEARING)
    matrix = diagnose(own, moved(own, "bpfo_prominence", "kurtosis"))
    x = faulty_bearing(50_000, 12_500, 25.0, BEARING.bpfo, snr_db=0)
    lines = diagnose_bearing([(x, 12_500)], BEARING, 1500.0)
    search = bearing_diagnosis(lines, BEARING, 1500.0, ("de",))
    reasons = [matrix.reason(Condition.ALARM, "de"), search.reason(Condition.ALARM)]
    (left,) = without_superseded(reasons)
    assert (left.fault, left.point) == ("outer", "de")
