"""Rights per site: a person of one site gets nothing of another by any path, on both databases."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from auscult import app
from auscult.app.people import accounts, sessions
from auscult.app.store import checksums, scope
from auscult.app.store.connection import Engine
from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from auscult.app.views.roles import Role
from lab.documents import rights
from tests.app import messages as m
from tests.app.conftest import DATABASES, PASSWORD, RunningDashboard, administer, client_of
from tests.app.messages import FakeGateway
from tests.app.test_live import Listener
from tests.conftest import Mosquitto
from tests.waiting import wait_until

OWN, OTHER = "north", "north-b"
"""One name begins with the other."""


class Plant:
    """Two sites with a machine, an event, a case, a trend, a spectrum, a clip and a label each."""

    def __init__(self, dashboard: RunningDashboard, broker: Mosquitto) -> None:
        self.dashboard = dashboard
        self.gateways = {
            site: FakeGateway(broker.settings, site, f"gw-{site}") for site in (OWN, OTHER)
        }
        for site, gateway in self.gateways.items():
            machine = f"pump-{site}"
            gateway.say_hello(machine)
            gateway.publish(m.event(machine, f"event-{site}"))
            gateway.publish(m.trend(machine, "DE-H", m.now_ms() - 60_000))
            gateway.publish(m.spectrum(machine, "DE-H"))
            gateway.publish(m.run_up(machine, "DE-H"))
            gateway.publish(m.clip(machine, "DE-H"))
        for table in ("event", "trend", "spectrum", "run_up", "clip", "machine_case"):
            wait_until(lambda t=table: dashboard.count(t) >= 2, what=table)
        for site in self.gateways:
            label = {"id": f"label-{site}", "verdict": "false_alarm", "note": f"note {site}"}
            self.post(f"/events/event-{site}/labels", label)
            self.post(f"/cases/event-{site}/notes", {"text": f"note {site}"})
            place = {"x": 0.5, "y": 0.5}
            answer = dashboard.client.put(f"/api/v1/map/places/{self.machine(site)}", json=place)
            assert answer.status_code == 200, answer.text

    @staticmethod
    def machine(site: str) -> str:
        return f"{site}~gw-{site}~pump-{site}"

    def ids(self, site: str) -> dict[str, str]:
        db = self.dashboard.dashboard.store.read()
        [clip] = db.execute("SELECT id FROM clip WHERE machine_id = ?", (self.machine(site),))
        [run_up] = db.execute("SELECT id FROM run_up WHERE machine_id = ?", (self.machine(site),))
        [spectrum] = db.execute(
            "SELECT id FROM spectrum WHERE machine_id = ?", (self.machine(site),)
        )
        return {
            "machine_id": self.machine(site),
            "gateway_id": f"{site}~gw-{site}",
            "event_id": f"event-{site}",
            "case_id": f"event-{site}",
            "label_id": f"label-{site}",
            "command_id": f"label-{site}",
            "clip_id": clip[0],
            "run_up_id": run_up[0],
            "spectrum_id": spectrum[0],
            "point": "DE-H",
        }

    def post(self, path: str, body: dict[str, Any]) -> None:
        answer = self.dashboard.client.post(f"/api/v1{path}", json=body)
        assert answer.is_success, answer.text

    def person(self, name: str, sites: dict[str, str]) -> httpx.Client:
        body = {"name": name, "role": "viewer", "password": PASSWORD, "sites": sites}
        self.post("/people", body)
        return client_of(self.dashboard, name)

    def stop(self) -> None:
        for gateway in self.gateways.values():
            gateway.stop()


@pytest.fixture(scope="module")
def plants(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Plant]]:
    """`plants(database)` is the one plant on it; each test names people of its own."""
    made: dict[str, Plant] = {}
    with contextlib.ExitStack() as ends:

        def of(database: str) -> Plant:
            if database not in made:
                folder = tmp_path_factory.mktemp(database)
                broker = Mosquitto(folder)
                ends.callback(broker.stop)
                broker.start()
                place = {}
                if database == "postgresql":
                    place["database"] = request.getfixturevalue("cluster").database()
                running = RunningDashboard(
                    folder / "dashboard", broker.settings, login="required", **place
                )
                ends.callback(running.stop)
                running.wait_connected()
                made[database] = Plant(administer(running), broker)
                ends.callback(made[database].stop)
            return made[database]

        yield of


@pytest.fixture
def plant(plants: Callable[[str], Plant], database: str) -> Plant:
    return plants(database)


def filled(path: str, ids: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)[^}]*\}", lambda found: ids.get(found[1], "nothing"), path)


NEW = itertools.count()
POINT = {"id": "p", "kind": "vibration", "unit": "g", "fs_hz": 25_600}


def bodies(ids: dict[str, str]) -> dict[str, Any]:
    """A valid body for each endpoint that changes something of a site, by the end of its path."""
    why = {"reason": "because"}
    return {
        "/labels": {"verdict": "false_alarm"},
        "/preview": {"verdict": "false_alarm"},
        "/faults": {"start_ms": m.now_ms() - 60_000, "end_ms": m.now_ms() - 1000},
        "/faults/preview": {"start_ms": m.now_ms() - 60_000, "end_ms": m.now_ms() - 1000},
        "/retire": why, "/out-of-service": why, "/out_of_service": why, "/start_baseline": why,
        "/approve_baseline": {"baseline_id": "b"}, "/set_limits": {"limits": None},
        "/return-to-service": {}, "/unshelve": {},
        "/work-finished": {},
        "/shelve": {**why, "duration_s": 600}, "/acknowledge": {}, "/reopen": why,
        "/assign": {"assignee": "eva"}, "/notes": {"text": "a note"},
        "/hand-over": {"text": "a note"}, "/order": {"system_id": "s"},
        "/close": {"finding": {"result": "no_fault", "kind": None, "text": ""}},
        "/baseline": why, "/baseline/stop": {}, "/baseline/approve": {"baseline_id": "b"},
        "/limits": {"limits": None}, "/roll-back": {}, "/spectra": {}, "/clips": {},
        "/delta": {"delta": "AAAA"}, "/places/" + ids["machine_id"]: {"x": 0.1, "y": 0.1},
        "/configuration": {"machines": [], "sources": []},
        "/promote": {"checkpoint_id": "c"}, "/reject": {"checkpoint_id": "c"},
        "/configuration/table": {"table": "id\n"},
        "/tables/head": {},
        "/tables": {"table": "a.csv", "machines": [{"id": "m"}]},
        "/sources/trial": {"machine": {"id": "m", "points": [POINT]}, "source": {"type": "opcua"}},
    }  # fmt: skip


@pytest.mark.parametrize("database", DATABASES)
def test_no_path_gives_a_person_anything_of_another_site(plant: Plant, database: str) -> None:
    del database
    nora = plant.person("nora", {OWN: "engineer"})
    own, other = plant.ids(OWN), plant.ids(OTHER)
    span = {"since_ms": 0, "until_ms": m.now_ms() + 60_000}
    seen = 0
    for method, path, _ in rights.endpoints(rights.application()):
        if method != "GET" or path.endswith(("/live", "/topics")):
            continue
        for ids in (own, other):
            query = {**span, "machine_id": ids["machine_id"], "x": "DE-H", "y": "NDE-H", "order": 1}
            for params in (query, {**span, "x": "DE-H", "y": "NDE-H", "order": 1}):
                answer = nora.get(filled(path, ids), params=params)
                assert answer.status_code != 500, (path, answer.text)
                text = answer.text if answer.status_code == 200 else ""
                assert OTHER not in text, (path, text[:2000])
                seen += OWN in text
    assert seen > 20, "the test itself reaches the data"
    # the same paths do give it to an administrator
    for path in ("/api/v1/machines", "/api/v1/events", "/api/v1/exports/events.csv"):
        assert OTHER in plant.dashboard.client.get(path, params=span).text


def test_what_a_path_names_of_another_site_is_not_found(plant: Plant) -> None:
    noah = plant.person("noah", {OWN: "engineer"})
    ids = plant.ids(OTHER)
    now = m.now_ms()
    query = {"since_ms": 0, "until_ms": now, "x": "DE-H", "y": "NDE-H", "order": 1}
    found = {}
    for method, path, _ in rights.endpoints(rights.application()):
        if method == "GET" and set(re.findall(r"\{(\w+)", path)) & (ids.keys() - {"point"}):
            found[path] = noah.get(filled(path, ids), params=query).status_code
    assert len(found) > 15
    assert {path: code for path, code in found.items() if code != 404} == {}


def test_no_request_changes_anything_of_another_site(plant: Plant) -> None:
    nina = plant.person("nina", {OWN: "engineer"})
    ids = plant.ids(OTHER)
    tried = 0
    before = len(plant.gateways[OTHER].commands)
    counts = {t: plant.dashboard.count(t) for t in ("command", "label", "case_entry", "map_place")}
    audited = plant.dashboard.count("audit")
    for method, path, _ in rights.endpoints(rights.application()):
        named = set(re.findall(r"\{(\w+)", path)) & (ids.keys() - {"point"})
        if method == "GET" or not named:
            continue
        url = filled(path, ids)
        matching = [end for end in bodies(ids) if url.endswith(end)]
        given = bodies(ids)[max(matching, key=len)] if matching else {}
        known = {"id": f"request-{next(NEW)}-of-nina"}
        for body in ({**given, **known}, given):
            code = nina.request(method, url, json=body).status_code
            if code != 422:
                break
        assert code in (403, 404), (method, url, code)
        tried += 1
    assert tried > 25
    assert plant.dashboard.count("audit") == audited
    assert {t: plant.dashboard.count(t) for t in counts} == counts
    assert len(plant.gateways[OTHER].commands) == before

    bulk = {
        "id": "request-bulk", "template": ids["machine_id"], "machines": [ids["machine_id"]],
        "parts": ["limits"], "dry_run": False,
    }  # fmt: skip
    assert nina.post("/api/v1/commissioning/bulk", json=bulk).status_code == 404
    # a photo of the other site's case, asked for by the own case's id
    photo = nina.get(f"/api/v1/cases/event-{OWN}/photos/any")
    assert photo.status_code == 404


def test_an_id_that_another_site_used_is_not_found(plant: Plant) -> None:
    noor = plant.person("noor", {OWN: "technician"})
    path = f"/api/v1/machines/{plant.machine(OWN)}/shelve"
    for site, code in ((OTHER, 404), (OWN, 409)):
        used = {"id": plant.ids(site)["command_id"], "reason": "repair", "duration_s": 600}
        assert noor.post(path, json=used).status_code == code


def test_a_rule_names_the_own_sites_only(plant: Plant) -> None:
    admin = plant.dashboard.client
    nick = plant.person("nick", {OWN: "viewer"})
    new = {"name": "a channel", "url": "json://127.0.0.1:9"}
    channel = admin.post("/api/v1/notifications/channels", json=new).json()["id"]
    rule = {
        "enabled": True, "channels": [channel], "areas": [], "severity": "alarm", "weekdays": [],
        "shift": None, "quiet_hours": None, "alarms_in_quiet_hours": True, "cool_down_min": 0,
        "escalate_after_min": None, "escalate_to": [], "digest_at": None,
    }  # fmt: skip
    for name, sites in (("both", [OWN, OTHER]), ("other", [OTHER]), ("all", [])):
        body = {**rule, "name": name, "sites": sites}
        assert admin.post("/api/v1/notifications/rules", json=body).status_code == 201

    def shown(client: httpx.Client) -> dict[str, list[str]]:
        items = client.get("/api/v1/notifications/rules").json()["items"]
        return {one["name"]: one["sites"] for one in items}

    assert shown(nick) == {"both": [OWN], "all": []}
    assert shown(admin) == {"both": [OWN, OTHER], "other": [OTHER], "all": []}


def test_what_all_sites_share_is_changed_by_people_of_all_sites(plant: Plant) -> None:
    nele = plant.person("nele", {OWN: "engineer", OTHER: "engineer"})
    for method, path, body in (
        ("POST", "/notifications/channels", {"name": "a", "url": "mailto://h?to=a@b.c"}),
        ("POST", "/bearings", {"name": "own", "bpfo": 3, "bpfi": 5}),
        ("GET", "/topics?filter=%23", None),
    ):
        answer = nele.request(method, f"/api/v1{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "all_sites_needed"), path


def test_each_site_has_its_own_role(plant: Plant) -> None:
    vera = plant.person("vera", {OWN: "viewer", OTHER: "technician"})
    note = {"text": "seen"}
    session = vera.get("/api/v1/session").json()
    assert (session["role"], session["sites"]) == (
        "technician",
        {OWN: "viewer", OTHER: "technician"},
    )
    refused = vera.post(f"/api/v1/cases/event-{OWN}/notes", json=note)
    assert (refused.status_code, refused.json()["code"]) == (403, "role_needed")
    assert vera.post(f"/api/v1/cases/event-{OTHER}/notes", json=note).status_code == 201
    assert vera.get(f"/api/v1/machines/{plant.machine(OWN)}").status_code == 200
    baseline = {"id": "baseline-1"}
    below = vera.post(f"/api/v1/machines/{plant.machine(OTHER)}/baseline", json=baseline)
    assert below.status_code == 403


def test_the_live_stream_carries_the_own_sites_only(plant: Plant) -> None:
    nils = plant.person("nils", {OWN: "viewer"})
    cookie = "; ".join(f"{name}={value}" for name, value in nils.cookies.items())
    listener = Listener(f"{plant.dashboard.url}/api/v1/live", {"Cookie": cookie})
    wait_until(lambda: "hello" in listener.kinds(), what="the stream")
    for site in (OTHER, OWN):
        plant.gateways[site].publish(m.machine_state(f"pump-{site}", "warning"))
        plant.gateways[site].publish(m.event(f"pump-{site}", f"second-{site}"))
    wait_until(
        lambda: any(data["id"] == f"second-{OWN}" for data in listener.of("event")),
        what="the event",
    )
    plant.gateways[OTHER].publish(m.machine_state(f"pump-{OTHER}", "alarm"))
    plant.gateways[OWN].publish(m.machine_state(f"pump-{OWN}", "alarm"))
    wait_until(
        lambda: any(data["condition"] == "alarm" for data in listener.of("machine")), what="state"
    )
    assert not [event for event in listener.events if OTHER in str(event)]
    # new rights count at once: the stream ends
    change = {"sites": {OTHER: "viewer"}}
    assert plant.dashboard.client.patch("/api/v1/people/nils", json=change).status_code == 200
    listener.wait_ended()
    listener.close()


def test_a_token_has_sites_and_an_administrator_all(plant: Plant) -> None:
    body = {"name": "historian", "sites": {OWN: "viewer"}}
    made = plant.dashboard.client.post("/api/v1/tokens", json=body).json()
    program = client_of(plant.dashboard)
    program.headers["Authorization"] = f"Bearer {made['secret']}"
    [machine] = program.get("/api/v1/machines").json()["items"]
    assert machine["id"] == plant.machine(OWN)
    sites = {OWN: "administrator"}
    new = {"name": "eva", "role": "viewer", "password": PASSWORD, "sites": sites}
    for method, path, given in (
        ("PATCH", "/api/v1/people/ada", {"sites": sites}),
        ("POST", "/api/v1/people", new),
    ):
        answer = plant.dashboard.client.request(method, path, json=given)
        assert answer.json()["code"] == "administrator_of_sites", answer.text


def test_taking_the_last_site_away_does_not_give_all_sites(plant: Plant) -> None:
    lea = plant.person("lea", {OWN: "technician"})
    admin = plant.dashboard.client
    answer = admin.patch("/api/v1/people/lea", json={"sites": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "sites_without_role")
    [machine] = lea.get("/api/v1/machines").json()["items"]
    assert machine["id"] == plant.machine(OWN)
    given = {"sites": {}, "role": "viewer"}
    account = admin.patch("/api/v1/people/lea", json=given).json()
    assert (account["sites"], account["role"]) == ({}, "viewer")
    [entry, *_] = admin.get("/api/v1/audit?action=change account").json()["items"]
    assert entry["subject"] == "lea: role viewer, all sites"


def test_whoever_was_there_before_keeps_all_sites(opened_store: DashboardStore) -> None:
    def job(db: Any) -> None:
        db.execute(
            "INSERT INTO account (name, role, password_hash, created_ms) VALUES ('eva', 'viewer',"
            " '', 1)"
        )
        checksums.seal_all(db, ["account"])

    opened_store.write(job)
    token = opened_store.write(lambda db: sessions.begin(db, "eva", "", m.now_ms()))
    found = sessions.find(opened_store.read(), token, m.now_ms())
    assert found is not None
    assert found[0].sites_of(Role.VIEWER) is None
    account = accounts.view(opened_store.read(), "eva")
    assert account is not None
    assert account.sites == {}


def test_each_table_is_limited_or_named_as_shared(engine: Engine) -> None:
    store = DashboardStore(engine)
    sql = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%sqlite_%'"
        if isinstance(engine, SqliteFile)
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    tables = {row[0] for row in store.read().execute(sql)} - {"_sqlite_migrations", "migration"}
    store.close()
    assert not tables - scope.SITES_OF.keys() - scope.OF_THE_PLANT
    assert not scope.SITES_OF.keys() & scope.OF_THE_PLANT


def test_a_statement_that_can_not_be_limited_is_rejected() -> None:
    for sql in ("WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a", "UPDATE event SET id = 1"):
        with pytest.raises(ValueError, match="limited"):
            scope.limited(sql, frozenset({OWN}), "")
    with pytest.raises(ValueError, match="not a site"):
        scope.limited("SELECT * FROM event", frozenset({"a' OR 1=1 --"}), "")


def test_a_query_that_knows_nothing_of_sites_gets_the_own_rows_only(
    opened_store: DashboardStore,
) -> None:
    def fill(db: Any) -> None:
        for site in (OWN, OTHER):
            gateway = f"{site}~gw"
            db.execute(
                "INSERT INTO gateway (id, site, gateway) VALUES (?, ?, 'gw')", (gateway, site)
            )
            for name in ("a", "b"):
                db.execute(
                    "INSERT INTO machine (id, gateway_id, machine) VALUES (?, ?, ?)",
                    (f"{gateway}~{name}", gateway, name),
                )

    opened_store.write(fill)
    own, all_of_it = [f"{OWN}~gw~a", f"{OWN}~gw~b"], 4
    statements = (
        "SELECT id FROM machine ORDER BY id",
        "SELECT id FROM MACHINE ORDER BY id",
        'SELECT id FROM "machine" ORDER BY id',
        "SELECT m.id FROM gateway AS g, machine AS m WHERE m.gateway_id = g.id ORDER BY m.id",
        "WITH x AS (SELECT id FROM machine) SELECT id FROM x ORDER BY id",
        "SELECT id FROM (SELECT id FROM machine WHERE id IN (SELECT id FROM machine)) AS y",
    )
    everything = opened_store.read()
    for sql in statements:
        limited = scope.SomeSites(everything, {OWN})
        assert [row[0] for row in limited.execute(sql)] == own, sql
        assert [row["id"] for row in limited.query(sql)] == own, sql
        assert len(everything.execute(sql).fetchall()) == all_of_it
        assert not scope.SomeSites(everything, ()).execute(sql).fetchall(), "no site, no row"


def test_every_statement_is_limited_in_every_table() -> None:
    sql = scope.limited("SELECT 1", frozenset({OWN}), "main.")
    for table in scope.SITES_OF:
        assert f"{table} AS NOT MATERIALIZED (SELECT * FROM main.{table} WHERE" in sql


def test_no_query_names_a_table_with_its_schema() -> None:
    """Such a name would read past the limit."""
    found = [
        f"{path.name}: {line.strip()}"
        for path in Path(app.__file__).parent.rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(r"(?i)\b(from|join|in)\s+\(?[\"`\[]?(main|public|temp)[\"`\]]?\.", line)
    ]
    assert found == []
