"""Limits that were set at run time, after the configuration of their point has changed."""

from __future__ import annotations

from auscult.gateway.machines.fixed_limits import FixedLimits, with_set_limits
from auscult.gateway.settings.gateway import GatewaySettings, LimitSettings
from auscult.gateway.storage.store import Store

BEARING = {"name": "6205", "bpfo": 3.58, "bpfi": 5.42, "bsf": 2.36, "ftf": 0.4}
POINT = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 5120}


def plant(bearings=(), **point) -> GatewaySettings:
    machine = {
        "id": "pump",
        "speed_rpm": 1500,
        "bearings": bearings,
        "points": [{**POINT, **point}],
    }
    return GatewaySettings.model_validate({"machines": [machine]})


def set_limit(store: Store, settings: GatewaySettings, feature: str) -> None:
    limits = FixedLimits(settings.machines, settings.machines, lambda _: None)
    chosen = (LimitSettings(feature=feature, warning=1.0),)
    store.write(limits.write("pump", "de", chosen, "ada").write_to).result()


def in_use(settings: GatewaySettings, store: Store) -> list[str]:
    (machine,) = with_set_limits(settings, store)
    return [limit.feature for limit in machine.points[0].limits]


def test_a_limit_of_a_feature_that_the_point_has_no_longer_is_not_used(store, caplog):
    set_limit(store, plant([BEARING]), "bpfo_level")
    assert in_use(plant([BEARING]), store) == ["bpfo_level"]
    assert in_use(plant(), store) == []
    assert "pump/de: the limits that were set are not used" in caplog.text
    assert in_use(plant([BEARING]), store) == ["bpfo_level"], "kept until someone resets it"


def test_the_configurations_limits_count_once_they_change(store):
    set_limit(store, plant(), "rms")
    assert in_use(plant(), store) == ["rms"]
    changed = plant(limits=[{"feature": "peak", "warning": 2.0}])
    assert in_use(changed, store) == ["peak"]
