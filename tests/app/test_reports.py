"""Reports for managers: figures by the month, PDF pages, and mails that carry them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from auscult.app.notify import regular
from auscult.app.reports import figures
from auscult.app.reports.pages import Pages
from auscult.app.store import cases, labels
from auscult.app.store.freshness import Freshness
from auscult.app.views import ReportSchedule, Stops
from auscult.contract.learning import Checkpoints
from auscult.contract.parts import AccountPart
from auscult.contract.records import Detectable
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.messages import label
from tests.app.pump_events import HOUR, PUMP, SEEN, T, event, inventory, stored
from tests.app.test_notification import Mailbox, mailbox  # noqa: F401 - a fixture
from tests.waiting import eventually

NOW = datetime.fromtimestamp(T / 1000, UTC)
FRESH = Freshness(T, 10**9)


def test_figures_count_the_answers_of_a_month(opened_store):
    stored(
        opened_store,
        inventory(),
        *(event(f"e{i}", T - (3 + i) * HOUR, T - (2 + i) * HOUR) for i in range(4)),
    )
    for i, verdict in enumerate(("confirmed_fault", "confirmed_fault", "false_alarm")):
        new = label(f"l{i}", f"e{i}", verdict, created_ms=T)
        opened_store.write(lambda db, new=new: labels.add(db, PUMP, new))
    *_, before, this = figures.by_month(opened_store.read(), NOW, 2).months
    assert (before.alarms, this.month) == (0, NOW.strftime("%Y-%m"))
    assert (this.alarms, this.cases, this.answered) == (4, 1, 3)
    assert (this.confirmed, this.false_alarms, round(this.right_share, 3)) == (2, 1, 0.667)


def test_stops_are_added_up_by_month_with_the_figures_of_the_plant_only(opened_store):
    stored(opened_store, inventory(), event("e0", T - HOUR, T))

    def month(**finding: object):
        found = {"result": "fault_repaired", "kind": None, "text": "", **finding}
        opened_store.write(lambda db: cases.set_finding(db, "e0", found))
        opened_store.write(lambda db: cases.update(db, "e0", closed_ms=T, closed_by="Eva"))
        (this,) = figures.by_month(opened_store.read(), NOW, 1).months
        return this

    older = month()
    assert (older.stops_avoided.cases, older.stops.cases) == (0, 0), "closed before it was asked"
    priced = month(stop="avoided", stop_h=8, downtime_cost_per_h=500)
    assert priced.stops_avoided == Stops(cases=1, hours=8, cost=4000, without_cost=0)
    plain = month(stop="happened", stop_h=2)
    assert plain.stops == Stops(cases=1, hours=2, cost=0, without_cost=1)
    assert plain.stops_avoided.cases == 0


def test_each_page_is_one_page_whatever_it_holds(opened_store):
    said = Said("plant_account", {"a_month": 2.0, "promised": 2.7, "days": 41, "count": 1,
        "false_alarms": 0, "unanswered": 1, "low": 0.025, "high": 5.6})  # fmt: skip
    account = AccountPart(
        a_month=2, days=41, promised=2.7, false_alarms=0, unanswered=1, low=0.025, high=5.6,
        wider={"pump-3": 1.25}, said=said,
        widened=Said("account_widened", {"machines": ("pump-3",)}),
    )  # fmt: skip
    stored(
        opened_store,
        inventory(),
        m.status(account=account),
        event("e1", T - HOUR),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300),
        *(m.trend("pump-3", "P_DE", T - i * 600_000, 2.0 + i % 3) for i in range(1, 60)),
        *(event(f"x{i}", T - (30 + 30 * i) * HOUR, T - (29 + 30 * i) * HOUR) for i in range(30)),
    )
    for language in ("en", "de"):
        pages = Pages(opened_store.read(), FRESH, NOW, language)
        for page in (pages.plant(0, T), pages.machine(PUMP, T - 24 * HOUR, T)):
            assert page is not None
            assert page.startswith(b"%PDF")
            assert page.count(b"/Type /Page\n") == 1
    assert pages.machine("plant~gw1~unknown", 0, T) is None


def test_axes_are_round_and_a_german_page_writes_its_numbers(opened_store, monkeypatch):
    """Ticks were quarters of the range, numbers had a point, the zone was at the foot only."""
    monkeypatch.setattr("reportlab.rl_config.pageCompression", 0)
    stored(
        opened_store,
        inventory(),
        event("e1", T - HOUR),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300),
        *(m.trend("pump-3", "P_DE", T - i * 600_000, 0.5 + i % 3 / 10) for i in range(1, 60)),
    )
    now = NOW.astimezone(ZoneInfo("Europe/Berlin"))
    page = Pages(opened_store.read(), FRESH, now, "de").machine(PUMP, T - 24 * HOUR, T)
    assert page is not None
    said = re.findall(r"\((.*?)\) Tj", page.decode("cp1252"))
    assert {"0 Hz", "200 Hz", "400 Hz"} <= set(said)
    assert {"03:00", "06:00"} <= set(said)
    assert "0,5" in said
    assert not [text for text in said if re.fullmatch(r"[0-9]+\.[0-9]+( Hz)?", text)]
    assert any("Zeiten in Europe/Berlin" in text for text in said)


def test_a_machine_without_a_case_shows_what_its_sensors_would_find(opened_store, monkeypatch):
    monkeypatch.setattr("reportlab.rl_config.pageCompression", 0)
    found = (
        Detectable("P_DE", "outer", "g", "6205", 0.4, 0.4, 0.4),
        Detectable("P_DE", "step", "×", "velocity_rms_mm_s", None, 1.5, 1.2),
    )
    listed = Checkpoints(ts=T, machine="pump-3", active="a", detectable=found)
    stored(opened_store, inventory(), m.point_state("pump-3", "P_DE"), listed)
    page = Pages(opened_store.read(), FRESH, NOW, "de").machine(PUMP, T - 24 * HOUR, T)
    assert page is not None
    said = re.findall(r"\((.*?)\) Tj", page.decode("cp1252"))
    assert "0,4 g" in said
    assert any("Schwinggeschwindigkeit, effektiv" in text for text in said), said
    assert any("1,5" in text for text in said)
    assert any("ringschaden, 6205" in text for text in said), said


def test_a_weekly_report_is_due_once_and_not_before_it_was_made(opened_store):
    stored(opened_store, inventory())
    schedule = ReportSchedule(
        id="s1", actor="ada", changed_ms=0, name="Monday", enabled=True, machine_id=None,
        weekday=NOW.weekday(), at="06:00", channels=("c1",), language="en",
    )  # fmt: skip

    def due(now: datetime, **more: object) -> list[str]:
        some = [schedule.model_copy(update=more)]
        return [one.key for one in regular.due(opened_store.read(), FRESH, some, now, "")]

    at_seven = NOW.replace(hour=7)
    assert due(at_seven) == due(NOW.replace(hour=23))
    assert len(due(at_seven)) == 1
    assert due(NOW.replace(hour=5)) == []
    assert due(at_seven, weekday=(NOW.weekday() + 1) % 7) == []
    assert due(at_seven, changed_ms=int(NOW.replace(hour=6, minute=30).timestamp() * 1000)) == []


def test_a_mail_carries_the_page(dashboard, gateway, mailbox: Mailbox):  # noqa: F811
    post = dashboard.client.post
    gateway.publish(inventory())
    gateway.publish(m.event("pump-3", "e1", reasons=SEEN, points=("P_DE",)))
    eventually(lambda: dashboard.count("event"), 1)
    channel = post("/api/v1/notifications/channels", json={"name": "boss", "url": mailbox.url})
    body = {
        "name": "Monday", "enabled": True, "machine_id": PUMP, "weekday": 0, "at": "06:00",
        "channels": [channel.json()["id"]], "language": "de",
    }  # fmt: skip
    made = post("/api/v1/reports/schedules", json=body)
    assert made.status_code == 201, made.text
    [sent] = post(f"/api/v1/reports/schedules/{made.json()['id']}/send", json={}).json()["items"]
    assert sent["state"] == "sent", sent
    [attached] = list(mailbox.mails[0].iter_attachments())
    assert attached.get_content_type() == "application/pdf"
    assert attached.get_content().startswith(b"%PDF")
    since = int(time.time() * 1000) - 7 * 24 * HOUR
    page = dashboard.client.get(f"/api/v1/machines/{PUMP}/report.pdf", params={"since_ms": since})
    assert (page.status_code, page.headers["content-type"]) == (200, "application/pdf")
