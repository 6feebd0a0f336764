"""The ways to reach people, each with its own form and its test button, on real receivers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app.receiver import receiving
from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e

TEAMS = (
    "https://prod-161.westeurope.logic.azure.com:443/workflows/0123456789abcdef0123456789abcdef/"
    "triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0"
    "&sig=iXNU04eNJtxqMoB0f7sRKgnVGnDSNcfYFK0hEy8lyiE"
)
SLACK = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7"


def add(page: Page, kind: str, **fields: str) -> Locator:
    """Add a way by its form; return its entry in the list."""
    ways = page.get_by_role("region", name="Ways to reach people")
    ways.get_by_role("button", name="Add a way").click()
    ways.get_by_role("textbox", name="Name", exact=True).fill(f"Shift by {kind}")
    ways.get_by_label("Kind").select_option(kind)
    for label, value in fields.items():
        ways.get_by_label(label.replace("_", " ")).fill(value)
    if kind == "sms":
        ways.get_by_role("checkbox", name="encrypted").uncheck()
    ways.get_by_role("button", name="Save", exact=True).click()
    entry = ways.get_by_role("listitem").filter(has_text=f"Shift by {kind}")
    expect(entry).to_be_visible()
    return entry


def test_a_test_message_arrives_at_a_webhook_and_an_sms_gateway(open_page: OpenPage) -> None:
    page = open_page("/notifications")
    with receiving(answer=b'{"result": {"message_id": "1", "status": "ok"}}') as (got, address):
        server, port = address.split(":")
        hook = add(page, "webhook", Address_of_the_webhook=f"http://{address}/plant/hook")
        sms = add(page, "sms", Server=server, Port=port, Token="secret", Numbers="+491701234567")
        for entry in (hook, sms):
            entry.get_by_role("button", name="Send a test").click()
            expect(page.get_by_text("The message was sent.")).to_be_visible()
            page.reload()
    webhook, gateway = got
    assert webhook.path == "/plant/hook"
    assert "Auscult" in webhook.body["title"] + webhook.body["message"]
    assert gateway.body["params"]["access_token"] == "secret"
    assert "491701234567" in str(gateway.body["params"]["to"])
    assert "Auscult" in gateway.body["params"]["message"]


def test_teams_and_slack_are_known_by_the_address_that_they_give(open_page: OpenPage) -> None:
    """No page shows the address again: who knows it can write there."""
    page = open_page("/notifications")
    for kind, url, service in (("teams", TEAMS, "Power Automate"), ("slack", SLACK, "Slack")):
        entry = add(page, kind, Address_of_the_webhook=url)
        expect(entry).to_contain_text(service)
        expect(entry.get_by_role("button", name="Send a test")).to_be_enabled()
        assert "iXNU04" not in page.content()
        assert "TIiajkdn" not in page.content()
