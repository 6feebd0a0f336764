"""People: first start, sign-in, roles, sessions, other sites' pages, audit."""

from __future__ import annotations

import csv
import io
import sqlite3

import psycopg
import pytest
from fastapi.routing import APIRoute

from auscult.app import page_files
from auscult.app.http.server import create_app
from auscult.app.people import passwords, sessions
from auscult.app.people.access import CODE_FILE
from auscult.app.people.passwords import weakness
from auscult.app.settings import DashboardSettings
from auscult.app.views.roles import Role
from auscult.link.broker import BrokerSettings
from tests.app import messages as m
from tests.app.conftest import OTHER, PASSWORD, SHIPPED_HASHER, account, client_of, code
from tests.waiting import eventually


def test_nothing_but_health_and_the_session_answers_without_login(closed):
    application = create_app(DashboardSettings(), BrokerSettings())
    open_to_all = {
        "/api/health", "/metrics", "/api/v1/session", "/api/v1/session/first-administrator",
        "/sign-in", "/sign-in.css", "/api/v1/enrolment",
    }  # fmt: skip
    checked = 0
    for path, operations in application.openapi()["paths"].items():
        if path in open_to_all:
            continue
        for method in operations:
            url = path.replace("{", "").replace("}", "")
            answer = closed.client.request(method, url, json={})
            assert answer.status_code == 401, (method, path, answer.text)
            checked += 1
    assert checked >= 20
    assert all(not isinstance(r, APIRoute) or r.path for r in application.routes)
    assert closed.client.get("/api/health").status_code == 200


def test_the_first_start_asks_for_an_administrator(dashboards):
    closed = dashboards(login="required", time_zone="America/Lima")
    session = closed.get("/api/v1/session")
    assert session == {
        "login_required": True,
        "first_start": True,
        "name": None,
        "role": None,
        "sites": None,
        "demo": False,
        "time_zone": "America/Lima",
        "cases_a_week": None,
        "currency": "",
    }
    path = "/api/v1/session/first-administrator"
    good = {"name": "ada", "password": PASSWORD, "code": code(closed)}
    assert len(bytes.fromhex(good["code"])) == 5, "40 bits"
    assert closed.client.post(path, json=good | {"code": "guessed"}).status_code == 403
    weak = closed.client.post(path, json=good | {"password": "short"})
    assert weak.status_code == 422
    assert weak.json()["code"] == "password_short"
    answer = closed.client.post(path, json=good)
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert closed.get("/api/v1/session") == {
        "login_required": True, "first_start": False, "name": "ada", "role": "administrator",
        "sites": None, "demo": False, "time_zone": "America/Lima",
        "cases_a_week": None, "currency": "",
    }  # fmt: skip
    assert closed.client.post(path, json=good).status_code == 403, "only once"
    assert not (closed.dashboard.settings.data_dir / CODE_FILE).exists()


def test_signing_in_and_out(administered):
    client = client_of(administered)
    wrong = client.post("/api/v1/session", json={"name": "ada", "password": OTHER})
    unknown = client.post("/api/v1/session", json={"name": "bob", "password": PASSWORD})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json()["detail"] == unknown.json()["detail"], "does not reveal which names exist"
    client = client_of(administered, "ADA")
    assert client.get("/api/v1/machines").status_code == 200
    token = client.cookies["auscult_session"]
    stored = administered.dashboard.store.read().execute("SELECT token_hash FROM session")
    assert all(token not in row[0] for row in stored), "only its hash is stored"
    assert client.delete("/api/v1/session").status_code == 204
    client.cookies.set("auscult_session", token)
    assert client.get("/api/v1/machines").status_code == 401


