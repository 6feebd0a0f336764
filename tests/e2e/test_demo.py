"""The demonstration as a person sees it: machines learn, a bearing fails, its case is answered."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import OpenPage, open_pages
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(900)]

LEARN_MS = 240_000
DEPART_MS = 120_000
"""On two cores that other tests share; a quiet machine needs a quarter of it."""


@contextmanager
def demo_at(folder: Path) -> Iterator[str]:
    """Run `auscult demo` in a process of its own; its address."""
    port = free_port()
    command = [sys.executable, "-m", "auscult.app.command.main", "demo", "--port", str(port)]
    command += ["--data-dir", str(folder / "demo")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (folder / "demo.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    url = f"http://127.0.0.1:{port}"

    def served() -> bool:
        assert process.poll() is None, (folder / "demo.log").read_text()
        try:
            return httpx.get(f"{url}/api/health").is_success
        except httpx.TransportError:
            return False

    try:
        wait_until(served, what="the demo to be served")
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0, (folder / "demo.log").read_text()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[str]:
    with demo_at(tmp_path) as url:
        yield url


@pytest.fixture
def watch(browser: Browser, demo: str) -> Iterator[OpenPage]:
    """Opens pages of the demo."""
    yield from open_pages(browser, demo)


def _learned(url: str, machine: str) -> bool:
    machines = httpx.get(f"{url}/api/v1/machines").raise_for_status().json()["items"]
    return any(
        m["machine"] == machine and (m["coverage"] or {}).get("phase") == "ready" for m in machines
    )


def test_a_bearing_fails_and_three_hints_lead_to_its_answer(demo: str, watch: OpenPage) -> None:
    tell_story(watch("/"), demo, lambda _: None)


def tell_story(page: Page, demo: str, show: Callable[[float], None]) -> None:
    """Go the way of the hints; `show` gets the seconds that a reader needs for what is seen.

    `lab.documents.story` makes the README's animation of it.
    """
    expect(page.get_by_text("machines of the waterworks are simulated")).to_be_visible()
    first = page.get_by_role("complementary", name="Hint 1 of 3")
    expect(first).to_contain_text("Each machine learns")
    expect(page.get_by_text(re.compile(r"^Learning\b")).first).to_be_visible(timeout=LEARN_MS)
    show(6)

    someone = page.get_by_role("region", name="Needs someone").get_by_role("article")
    named = someone.first.get_by_role("link", name=re.compile("^Outer.race"))
    expect(named).to_be_visible(timeout=LEARN_MS + DEPART_MS)
    expect(someone.first).to_contain_text("Cooling water pump 1")
    expect(someone.first).to_contain_text("Waterworks (simulated)")
    expect(first).to_contain_text("Open the first case")
    # until its case is known, the row leads to the machine
    expect(named).to_have_attribute("href", re.compile("^/cases/"))
    wait_until(
        lambda: _learned(demo, "pump-1"), LEARN_MS / 1000, what="the baseline that an answer adapts"
    )
    expect(someone.first).to_contain_text("Act now")
    show(8)
    named.click()
    expect(page.get_by_role("heading", name="Check first")).to_be_visible()
    expect(page.get_by_role("complementary", name="Hint 2 of 3")).to_contain_text("What was it?")
    show(9)
    page.get_by_role("heading", name="Everything that moved").click()
    expect(page.get_by_role("heading", name="Learned baseline").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"6205, stage \d")).first).to_be_visible()
    show(8)

    page.get_by_role("radio", name="Real fault").check()
    page.get_by_label("Which fault?").select_option("outer")
    # the real gateway learns it on a copy first; on a busy machine it may say that it can't now
    preview = page.get_by_role("region", name="What this would change")
    foreseen = preview.get_by_text(re.compile("^Would (not )?be")).or_(
        preview.get_by_text("away or busy")
    )
    expect(foreseen).to_be_visible(timeout=60_000)
    show(8)
    page.get_by_label("Your name").fill("Eva")
    show(4)
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text(re.compile(r"^Real fault: \w")).first).to_be_visible()
    outcome = page.get_by_text(re.compile("^(Learned; nothing is muted|Not learned)"))
    expect(outcome).to_be_visible(timeout=60_000)
    show(8)
    # in the table where the answer changed it, in the line of unchanged figures else
    heading = page.get_by_role("heading", name="What the answer changed")
    changed = page.get_by_role("group").filter(has=heading)
    changed.scroll_into_view_if_needed()
    expect(changed).to_contain_text(re.compile(r"Confirmed faults still detected[\s\S]*?1 of 1"))
    show(9)

    last = page.get_by_role("complementary", name="Hint 3 of 3")
    last.get_by_role("button", name="Dismiss").click()
    expect(last).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="Check first")).to_be_visible()
    expect(last).to_have_count(0)
