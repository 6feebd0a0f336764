"""The pages, and what their tests wait for and examine."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

MACHINE = "plant~gw1~pump-3"
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

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
EXAMINE = """async (rules) => {
  const found = await axe.run(document, {resultTypes: ['violations'], ...rules});
  return found.violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 160)}`);
}"""
ONLY_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""The other rules find the same in every theme."""

SMALL_TARGETS = """() => {
  const acts = 'a[href], button, summary, select, textarea, input:not([type=hidden])';
  const shown = [...document.querySelectorAll(acts)].filter((e) =>
    !e.disabled && e.checkVisibility({visibilityProperty: true}) && e.offsetWidth > 1);
  const targetOf = (e) => e.matches('.covers') ? e.offsetParent : e.closest('label') ?? e;
  const inSentence = (e) => e.matches('a') && getComputedStyle(e).display === 'inline'
    && e.parentElement.textContent.trim() !== e.textContent.trim();
  return [...new Set(shown.filter((e) => !inSentence(e)).map(targetOf))].filter((e) => {
    e.scrollIntoView({block: 'center', inline: 'center'});
    const {left, top, width, height} = e.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    // what is drawn smaller may take a finger beside it
    const takes = (dx, dy) => e.contains(document.elementFromPoint(x + dx, y + dy));
    return !((width >= 43.5 || (takes(-21, 0) && takes(21, 0)))
      && (height >= 43.5 || (takes(0, -21) && takes(0, 21))));
  }).map((e) => e.outerHTML.slice(0, 120));
}"""


def expect_live(page: Page) -> None:
    expect(page.get_by_role("status").get_by_text("Live", exact=True)).to_be_visible()


def expect_current(page: Page, name: str, viewport: str) -> None:
    """Wait for a page of `PAGES`; a case on a phone has no top bar, and names only a loss."""
    if (name, viewport) == ("case", "phone"):
        expect(page.get_by_role("radio").first).to_be_visible()
    else:
        expect_live(page)


def serious(page: Page, rules: dict[str, object] | None = None) -> list[str]:
    """Return the serious findings of axe on what is shown, by all rules or by `rules`."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(EXAMINE, rules or {})
    return found


def small_targets(page: Page) -> list[str]:
    """Return what acts and is smaller than 44 px, but links in sentences (WCAG 2.5.5)."""
    found: list[str] = page.evaluate(SMALL_TARGETS)
    return found


def sideways_px(page: Page) -> int:
    """Return how far the page scrolls sideways."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


SETTLED_PX = """() => new Promise((resolve) => {
  const high = () => document.documentElement.scrollHeight;
  let [last, since] = [high(), performance.now()];
  const look = () => {
    if (high() !== last) [last, since] = [high(), performance.now()];
    if (performance.now() - since > 1000) resolve(last); else requestAnimationFrame(look);
  };
  look();
})"""


def settled_px(page: Page) -> int:
    """Return how high the page is once that has stayed the same for a second."""
    return int(page.evaluate(SETTLED_PX))