@pytest.mark.parametrize("role", list(Role))
def test_roles_are_enforced(administered, role):
    if role is not Role.ADMINISTRATOR:
        account(administered, "eva", role)
    client = client_of(administered, "eva" if role is not Role.ADMINISTRATOR else "ada")
    asked = {"id": "command-1"}
    machine = "/api/v1/machines/a~b~c"
    attempts = {
        Role.VIEWER: [("GET", "/api/v1/machines", None), ("GET", "/api/v1/labels", None)],
        Role.TECHNICIAN: [
            ("POST", "/api/v1/events/e/labels", asked | {"verdict": "unsure"}),
            ("POST", "/api/v1/events/e/preview", {"verdict": "unsure"}),
            ("POST", f"{machine}/points/p/spectra", asked),
            ("POST", f"{machine}/faults", asked | {"start_ms": 1, "end_ms": 2}),
            ("POST", f"{machine}/faults/preview", {"start_ms": 1, "end_ms": 2}),
        ],
        Role.ENGINEER: [
            ("POST", f"{machine}/baseline", asked),
            ("POST", f"{machine}/roll-back", asked),
            ("GET", f"{machine}/delta", None),
            ("POST", f"{machine}/delta", asked | {"delta": "AAAA"}),
            ("POST", f"{machine}/baseline/approve", asked | {"baseline_id": "b"}),
            ("POST", "/api/v1/gateways/a~b/configuration", asked | {"machines": []}),
            ("POST", "/api/v1/gateways/a~b/configuration/table", asked | {"table": ""}),
            ("DELETE", "/api/v1/bearings/x", None),
        ],
        Role.ADMINISTRATOR: [
            ("GET", "/api/v1/people", None),
            ("GET", "/api/v1/audit", None),
            ("GET", "/api/v1/audit.csv", None),
            ("POST", "/api/v1/people", {"name": "zoe", "role": "viewer", "password": OTHER}),
            ("PATCH", "/api/v1/people/zoe", {"role": "engineer"}),
            ("GET", "/api/v1/tokens", None),
            ("POST", "/api/v1/tokens", {"name": "cmms"}),
            ("DELETE", "/api/v1/tokens/x", None),
        ],
    }
    for needed, requests in attempts.items():
        for method, path, body in requests:
            status = client.request(method, path, json=body).status_code
            assert (status == 403) == (not role.may(needed)), (method, path, status)


def test_the_signed_in_person_is_the_actor(mosquitto, dashboards, gateway):
    running = dashboards(login="required")
    body = {"name": "ada", "password": PASSWORD, "code": code(running)}
    running.client.post("/api/v1/session/first-administrator", json=body)
    running.wait_connected()
    event_id = m.ulid()
    gateway.publish(m.event("pump-3", event_id))
    eventually(lambda: running.count("event"), 1)
    body = {"id": "label-0001", "verdict": "unsure", "actor": "somebody else"}
    answer = running.client.post(f"/api/v1/events/{event_id}/labels", json=body)
    assert answer.json()["actor"] == "ada"
    assert gateway.commands[0][1]["actor"] == "ada"
    answer, entry = running.get("/api/v1/audit", action="label")["items"]
    assert (entry["actor"], entry["action"], entry["address"]) == ("ada", "label", "127.0.0.1")
    assert (entry["outcome"], answer["outcome"]) == ("sent", "done")
    assert entry["subject"].startswith("plant~gw1~pump-3: event of ")
    acknowledged = running.get("/api/v1/audit", action="acknowledge")["items"]
    assert {e["actor"] for e in acknowledged} == {"ada"}, "an answer acknowledges"


def test_sessions_expire(administered, monkeypatch):
    client = client_of(administered, "ada")
    assert client.get("/api/v1/machines").status_code == 200
    monkeypatch.setattr(sessions, "IDLE_MS", -1)
    assert client.get("/api/v1/machines").status_code == 401
    monkeypatch.setattr(sessions, "IDLE_MS", 1 << 40)
    monkeypatch.setattr(sessions, "LIFE_MS", -1)
    assert client.get("/api/v1/machines").status_code == 401


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"disabled": True}, {"password": OTHER}])
def test_a_changed_account_counts_at_once(administered, change):
    account(administered, "eva", "engineer")
    client = client_of(administered, "eva")
    assert administered.client.patch("/api/v1/people/eva", json=change).status_code == 200
    assert client.get("/api/v1/machines").status_code == 401
    if "disabled" in change:
        answer = client.post("/api/v1/session", json={"name": "eva", "password": PASSWORD})
        assert answer.status_code == 401


def test_the_last_administrator_stays(administered):
    for change in ({"role": "viewer"}, {"disabled": True}):
        answer = administered.client.patch("/api/v1/people/ada", json=change)
        assert answer.status_code == 422
        assert answer.json()["code"] == "last_administrator"
    assert administered.get("/api/v1/session")["role"] == "administrator", "nothing was changed"


def test_names_are_unique_and_well_formed(administered):
    account(administered, "eva", "viewer")
    for name in ("EVA", "e", "a b", "x" * 65, "<script>"):
        body = {"name": name, "role": "viewer", "password": PASSWORD}
        assert administered.client.post("/api/v1/people", json=body).status_code == 422, name


def test_ones_own_password(administered):
    path = "/api/v1/session/password"
    change = administered.client.put
    assert change(path, json={"old": OTHER, "new": OTHER}).status_code == 403
    assert change(path, json={"old": PASSWORD, "new": "short"}).status_code == 422
    assert change(path, json={"old": PASSWORD, "new": OTHER}).status_code == 204
    assert client_of(administered, "ada", OTHER)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_other_sites_pages_change_nothing(administered, headers):
    body = {"name": "eva", "role": "administrator", "password": PASSWORD}
    answer = administered.client.post("/api/v1/people", json=body, headers=headers)
    assert answer.status_code == 403
    assert len(administered.get("/api/v1/people")["items"]) == 1
    form = "application/x-www-form-urlencoded"
    answer = administered.client.post(
        "/api/v1/people", content="name=eva", headers={"Content-Type": form}
    )
    assert answer.status_code == 422, "only JSON is read"
    own = {"Sec-Fetch-Site": "same-origin", "Origin": administered.url}
    assert administered.client.post("/api/v1/people", json=body, headers=own).status_code == 201


