"""Notification, against a real mail server and a real receiver of webhooks on this machine."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from apprise.plugins.slack import NotifySlack

from auscult.app.cases import compose
from auscult.app.notify import notifier, rules, secrets, transport
from auscult.app.notify.notifier import Notifier
from auscult.app.store import notifications
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.notifications import Planned, StoredChannel
from auscult.app.views import Rule, Span
from tests.app import messages as m
from tests.app.conftest import client_of
from tests.app.hostile_peers import answering
from tests.app.pump_events import HOUR, SEEN, event, inventory, stored
from tests.app.receiver import Posted, receiving
from tests.certificates import Authority
from tests.ports import free_port
from tests.waiting import eventually

SECRET = "hunter2-of-the-plant"
RULE = Rule(
    id="r1", actor="ada", changed_ms=0, name="shift", enabled=True, channels=("c1",), areas=(),
    severity="warning", weekdays=(), shift=None, quiet_hours=None, alarms_in_quiet_hours=True,
    cool_down_min=60, escalate_after_min=None, escalate_to=(), digest_at=None,
)  # fmt: skip


class Mailbox:
    """A mail server; `down` makes it refuse for now."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.down = False
        port = free_port()
        self._controller = Controller(self, hostname="127.0.0.1", port=port)
        self._controller.start()
        people = "from=auscult@plant.example&to=shift@plant.example&mode=insecure"
        self.url = f"mailto://127.0.0.1:{port}?{people}"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.down:
            return "451 try later"
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"

    @property
    def subjects(self) -> list[str]:
        return [mail["subject"] for mail in self.mails]

    def stop(self) -> None:
        self._controller.stop()


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    box = Mailbox()
    yield box
    box.stop()


@pytest.fixture
def webhook() -> Iterator[tuple[list[Posted], str]]:
    with receiving() as (got, address):
        yield got, f"json://eva:{SECRET}@{address}/hook"


def body(**more: Any) -> dict[str, Any]:
    own = RULE.model_dump(exclude={"id", "actor", "changed_ms"})
    return {**own, **more}


def test_one_message_a_case_by_mail_and_webhook(dashboard, gateway, mailbox, webhook):
    got, url = webhook
    post = dashboard.client.post
    api = "/api/v1/notifications"
    mail = post(f"{api}/channels", json={"name": "shift", "url": mailbox.url, "language": "de"})
    assert mail.status_code == 201, mail.text
    hook = post(f"{api}/channels", json={"name": "hook", "url": url}).json()
    ids = [mail.json()["id"], hook["id"]]
    assert post(f"{api}/rules", json=body(channels=ids)).status_code == 201
    gateway.publish(inventory())
    for _ in range(5):  # an event reports itself again and again
        gateway.publish(m.event("pump-3", "e1", reasons=SEEN, points=("P_DE",)))
        dashboard.dashboard.notifier.wake()
        time.sleep(0.1)
    eventually(lambda: (len(mailbox.mails), len(got)), (1, 1))
    assert mailbox.subjects == ["Feed pump P-101: Außenringschaden, Pump, drive end, Lager 6205"]
    assert mailbox.mails[0].get_content_type() == "text/plain", "HTML would join the lines"
    text = mailbox.mails[0].get_content()
    assert text.splitlines()[0].startswith("Außenringschaden, Pump, drive end, Lager 6205")
    assert "Zuerst prüfen" in text
    assert "94 % sicher" in text
    assert "Outer-race defect" in got[0].body["message"]
    eventually(lambda: history(dashboard).count("notified"), 2)


def history(dashboard: Any) -> list[str]:
    return [line["kind"] for line in dashboard.get("/api/v1/cases/e1")["history"]]


def test_a_tap_on_a_message_of_ntfy_opens_the_case_and_nothing_leaves_the_plant(webhook):
    got, url = webhook
    link = "http://plant.example/cases/e1"
    transport.send(url.replace("json://", "ntfy://"), "Pump", f"worse\n\n{link}")
    [message] = got
    assert message.headers["X-Click"] == link
    assert "github" not in str(message)
    assert message.body["message"].endswith(link)


