"""How soon 500 machines are shown and show what changed, and what drawing costs: no test.

    python -m lab.bench.overview_speed [--machines 10 500] [--changes 60] [--throttle 1]
    python -m lab.bench.overview_speed --against TREE [--turns 3]

With a real broker, dashboard and browser:

- shown: from the address to the frame with all machines, each time in a new browser context;
- update: from the `ts` of a published state to the frame that shows it, and the part of it in the
  page;
- opening, a change, and a state without a visible change: CPU time of the page's main thread, in
  all and by part, in passes of their own with Chromium's tracing; other programs hardly change it;
- frames over 50 ms while scrolling.

`TREE` is the tree of another version, with its page built: both are measured in turns, each by
this file with its own dashboard, page and messages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.app.messages import FakeGateway, machine_state, point_state
from tests.conftest import Mosquitto
from tests.e2e.conftest import FLAGS, VIEWPORTS, Dashboard
from tests.waiting import wait_until

PAUSE_MS = 150
"""Between changes, so that each is measured alone."""
LOADS = 5
TRACED = 30
"""Messages of each kind in the traced pass."""
PARTS = {
    "script": (
        "FunctionCall", "EvaluateScript", "EvaluateModule", "RunMicrotasks", "FireAnimationFrame",
        "TimerFire", "EventDispatch", "V8.GC_SCAVENGER", "MinorGC", "MajorGC",
    ),
    "style": ("UpdateLayoutTree", "ScheduleStyleRecalculation"),
    "layout": ("Layout", "HitTest", "IntersectionObserverController::computeIntersections"),
    "paint": ("PrePaint", "Paint", "Layerize", "UpdateLayer", "Commit"),
}  # fmt: skip
"""Events of Chromium's `devtools.timeline` by what they are part of."""
CATEGORIES = ["devtools.timeline", "v8"]

SHOWN = """(count) => {
  // A frame begins, is drawn, and then the message of the channel comes.
  const look = () => {
    if (document.querySelectorAll('[data-machine]').length < count) requestAnimationFrame(look);
    else requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { window.shownMs = performance.now(); };
      channel.port2.postMessage(0);
    });
  };
  look();
}"""

