"""The register maps and the templates of JSON devices that we ship."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from auscult.dsp.quantities import conversion
from auscult.gateway.sources.modbus.register_maps import Register, RegisterError, register_maps
from auscult.gateway.sources.mqtt_json.mapping import templates


def test_each_template_and_register_map_names_its_source_and_units_that_fit():
    found = [*templates().values(), *register_maps().values()]
    assert len(templates()) >= 6
    assert len(register_maps()) >= 6
    for one in found:
        assert one.source
        assert one.title
        for value in getattr(one, "values", ()) or one.registers:
            assert conversion(value.quantity, value.unit) is not None, (one.name, value)


def test_register_maps_ask_for_what_their_documents_show_on_the_wire():
    """The requests are those of the makers' examples: one register off would show."""
    banner = {r.name: r for r in register_maps()["banner-qm42vt2"].registers}
    assert banner["z_velocity_rms_in_s"].address == 0x1450  # 01 03 14 50 00 06 C0 29
    same = {r.name: r for r in register_maps()["banner-qm30vt2"].registers}
    assert same["z_velocity_rms_in_s"].address + 40_001 == 45_201
    assert same["x_velocity_peak"].address + 40_001 == 45_220
    wit = {r.name: r for r in register_maps()["witmotion-wtvb01-485"].registers}
    assert wit["x_velocity"].address == 0x3A  # 50 03 00 3A 00 03 28 47
    assert wit["temperature"].address == 0x40  # 50 03 00 40 00 01 88 5F
    meter = {r.name: r for r in register_maps()["eastron-sdm120"].registers}
    assert [meter[n].address + 30_001 for n in ("voltage", "current", "power")] == [
        30_001, 30_007, 30_013,
    ]  # fmt: skip
    assert meter["voltage"].number([0x4366, 0x3334]) == pytest.approx(230.2, abs=1e-4)
    pzem = {r.name: r for r in register_maps()["peacefair-pzem-016"].registers}
    assert pzem["current"].number([0x03E8, 0x0000]) == pytest.approx(1.0)
    cold = {r.name: r for r in register_maps()["xy-md02"].registers}["temperature"]
    assert cold.number([0xFFF6]) == -1.0
    with pytest.raises(RegisterError):
        Register("t", 1, "float32", 1.0, "").number([0x7FC0, 0])
    with pytest.raises(RegisterError):
        Register("t", 1, "uint16", 1.0, "", invalid=(0x7FFF,)).number([0x7FFF])


def test_templates_and_maps_are_files_that_a_plant_can_read():
    folder = resources.files("auscult.gateway.sources")
    for name in ("mqtt_json/templates", "modbus/register_maps"):
        for file in (folder / name).iterdir():
            assert tomllib.loads(file.read_text(encoding="utf-8"))["title"]
