"""People: first start, sign-in, roles, lock-out, sessions, other sites' pages, audit."""

from __future__ import annotations

import csv
import io
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import httpx
import psycopg
import pytest
from fastapi.routing import APIRoute

from auscult.app import page_files
from auscult.app.http.server import create_app
from auscult.app.people import attempts, sessions
from auscult.app.people.gate import CODE_FILE
from auscult.app.people.passwords import weakness
from auscult.app.settings import DashboardSettings
from auscult.app.views.roles import Role
from auscult.gateway.messages.broker import BrokerSettings
from tests.app import messages as m
from tests.app.conftest import OTHER, PASSWORD, account, client_of, code, eventually


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


def test_the_first_start_asks_for_an_administrator(closed):
    session = closed.get("/api/v1/session")
    assert session == {
        "login_required": True,
        "first_start": True,
        "name": None,
        "role": None,
        "sites": None,
        "demo": False,
    }
    path = "/api/v1/session/first-administrator"
    good = {"name": "ada", "password": PASSWORD, "code": code(closed)}
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
        "sites": None, "demo": False,
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
    answer, entry = running.get("/api/v1/audit")["items"][:2]
    assert (entry["actor"], entry["action"], entry["address"]) == ("ada", "label", "127.0.0.1")
    assert (entry["outcome"], answer["outcome"]) == ("sent", "done")
    assert entry["subject"].startswith("plant~gw1~pump-3: event of ")


def test_guessing_locks_for_a_while(administered, monkeypatch):
    account(administered, "eva", "viewer")
    guess = client_of(administered)
    for _ in range(attempts.FREE_FAILURES):
        answer = guess.post("/api/v1/session", json={"name": "eva", "password": OTHER})
        assert answer.status_code == 401
    right = {"name": "eva", "password": PASSWORD}
    assert guess.post("/api/v1/session", json=right).status_code == 401, "locked out"
    eva = next(p for p in administered.get("/api/v1/people")["items"] if p["name"] == "eva")
    assert eva["locked_until_ms"] > m.now_ms()
    assert client_of(administered, "ada"), "others are not"
    administered.client.patch("/api/v1/people/eva", json={"disabled": False})
    assert guess.post("/api/v1/session", json=right).status_code == 204, "unlocked"
    refused = [e for e in administered.get("/api/v1/audit")["items"] if e["outcome"] == "refused"]
    assert len(refused) == attempts.FREE_FAILURES + 1


def test_parallel_guesses_count_one_by_one(administered):
    account(administered, "eva", "viewer")

    def guess(_number):
        body = {"name": "eva", "password": OTHER}
        return client_of(administered).post("/api/v1/session", json=body, timeout=60)

    with ThreadPoolExecutor(10) as pool:
        statuses = {answer.status_code for answer in pool.map(guess, range(10))}
    assert statuses == {401}
    (failures,) = (
        administered.dashboard.store.read()
        .execute("SELECT failures FROM attempt WHERE account = 'eva'")
        .fetchone()
    )
    assert failures == attempts.FREE_FAILURES, "the others were not even tried"


def test_a_guesser_locks_out_itself_and_not_the_owner(opened_store):
    def attempt(address, now_ms):
        return opened_store.write(lambda db: attempts.begin(db, "ada", address, now_ms))

    assert attempt("10.0.4.17", 0)
    opened_store.write(lambda db: attempts.succeeded(db, "ada", "10.0.4.17", 0))
    for guesser in range(20):
        while attempt(f"192.168.0.{guesser}", 1000):
            pass
    assert not attempt("192.168.0.200", 2000), "a new address, while many guess"
    assert attempt("10.0.4.17", 2000), "an address that ada has signed in from"
    assert attempt("192.168.0.200", 2000 + attempts.QUIET_MS)