LINK = "http://plant.example/cases/e1"
TEXT = f"Outer-race defect, 94 % sure\nAlarm since 14:02\n\n{LINK}"


def test_teams_receives_an_adaptive_card(tmp_path, monkeypatch):
    """The message that a workflow's webhook takes: learn.microsoft.com, Adaptive Cards in Teams."""
    authority = Authority(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*authority.issue("teams", names=("127.0.0.1",)))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
    with receiving(tls=tls) as (got, address):
        path = "/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke"
        signature = "iXNU04eNJtxqMoB0f7sRKgnVGnDSNcfYFK0hEy8lyiE"
        asked = f"?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={signature}"
        transport.send(f"https://{address}{path}{asked}", "Feed pump P-101", TEXT)
    [message] = got
    assert message.path.startswith(f"{path}?")
    assert f"sig={signature}" in message.path
    assert message.headers["Content-Type"] == "application/json"
    assert message.body["type"] == "message"
    [attached] = message.body["attachments"]
    assert attached["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attached["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    title, text = card["body"]
    assert (title["type"], title["text"]) == ("TextBlock", "Feed pump P-101")
    assert (text["type"], text["wrap"]) == ("TextBlock", True)
    *lines, link = TEXT.replace("\n\n", "\n").splitlines()
    assert text["text"].split("\n\n") == [*lines, f"[{link}]({link})"]


def test_slack_receives_an_attachment_with_the_text(monkeypatch):
    """The message that an incoming webhook takes: docs.slack.dev, secondary attachments."""
    with receiving(answer=b"ok") as (got, address):
        monkeypatch.setattr(NotifySlack, "webhook_url", f"http://{address}/services")
        own = "T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7"
        transport.send(f"https://hooks.slack.com/services/{own}", "Pump <P-101>", TEXT)
    [message] = got
    assert message.path == f"/services/{own}"
    assert message.headers["Content-Type"].startswith("application/json")
    [attached] = message.body["attachments"]
    assert attached["title"] == "Pump &lt;P-101&gt;", "Slack reads <…> as a link"
    assert attached["text"] == TEXT


def test_a_secret_is_never_shown_again(administered, webhook):
    _, url = webhook
    client = administered.client
    api = "/api/v1/notifications"
    made = client.post(f"{api}/channels", json={"name": "hook", "url": url}).json()
    change = {"name": "hook 2", "url": None, "language": "en", "enabled": True}
    client.put(f"{api}/channels/{made['id']}", json=change)
    wrong = client.post(f"{api}/channels", json={"name": "x", "url": "what://ever"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "channel_unusable")
    gone = "json://eva:" + SECRET + "@127.0.0.1:1/hook"
    broken = client.post(f"{api}/channels", json={"name": "gone", "url": gone}).json()
    tried = client.post(f"{api}/channels/{broken['id']}/test", json={}).json()
    assert (tried["state"], bool(tried["error"])) == ("failed", True)
    assert client.post(f"{api}/channels/{made['id']}/test", json={}).json()["state"] == "sent"
    seen = [client.get(f"{api}/{what}").text for what in ("channels", "deliveries", "rules")]
    seen += [client.get("/api/v1/audit").text, tried["error"]]
    assert not any(SECRET in text for text in seen)
    assert "send message" in {e["action"] for e in client.get("/api/v1/audit").json()["items"]}
    viewer = client_of(administered)
    assert viewer.get(f"{api}/channels").status_code == 401


def planner(store: DashboardStore) -> Notifier:
    return Notifier(store, lambda: Freshness(int(time.time() * 1000), 10**9), "http://page", "UTC")


def recent(name: str = "e1", **more: Any) -> Any:
    now = int(time.time() * 1000)
    return event(name, now - HOUR, **{"reasons": SEEN, **more})


def test_failures_are_retried_and_workers_send_once(opened_store, again, mailbox, monkeypatch):
    monkeypatch.setattr(notifier, "FOLD_MS", 0)
    channel = StoredChannel("c1", "shift", mailbox.url, "en", True, "ada", 0)
    opened_store.write(lambda db: notifications.put_channel(db, channel))
    opened_store.write(lambda db: notifications.put_rule(db, "r1", RULE, "ada", 0))
    stored(opened_store, inventory(), recent())
    other = DashboardStore(again()) if opened_store.engine.turns > 1 else opened_store
    both = [planner(opened_store), planner(other)]
    mailbox.down = True
    for one in both:
        one.plan()
        one.deliver()
    eventually(lambda: notifications.failing(opened_store.read(), int(time.time() * 1000)), 1)
    [failed] = notifications.view_newest(opened_store.read(), None, 10)
    assert (failed.state, failed.attempts, "451" in failed.error) == ("waiting", 1, True)
    mailbox.down = False
    opened_store.write(lambda db: notifications.retry(db, failed.id, 0))
    for one in both:
        one.deliver()
    eventually(lambda: mailbox.subjects != [], True)
    # a process that starts again plans nothing twice
    later = planner(opened_store)
    later.plan()
    later.deliver()
    assert mailbox.subjects == ["Feed pump P-101: Outer-race defect, Pump, drive end, bearing 6205"]
    if other is not opened_store:
        other.close()


@pytest.fixture
def case(opened_store):
    stored(opened_store, inventory(), recent())
    return compose.view_active(
        opened_store.read(), Freshness(int(time.time() * 1000), 10**9)
    ).items[0]


NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)  # a Monday


def reasons(
    rule: Rule, case: Any, before: Planned | None = None, now: datetime = NOON
) -> list[str]:
    known = {} if before is None else {(rule.id, case.id): before}
    return [one.reason for one in rules.wanted(rule, [case], known, now)]


def ago(minutes: float, **more: Any) -> Planned:
    at = int((NOON - timedelta(minutes=minutes)).timestamp() * 1000)
    return replace(Planned(at, at, "alarm", 1, False), **more)


def with_(rule: Rule, **more: Any) -> Rule:
    return rule.model_copy(update=more)


def test_rules_of_time_area_and_severity(case):
    assert reasons(RULE, case) == ["opened"]
    assert reasons(with_(RULE, areas=("Hall 9",)), case) == []
    assert reasons(with_(RULE, areas=("Boiler house",)), case) == ["opened"]
    assert reasons(with_(RULE, enabled=False), case) == []
    warning = case.model_copy(update={"peak_condition": "warning"})
    assert reasons(with_(RULE, severity="alarm"), warning) == []
    assert reasons(RULE, case, ago(5, peak="warning")) == ["worse"]
    added = case.model_copy(update={"added_ms": ago(3).last_ms})
    assert [reasons(RULE, added, ago(minutes)) for minutes in (5, 1)] == [["worse"], []]
    acknowledged = case.model_copy(update={"attention": "in_hand"})
    assert reasons(RULE, acknowledged) == []
    # cool-down: what comes back says so once, an hour later
    back = case.model_copy(update={"repeats": case.repeats.model_copy(update={"times": 4})})
    assert reasons(RULE, back, ago(59)) == []
    assert reasons(RULE, back, ago(61)) == ["again"]
    assert reasons(RULE, back, ago(61, times=4)) == []
    # escalation
    hasty = with_(RULE, escalate_after_min=30, escalate_to=("boss",))
    assert reasons(hasty, case, ago(29)) == []
    [one] = rules.wanted(hasty, [case], {("r1", case.id): ago(31)}, NOON)
    assert (one.reason, one.channels) == ("escalated", ("boss",))
    assert reasons(hasty, case, ago(31, escalated=True)) == []
    # shift, quiet hours, digest
    day = with_(RULE, weekdays=(0, 1, 2, 3, 4), shift=Span(start="06:00", end="14:00"))
    assert reasons(day, case) == ["opened"]
    assert reasons(day, case, now=NOON + timedelta(hours=3)) == []
    assert reasons(day, case, now=NOON + timedelta(days=5)) == []
    quiet = with_(RULE, quiet_hours=Span(start="20:00", end="06:00"))
    assert reasons(quiet, warning, now=NOON + timedelta(hours=12)) == []
    assert reasons(quiet, case, now=NOON + timedelta(hours=12)) == ["opened"]
    digest = with_(RULE, digest_at="11:00")
    assert reasons(digest, case) == ["digest"]
    assert reasons(digest, case, now=NOON - timedelta(hours=2)) == []


SECRETS = ("TOKENPATH77", "QUERYSECRET55", "HEADSECRET11", "two words", "two+words", SECRET)


def test_no_log_and_no_answer_holds_a_secret(opened_store, caplog, capfd):
    """The peer sends back all that it got; Apprise logs the address itself."""
    caplog.set_level("DEBUG")
    got: list[str] = []

    def echo(connection: Any) -> None:
        asked = connection.recv(65536)
        got.append(asked.decode())
        body = b"INNER-ANSWER " + asked
        head = f"HTTP/1.1 500 x\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    one = planner(opened_store)
    with answering(echo) as address:
        query = "-key=QUERYSECRET55&+X-Token=HEADSECRET11&-other=two%20words"
        url = f"json://eva:{SECRET}@{address}/TOKENPATH77?{query}"
        row = StoredChannel("c1", "hook", url, "en", True, "ada", 0)
        opened_store.write(lambda db: notifications.put_channel(db, row))
        new = notifications.NewDelivery("k", "opened", "c1", "subject", "body", case_id="e1")
        opened_store.write(lambda db: notifications.plan(db, new, int(time.time() * 1000)))
        one.deliver()
        eventually(lambda: notifications.failing(opened_store.read(), int(time.time() * 1000)), 1)
    assert "TOKENPATH77?key=QUERYSECRET55&other=two+words" in got[0]
    assert "HEADSECRET11" in got[0]
    db = opened_store.read()
    [seen] = notifications.view_newest(db, None, 10)
    [all_of_it] = notifications.view_newest(db, None, 10, answers=True)
    assert "500" in seen.error
    assert "INNER-ANSWER" not in seen.error, "the text of an inner server, for viewers"
    assert "INNER-ANSWER" in all_of_it.error
    assert "INNER-ANSWER" not in notifications.last_errors(db)["c1"]
    stored = str(db.query("SELECT * FROM delivery")) + str(db.query("SELECT * FROM audit"))
    transport.described(url)
    reported = caplog.text + "".join(capfd.readouterr()) + stored + all_of_it.error
    assert [secret for secret in SECRETS if secret.lower() in reported.lower()] == []


@pytest.mark.parametrize(
    ("url", "hidden"),
    [
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#plant", "TIiajkdnlazkcOXrIdevi7FQ"),
        ("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "JHMHI8qBe7bk2ZwO5U711o3dV_js"),
        ("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "4174216298"),
        ("ntfys://tk_abcdefghijk@ntfy.plant.example/topic-of-plant", "topic-of-plant"),
        ("ntfys://tk_abcdefghijk@ntfy.plant.example/topic-of-plant", "tk_abcdefghijk"),
        ("msteams://team/aaaaaaaa@bbbbbbbb/cccccccc/dddddddd/", "cccccccc"),
        ("mailtos://eva:pass%2Fword@mail.plant.example?to=s@plant.example", "pass/word"),
    ],
)
def test_what_is_secret_in_an_address_of_each_service(url, hidden):
    text = f"POST https://hooks.example/services/x/{hidden.upper()}/y failed for s@plant.example"
    cleaned = secrets.without(text, secrets.of_url(url))
    assert hidden.lower() not in cleaned.lower()
    assert "failed for s@plant.example" in cleaned
