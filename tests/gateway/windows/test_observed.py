"""Features of many windows: the same, bit for bit and in order, on one core and on several."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows.observed import Observers
from auscult.models.records import OperatingState

LONG = FeatureSpec.vibration(6400, 6400, "g", nominal_speed_rpm=1500)
SHORT = FeatureSpec.vibration(6400, 1024, "g")
SPECS = {PointId(f"m{i}", "de"): LONG if i % 3 else SHORT for i in range(24)}


def turns(of: int) -> list[list[Window]]:
    rng = np.random.default_rng(0)
    windows = []
    for number, (point, spec) in enumerate(SPECS.items()):
        half = spec.n_samples // 2
        parts = tuple(rng.standard_normal((2, half)).astype(np.float32))
        state = OperatingState(1400.0 + number) if number % 2 else None
        windows.append(Window(point, spec.fs_hz, "g", number, parts, state))
    return [windows[i : i + of] for i in range(0, len(windows), of)]


def test_several_cores_give_the_same_features_in_the_same_order():
    one, three = Observers(SPECS, cores=1), Observers(SPECS, cores=3)
    for _ in range(3):
        pairs = zip(one.observe(turns(3)), three.observe(turns(3)), strict=True)
        for alone, beside in pairs:
            assert [w.window.point for w in alone] == [w.window.point for w in beside]
            for a, b in zip(alone, beside, strict=True):
                assert a.observation.features.tobytes() == b.observation.features.tobytes()
                assert a.observation[1] == b.observation[1]
                assert a.observation.health == b.observation.health


def test_a_batch_is_computed_on_each_core(monkeypatch):
    """Each turn waits until three are being computed, which one thread alone can't reach."""
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(8)), raising=False)
    beside = threading.Barrier(3, timeout=20)
    extract = FeaturePipeline.extract

    def together(*args):
        beside.wait()
        return extract(*args)

    monkeypatch.setattr(FeaturePipeline, "extract", together)
    same_set = [[w for w in turn if SPECS[w.point] is LONG] for turn in turns(8)]
    assert len(list(Observers(SPECS).observe(same_set))) == 3


def test_an_error_of_one_turn_reaches_the_caller_and_later_turns_are_computed_again():
    observers = Observers(SPECS, cores=2)
    damaged = turns(6)
    damaged[1][0] = replace(damaged[1][0], parts=(np.zeros(3, np.float32),))
    with pytest.raises(ValueError, match="shape"):
        list(observers.observe(damaged))
    assert len(list(observers.observe(turns(6)))) == 4


def test_a_caller_may_stop_between_two_turns():
    observers = Observers(SPECS, cores=2)
    some = observers.observe(turns(3))
    assert len(next(some)) == 3
    some.close()
    assert len(list(observers.observe(turns(3)))) == 8
