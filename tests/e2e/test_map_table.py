"""An engineer maps the columns of a historian's export on the page; a real gateway stores it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.settings.gateway import GatewaySettings
from tests.conftest import Mosquitto
from tests.e2e.conftest import SCREENSHOTS, OpenPage
from tests.e2e.pages import ONLY_COLOURS, serious, sideways_px, small_targets
from tests.gateway.plant import Running

pytestmark = pytest.mark.e2e


@pytest.fixture
def works(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Path]:
    """A folder with a German table, below the `recordings_dir` of a gateway that runs."""
    folder = tmp_path / "recordings" / "works"
    folder.mkdir(parents=True)
    rows = ["Zeit;Schwingung Lager A [mm/s];Lagertemperatur;Bemerkung;Betrieb"]
    rows += [f"{1 + i // 24:02}.03.2023 {i % 24:02}:00:00;1,{i % 7};{60 + i % 5},25;ok;{i % 2}"
             for i in range(200)]  # fmt: skip
    (folder / "Pumpe 1.csv").write_text("\n".join(rows), encoding="utf-8")
    config = GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": mosquitto.port},
        "gateway": {
            "data_dir": tmp_path / "gateway", "recordings_dir": tmp_path / "recordings",
            "heartbeat_s": 5,
        },
    })  # fmt: skip
    with Running(config):
        yield folder


def test_a_table_is_mapped_checked_and_written(open_page: OpenPage, works: Path) -> None:
    page = open_page("/commissioning?do=values", viewport="phone")
    panel = page.get_by_role("region", name="Map a table of values")
    tables = panel.get_by_role("combobox", name="Table", exact=True)
    expect(tables).to_have_value("")
    page.route("**/tables/head?*", lambda route: route.abort(), times=1)
    tables.select_option("works/Pumpe 1.csv")
    expect(panel.get_by_role("alert")).to_be_visible()
    expect(tables).to_have_value("")
    tables.select_option("works/Pumpe 1.csv")
    unsaid = panel.get_by_role("list").first
    expect(unsaid.get_by_role("listitem")).to_have_text([
        re.compile('^Zeit = "01.03.2023 00:00:00" states no time zone'),
        "complete quantity and unit of Lagertemperatur",
    ])  # fmt: skip
    temperature = panel.get_by_role("group", name="Lagertemperatur")
    expect(temperature).to_contain_text("60,25 · 61,25 · 62,25")
    remark = panel.get_by_role("group", name="Bemerkung")
    expect(remark.get_by_role("combobox", name="What it is")).to_have_value("unused")
    run_bit = panel.get_by_role("group", name="Betrieb")
    expect(run_bit.get_by_role("combobox", name="What it is")).to_have_value("run_bit")
    temperature.get_by_role("combobox", name="Quantity").select_option("temperature")
    temperature.get_by_role("textbox", name="Unit").fill("bar")
    check = panel.get_by_role("button", name="Check on the gateway")
    check.click()
    answer = panel.get_by_role("status")
    expect(answer.get_by_role("listitem")).to_have_text([
        "Lagertemperatur unit bar: choose one of °C, °F, K",
        re.compile("^Pumpe-1 · Time zone Zeit = .* states no time zone", re.IGNORECASE),
    ])  # fmt: skip
    assert (serious(page), small_targets(page), sideways_px(page)) == ([], [], 0)
    page.screenshot(path=SCREENSHOTS / "map-table-phone.png", full_page=True)
    write = panel.get_by_role("button", name="Write values.toml")
    expect(write).to_be_disabled()
    panel.get_by_role("combobox", name="Time zone").fill("Europe/Berlin")
    temperature.get_by_role("textbox", name="Unit").fill("°C")
    check.click()
    expect(answer).to_contain_text("the first rows fit: 2 points")
    assert not (works / "values.toml").exists()
    write.click()
    expect(answer).to_contain_text(re.compile(r"2 points are in .*values\.toml"))
    temperature.get_by_role("textbox", name="Unit").fill("K")
    check.click()
    expect(answer).to_contain_text("the first rows fit: 2 points")
    page.route("**/tables/head?*", lambda route: route.abort(), times=1)
    panel.get_by_role("button", name="Read it this way").click()
    expect(panel.get_by_role("alert")).to_be_visible()
    expect(temperature.get_by_role("textbox", name="Unit")).to_have_value("K")
    check.click()
    write.click()
    expect(answer).to_contain_text(re.compile(r"2 points are in .*values\.toml"))
    history = read_history(works, read_description(works), "pumpe-1")
    assert (len(history.t_ns), int(history.running().sum())) == (200, 100)
    german = open_page("/commissioning?do=values", dark=True, language="de-DE")
    panel = german.get_by_role("region", name="Tabelle mit Werten zuordnen")
    panel.get_by_role("combobox", name="Tabelle", exact=True).select_option("works/Pumpe 1.csv")
    expect(panel).to_contain_text("values.toml ordnet diese Tabelle schon zu")
    expect(panel.get_by_role("combobox", name="Zeitzone")).to_have_value("Europe/Berlin")
    assert (serious(german, ONLY_COLOURS), sideways_px(german)) == ([], 0)
    german.screenshot(path=SCREENSHOTS / "map-table-desktop-de-dark.png", full_page=True)
