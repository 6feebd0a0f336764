"""How soon 500 machines show what changed, and whether the page scrolls: a benchmark, no test.

    python -m tests.e2e.overview_speed [--machines 500] [--changes 60] [--throttle 1]

From the `ts` of a published state to the frame that shows it, with
a real broker, dashboard and browser; beside it, as the reference, how long the same page takes with
ten machines in the same run.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.app.messages import FakeGateway, machine_state, point_state
from tests.conftest import Mosquitto, wait_until
from tests.e2e.conftest import FLAGS, VIEWPORTS, Dashboard

REFERENCE_MACHINES = 10
PAUSE_MS = 150
"""Between changes, so that each is measured alone."""

WATCH = """(machine) => {
  // The condition is the class of the machine's element, which may move to another list; the frame
  // after its change has it on the screen.
  window.seen = null;
  const how = () => [...document.querySelectorAll(`[data-machine="${machine}"]`)]
    .map((shown) => shown.className).join();
  const before = how();
  new MutationObserver((_, observer) => {
    if (how() === before) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { window.seen = Date.now(); };
      channel.port2.postMessage(0);
    });
  }).observe(document.body, {attributeFilter: ['class'], childList: true, subtree: true});
}"""

SCROLL = """() => new Promise((done) => {
  const gaps = []; let last = performance.now();
  function step(now) {
    gaps.push(now - last); last = now; const from = scrollY; scrollBy(0, 120);
    if (scrollY === from || gaps.length > 600) done(gaps); else requestAnimationFrame(step);
  }
  requestAnimationFrame(step);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=500)
    parser.add_argument("--changes", type=int, default=60)
    parser.add_argument("--throttle", type=float, default=1, help="times slower CPU")
    parser.add_argument("--view", default="", help="query of the page, e.g. view=list")
    asked = parser.parse_args()
    for count in (REFERENCE_MACHINES, asked.machines):
        with tempfile.TemporaryDirectory() as folder:
            print(f"{count} machines:", measure(Path(folder), count, asked))


def measure(folder: Path, count: int, asked: argparse.Namespace) -> str:
    broker = Mosquitto(folder)
    broker.start()
    (folder / "dashboard").mkdir()
    dashboard = Dashboard(folder / "dashboard", broker.port, stale_after_s=3600)
    dashboard.start()
    gateway = FakeGateway(broker.settings)
    try:
        machines = [f"machine-{i:03d}" for i in range(count)]
        gateway.say_hello(*machines)
        wait_until(lambda: _reported(dashboard) == count, 60, "the machines")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=list(FLAGS)
            )
            page = browser.new_page(viewport=VIEWPORTS["desktop"])  # type: ignore[arg-type]
            session = page.context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": asked.throttle})
            page.goto(f"{dashboard.url}/?{asked.view}")
            page.locator("[data-machine]").nth(count - 1).wait_for(state="attached")
            page.get_by_text("Live", exact=True).wait_for()
            figures = _latencies(page, gateway, machines, asked.changes)
            gaps = page.evaluate(SCROLL)
            browser.close()
    finally:
        gateway.stop()
        dashboard.stop()
        broker.stop()
    return (
        f"update median {statistics.median(figures):.0f} ms, "
        f"p95 {statistics.quantiles(figures, n=20)[-1]:.0f} ms; "
        f"scrolling: {sum(gap > 50 for gap in gaps)} of {len(gaps)} frames over 50 ms"
    )


def _reported(dashboard: Dashboard) -> int:
    items = dashboard.get("/api/v1/machines")["items"]
    return sum(machine["heard_ms"] is not None for machine in items)


def _latencies(page: Page, gateway: FakeGateway, machines: list[str], changes: int) -> list[float]:
    figures: list[float] = []
    conditions = ("alarm", "warning", "normal")
    for i in range(changes):
        machine = machines[(7 * i) % len(machines)]
        page.evaluate(WATCH, machine)
        state = machine_state(machine, conditions[i // len(machines) % 3], evidence=9.0 + i)
        gateway.publish(state)
        gateway.publish(point_state(machine, "DE-H"))
        shown = page.wait_for_function("() => window.seen").json_value()
        figures.append(shown - state.ts)
        page.wait_for_timeout(PAUSE_MS)
    return figures


if __name__ == "__main__":
    main()