WATCH = """(machine) => {
  // The condition is the class of the machine's element, which may move to another list; the frame
  // after its change has it on the screen.
  window.seen = null; window.arrivedMs = null;
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

ARRIVAL = """() => {
  const Stream = window.EventSource;
  window.EventSource = class extends Stream {
    constructor(...asked) {
      super(...asked);
      this.addEventListener('machine', () => { window.arrivedMs ??= Date.now(); });
    }
  };
}"""

Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, nargs="+", default=[10, 500])
    parser.add_argument("--changes", type=int, default=60)
    parser.add_argument("--throttle", type=float, default=1, help="times slower CPU")
    parser.add_argument("--against", type=Path, help="tree of another version, its page built")
    parser.add_argument("--turns", type=int, default=3, help="with --against")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args()
    for count in asked.machines:
        if asked.against:
            compare(count, asked)
            continue
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder), count, asked)
        if asked.json:
            print(json.dumps(figures))
        else:
            print(f"{count} machines:", *(f"\n  {k}: {v:.1f}" for k, v in figures.items()))


def compare(count: int, asked: argparse.Namespace) -> None:
    """Print the medians of both trees and their ratio, and the load while they were measured."""
    trees = (Path(__file__).parents[2], asked.against.resolve())
    found: dict[Path, list[Figures]] = {tree: [] for tree in trees}
    for _ in range(asked.turns):
        for tree in trees:
            found[tree].append(_of_tree(tree, count, asked))
    print(f"{count} machines, {asked.turns} turns, load {os.getloadavg()[1]:.1f}:")
    for name in found[trees[0]][0]:
        ours, theirs = ([one[name] for one in found[tree]] for tree in trees)
        here, there = statistics.median(ours), statistics.median(theirs)
        ratio = f"{here / there:.2f}" if there else "-"
        print(f"  {name}: {_range(ours)} here, {_range(theirs)} there, ratio {ratio}")


def _range(figures: Sequence[float]) -> str:
    return f"{statistics.median(figures):.1f} ({min(figures):.1f}-{max(figures):.1f})"


def _of_tree(tree: Path, count: int, asked: argparse.Namespace) -> Figures:
    """Return the figures of this file run with the modules of `tree`."""
    command = [
        sys.executable, __file__, "--json", "--machines", str(count),
        "--changes", str(asked.changes), "--throttle", str(asked.throttle),
    ]  # fmt: skip
    own = {"PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"}
    run = subprocess.run(
        command, cwd=tree, env=os.environ | own, stdout=subprocess.PIPE, check=True, text=True
    )
    figures: Figures = json.loads(run.stdout.splitlines()[-1])
    return figures


def measure(folder: Path, count: int, asked: argparse.Namespace) -> Figures:
    broker = Mosquitto(folder)
    broker.start()
    (folder / "dashboard").mkdir()
    dashboard = Dashboard(folder / "dashboard", broker.port, stale_after_s=3600)
    dashboard.start()
    gateway = FakeGateway(broker.settings)
    try:
        machines = [f"machine-{i:03d}" for i in range(count)]
        gateway.say_hello(*machines)
        wait_until(lambda: _reported(dashboard) == count, what="the machines")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=list(FLAGS)
            )
            shown = [_shown_ms(browser, dashboard.url, count, asked.throttle) for _ in range(LOADS)]
            page = _open(browser, dashboard.url, count, asked.throttle)
            updates, drawing = _latencies(page, gateway, machines, asked.changes)
            gaps = page.evaluate(SCROLL)
            page.evaluate("scrollTo(0, 0)")
            opened = _medians(
                _traced_opening(browser, dashboard.url, count, asked.throttle) for _ in range(LOADS)
            )
            drawn = _traced(browser, page, gateway, machines[::-1], ("warning", "normal"))
            unchanged = _traced(browser, page, gateway, machines[::-1], ("warning",))
            browser.close()
    finally:
        gateway.stop()
        dashboard.stop()
        broker.stop()
    return {
        "shown, ms": statistics.median(shown),
        "update, ms": statistics.median(updates),
        "update, 95 %, ms": statistics.quantiles(updates, n=20)[-1],
        "of it in the page, ms": statistics.median(drawing),
        **{f"CPU of opening, {part}, ms": ms for part, ms in opened.items()},
        **{f"CPU of a change, {part}, ms": ms for part, ms in drawn.items()},
        **{f"CPU of no change, {part}, ms": ms for part, ms in unchanged.items()},
        "frames over 50 ms": sum(gap > 50 for gap in gaps),
        "frames": len(gaps),
    }


def _reported(dashboard: Dashboard) -> int:
    items = dashboard.get("/api/v1/machines")["items"]
    return sum(machine["heard_ms"] is not None for machine in items)


def _open(browser: Browser, url: str, count: int, throttle: float) -> Page:
    page = browser.new_context(
        viewport=VIEWPORTS["desktop"],  # type: ignore[arg-type]
        service_workers="block",
    ).new_page()
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": throttle})
    page.add_init_script(f"({ARRIVAL})()")
    page.add_init_script(f"({SHOWN})({count})")
    page.goto(url)
    page.wait_for_function("() => window.shownMs")
    page.get_by_text("Live", exact=True).wait_for()
    return page


def _traced_opening(browser: Browser, url: str, count: int, throttle: float) -> Figures:
    """Return what the main thread needs until all machines are shown, in ms by part."""
    empty = browser.new_page()
    browser.start_tracing(page=empty, categories=CATEGORIES)
    page = _open(browser, url, count, throttle)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.context.close()
    empty.close()
    return by_part(events)


def _medians(found: Iterable[Figures]) -> Figures:
    all_found = list(found)
    return {part: statistics.median([one[part] for one in all_found]) for part in all_found[0]}


def _shown_ms(browser: Browser, url: str, count: int, throttle: float) -> float:
    page = _open(browser, url, count, throttle)
    shown_ms: float = page.evaluate("window.shownMs")
    page.context.close()
    return shown_ms


def _latencies(
    page: Page, gateway: FakeGateway, machines: list[str], changes: int
) -> tuple[list[float], list[float]]:
    """Return the time from each state's `ts` to its frame, and from its arrival in the page, ms."""
    whole: list[float] = []
    drawing: list[float] = []
    conditions = ("alarm", "warning", "normal")
    for i in range(changes):
        machine = machines[(7 * i) % len(machines)]
        page.evaluate(WATCH, machine)
        state = machine_state(machine, conditions[i // len(machines) % 3], evidence=9.0 + i)
        gateway.publish(state)
        gateway.publish(point_state(machine, "DE-H"))
        shown = page.wait_for_function("() => window.seen").json_value()
        whole.append(shown - state.ts)
        drawing.append(shown - page.evaluate("window.arrivedMs"))
        page.wait_for_timeout(PAUSE_MS)
    return whole, drawing


def _traced(
    browser: Browser,
    page: Page,
    gateway: FakeGateway,
    machines: list[str],
    conditions: Sequence[str],
) -> Figures:
    """Return what the main thread needs for each of some states, in ms by part."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    for i in range(TRACED):
        machine = machines[(7 * i) % len(machines)]
        condition = conditions[i // len(machines) % len(conditions)]
        gateway.publish(machine_state(machine, condition, evidence=5.0 + i))
        page.wait_for_timeout(PAUSE_MS)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return {part: ms / TRACED for part, ms in by_part(events).items()}


def by_part(events: Iterable[dict[str, Any]]) -> Figures:
    """Return the CPU time in each of `PARTS`, ms: of nested events, the inner one's is its own."""
    part_of = {name: part for part, names in PARTS.items() for name in names}
    threads: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event["name"] in part_of and "tdur" in event:
            threads[event["pid"], event["tid"]].append(event)
    # The page's main thread is the one that draws most.
    mine = max(threads.values(), key=lambda found: sum(e["tdur"] for e in found), default=[])
    total = dict.fromkeys(PARTS, 0.0)
    around: list[tuple[float, str]] = []
    for event in sorted(mine, key=lambda e: (e["ts"], -e["dur"])):
        while around and around[-1][0] <= event["ts"]:
            around.pop()
        part = part_of[event["name"]]
        total[part] += event["tdur"] / 1000
        if around:
            total[around[-1][1]] -= event["tdur"] / 1000
        around.append((event["ts"] + event["dur"], part))
    return {**total, "all": sum(total.values())}


if __name__ == "__main__":
    main()
