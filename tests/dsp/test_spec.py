"""The features of a spec, and its id."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import TypeAdapter

from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec, Sensitivity, SpecError
from tests.dsp.signals import SKF_6205

RATES = [200, 500, 1000, 2000, 4300, 8000, 16000, 20000, 25600, 48000, 51200, 102400, 200000]


def full(fs_hz, window_s=0.4, unit="g"):
    return FeatureSpec.vibration(
        fs_hz, round(fs_hz * window_s), unit, nominal_speed_rpm=1770, bearings=(SKF_6205,),
        gear_teeth=(23,),
    )  # fmt: skip


def test_model_names_fit_the_detector_s_slots():
    vibration = {n for fs in RATES for w in (0.4, 1, 4) for n in full(fs, w).model_names}
    sound = {
        n for fs in RATES for w in (0.4, 1) for n in FeatureSpec.sound(fs, int(fs * w)).model_names
    }
    assert len(vibration) < 128
    assert len(sound) < 128


@pytest.mark.parametrize("fs_hz", RATES)
def test_names_are_unique_and_bands_always_there(fs_hz):
    spec = full(fs_hz)
    assert len(set(spec.names)) == len(spec)
    assert {f"band_{i:02d}" for i in range(40)} <= set(spec.names)


def test_spec_id_is_stable_and_differs_between_specs():
    spec = full(25600)
    assert spec.spec_id == full(25600).spec_id
    others = [
        replace(spec, fs_hz=25601.0),
        replace(spec, n_samples=10241),
        replace(spec, unit="m/s2"),
        replace(spec, nominal_speed_rpm=1771.0),
        replace(spec, envelope_band_hz=(3000.0, 6000.0)),
        replace(spec, prewhiten=True),
    ]
    assert len({s.spec_id for s in (spec, *others)}) == 7


def test_a_spec_read_back_from_json_has_the_same_id():
    spec = FeatureSpec.vibration(
        25_600, np.int64(10_240), "V", sensitivity=Sensitivity(1, "g"), full_scale=10,
        nominal_speed_rpm=np.float64(1500), speed_tolerance=0, bearings=(Bearing("a", 3, 5),),
        gear_teeth=(np.int64(17),), envelope_band_hz=(1000, 5000),
    )  # fmt: skip
    specs = TypeAdapter(FeatureSpec)
    assert specs.validate_json(specs.dump_json(spec)).spec_id == spec.spec_id
    value = FeatureSpec.value("temperature", "°C", 60, resolution=1)
    assert specs.validate_json(specs.dump_json(value)).spec_id == value.spec_id


def test_velocity_needs_rate_window_and_a_declared_unit():
    assert "velocity_rms_mm_s" in full(25600).names
    assert "velocity_rms_mm_s" not in full(2000).names  # 1000 Hz not carried
    assert "velocity_rms_mm_s" not in full(25600, 0.1).names  # 10 Hz not resolved
    assert "velocity_rms_mm_s" not in full(25600, unit="as_delivered").names


def test_velocity_of_slow_machines_begins_at_2_hz():
    spec = replace(full(25600, 1.0), nominal_speed_rpm=599.0)
    assert spec.severity_low_hz == 2.0
    assert replace(spec, nominal_speed_rpm=600.0).severity_low_hz == 10.0
    assert "velocity_rms_mm_s" not in replace(full(25600), nominal_speed_rpm=300.0).names


def test_speed_bearing_and_gear_features_need_their_parts():
    bare = FeatureSpec.vibration(25600, 25600, "g").names
    assert not [n for n in bare if n.startswith(("order_", "bpf", "gear_", "cepstrum_shaft"))]
    outer_only = FeatureSpec.vibration(
        25600, 25600, "g", nominal_speed_rpm=1770, bearings=(Bearing("x", bpfo=3.6),)
    )
    assert "bpfo_prominence" in outer_only.names
    assert "bpfi_prominence" not in outer_only.names
    # 0.4 × shaft drowns in the DC lobe of a 0.1 s window
    assert "ftf_prominence" not in full(25600, 0.1).names


def test_every_feature_is_described():
    specs = [full(25600, 1.0), FeatureSpec.sound(48000, 48000)]
    for feature in (f for s in specs for f in s.features):
        assert all((feature.unit, feature.definition, feature.source, feature.shows))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fs_hz": 100.0}, "200..200000"),
        ({"n_samples": 63}, "longer window"),
        ({"unit": "mil"}, "not one of"),
        ({"unit": "V"}, "sensitivity"),
        ({"sensitivity": Sensitivity(0.1, "g")}, "unit V"),
        ({"unit": "V", "sensitivity": Sensitivity(0.1, "FS")}, "not g"),
        ({"speed_tolerance": 0.2}, "0..0.1"),
        ({"nominal_speed_rpm": 0.0}, "r/min"),
        ({"envelope_band_hz": (5000.0, 20000.0)}, "half the rate"),
        ({"fs_hz": "fast"}, "fs_hz = 'fast' is no number"),
        ({"fs_hz": None}, "fs_hz = None is no number"),
        ({"fs_hz": float("nan")}, "200..200000"),
        ({"nominal_speed_rpm": [1500]}, "no number"),
        ({"n_samples": 10240.5}, "n_samples = 10240.5 is no whole number"),
        ({"n_samples": None}, "no whole number"),
        ({"gear_teeth": 17}, "gear_teeth = 17 is no sequence"),
        ({"gear_teeth": (17.5,)}, "no whole number"),
        ({"envelope_band_hz": 5000.0}, "no sequence"),
        ({"envelope_band_hz": (1000.0,)}, "pair of edges"),
        ({"envelope_band_hz": (1000.0, "top")}, "no number"),
        ({"bearings": SKF_6205}, "no sequence"),
        ({"bearings": ("6205",)}, "bearings = '6205' is no Bearing"),
        ({"unit": ["g"]}, "no str"),
        ({"unit": "V", "sensitivity": 0.1}, "sensitivity = 0.1 is no Sensitivity"),
        ({"kind": "speed"}, "not one of vibration, sound, value"),
    ],
)
def test_invalid_parameters_are_rejected_with_a_remedy(change, says):
    with pytest.raises(SpecError, match=says):
        replace(full(25600), **change)


def test_a_value_or_sensitivity_of_a_wrong_type_is_rejected():
    for interval_s in ("often", None, 0, float("nan")):
        with pytest.raises(SpecError, match="interval_s"):
            FeatureSpec.value("velocity_rms", "mm/s", interval_s)
    with pytest.raises(SpecError, match="volts_per_unit"):
        Sensitivity("100 mV/g", "g")


def test_a_fault_order_in_hertz_is_rejected():
    with pytest.raises(ValueError, match="order of shaft speed"):
        Bearing("6205", bpfo=-3.6)


def test_an_overall_value_is_one_window_an_interval_and_exact_unless_stated():
    spec = FeatureSpec.value("velocity_rms", "mm/s", 60.0)
    assert (spec.fs_hz, spec.n_samples, spec.resolution) == (pytest.approx(1 / 60), 1, 0.0)
    assert FeatureSpec.value("velocity_rms", "mm/s", 60.0, 0.1).resolution == 0.1


@pytest.mark.parametrize(("n", "bands"), [(162, 0), (180, 24)])
def test_the_envelope_has_bands_from_an_octave_on(n, bands):
    """Up to 1,000 Hz, above the lobe of Hann² at 3.5 lines: 142.9 Hz a line or finer."""
    names = FeatureSpec.vibration(25_600, n, "g").names
    assert sum(name.startswith("envelope_band_") for name in names) == bands
