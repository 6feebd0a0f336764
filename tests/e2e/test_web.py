"""Works like the web: addresses, the back button, a lost connection, every reader and screen."""

from __future__ import annotations

import gzip
import re
import signal

import pytest
from playwright.sync_api import Page, expect

from auscult.app import page_files
from tests.app.messages import FakeGateway, event, handling, machine_state, now_ms
from tests.conftest import wait_until
from tests.e2e import plant
from tests.e2e.conftest import AXE, SCREENSHOTS, VIEWPORTS, Dashboard, OpenPage, PublishedPlant
from tests.e2e.plant import BEARING

pytestmark = pytest.mark.e2e

MACHINE = "plant~gw1~pump-3"


def expect_live(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Live", exact=True)).to_be_visible()


def expect_current(page: Page, name: str, viewport: str) -> None:
    """Wait for a page of `PAGES`; a case on a phone has no top bar, and names only a loss."""
    if (name, viewport) == ("case", "phone"):
        expect(page.get_by_role("radio").first).to_be_visible()
    else:
        expect_live(page)


def test_worst_comes_first_and_a_filter_is_part_of_the_address(open_plant: OpenPage) -> None:
    page = open_plant("/machines")
    headings = page.get_by_role("article").get_by_role("heading")
    expect(headings).to_have_text(
        ["Cooling water pump 3", "Exhaust fan 1", "Gearbox line 7", "Conveyor motor 2",
         "Cooling water pump 1", "Cooling water pump 2"]
    )  # fmt: skip
    page.get_by_role("button", name="Normal").click()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])
    page.reload()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])


