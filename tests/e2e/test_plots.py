"""Plots: the cursor and its readings, two spectra at once, as a table, printed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.app.messages import FakeGateway
from tests.e2e import plant
from tests.e2e.conftest import OpenPage, PublishedPlant
from tests.e2e.pages import (
    MACHINE,
    sideways_px,
    small_targets,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e


def test_the_cursor_finds_the_peak(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    canvas = panel.locator(".u-over")
    expect(canvas).to_be_visible()
    wait_until(lambda: canvas.bounding_box() is not None, what="the plot to be drawn")
    box = canvas.bounding_box()
    assert box is not None
    # 1600 lines of 1.25 Hz: the first peak of the test spectrum is at 20 × 1.25 = 25 Hz
    canvas.click(position={"x": box["width"] * 27 / 2000, "y": box["height"] / 2})
    expect(panel.locator(".cursor strong")).to_have_text(re.compile(r"^25\sHz$"))
    # harmonics are read out with their amplitudes and orders, in the unit of the axis
    expect(panel.get_by_role("row").filter(has_text="2×").first).to_contain_text("50")
    panel.get_by_label("Unit of the frequency axis").select_option("cpm")
    expect(panel.locator(".cursor strong")).to_have_text(re.compile(r"^1500\sCPM$"))
    panel.get_by_label("Unit of the frequency axis").select_option("hz")
    with page.expect_download() as saved:
        panel.get_by_role("button", name="CSV").click()
    assert saved.value.path().read_text().startswith("frequency_hz,amplitude_g\n0,")
    panel.get_by_role("application").press("ArrowRight")
    expect(panel.locator(".cursor strong")).to_have_text(re.compile(r"^26.3\sHz$"))


def test_a_cursor_places_a_note_that_the_case_shows(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = plant.publish(gateway)
    page = open_page(f"/machines/{MACHINE}?range=8h", viewport="phone")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    notes = page.get_by_role("region", name="Notes")
    notes.get_by_label("Write a note").fill("coupling rubs")
    notes.get_by_label("Mark it in the plots of").check()
    hz = notes.get_by_label("Frequency in Hz")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    panel.get_by_role("application").press("ArrowRight")
    expect(hz).to_have_value("1.25")
    canvas = panel.locator(".u-over")
    box = canvas.bounding_box()
    assert box is not None
    canvas.click(position={"x": box["width"] * 27 / 2000, "y": box["height"] / 2})
    expect(hz).to_have_value("25")
    time = notes.get_by_label("Time")
    now = time.input_value()
    page.get_by_role("region", name="Feature trends").locator(".u-over").last.click()
    expect(time).not_to_have_value(now)
    assert sideways_px(page) <= 0
    assert small_targets(page) == []
    notes.get_by_role("button", name="Add", exact=True).click()
    expect(notes.get_by_text("DE-H, 25\N{NO-BREAK SPACE}Hz")).to_be_visible()
    page.goto(f"/cases/{event_id}")
    expect(page.get_by_text("✎ coupling rubs, 25\N{NO-BREAK SPACE}Hz")).to_be_visible()


def test_a_cursor_ends_with_its_spectrum(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    panel.get_by_role("application").press("ArrowRight")
    expect(panel.locator(".cursor strong")).to_be_visible()
    hint = panel.get_by_text("Choose a frequency")
    expect(hint).to_have_count(0)
    panel.get_by_role("button", name="Envelope spectrum").click()
    # what is below moves up when the envelope comes: no click before
    expect(panel.get_by_role("img", name=re.compile("^Envelope spectrum"))).to_be_visible()
    panel.get_by_text("How it was measured").press("Enter")
    expect(panel.get_by_text("Demodulation band")).to_be_visible()
    expect(panel.locator(".cursor strong")).to_have_count(0)


def test_two_spectra_are_laid_over_each_other(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    choice = panel.get_by_label("Compare with an earlier spectrum")
    choice.select_option(index=1)
    expect(page).to_have_url(re.compile("against="))
    panel.get_by_role("application").press("ArrowRight")
    expect(panel.locator(".other")).to_contain_text("g")
    page.reload()
    expect(choice).not_to_have_value("")


def test_a_plot_can_be_read_as_a_table(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}?range=8h")
    panel = page.get_by_role("region", name="Feature trends")
    panel.get_by_role("button", name="Show as a table").click()
    expect(panel.get_by_role("row")).to_have_count(181)
    expect(panel.get_by_role("row").last).to_contain_text("Alarm")


HAS_INK = """(canvas, ink) => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] > 200 && ink.every((value, k) => Math.abs(data[i + k] - value) <= 6))
      return true;
  return false;
}"""


# --line of tokens.css, the colour of the grid
LIGHT_THEME_INK = [0xCD, 0xD1, 0xD5]


DARK_THEME_INK = [0x36, 0x3C, 0x42]


def test_a_dark_page_is_printed_in_the_light_theme(
    open_plant: OpenPage, published: PublishedPlant
) -> None:
    page = open_plant(f"/machines/{MACHINE}?range=8h")
    page.get_by_label("Settings").click()
    page.get_by_label("Dark").check()
    plot = page.get_by_role("region", name="Feature trends").locator("canvas").first
    expect(plot).to_be_visible()
    wait_until(lambda: plot.evaluate(HAS_INK, DARK_THEME_INK), what="the plot of the dark theme")
    page.emulate_media(media="print")
    wait_until(lambda: plot.evaluate(HAS_INK, LIGHT_THEME_INK), what="the plot as printed")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    page.emulate_media(media="screen")
    page.goto(f"/cases/{published.event_id}")
    expect(page.get_by_role("button", name="Hand over")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_have_count(0)


def test_one_time_cursor_is_shared_by_all_plots(
    open_plant: OpenPage, published: PublishedPlant
) -> None:
    page = open_plant(f"/cases/{published.event_id}")
    tools = page.get_by_role("link", name="Open with all tools")
    expect(tools).to_have_attribute("href", re.compile("mark="))
    tools.click()
    # the case's line, its period and its time are kept
    expect(page).to_have_url(re.compile(r"mark=bearing-0.*"))
    expect(page).to_have_url(re.compile(r"[?&]at=\d+"))
    panel = page.get_by_role("region", name="Spectrum and envelope")
    expect(panel.get_by_role("list", name="6312").get_by_role("listitem").first).to_contain_text(
        "BPFO"
    )
    expect(page.get_by_label("Mark a period")).to_have_value("bearing-0/BPFO")
    shown = panel.get_by_label("Time", exact=True).locator("option:checked")
    of_case = shown.inner_text()
    # a key in the waterfall moves the cursor of all plots to the spectrum before
    waterfall = page.get_by_role("region", name="Spectra over time")
    waterfall.get_by_role("application").press("ArrowUp")
    expect(shown).not_to_have_text(of_case)
    cursor = page.get_by_role("button", name="Cursor at")
    expect(cursor).to_contain_text(shown.inner_text())
    # the spectra of the range as one
    panel.get_by_role("button", name="Peak hold").click()
    expect(panel.get_by_text("Made of 13 spectra")).to_be_visible()
    panel.get_by_role("button", name="× healthy").click()
    expect(page).to_have_url(re.compile("scale=ratio"))
    cursor.click()
    expect(cursor).to_have_count(0)
