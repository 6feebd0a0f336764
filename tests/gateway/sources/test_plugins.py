"""Every kind of source is a plugin, and the template of the documentation is one."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from auscult.app.command.configuration import check_sources, load
from auscult.errors import ConfigurationError
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import SourceSettings, installed_kinds, load_kind
from auscult.gateway.sources.contract import SourceContext, SourceError, SourceKind
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.registry import kind_of, kinds, vendor
from auscult.link.broker import BrokerSettings
from lab.documents import plugin_pages
from tests.foreign_package import install_template
from tests.waiting import DEADLINE_S

PAGE = Path("docs/sensors/writing-a-source.md")
MACHINE = """
[[machines]]
id = "pump1"
[[machines.points]]
id = "DE"
kind = "vibration"
unit = "g"
fs_hz = 1000
"""


@pytest.fixture
def template(tmp_path, monkeypatch):
    """The documentation's template, installed as another package."""
    _, table = install_template(PAGE, "auscult.sources", tmp_path, monkeypatch)
    installed_kinds.cache_clear()
    config = tmp_path / "auscult.toml"
    config.write_text(MACHINE + table)
    yield config
    installed_kinds.cache_clear()
    load_kind.cache_clear()


def test_every_installed_kind_keeps_the_contract():
    found = dict(kinds())
    assert {"recordings", "mqtt", "sparkplug"} <= found.keys()
    for name, kind in found.items():
        assert isinstance(kind, SourceKind), (name, kind)
        assert issubclass(kind.settings, SourceSettings)
        field = kind.settings.model_fields["type"]
        assert name in str(field.annotation), "type is a Literal with the entry point's name"


@pytest.mark.parametrize("kind", plugin_pages.kinds())
def test_the_example_of_each_kind_is_a_configuration_that_works(kind, tmp_path):
    config = tmp_path / "auscult.toml"
    config.write_text(plugin_pages.example_of(kind), encoding="utf-8")
    settings = load(config)
    assert [source.type for source in settings.sources] == [kind]
    if kind not in ("folder", "recordings"):  # their files are not there
        check_sources(config, settings)


@pytest.mark.parametrize("kind", plugin_pages.kinds())
def test_the_page_of_each_kind_shows_its_example(kind):
    page = plugin_pages.page_of(kind).read_text(encoding="utf-8")
    shown = "".join(line.strip() + "\n" for line in page.splitlines())
    assert (
        "".join(line.strip() + "\n" for line in plugin_pages.example_of(kind).splitlines()) in shown
    )


def test_the_template_of_the_documentation_delivers(template, tmp_path):
    settings = load(template).for_gateway(template)
    (source,) = settings.sources
    machines = {m.id: m for m in settings.machines}
    context = SourceContext(machines, BrokerSettings(), "test", tmp_path / "own")
    opened = kind_of(source).open(source, context)
    inlet, stop = Inlet(), threading.Event()
    thread = threading.Thread(target=opened.run, args=(inlet, stop))
    thread.start()
    blocks = inlet.take(5) + inlet.take(5)
    stop.set()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()
    assert [b.sequence for b in blocks] == [0, 1]
    assert blocks[1].t0_ns - blocks[0].t0_ns == 250_000_000
    assert {(b.point, b.unit, b.fs_hz) for b in blocks} == {(PointId("pump1", "DE"), "g", 1000)}
    assert opened.status.text == "ok"
    forbidden = kind_of(source).forbidden(source, tmp_path)
    assert forbidden.said.code == "source_only_in_file"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('type = "ours"', 'type = "other"'), "no kind of source is named other; installed are"),
        (('point = "DE"', 'point = "XX"'), "no point XX"),
        (('machine = "pump1"', 'machine = "fan"'), "fan"),
        (("address", "adress"), "sources[0].address: Field required"),
    ],
)
def test_wrong_settings_of_a_plugin_are_one_line(template, change, words):
    template.write_text(template.read_text().replace(*change))
    with pytest.raises(ConfigurationError, match=re.escape(words)) as caught:
        load(template).for_gateway(template)
    assert "\n" not in str(caught.value)


def test_a_missing_package_of_a_vendor_is_one_line_with_the_remedy():
    remedy = re.escape("pip install 'auscult[sound]'")
    with pytest.raises(SourceError, match=remedy), vendor("absent_package", "sound"):
        import absent_package  # noqa: F401


def test_recordings_that_are_not_there_are_named_before_the_start(tmp_path):
    config = tmp_path / "auscult.toml"
    source = '[[sources]]\ntype = "recordings"\nmachine = "pump1"\nmanifest = "gone.csv"\n'
    config.write_text(MACHINE + source)
    with pytest.raises(ConfigurationError, match=r"sources\[0\]\.manifest: .*gone\.csv: can't be"):
        check_sources(config, load(config).for_gateway(config))
