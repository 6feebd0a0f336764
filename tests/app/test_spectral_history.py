"""The healthy band and the waterfall of a point's spectra."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.app.store.spectra_kept import Stored, surplus
from auscult.app.store.spectral_history import MAX_COLUMNS
from auscult.contract.inventory import BearingPart, LimitPart, ZonesPart
from auscult.contract.payloads import SpectrumMessage
from tests.app import messages as m
from tests.waiting import wait_until

POINT = "/api/v1/machines/plant~gw1~pump-3/points/DE-H/spectra"


@pytest.fixture
def measured(dashboard, gateway):
    """Ten healthy spectra, the third of another resolution, and one in alarm."""
    chance = np.random.default_rng(1)
    rows = chance.uniform(1, 2, (10, 900)).astype(np.float32)
    rows[9, 123] = 50
    gateway.say_hello("pump-3")
    for i, row in enumerate(rows):
        more = {"df_hz": 3.0} if i == 2 else {}
        spectrum = m.spectrum(
            "pump-3", "DE-H", window_ms=1000 + i, values=tuple(row.tolist()),
            condition="alarm" if i == 9 else "normal", **more,
        )  # fmt: skip
        gateway.publish(spectrum)
    wait_until(lambda: dashboard.count("spectrum") == 10, what="the spectra")
    return dashboard, rows


def test_the_band_is_of_healthy_spectra_with_the_same_lines(measured):
    dashboard, rows = measured
    band = dashboard.get(f"{POINT}/band")
    healthy = np.delete(rows, [2, 9], axis=0)
    assert band["spectra"] == 8
    assert (band["f0_hz"], band["df_hz"], band["unit"]) == (0, 2, "g")
    low, median, high = np.percentile(healthy, (10, 50, 90), axis=0)
    np.testing.assert_allclose(band["low"], low, rtol=1e-3)
    np.testing.assert_allclose(band["median"], median, rtol=1e-3)
    np.testing.assert_allclose(band["high"], high, rtol=1e-3)


def test_a_band_is_of_one_baseline_and_one_operating_state(dashboard, gateway):
    gateway.say_hello("pump-3")
    # a healthy period, its baseline at two speeds, then a healthy period and its baseline again
    cases = (
        [("learning", "", 1480, 1.0)] * 2
        + [("normal", "b1", 1490, 2.0)] * 3
        + [("normal", "b1", 2950, 3.0)] * 4
        + [("learning", "", 1480, 4.0)] * 3
        + [("normal", "b2", 1480, 5.0)]
    )
    ids = []
    for i, (condition, baseline, speed, level) in enumerate(cases):
        message = m.spectrum(
            "pump-3", "DE-H", window_ms=1000 + i, values=(level,) * 100, condition=condition,
            baseline_id=baseline, speed_rpm=speed,
        )  # fmt: skip
        ids.append(message.id)
        gateway.publish(message)
    wait_until(lambda: dashboard.count("spectrum") == len(cases), what="the spectra")

    def band(**query):
        return dashboard.get(f"{POINT}/band", **query)

    newest = band()
    assert (newest["baseline_id"], newest["spectra"], newest["speed_rpm"]) == ("b2", 4, 1480)
    assert (newest["low"][0], newest["high"][0]) == (4.0, pytest.approx(4.7)), "none of b1"
    old = band(like=ids[3])
    assert (old["baseline_id"], old["spectra"]) == ("b1", 5)
    assert (old["low"][0], old["high"][0]) == (1.0, 2.0), "with its healthy period, at its speed"
    fast = band(like=ids[6])
    assert (fast["spectra"], fast["median"][0]) == (4, 3.0)


def test_a_waterfall_loses_no_peak(measured):
    dashboard, rows = measured
    fall = dashboard.get(f"{POINT}/waterfall")
    assert fall["window_ms"] == [1000, 1001, *range(1003, 1010)], "oldest first"
    assert fall["condition"][-1] == "alarm"
    shown = np.array(fall["rows"])
    assert shown.shape[1] <= MAX_COLUMNS
    np.testing.assert_allclose(shown.max(axis=1), np.delete(rows, 2, axis=0).max(axis=1), rtol=1e-3)
    column = int((123 * 2 - fall["f0_hz"]) // fall["df_hz"])
    assert shown[-1, column] == pytest.approx(50)


def test_spectra_of_a_period_are_thinned_evenly(measured):
    dashboard, _ = measured
    assert [one["window_ms"] for one in dashboard.get(POINT, end_ms=1004, limit=2)["items"]] == [
        1003,
        1002,
    ]
    shown = dashboard.get(POINT, start_ms=1000, end_ms=1009, limit=3)["items"]
    assert [one["window_ms"] for one in shown] == [1008, 1005, 1002]
    fall = dashboard.get(f"{POINT}/waterfall", start_ms=1003, end_ms=1006)
    assert fall["window_ms"] == [1003, 1004, 1005]
    empty = dashboard.client.get(POINT, params={"start_ms": 9, "end_ms": 9})
    assert empty.json()["code"] == "empty_period"


def test_a_period_is_averaged_and_its_peaks_are_held(measured):
    dashboard, rows = measured
    alike = np.delete(rows, 2, axis=0)
    peak = dashboard.get(f"{POINT}/peak")
    assert (peak["spectra"], peak["left_out"], peak["first_ms"]) == (9, 1, 1000)
    np.testing.assert_allclose(peak["values"], alike.max(axis=0), rtol=1e-3)
    average = dashboard.get(f"{POINT}/average", start_ms=1003, end_ms=1009)
    power = np.sqrt(np.mean(np.square(rows[3:9]), axis=0))
    np.testing.assert_allclose(average["values"], power, rtol=1e-3)
    assert dashboard.client.get(f"{POINT}/average", params={"kind": "envelope"}).status_code == 404


def test_healthy_spectra_and_those_of_an_onset_outlive_the_others():
    hour, n, onset = 3_600_000, 4000, 2000
    stored = [
        Stored(str(i), i * hour, healthy=i < onset, baseline_id="" if i < 20 else "b1")
        for i in range(n)
    ]
    gone = set(surplus(stored, [onset * hour], most=100))
    kept = [i for i in range(n) if str(i) not in gone]
    assert len(kept) == 100
    assert kept[-50:] == list(range(n - 50, n)), "the newest half"
    assert kept[:25] == list(range(25)), "the first healthy ones"
    assert {1998, 1999, 2000, 2001} <= set(kept)
    past = np.diff([i for i in kept if 25 <= i < n - 50 and not 1998 <= i <= 2001])
    assert past[:3].min() > 4 * past[-3:].max(), "gaps grow with age"
    # one at a time, as the dashboard deletes them, the same
    later = [one for one in stored if one.id not in gone]
    for i in range(n, n + 200):
        later.append(Stored(str(i), i * hour, healthy=False, baseline_id="b1"))
        (one,) = surplus(later, [onset * hour], most=100)
        later = [left for left in later if left.id != one]
    assert {str(i) for i in (*range(25), 1998, 1999, 2000, 2001)} <= {one.id for one in later}


@pytest.mark.parametrize("hostile", [{"values": ()}, {"df_hz": 1e308}, {"values": (1e308,)}])
def test_a_hostile_spectrum_breaks_no_answer(dashboard, gateway, hostile):
    gateway.say_hello("pump-3")
    fields = dict(m.spectrum("pump-3", "DE-H", id="hostile")) | hostile
    gateway.publish(SpectrumMessage.model_construct(**fields))
    gateway.publish(m.spectrum("pump-3", "DE-H", id="next"))
    wait_until(lambda: dashboard.client.get("/api/v1/spectra/next").is_success, what="the next")
    for path in (POINT, f"{POINT}/band", f"{POINT}/waterfall", "/api/v1/spectra/hostile"):
        assert dashboard.client.get(path).status_code in (200, 404)


def test_too_few_spectra_show_no_band(dashboard, gateway):
    gateway.say_hello("pump-3")
    gateway.publish(m.spectrum("pump-3", "DE-H", condition="normal"))
    wait_until(lambda: dashboard.count("spectrum") == 1, what="the spectrum")
    band = dashboard.get(f"{POINT}/band")
    assert (band["spectra"], band["low"]) == (1, [])
    assert len(dashboard.get(f"{POINT}/waterfall")["rows"]) == 1
    assert dashboard.get(f"{POINT}/waterfall", kind="envelope")["rows"] == []


def test_a_machine_has_its_bearings_zones_and_limits(dashboard, gateway):
    limits = (LimitPart(feature="rms", alarm=2.0),)
    plain = m.inventory("pump-3").machines[0]
    part = plain.model_copy(
        update={
            "bearings": (BearingPart(name="6205", bpfo=3.58),),
            "gear_teeth": (23,),
            "zones": ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
            "points": (plain.points[0].model_copy(update={"limits": limits}),),
        }
    )
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3").model_copy(update={"machines": (part,)}))
    wait_until(lambda: dashboard.count("point") == 1, what="the inventory")
    machine = dashboard.get("/api/v1/machines/plant~gw1~pump-3")
    assert machine["bearings"][0]["bpfo"] == 3.58
    assert machine["gear_teeth"] == [23]
    assert machine["zones"]["bc"] == 2.8
    assert machine["point_states"][0]["limits"][0]["alarm"] == 2.0
