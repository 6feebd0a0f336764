"""A baseline continues in a release that adds, renames, redefines or drops features.

`state_0_3.bin` was stored by version 0.3 (commit da81c554), with two points and a healthy
period beside the model; `state_0_3.json` holds what it decided next.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from auscult.dsp import catalogue
from auscult.dsp.feature import Feature
from auscult.dsp.spec import FeatureSpec
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from tests.models.simulated_machine import HOP_NS, SLOW

STORED = Path(__file__).parent / "stored"
NEW = Feature("new", "1", "time", "log", "a feature of a later release", "–", "–", added=True)
PARAMETERS = (8000, 3200, "g")
POINTS = ("de", "nde")
NAMES = FeatureSpec.vibration(*PARAMETERS).names


def values(hop: int, point: int) -> dict[str, float]:
    """Features of a window by name, the same for each release."""
    rng = np.random.default_rng([hop, point])
    x = np.exp(-1 + 0.1 * rng.normal(size=len(NAMES)))
    return dict(zip(NAMES, x.tolist(), strict=True))


def observed(
    spec: FeatureSpec, hop: int, more: dict[str, float], renamed: tuple[str, str] | None = None
) -> list[Observation]:
    found = []
    for i, point in enumerate(POINTS):
        own = values(hop, i) | more
        if renamed is not None:
            own[renamed[1]] = own.pop(renamed[0])
        row = np.array([own[name] for name in spec.names], np.float32)
        found.append(Observation(point, hop * HOP_NS, row, SLOW))
    return found


def detector() -> MachineDetector:
    spec = FeatureSpec.vibration(*PARAMETERS)
    return MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, spec))


def trained() -> MachineDetector:
    """A detector of this release with a baseline, and a healthy period beside it."""
    found = detector()
    for hop in range(120):
        found.observe(observed(found.specs["de"], hop, {}))
    job = found.fit_now()
    job.run()
    assert job.result is not None
    found.adopt(job.result)
    found.start_baseline(120 * HOP_NS, "bearing replaced")
    for hop in range(120, 160):
        found.observe(observed(found.specs["de"], hop, {}))
    return found


@pytest.fixture(scope="module")
def state() -> bytes:
    return trained().state()


def decided(
    one: MachineDetector,
    more: dict[str, float] | None = None,
    renamed: tuple[str, str] | None = None,
) -> list[tuple[float, ...]]:
    """p-values of machine and points over the next hops."""
    found = []
    for hop in range(160, 180):
        decision = one.observe(observed(one.specs["de"], hop, more or {}, renamed))
        each = [decision.machine, *(decision.points[p] for p in POINTS)]
        found.append(tuple(d.p_value for d in each if d.p_value is not None))
    return found


def released(monkeypatch: pytest.MonkeyPatch, change) -> None:  # type: ignore[no-untyped-def]
    """Make the catalogue that of a later release."""
    before = catalogue.features
    monkeypatch.setattr(catalogue, "features", lambda spec: tuple(change(before(spec))))


def resumed(state: bytes) -> MachineDetector:
    found = detector()
    found.restore(state)
    return found


def test_a_state_of_0_3_decides_as_it_did_in_0_3():
    expected = json.loads((STORED / "state_0_3.json").read_text())
    found = decided(resumed((STORED / "state_0_3.bin").read_bytes()))
    np.testing.assert_array_equal(np.array(found), np.array(expected))


@pytest.mark.parametrize("place", [0, 7, -1])
def test_an_added_feature_changes_no_decision(monkeypatch, state, place):
    before = decided(resumed(state))
    old = decided(resumed((STORED / "state_0_3.bin").read_bytes()))

    def added(features):
        listed = list(features)
        listed.insert(place % len(listed), NEW)
        return listed

    released(monkeypatch, added)
    assert decided(resumed(state), {"new": 3.0}) == before
    assert decided(resumed((STORED / "state_0_3.bin").read_bytes()), {"new": 3.0}) == old


def test_an_added_feature_joins_at_the_next_healthy_period(monkeypatch, state):
    released(monkeypatch, lambda features: [NEW, *features])
    found = resumed(state)
    for hop in range(160, 280):
        found.observe(observed(found.specs["de"], hop, {"new": 3.0}))
    job = found.fit_now()  # of the period that began in the release before
    job.run()
    found.adopt(job.result)
    assert "new" not in found.model.kinds[0].slots.names
    again = resumed(found.state())
    assert decided(again, {"new": 3.0}) == decided(found, {"new": 3.0})
    found.start_baseline(280 * HOP_NS, "the next one")
    for hop in range(280, 400):
        found.observe(observed(found.specs["de"], hop, {"new": 3.0}))
    job = found.fit_now()
    job.run()
    found.adopt(job.result)
    assert "new" in found.model.kinds[0].slots.names


def test_a_renamed_feature_keeps_its_baseline(monkeypatch, state):
    before = decided(resumed(state))
    monkeypatch.setitem(catalogue.RENAMED, "kurtosis", "fourth_moment")
    released(
        monkeypatch,
        lambda features: [
            replace(f, name="fourth_moment") if f.name == "kurtosis" else f for f in features
        ],
    )
    assert decided(resumed(state), renamed=("kurtosis", "fourth_moment")) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda features: [f for f in features if f.name != "kurtosis"],
        lambda features: [replace(f, version=2) if f.name == "kurtosis" else f for f in features],
    ],
    ids=["dropped", "redefined"],
)
def test_a_feature_that_is_gone_leaves_the_baseline_in_use(monkeypatch, state, change):
    released(monkeypatch, change)
    found = resumed(state)
    quiet = np.array(decided(found))
    assert np.median(quiet) > 0.05
    spec = found.specs["de"]
    loud = [o._replace(features=o.features * 3) for o in observed(spec, 200, {})]
    assert (found.observe(loud).machine.p_value or 1) < 1e-4


def test_other_parameters_still_need_a_new_baseline(state):
    other = MachineDetector(
        NamePlate("pump"), dict.fromkeys(POINTS, FeatureSpec.vibration(8000, 3200, "m/s2"))
    )
    with pytest.raises(ValueError, match="other points, units or window lengths"):
        other.restore(state)
