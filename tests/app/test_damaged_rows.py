"""One damaged value of any table costs one row at most: every page, list and PDF still answers."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from auscult.app.settings import RolloutSettings
from auscult.app.store import rollouts
from auscult.app.store.scope import OF_THE_PLANT, SITES_OF
from auscult.app.store.sqlite import SqliteDatabase
from auscult.app.views import UpdateBundle
from auscult.contract.inventory import Configuration
from auscult.contract.learning import Checkpoints
from lab.documents import rights
from tests.app import messages as m
from tests.app.conftest import PASSWORD, RunningDashboard, account, administer, client_of
from tests.app.messages import FakeGateway
from tests.app.pump_events import SEEN, inventory
from tests.app.test_notification import body
from tests.app.test_plant_map import png
from tests.app.test_sites import filled
from tests.conftest import Mosquitto
from tests.waiting import wait_until

TABLES = sorted((SITES_OF.keys() | OF_THE_PLANT) - {"feature_set", "trouble"})
"""Feature sets are shared by trends, so one is no row of a list."""
OF_PUMP = "/api/v1/machines/plant~gw1~pump-3/"
Values = dict[str, Any]
UNREADABLE: Values = {"TEXT": '{"truncated": ', "INTEGER": 1 << 62, "BLOB": b"\x01"}
WRONG: Values = {"TEXT": "[1]", "INTEGER": -1, "BLOB": b""}


class Plant:
    """Everything that answers read, two rows a table."""

    def __init__(self, running: RunningDashboard, gateway: FakeGateway) -> None:
        self.running, self.gateway = administer(running), gateway
        self.path = running.dashboard.store.engine.path
        client = running.client
        gateway.say_hello("pump-3", "fan-1")
        gateway.publish(inventory())
        gateway.publish(m.inventory("pump-3", "fan-1"))
        for machine in ("pump-3", "fan-1"):
            gateway.publish(m.event(machine, f"event-{machine}", reasons=SEEN, points=("DE-H",)))
            gateway.publish(m.trend(machine, "DE-H", m.now_ms() - 60_000))
            gateway.publish(m.spectrum(machine, "DE-H", event_id=f"event-{machine}"))
            gateway.publish(m.run_up(machine, "DE-H"))
            gateway.publish(m.clip(machine, "DE-H"))
            gateway.publish(m.lesson(machine, f"event-{machine}", f"label-{machine}"))
            gateway.publish(m.machine_state(machine, evidence=0.5))
            gateway.publish(Checkpoints(ts=m.now_ms(), machine=machine, active="a"))
        gateway.publish(Configuration(ts=m.now_ms(), version="1"))
        for table in ("event", "trend", "spectrum", "run_up", "clip", "machine_case", "label"):
            wait_until(lambda t=table: running.count(t) >= 2, what=table)
        for name in ("bob", "eva"):
            account(running, name, "engineer")
            client_of(running, name).close()
            self.post("/tokens", {"name": name, "role": "engineer"})
            self.post("/bearings", {"name": name, "bpfo": 5.99, "bpfi": 9.01})
            hook = {"name": name, "url": f"json://127.0.0.1:1/{name}"}
            channel = self.post("/notifications/channels", hook)["id"]
            self.post("/notifications/rules", rule(name, channel))
            self.post("/reports/schedules", schedule(name, channel))
        for fault in ("outer", "inner"):
            steps = [{"text": {"en": "Call", "de": ""}, "detail": None, "minutes": 5}]
            body = {"action": None, "source": "our rules", "steps": steps}
            assert client.put(f"/api/v1/prescriptions/{fault}/pump", json=body).is_success
        templates = client.get("/api/v1/order-templates").json()["items"]
        system = {"url": "http://127.0.0.1:1", "template": templates[0], "secrets": {}}
        system = self.post("/order-systems", system)["id"]
        for machine in ("pump-3", "fan-1"):
            case = f"/cases/event-{machine}"
            self.post(f"{case}/notes", {"text": "a note"})
            label = {"id": f"given-{machine}", "verdict": "false_alarm"}
            self.post(f"/events/event-{machine}/labels", label)
            self.post(f"{case}/order", {"system_id": system, "text": "x", "priority": "high"})
            photo = client.post(f"/api/v1{case}/photos", content=png(40, 20))
            assert photo.is_success, photo.text
            place = {"x": 0.5, "y": 0.5}
            assert client.put(f"/api/v1/map/places/plant~gw1~{machine}", json=place).is_success
        assert client.put("/api/v1/map/picture", content=png(40, 20)).is_success
        bundle = UpdateBundle(
            sha256="ab" * 32, version="2.0", platform="x86_64-3.11", size=1, actor="ada",
            added_ms=m.now_ms(),
        )  # fmt: skip
        running.dashboard.store.write(lambda db: rollouts.add_bundle(db, bundle))
        with self.open() as db:
            for number in ("1", "2"):
                db.execute(
                    "INSERT INTO rollout (id, version, download_key, actor, created_ms, state,"
                    " stage, wait_s, timeout_s, advanced_ms) VALUES (?, '2.0', ?, 'ada', 1,"
                    " 'done', 0, 1, 1, 1)",
                    (number, number),
                )
                db.execute(
                    "INSERT INTO rollout_gateway (rollout_id, gateway_id, stage, state,"
                    " changed_ms) VALUES (?, 'plant~gw1', 0, 'updated', 1)",
                    number,
                )
                db.execute(
                    "INSERT INTO enrolment (tag, code_key, site, gateway, actor, created_ms,"
                    " expires_ms) VALUES (?, '', 'plant', 'gw2', 'ada', 1, 1)",
                    number,
                )
            for trigger in ("changed", "deleted"):
                db.execute(f"DROP TRIGGER audit_is_never_{trigger}")
            db.commit()
            of_pump = "SELECT num FROM point WHERE point = 'DE-H' AND machine_id LIKE '%pump-3'"
            [self.point] = db.execute(of_pump).fetchone()
        self.reads = self.tables_read()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.running.client.post(f"/api/v1{path}", json=body)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    def items(self, path: str) -> int:
        answer = self.running.get(path)
        return len(answer.get("items") or answer["rollouts"])

    def discard(self) -> None:
        """Begin to count damaged rows."""
        damage = self.running.dashboard.store.engine.damage
        damage._rows.clear()

    def write(self, sql: str) -> None:
        with self.open() as db:
            db.execute(sql)
            db.commit()

    def open(self) -> contextlib.closing[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=60)
        db.row_factory = sqlite3.Row
        return closing(db)

    def answers(self, paths: list[str]) -> dict[str, Any]:
        """Return status and JSON of each GET."""
        found: dict[str, Any] = {}
        for path in paths:
            try:
                answer = self.running.client.get(path)
            except httpx.TransportError:  # an answer in pieces ended early
                found[path] = (500, None)
                continue
            is_json = answer.headers.get("content-type", "").startswith("application/json")
            found[path] = (answer.status_code, answer.json() if is_json else None)
        return found

    def paths(self) -> list[str]:
        ids = {
            "machine_id": "plant~gw1~pump-3", "gateway_id": "plant~gw1", "point": "DE-H",
            "event_id": "event-pump-3", "case_id": "event-pump-3", "label_id": "label-pump-3",
            "name": "bob", "fault": "outer", "machine_class": "pump",
        }  # fmt: skip
        with self.open() as db:
            for table in ("command", "clip", "run_up", "spectrum"):
                ids[f"{table}_id"] = db.execute(f"SELECT id FROM {table}").fetchone()[0]
            ids["photo_id"] = db.execute("SELECT id FROM case_photo").fetchone()[0]
            ids["picture_id"] = db.execute("SELECT id FROM map_picture").fetchone()[0]
        span = f"since_ms=0&until_ms={m.now_ms() + 60_000}&x=DE-H&y=NDE-H&order=1"
        return [
            f"{filled(path, ids)}?{span}"
            for method, path, _ in rights.endpoints(rights.application())
            if method == "GET" and not path.endswith(("/live", "/topics"))
        ]

    def tables_read(self) -> dict[str, list[str]]:
        """Return which answers read each table."""
        seen: set[str] = set()
        originals = SqliteDatabase.execute, SqliteDatabase.query

        def noting(original: Any) -> Any:
            def run(db: Any, sql: str, values: Any = ()) -> Any:
                seen.update(re.findall(r"\w+", sql))
                return original(db, sql, values)

            return run

        SqliteDatabase.execute, SqliteDatabase.query = map(noting, originals)
        found: dict[str, list[str]] = {}
        try:
            for path in self.paths():
                seen.clear()
                assert self.running.client.get(path).status_code < 500, path
                for table in seen & set(TABLES):
                    found.setdefault(table, []).append(path)
        finally:
            SqliteDatabase.execute, SqliteDatabase.query = originals
        return found

    @contextlib.contextmanager
    def damaged(
        self, table: str, column: str, value: Any, where: str | None = None
    ) -> Iterator[None]:
        """Put a value in the place of one that is stored, in a row that is not the caller's own."""
        others = {"account": "name <> 'ada'", "session": "account <> 'ada'"}.get(table, "true")
        with self.open() as db:
            rows = list(map(dict, db.execute(f"SELECT * FROM {table} WHERE {where or others}")))
            row = next((row for row in rows if self._is_asked_for(table, row)), rows[0])
            keys = [
                one["name"] for one in db.execute(f"PRAGMA table_info({table})") if one["pk"]
            ] or list(row)
            self._put(db, table, keys, row, {**row, column: value})
        try:
            yield
        finally:
            with self.open() as db:
                self._put(db, table, keys, {**row, column: value}, row)

    def _is_asked_for(self, table: str, row: dict[str, Any]) -> bool:
        """Tell whether the paths that name one thing name this row's."""
        if table == "trend":
            return bool(row["point"] == self.point)
        return any(isinstance(v, str) and v.endswith("pump-3") for v in row.values())

    @staticmethod
    def _put(
        db: sqlite3.Connection, table: str, keys: list[str], old: dict[str, Any],
        new: dict[str, Any],
    ) -> None:  # fmt: skip
        where = " AND ".join(f"{key} IS ?" for key in keys)
        assert db.execute(f"DELETE FROM {table} WHERE {where}", [old[k] for k in keys]).rowcount
        marks = ", ".join("?" * len(new))
        db.execute(f"INSERT INTO {table} ({', '.join(new)}) VALUES ({marks})", list(new.values()))
        db.commit()


