"""The forms by which the page sets up sources of values."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

from auscult.gateway.settings.source import load_kind
from auscult.gateway.sources.forms import form_of, source_forms
from auscult.gateway.sources.values import ValueKind


def test_each_kind_that_the_page_may_set_up_has_a_form() -> None:
    found = {form.kind: form for form in source_forms(["modbus"])}
    allowed = {"http": False, "modbus": True, "mqtt_json": True, "opcua": False}
    assert allowed.items() <= {kind: form.allowed for kind, form in found.items()}.items()
    assert not {"mqtt", "sparkplug", "recordings", "sound"} & found.keys()
    assert list(found["opcua"].connection["properties"]) == ["url"]  # its files stay where they are
    assert list(found["opcua"].row["properties"]) == ["node"]
    assert found["http"].connection["required"] == ["token_sha256"]


def test_a_form_has_words_for_each_setting_and_choice_in_both_languages() -> None:
    for form in source_forms(()):
        assert form.words["en"].keys() == form.words["de"].keys()
        words = form.words["de"]
        assert {"kind.channel", "kind.title"} <= words.keys()
        for table in (form.connection, form.row):
            properties = table["properties"]
            assert properties.keys() <= words.keys(), form.kind
            for name, one in properties.items():
                named = name == "encoding"  # names of number types are the same everywhere
                assert (
                    named or {f"{name}.{choice}" for choice in one.get("enum", ())} <= words.keys()
                )
            variants = {one["x-variant"] for one in properties.values() if "x-variant" in one}
            if len(variants) > 1:
                assert {"variant", *(f"variant.{one}" for one in variants)} <= words.keys()


def test_a_kind_without_words_shows_its_titles_and_descriptions() -> None:
    form = form_of("unnamed", cast("ValueKind[Any]", load_kind("opcua")), allowed=True)
    assert form.words["en"] == {
        "kind.channel": "unnamed",
        "kind.title": "unnamed",
        "url": "Url",
        "url.help": "E.g. `opc.tcp://10.0.0.5:4840`",
        "node": "Node",
        "node.help": "Node id, e.g. `ns=2;s=Pump1.Temperature`",
    }
    assert not form.words["de"]


def test_a_form_leaves_the_values_of_its_settings_to_the_page() -> None:
    form = next(form for form in source_forms(()) if form.kind == "http")
    assert '{"POINT": 61.5} to http://GATEWAY:{port}/values' in form.words["en"]["kind.hint"]


def test_a_kind_that_makes_no_form_leaves_the_others(monkeypatch, caplog) -> None:
    before = {form.kind for form in source_forms(())}
    monkeypatch.setattr(load_kind("opcua"), "settings", object, raising=False)
    assert {form.kind for form in source_forms(())} == before - {"opcua"}
    assert "no form of the sources of kind opcua" in caplog.text


def test_forms_load_no_library_of_a_source() -> None:
    script = """
import sys
from auscult.gateway.sources.forms import source_forms
source_forms(())
print(*sys.modules)
"""
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"asyncua", "pymodbus", "scipy.signal", "sounddevice", "nidaqmx"} & set(loaded)