def test_deep_link_and_back(open_plant: OpenPage, published: PublishedPlant) -> None:
    page = open_plant(f"/machines/{MACHINE}?range=8h&view=envelope")
    expect(page.get_by_role("heading", name="Cooling water pump 3")).to_be_visible()
    expect(page.get_by_role("button", name="Envelope spectrum")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_text("How it was measured").click()
    expect(page.get_by_text("Demodulation band")).to_be_visible()
    page.get_by_role("link", name=BEARING.text).click()
    expect(page).to_have_url(f"{published.dashboard.url}/cases/{published.event_id}")
    page.go_back()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")


def test_a_machine_whose_id_holds_a_dot_has_an_address_too(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump.3")
    page = open_page("/")
    page.get_by_role("link", name="Machine pump.3").click()
    page.reload()
    expect(page.get_by_role("heading", name="Machine pump.3")).to_be_visible()


def test_the_cursor_finds_the_peak(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    canvas = panel.locator(".u-over")
    expect(canvas).to_be_visible()
    wait_until(lambda: canvas.bounding_box() is not None, 20, "the plot to be drawn")
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


def test_a_tablet_keeps_its_settings_in_reach(open_page: OpenPage, dashboard: Dashboard) -> None:
    page = open_page("/", viewport="tablet", language="de-DE")
    expect_live(page)
    dashboard.stop()
    expect(page.get_by_text("Verbindung verloren", exact=True)).to_be_visible()
    settings = page.get_by_label("Einstellungen", exact=True)
    expect(settings).to_be_in_viewport(ratio=1)


def test_a_lost_connection_is_visible_and_recovers(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/")
    card = page.get_by_role("article").filter(has_text="Machine pump-1")
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    expect_live(page)
    dashboard.stop()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    expect(card).to_be_visible()

    gateway.publish(machine_state("pump-1", "warning"))
    dashboard.start()
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)
    expect(card.get_by_text("Warning", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_silent_server_is_noticed(open_page: OpenPage, dashboard: Dashboard) -> None:
    page = open_page("/")
    expect_live(page)
    dashboard.signal(signal.SIGSTOP)
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible(timeout=30_000)
    dashboard.signal(signal.SIGCONT)
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)


@pytest.mark.slow
def test_a_silent_gateway_leaves_no_verdict_that_may_not_hold(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/")
    card = page.get_by_role("article").filter(has_text="Machine pump-3")
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    # the dashboard of these tests calls a state stale after 10 s
    silent = card.get_by_role("link", name=re.compile("^No news for"))
    expect(silent).to_be_visible(timeout=20_000)
    expect(card.get_by_text("Normal", exact=True)).to_have_count(0)


@pytest.mark.parametrize("dashboard", ["required"], indirect=True)
def test_first_start_signs_in_and_a_viewer_only_looks(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/events")
    page.get_by_role("textbox", name="Name").fill("ada")
    page.get_by_label("Password").fill("a long enough password")
    page.get_by_label("Code").fill(
        (dashboard.data_dir / "first-start-code.txt").read_text().strip()
    )
    page.get_by_role("button").click()
    expect(page).to_have_url(f"{dashboard.url}/events")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Machine pump-3").click()
    page.get_by_role("link", name="Set-up", exact=True).click()
    expect(page.get_by_role("button", name="Learn a new baseline")).to_be_visible()
    made = page.request.post(
        "/api/v1/people",
        data={"name": "vera", "role": "viewer", "password": "another long password"},
    )
    assert made.status == 201
    page.get_by_label("Settings").click()
    page.get_by_role("button", name="Sign out").click()

    page.get_by_role("textbox", name="Name").fill("vera")
    page.get_by_label("Password").fill("another long password")
    page.get_by_role("button").click()
    # the gateway is silent by now: its machine is listed by that, not by its name
    expect_live(page)
    page.goto(f"/machines/{MACHINE}?tab=setup")
    expect(page.get_by_text("Engineers can start a new baseline")).to_be_visible()
    expect(page.get_by_role("button", name="Learn a new baseline")).to_have_count(0)


def test_without_a_server_the_page_opens_and_shows_nothing_old(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/", offline_shell=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # now by way of the service worker, which keeps what the page is made of
    expect(page.get_by_role("article").filter(has_text="Machine pump-1")).to_be_visible()
    kept = page.evaluate(
        """caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name))))
        .then((all) => Promise.all(all.map((cache) => cache.keys())))
        .then((keys) => keys.flat().map((request) => new URL(request.url).pathname))"""
    )
    assert "/" in kept
    assert not [path for path in kept if path.startswith("/api")]
    dashboard.stop()
    page.goto("/cases")
    expect(page.get_by_role("heading", name="Cases", exact=True)).to_be_visible()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(0)


def test_german(open_plant: OpenPage) -> None:
    page = open_plant("/", language="de-DE")
    expect(page.get_by_role("heading", name="Übersicht")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_label("Einstellungen").click()
    page.get_by_label("English").check()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_keyboard_alone_reaches_an_answer(open_plant: OpenPage, published: PublishedPlant) -> None:
    page = open_plant(f"/events/{published.event_id}")
    fault = page.get_by_role("radio", name="Real fault")
    expect(fault).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        if fault.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="False alarm")).to_be_checked()


PAGES = {
    "overview": "/",
    "machine": f"/machines/{MACHINE}?range=8h&mark=bearing-0",
    "machine-history": f"/machines/{MACHINE}?tab=history",
    "machine-setup": f"/machines/{MACHINE}?tab=setup",
    "models": f"/machines/{MACHINE}/models",
    "alarms": "/alarms",
    "alarms-shelved": "/alarms?state=shelved",
    "figures": "/figures",
    "machines": "/machines?by=area",
    "machines-cards": "/machines?view=cards",
    "map": "/map",
    "cases": "/cases",
    "case": "/cases/{event}",
    "events": "/events",
    "event": "/events/{event}",
    "labels": "/labels",
    "gateways": "/gateways",
    "updates": "/updates",
    "report": "/report?span=day",
    "notifications": "/notifications",
    "prescriptions": "/prescriptions",
    "commissioning": "/commissioning",
    "commissioning-add": "/commissioning?do=add",
    "wizard-machine": "/commissioning?do=change&machine=motor-2",
    "wizard-points": "/commissioning?do=change&machine=motor-2&step=points",
    "wizard-bearings": "/commissioning?do=change&machine=motor-2&step=bearings",
    "wizard-limits": "/commissioning?do=change&machine=motor-2&step=limits",
    "wizard-apply": "/commissioning?do=change&machine=motor-2&step=apply",
    "commissioning-import": "/commissioning?do=import",
    "commissioning-check": "/commissioning?do=check&machine=pump-3",
    "people": "/people",
    "audit": "/audit",
    "lost": "/nowhere",
}
DIALOGS = {"alarms": "Shelve", "case": "Work order"}
"""Button of a page that opens a dialog, which is examined too."""

SHOW = """(href) => {
  history.pushState(null, '', href);
  dispatchEvent(new PopStateEvent('popstate'));
}"""
EXAMINE = """async (rules) => {
  const found = await axe.run(document, {resultTypes: ['violations'], ...rules});
  return found.violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 120)}`);
}"""
ONLY_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""The other rules find the same in every theme."""


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_every_page_on_every_screen(
    open_plant: OpenPage, published: PublishedPlant, viewport: str
) -> None:
    """No serious finding of axe and no sideways scrolling; takes a screenshot of each."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = open_plant("/", viewport=viewport)
    page.evaluate(AXE.read_text())
    found: list[str] = []

    def examine(name: str) -> None:
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=SCREENSHOTS / f"{name}-{viewport}-{theme}.png", full_page=True)
            rules = ONLY_COLOURS if theme == "dark" else {}
            found.extend(f"{name}, {theme}: {one}" for one in page.evaluate(EXAMINE, rules))
        page.emulate_media(color_scheme="light")

    # One visit to the site, as a person makes it: the pages follow each other without a reload.
    for name, path in PAGES.items():
        page.evaluate(SHOW, path.format(event=published.event_id))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect_current(page, name, viewport)
        expect(page.get_by_text("Loading…")).to_have_count(0)
        if name in ("event", "case"):
            page.get_by_role("radio", name="False alarm").check()
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, f"{name} scrolls sideways by {overflow} px"
        examine(name)
        if name in DIALOGS:
            page.get_by_role("button", name=DIALOGS[name], exact=True).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            examine(f"{name}-dialog")
            page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert found == []


@pytest.mark.parametrize(("viewport", "highest_px"), [("desktop", 1400), ("phone", 2200)])
def test_a_case_fits_its_screen(
    open_plant: OpenPage, published: PublishedPlant, viewport: str, highest_px: int
) -> None:
    page = open_plant(f"/cases/{published.event_id}", viewport=viewport)
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    expect(page.get_by_role("radio").first).to_be_visible()
    expect(page.locator(".u-over")).to_have_count(2)
    expect(page.get_by_text("Loading…")).to_have_count(0)
    height_px = page.evaluate("document.documentElement.scrollHeight")
    assert height_px <= highest_px


@pytest.mark.parametrize(("viewport", "highest_px"), [("desktop", 1400), ("phone", 2200)])
def test_an_answered_case_fits_its_screen(
    open_page: OpenPage, gateway: FakeGateway, viewport: str, highest_px: int
) -> None:
    event_id = plant.publish(gateway)
    page = open_page(f"/cases/{event_id}", viewport=viewport)
    expect(page.locator(".u-over")).to_have_count(2)
    page.get_by_role("radio", name="Real fault").check()
    page.get_by_label("Your name").fill("Eva")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Answered: Real fault: Bearing, outer race")).to_be_visible()
    expect(
        page.get_by_label("How urgent, how bad, how sure").get_by_text("Confirmed")
    ).to_be_visible()
    expect(page.get_by_role("heading", name="What the answer changed")).to_be_visible()
    wait_until(lambda: len(gateway.actions) > 1, what="the acknowledgement")
    gateway.publish(
        event(
            "pump-3", event_id, "update", reasons=(BEARING, plant.ISO),
            handling=handling("acknowledged", 1, acknowledged_ms=now_ms(), acknowledged_by="Eva"),
        )
    )  # fmt: skip
    expect(page.get_by_text("Alarm, acknowledged by Eva")).to_be_visible()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    height_px = page.evaluate("document.documentElement.scrollHeight")
    assert height_px <= highest_px
    page.goto("/")
    expect(page.locator("article", has_text="Outer-race defect")).to_contain_text(
        "Real fault, by Eva"
    )


def test_the_first_load_is_small() -> None:
    """Compressed: at most 400 kB of scripts and styles, 150 kB of script before anything shows."""
    files = [f for f in (page_files.FOLDER / "assets").iterdir() if f.suffix in (".js", ".css")]
    size_kb = sum(len(gzip.compress(f.read_bytes())) for f in files) / 1000
    assert size_kb <= 400, f"{size_kb:.0f} kB"
    named = re.findall(r'/assets/([^"]+\.js)', (page_files.FOLDER / "index.html").read_text())
    first_b = sum(
        len(gzip.compress((page_files.FOLDER / "assets" / name).read_bytes())) for name in named
    )
    assert first_b <= 150_000, f"{first_b} B of script before anything is shown"


def test_after_a_first_visit_the_page_opens_without_a_server(
    open_page: OpenPage, dashboard: Dashboard
) -> None:
    page = open_page("/", offline_shell=True)
    page.wait_for_function(
        """async () => {
          const kept = await Promise.all(['/', ...[...document.scripts].map((s) => s.src)]
            .map((path) => caches.match(path)));
          const files = async () => (await (await caches.open('auscult-shell-1')).keys()).length;
          const before = await files();
          await new Promise((done) => setTimeout(done, 2000));
          return kept.length > 1 && kept.every(Boolean) && before === await files();
        }"""
    )
    dashboard.stop()
    page.reload()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    expect(page.get_by_text("Failed to fetch")).to_have_count(0)


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


def test_a_dark_page_is_printed_in_the_light_theme(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}?range=8h")
    page.get_by_label("Settings").click()
    page.get_by_label("Dark").check()
    plot = page.get_by_role("region", name="Feature trends").locator("canvas").first
    expect(plot).to_be_visible()
    wait_until(lambda: plot.evaluate(HAS_INK, DARK_THEME_INK), 20, "the plot of the dark theme")
    page.emulate_media(media="print")
    wait_until(lambda: plot.evaluate(HAS_INK, LIGHT_THEME_INK), 20, "the plot as printed")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_the_focus_on_a_card_is_drawn_inside_it(open_plant: OpenPage) -> None:
    page = open_plant("/machines?view=cards")
    link = page.get_by_role("link", name="Cooling water pump 3")
    link.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(link).to_be_focused()
    width, offset = link.evaluate(
        """(e) => { const s = getComputedStyle(e, '::after');
        return [parseFloat(s.outlineWidth), parseFloat(s.outlineOffset)]; }"""
    )
    assert width >= 3
    assert offset <= -width, "the list clips what is drawn beyond a card"


def test_a_cursor_ends_with_its_spectrum(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    panel.get_by_role("application").press("ArrowRight")
    expect(panel.locator(".cursor strong")).to_be_visible()
    hint = panel.get_by_text("Choose a frequency")
    expect(hint).to_have_count(0)
    panel.get_by_role("button", name="Envelope spectrum").click()
    panel.get_by_text("How it was measured").click()
    expect(panel.get_by_text("Demodulation band")).to_be_visible()
    expect(panel.locator(".cursor strong")).to_have_count(0)