def test_a_flood_from_one_address_is_limited(administered, monkeypatch):
    monkeypatch.setattr(attempts, "ATTEMPTS_A_MINUTE", 2)
    client, body = client_of(administered), {"name": "unknown-1", "password": OTHER}
    answers = [client.post("/api/v1/session", json=body, timeout=60) for _ in range(4)]
    late = answers[-1]
    assert (late.status_code, late.json()["code"]) == (429, "too_many_attempts")
    form = client.post("/sign-in", data={"name": "ada", "password": PASSWORD})
    assert form.status_code == 429


def test_a_lock_ends_by_itself(administered, monkeypatch):
    monkeypatch.setattr(attempts, "LOCK_MS", (1, 1))
    account(administered, "eva", "viewer")
    guess = client_of(administered)
    for _ in range(attempts.FREE_FAILURES):
        guess.post("/api/v1/session", json={"name": "eva", "password": OTHER})
    assert client_of(administered, "eva")


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


def made_token(running, **more):
    answer = running.client.post("/api/v1/tokens", json={"name": "cmms", **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def program(running, secret):
    return httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {secret}"})


def test_a_program_uses_a_token(administered):
    token = made_token(administered)
    assert token["secret"].startswith("auscult_")
    (listed,) = administered.get("/api/v1/tokens")["items"]
    assert listed == {k: v for k, v in token.items() if k != "secret"}
    stored = administered.dashboard.store.read().execute("SELECT token_hash FROM token")
    assert all(token["secret"] not in row[0] for row in stored), "only its hash is stored"
    client = program(administered, token["secret"])
    assert client.get("/api/v1/machines").status_code == 200
    assert administered.get("/api/v1/tokens")["items"][0]["used_ms"] is not None
    assert client.get("/api/v1/people").status_code == 403
    refused = client.post("/api/v1/machines/a~b~c/baseline", json={"id": "command-1"})
    assert refused.status_code == 403, "a viewer"
    for secret in ("x", "auscult_guessed", token["secret"][:-1]):
        assert program(administered, secret).get("/api/v1/machines").status_code == 401
    both = client_of(administered, "ada")
    both.headers["Authorization"] = "Bearer guessed"
    assert both.get("/api/v1/machines").status_code == 401, "no cookie stands in for it"


def test_what_a_program_does_is_audited_under_its_own_name(administered):
    token = made_token(administered, role="engineer")
    client = program(administered, token["secret"])
    body = {"name": "ours", "balls": 8, "ball_diameter_mm": 10, "pitch_diameter_mm": 40}
    # no browser, so no other site's page: tokens need no check for that
    elsewhere = {"Origin": "http://cmms.example"}
    answer = client.post("/api/v1/bearings", json=body, headers=elsewhere)
    assert answer.status_code == 201, answer.text
    entry = administered.get("/api/v1/audit")["items"][0]
    assert (entry["actor"], entry["action"]) == ("token:cmms", "add bearing")
    made = administered.get("/api/v1/audit", action="make token")["items"]
    assert made[0]["actor"] == "ada"
    assert all(token["secret"] not in str(e) for e in administered.get("/api/v1/audit")["items"])


def test_tokens_end(administered):
    token = made_token(administered)
    client = program(administered, token["secret"])
    assert client.get("/api/v1/machines").status_code == 200
    path = f"/api/v1/tokens/{token['id']}"
    assert administered.client.delete(path).status_code == 204
    assert administered.client.delete("/api/v1/tokens/none").status_code == 404
    assert client.get("/api/v1/machines").status_code == 401
    assert administered.get("/api/v1/tokens")["items"][0]["revoked_ms"] is not None
    late = made_token(administered, expires_ms=m.now_ms() - 1)
    assert program(administered, late["secret"]).get("/api/v1/machines").status_code == 401
    for wrong in ({"role": "administrator"}, {"name": "token:x"}, {"name": ""}):
        answer = administered.client.post("/api/v1/tokens", json={"name": "x y", **wrong})
        assert answer.status_code == 422, wrong


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
        "sites": None, "demo": False,
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
