"""Growth of a named fault since its event began."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.contract.said import Said
from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.diagnosis import Diagnosis
from auscult.models.decision.growth import FaultGrowth

BEARING = Bearing("6205", bpfo=3.585, bpfi=5.415, bsf=2.357, ftf=0.398)
SPEC = FeatureSpec.vibration(12800, 12800, "g", nominal_speed_rpm=1480, bearings=(BEARING,))
MINUTE_NS = 60 * 10**9
NAMED = Diagnosis(
    "outer", 0.9, Said("diagnosis"), point="de", prescription="bearing.outer.stage2"
)  # fmt: skip
STATE = OperatingState(1480, 50.0, {"recipe": "A"})


def followed(factor_a_day, days, *, every_min=60, state=lambda i: STATE, seed=0):
    """Levels with 5 % of scatter."""
    levels = FaultGrowth({"de": SPEC})
    rng = np.random.default_rng(seed)
    for i in range(days * 1440 // every_min):
        values = np.ones(len(SPEC), np.float32)
        grown = factor_a_day ** (i * every_min / 1440) * rng.lognormal(0, 0.05)
        values[SPEC.index["bpfo_level"]] = grown * (1 if state(i) == STATE else 20)
        levels.add("de", i * every_min * MINUTE_NS, values, state(i))
    return levels


@pytest.mark.parametrize(
    ("factor_a_day", "code", "key"),
    [
        (1.1, "level_grew", "bearing.outer.stage2.growing"),
        (1.0, "no_growth", "bearing.outer.stage2"),
        (0.9, "level_fell", "bearing.outer.stage2"),
    ],
)
def test_growth_is_a_factor_with_an_interval_over_the_whole_event(factor_a_day, code, key):
    found = followed(factor_a_day, 9).with_growth(NAMED)
    (said,) = found.matched
    assert said.code == code
    assert found.prescription == key
    assert said.values["span"] >= 8
    assert said.values["span_unit"] == "days"
    if code == "level_grew":
        truth = factor_a_day ** said.values["span"]
        assert said.text.startswith("its level grew by a factor of 2")
        assert 0.97 * said.values["low"] <= truth <= 1.03 * said.values["high"]


def test_few_levels_say_nothing_and_other_operating_states_are_left_out():
    assert followed(2.0, 1, every_min=180).with_growth(NAMED) == NAMED
    faster = OperatingState(2900, 50.0, {"recipe": "A"})
    mixed = followed(1.0, 9, state=lambda i: faster if i > 150 else STATE)
    assert mixed.with_growth(NAMED).matched[0].code == "no_growth"


def test_levels_survive_a_restart_and_a_long_pause_begins_anew():
    levels = followed(1.2, 5)
    restored = FaultGrowth({"de": SPEC})
    restored.restore(levels.to_arrays())
    assert restored.with_growth(NAMED) == levels.with_growth(NAMED)
    later = 100 * 1440 * MINUTE_NS
    restored.add("de", later, np.ones(len(SPEC), np.float32), STATE)
    assert restored.with_growth(NAMED) == NAMED