def rule(name: str, channel: str) -> dict[str, Any]:
    return body(name=name, channels=[channel], enabled=False)


def schedule(name: str, channel: str) -> dict[str, Any]:
    return {
        "name": name, "enabled": True, "machine_id": "plant~gw1~pump-3", "weekday": 0,
        "at": "06:00", "channels": [channel], "language": "de",
    }  # fmt: skip


def items_of(answer: tuple[int, Any]) -> int:
    status, body = answer
    items = body.get("items") if status == 200 and isinstance(body, dict) else None
    return len(items) if isinstance(items, list) else 0


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    folder = tmp_path_factory.mktemp("plant")
    with contextlib.ExitStack() as ends:
        broker = Mosquitto(folder)
        ends.callback(broker.stop)
        broker.start()
        updates = RolloutSettings(folder=folder / "bundles", address="http://127.0.0.1:1")
        running = RunningDashboard(
            folder / "dashboard", broker.settings, login="required", updates=updates
        )
        ends.callback(running.stop)
        running.wait_connected()
        gateway = FakeGateway(broker.settings)
        ends.callback(gateway.stop)
        yield Plant(running, gateway)


@pytest.mark.slow
@pytest.mark.parametrize("values", [UNREADABLE, WRONG], ids=["unreadable", "wrong"])
@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_value_costs_one_row_at_most(plant: Plant, table: str, values: Values) -> None:
    paths = plant.reads.get(table, [])
    with plant.open() as db:
        columns = [(one["name"], one["type"]) for one in db.execute(f"PRAGMA table_info({table})")]
    whole = plant.answers(paths)
    failed = []
    for column, kind in columns:
        with plant.damaged(table, column, values[kind]):
            for path, answer in plant.answers(paths).items():
                emptied = items_of(whole[path]) > 1 and not items_of(answer)
                # what is asked for by a damaged id is not found, and says so
                unknown = answer[0] == 404 and column == "id" and path.startswith(OF_PUMP)
                if answer[0] >= 500 or (emptied and not unknown):
                    failed.append((column, path.partition("?")[0], answer[0]))
    assert not failed, failed


