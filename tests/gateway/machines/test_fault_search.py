"""Which windows a bearing search takes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.dsp.bearing import Bearing
from auscult.gateway.machines.fault_search import UNKNOWN, FaultSearch, FaultSearches
from auscult.gateway.records import PointId, Window
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.observed import ObservedWindow
from auscult.gateway.windows.points import plan_points, train_of
from auscult.gateway.windows.tachos import Tachos
from auscult.models.name_plate import PlacedBearing
from auscult.models.records import Observation
from tests.dsp.signals import faulty_bearing

POINT = PointId("pump", "de")
PLANS = plan_points(
    GatewaySettings.model_validate({
        "machines": [{
            "id": "pump", "speed_rpm": 1500,
            "bearings": [
                {"name": "6205", "balls": 9, "ball_diameter_mm": 7.94, "pitch_diameter_mm": 39.04}
            ],
            "points": [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000}],
        }],
    }),
    {},
)  # fmt: skip


def search(*states: OperatingState | None):
    """What is searched in these windows; their samples are their number."""
    n = PLANS[POINT].window.n_samples
    windows = [
        ObservedWindow(
            Window(POINT, 2000.0, "g", number, (np.full(n, number, np.float32),), state),
            Observation("de", number, np.zeros(1, np.float32), state),
        )
        for number, state in enumerate(states)
    ]
    pipeline = SimpleNamespace(recent=lambda _: windows, tachos=Tachos())
    searches = FaultSearches(PLANS, pipeline)
    try:
        return searches.search_for("pump")
    finally:
        searches.stop()


def searched(*states: OperatingState | None) -> list[float]:
    [(windows, _)] = search(*states).channels
    return windows[:, 0].tolist()


def test_windows_of_another_speed_and_of_rest_are_left_out():
    turning, slow = OperatingState(1500.0), OperatingState(900.0)
    rest = OperatingState(tags={"running": "no"})
    assert searched(None, turning, slow, rest, turning) == [0, 1, 4]
    assert searched(turning, rest) == [0]


def test_a_shaft_that_does_not_turn_has_no_bearing_frequencies():
    assert search(OperatingState(0.0)) is None
    assert search(OperatingState(tags={"running": "no"})) is None


def test_a_machine_without_bearings_names_the_comb_that_stands_out():
    search = FaultSearch(
        ("de", "nde"),
        tuple(
            (faulty_bearing(50_000, 12_500, 25.0, 3.58, snr_db=snr, seed=seed)[None], 12_500.0)
            for seed, snr in ((0, -20), (1, 0))
        ),
        ((UNKNOWN, (0, 1)),),
        1500.0,
    )
    found = search.run()
    assert (found.fault, found.point) == ("bearing", "nde")
    assert found.said.values["outer_balls"] == 9
    noise = np.random.default_rng(0).standard_normal((1, 50_000)).astype(np.float32)
    assert replace(search, channels=((noise, 12_500.0),) * 2).run() is None


def test_a_measured_speed_that_varies_is_followed():
    """The shaft runs up by 10 % within the windows; 3.58 orders are one line afterwards."""
    n, hop, count = PLANS[POINT].window.n_samples, PLANS[POINT].window.hop, 20
    t = np.arange(n + (count - 1) * hop) / 2000.0
    turns = 25 * t * (0.95 + 0.05 * t / t[-1])
    x = np.sin(2 * np.pi * 3.58 * turns).astype(np.float32)
    windows = []
    for i in range(count):
        middle_s = (i * hop + n / 2) / 2000
        state = OperatingState(60 * 25 * (0.95 + 0.1 * middle_s / t[-1]))
        window = Window(POINT, 2000.0, "g", round(i * hop / 2000 * 1e9),
                        (x[i * hop : i * hop + n],), state)  # fmt: skip
        windows.append(ObservedWindow(window, Observation("de", 0, np.zeros(1, np.float32), state)))
    searches = FaultSearches(PLANS, SimpleNamespace(recent=lambda _: windows, tachos=Tachos()))
    found = searches.search_for("pump")
    searches.stop()
    [(signal, fs_hz)] = found.channels
    level = np.abs(np.fft.rfft(signal[0] * np.hanning(signal.size)))
    order = level.argmax() * fs_hz / signal.size / (found.speed_rpm / 60)
    assert order == pytest.approx(3.58, abs=0.02)
    assert level.max() > 0.9 * signal.size / 4  # one line, not a smear


def search_with_a_current(bars_db: float) -> FaultSearch:
    """A clamp of 100 mV/A beside a sensor of vibration; sidebands of the slip beside the line."""
    settings = GatewaySettings.model_validate({
        "machines": [{
            "id": "pump", "speed_rpm": 1464, "line_hz": 50, "pole_pairs": 2,
            "points": [
                {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000},
                {"id": "i", "kind": "vibration", "unit": "V", "fs_hz": 2000,
                 "sensitivity_mv": 100, "sensitivity_unit": "A"},
            ],
        }],
    })  # fmt: skip
    plans = plan_points(settings, {})
    plan = plans[PointId("pump", "i")].window
    t = np.arange(plan.n_samples + 99 * plan.hop) / plan.fs_hz
    noise = np.random.default_rng(0).standard_normal(t.size)
    sides = sum(np.cos(2 * np.pi * hz * t) for hz in (47.6, 52.4))
    current = np.cos(2 * np.pi * 50 * t) + 10 ** (bars_db / 20) * sides + 1e-4 * noise
    state, hop_ns = OperatingState(1464.0), plan.hop / plan.fs_hz * 1e9

    def recent(point: PointId) -> list[ObservedWindow]:
        x = (noise if point.point == "de" else current).astype(np.float32)
        cuts = np.lib.stride_tricks.sliding_window_view(x, plan.n_samples)[:: plan.hop]
        unit = plans[point].unit
        return [
            ObservedWindow(
                Window(point, plan.fs_hz, unit, round(k * hop_ns), (cut,), state),
                Observation(point.point, 0, np.zeros(1, np.float32), state),
            )
            for k, cut in enumerate(cuts)
        ]

    pipeline = SimpleNamespace(recent=recent, tachos=Tachos())
    searches = FaultSearches(plans, pipeline, {"pump": train_of(settings.machines[0])})
    try:
        return searches.search_for("pump")
    finally:
        searches.stop()


def test_broken_bars_are_named_by_the_current_of_a_motor():
    healthy = search_with_a_current(-70).train.measured()
    found = replace(search_with_a_current(-35), healthy=healthy).run_all()
    [named] = [one for one in found if one.fault == "electrical"]
    assert (named.point, named.prescription) == ("i", "electrical.bars")
    assert replace(search_with_a_current(-70), healthy=healthy).run_all() == ()


def test_parts_of_two_bearings_with_the_same_lines_are_never_sure():
    """BPFO of one and BPFI of the other lie 0.2 % apart: both slip by more."""
    x = faulty_bearing(100_000, 12_500, 25.0, 4.96, snr_db=0, seed=0)[None]
    large = PlacedBearing(Bearing("12 balls", bpfo=4.96, bpfi=7.04))
    small = PlacedBearing(Bearing("8 balls", bpfo=3.05, bpfi=4.95))
    alone = FaultSearch(("de",), ((x, 12_500.0),), ((large, (0,)),), 1500.0).run()
    both = FaultSearch(("de",), ((x, 12_500.0),), ((large, (0,)), (small, (0,))), 1500.0).run()
    assert alone.fault == "outer"
    assert alone.confidence >= 0.8
    assert both.confidence <= 0.75
    assert both.missing[-1].values == {"fault": "inner", "bearing": "8 balls"}


def test_a_stopped_search_ends_before_its_next_bearing():
    x = faulty_bearing(25_000, 12_500, 25.0, 4.96, snr_db=0, seed=0)[None]
    placed = tuple((PlacedBearing(Bearing(name, bpfo=4.96)), (0,)) for name in ("a", "b", "c"))
    asked = iter((False, True, True))
    assert FaultSearch(("de",), ((x, 12_500.0),), placed, 1500.0).run_all(asked.__next__) == ()