def test_the_audit_can_not_be_changed_and_is_exported(administered):
    account(administered, "eva", "viewer")
    store = administered.dashboard.store
    for sql in ("DELETE FROM audit", "UPDATE audit SET actor = 'x'"):
        with pytest.raises(
            (sqlite3.IntegrityError, psycopg.IntegrityError), match="only ever added to"
        ):
            store.write(lambda db, sql=sql: db.execute(sql))
    first = administered.get("/api/v1/audit", limit=1)
    rest = administered.get("/api/v1/audit", before=first["next_before"])
    actions = [e["action"] for e in first["items"] + rest["items"]]
    assert actions == ["make account", "first administrator"]
    assert first["actions"] == ["first administrator", "make account"]

    def found(**which):
        return [e["action"] for e in administered.get("/api/v1/audit", **which)["items"]]

    assert found(action="make account") == ["make account"]
    assert found(actor="eva") == []
    assert found(text="EVA: VIEWER") == ["make account"]
    assert found(until_ms=first["items"][0]["at_ms"]) == ["first administrator"]
    assert found(since_ms=first["items"][0]["at_ms"]) == ["make account"]
    store.write(lambda db: db.execute(
        "INSERT INTO audit (at_ms, actor, address, action, subject, outcome)"
        " VALUES (1, '=cmd()', '', 'x', '', '')"))  # fmt: skip
    table = administered.client.get("/api/v1/audit.csv")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["action"] for row in rows] == ["first administrator", "make account", "x"]
    assert rows[2]["actor"] == "'=cmd()", "no formula for a spreadsheet"


@pytest.fixture
def page_folder(tmp_path, monkeypatch):
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "index.html").write_text("the page")
    monkeypatch.setattr(page_files, "FOLDER", tmp_path / "static")


def test_the_page_sends_visitors_to_sign_in(page_folder, closed):
    client = client_of(closed)
    answer = client.get("/machines/x?tab=trend")
    assert answer.status_code == 303
    form = answer.headers["location"]
    assert form == "/sign-in?to=%2Fmachines%2Fx%3Ftab%3Dtrend"
    page = client.get(form)
    assert "Code" in page.text
    assert "script" not in page.text
    assert client.get("/sign-in.css").headers["content-type"].startswith("text/css")
    fields = {"name": "ada", "password": PASSWORD, "code": "guessed"}
    refused = client.post(form, data=fields)
    assert refused.status_code == 401
    assert 'role="alert"' in refused.text
    assert 'value="ada"' in refused.text
    answer = client.post(form, data=fields | {"code": code(closed)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/machines/x?tab=trend")
    assert client.get("/machines/x").text == "the page"
    other = client_of(closed)
    assert "Code" not in other.get("/sign-in").text
    german = other.get("/sign-in", headers={"Accept-Language": "de-AT,en;q=0.5"}).text
    assert '<html lang="de">' in german
    assert "<button>Anmelden</button>" in german
    answer = other.post("/sign-in?to=//evil.example", data={"name": "ada", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert other.post("/sign-in", content=b"x" * 5000).status_code == 413
    assert other.post("/sign-in", data={"name": "<b>", "password": "x"}).status_code == 401


def test_login_off_is_reported_and_needs_no_session(dashboard):
    assert dashboard.get("/api/v1/session") == {
        "login_required": False, "first_start": False, "name": None, "role": "engineer",
        "sites": None, "demo": False, "time_zone": dashboard.dashboard.time_zone,
        "cases_a_week": None, "currency": "",
    }  # fmt: skip
    refused = dashboard.client.get("/api/v1/people")
    assert (refused.status_code, refused.json()["code"]) == (403, "role_needed_login_off")


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("a" * 11, "password_short"),
        ("a" * 300, "password_long"),
        ("aaaaaaaaaaaabb", "password_monotonous"),
        ("evaeva123456", None),
        ("evangeline-12", "password_of_name"),
    ],
)
def test_a_weak_password_is_rejected_with_the_reason(password, code):
    problem = weakness(password, "evangeline" if code == "password_of_name" else "eve")
    assert (problem and problem.code) == code


def test_passwords_are_hashed_as_rfc_9106_recommends(monkeypatch):
    monkeypatch.setattr(passwords, "HASHER", SHIPPED_HASHER)
    stored = passwords.hashed(PASSWORD)
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "its second choice: low memory"
    assert passwords.matches(PASSWORD, stored)
    assert not passwords.matches(PASSWORD, None), "an unknown account"
