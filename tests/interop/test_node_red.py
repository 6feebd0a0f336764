"""Node-RED (npm) takes the live JSON, flattens a point's levels and passes alarms on."""

from __future__ import annotations

import json

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.interop.conftest import ROOT, picture
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1800)]
SETTINGS = "module.exports = {editorTheme: {tours: false}, telemetry: {enabled: false}};"
"""No greetings in the way."""
FLOW = ROOT / "docs" / "integrations" / "node-red-flow.json"


def test_node_red_reads_states_and_levels(live, start, page: Page, tmp_path) -> None:
    flow = FLOW.read_text(encoding="utf-8").replace('"1883"', f'"{live.port}"')
    (tmp_path / "flows.json").write_text(flow, encoding="utf-8")
    (tmp_path / "settings.js").write_text(SETTINGS)
    port = start(
        "node-red", "4.1.15", "red.js", "--userDir", tmp_path, "--port", "PORT",
        tmp_path / "flows.json",
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"

    def published() -> dict[str, object]:
        answer = httpx.get(f"{url}/auscult", timeout=DEADLINE_S)
        return dict(json.loads(answer.text)) if answer.status_code == 200 else {}

    wait_until(
        lambda: "gearbox" in published() and "gearbox/a1/rms" in published(),
        what="values",
    )
    values = published()
    assert values["gearbox"] in ("learning", "normal", "warning", "alarm", "unknown")
    assert isinstance(values["gearbox/a1/rms"], float)
    page.goto(url)
    expect(page.get_by_text("machine states").first).to_be_visible(timeout=60_000)
    page.set_viewport_size({"width": 1480, "height": 560})
    expect(page.get_by_text("gearbox: ").first).to_be_visible(timeout=60_000)
    picture(page, "node-red")