@pytest.mark.parametrize(
    ("table", "column", "path"),
    [
        ("account", "role", "/api/v1/people"),
        ("account", "sites", "/api/v1/people"),
        ("token", "role", "/api/v1/tokens"),
        ("machine", "state", "/api/v1/machines"),
        ("machine_case", "peak_condition", "/api/v1/cases"),
        ("machine_case", "finding", "/api/v1/cases"),
        ("notify_rule", "body", "/api/v1/notifications/rules"),
        ("rollout", "said", "/api/v1/updates"),
        ("delivery", "created_ms", "/api/v1/notifications/deliveries"),
    ],
)
def test_a_damaged_row_is_left_out_and_reported(
    plant: Plant, caplog: pytest.LogCaptureFixture, table: str, column: str, path: str
) -> None:
    plant.discard()
    kind = "INTEGER" if column.endswith("_ms") else "TEXT"
    before = plant.items(path)
    with plant.damaged(table, column, UNREADABLE[kind]):
        for _ in range(2):
            assert plant.items(path) == before - 1
        health = plant.running.get("/api/health")
    assert (health["status"], health["damaged_rows"]) == ("degraded", 1)
    logged = [r for r in caplog.messages if f"of table {table} can't be read" in r]
    assert len(logged) == 1, "each row once"
    assert plant.items(path) == before


