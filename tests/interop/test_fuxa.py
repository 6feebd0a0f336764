"""FUXA (npm) shows the live verdict of a machine from the plain JSON."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.interop.conftest import picture
from tests.waiting import DEADLINE_S

pytestmark = [pytest.mark.interop, pytest.mark.timeout(1800)]
BASE = "auscult/v1/plant/gateway1"
ROWS = (
    # label, topic below the gateway, key of the JSON object
    ("Condition", "gearbox/state", "condition"),
    ("Quality", "gearbox/state", "quality"),
    ("Point a1", "gearbox/a1/state", "condition"),
    ("Quality of a1", "gearbox/a1/state", "quality"),
    ("Gateway", "status", "state"),
    ("Windows scored", "status", "windows_total"),
    ("CPU of the gateway, %", "status", "cpu_percent"),
)


def project(broker: str) -> dict[str, Any]:
    """A FUXA project with one view: a row of label and value for each tag."""
    tags, items, svg = {}, {}, []
    for i, (label, topic, key) in enumerate(ROWS):
        tag = f"t_{i}"
        tags[tag] = {
            "id": tag, "name": f"{topic} {key}", "type": "json", "address": f"{BASE}/{topic}",
            "memaddress": key, "options": {"subs": [key]}, "daq": {"enabled": False},
        }  # fmt: skip
        box, y = f"VAL_{i}", 120 + 48 * i
        items[box] = {
            "id": box, "type": "svg-ext-value", "name": label, "label": "Value",
            "property": {"events": [], "actions": [], "variableId": tag, "ranges": []},
        }  # fmt: skip
        text = 'font-family="sans-serif" font-size="20" stroke-width="0" fill="#222"'
        svg.append(f'<text id="LBL_{i}" x="60" y="{y}" {text}>{label}</text>')
        svg.append(
            f'<g id="{box}" type="svg-ext-value" {text}>'
            f'<text id="VALT_{i}" x="420" y="{y}" {text}>##.##</text></g>'
        )
    title = '<text id="TITLE" x="60" y="60" font-family="sans-serif" font-size="28">Gearbox</text>'
    view = {
        "id": "v_1", "name": "Main", "profile": {"width": 900, "height": 480, "bkcolor": "#fff"},
        "items": items, "variables": {},
        "svgcontent": '<svg width="900" height="480" xmlns="http://www.w3.org/2000/svg"><g>'
                      f"<title>Layer 1</title>{title}{''.join(svg)}</g></svg>",
    }  # fmt: skip
    device = {
        "id": "d_1", "name": "auscult", "type": "MQTTclient", "enabled": True, "polling": 1000,
        "property": {"address": broker}, "tags": tags,
    }  # fmt: skip
    return {
        "version": "1.02", "name": "auscult", "devices": {"d_1": device},
        "server": {"id": "0", "name": "FUXA Server", "type": "FuxaServer", "property": {}},
        "hmi": {"views": [view], "layout": {"start": "v_1", "navigation": {"mode": "void"}}},
        "charts": [], "alarms": [], "notifications": [], "scripts": [], "texts": [],
    }  # fmt: skip


def test_fuxa_shows_the_live_verdict(live, start, page: Page, tmp_path) -> None:
    port = start("@frangoteam/fuxa", "1.3.4", "main.js", "--port", "PORT", "--userDir", tmp_path)
    url = f"http://127.0.0.1:{port}"
    answer = httpx.post(f"{url}/api/project", json=project(f"mqtt://127.0.0.1:{live.port}"),
                        timeout=DEADLINE_S)  # fmt: skip
    assert answer.status_code < 300, answer.text
    page.goto(f"{url}/home")
    expect(page.get_by_text("learning").or_(page.get_by_text("normal")).first).to_be_visible(
        timeout=120_000
    )
    expect(page.get_by_text("online", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_text("##.##")).to_have_count(0, timeout=120_000)
    expect(page.get_by_text("0", exact=True)).to_have_count(0, timeout=60_000)
    picture(page, "fuxa")