def test_a_damaged_name_plate_hides_no_machine_case_or_event(plant: Plant) -> None:
    plant.discard()
    paths = ("/api/v1/machines", "/api/v1/cases", "/api/v1/events")
    before = [plant.items(path) for path in paths]
    with plant.damaged("machine", "part", UNREADABLE["TEXT"]):
        assert [plant.items(path) for path in paths] == before
        shown = plant.running.get("/api/v1/machines/plant~gw1~pump-3")
        assert (shown["name"], plant.running.get("/api/health")["damaged_rows"]) == ("pump-3", 1)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("account", "role", "administrator"),
        ("account", "role", "engineez"),
        ("account", "sites", '{"north":"engineer"}'),
        ("account", "password_hash", "other"),
        ("account", "disabled", 2),
        ("session", "account", "eva"),
        pytest.param("session", "created_ms", m.now_ms() - 1, id="session-created_ms"),
        ("token", "role", "administrator"),
        ("token", "sites", '{"north":"engineer"}'),
        ("token", "expires_ms", 1 << 42),
        ("token", "name", "eva"),
    ],
)
def test_a_damaged_row_of_rights_gives_none(
    plant: Plant, table: str, column: str, value: Any
) -> None:
    plant.discard()
    plant.write("DELETE FROM session WHERE account = 'bob'")
    if table == "token":
        secret = plant.post("/tokens", {"name": "box", "role": "viewer"})["secret"]
        who = httpx.Client(
            base_url=plant.running.url, headers={"Authorization": f"Bearer {secret}"}
        )
        row = "name = 'box' AND revoked_ms IS NULL"
    else:
        who = client_of(plant.running, "bob")
        row = f"{'name' if table == 'account' else 'account'} = 'bob'"
    assert who.get("/api/v1/machines").status_code == 200
    with plant.damaged(table, column, value, row):
        assert who.get("/api/v1/machines").status_code == 401
        assert plant.running.get("/api/health")["damaged_rows"] == 1
        if table == "account":
            again = {"name": "bob", "password": PASSWORD}
            assert who.post("/api/v1/session", json=again).status_code == 401
            taken = plant.running.client.post("/api/v1/people", json={**again, "role": "viewer"})
            assert taken.json()["code"] == "name_taken"
    assert who.get("/api/v1/machines").status_code == 200
    who.close()
    plant.write("DELETE FROM token WHERE name = 'box'")
    plant.write("DELETE FROM session WHERE account = 'bob'")


def test_the_only_account_damaged_offers_no_first_start(plant: Plant) -> None:
    with plant.damaged("account", "role", "viewer", "name = 'ada'"):
        assert not plant.running.dashboard.access.first_start
