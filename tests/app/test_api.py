"""The HTTP API: lists, pages, errors in clear words, and a description that is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from auscult.app.http.server import create_app
from auscult.app.people.access import CODE_FILE
from auscult.app.settings import DashboardSettings
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.inventory import Configuration
from auscult.contract.message import MAX_TIME_MS
from auscult.link.broker import BrokerSettings
from lab.documents import commands
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.waiting import DEADLINE_S, eventually, wait_until

MACHINE = "plant~gw1~pump-3"


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


@pytest.fixture(scope="module")
def described():
    """The description of the API."""
    return create_app(DashboardSettings(), BrokerSettings()).openapi()


def test_all_times_have_the_limit_of_messages(described):
    """What is asked for or entered for a later time could be sent to no gateway."""
    limits = map(float, re.findall(r'"exclusiveMaximum": ([\d.]+)', json.dumps(described)))
    milliseconds = {limit for limit in limits if 1e12 <= limit < 1 << 53}
    assert milliseconds == {MAX_TIME_MS}


def test_every_operation_is_described_with_an_example_of_its_main_answer(described):
    lacking = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            name = f"{method} {path}"
            if not (operation.get("summary") and operation.get("description")):
                lacking.append(f"{name}: says not what it does")
            good = {s: a for s, a in operation["responses"].items() if s.startswith("2")}
            assert good, name
            for status, answer in good.items():
                for media, content in answer.get("content", {}).items():
                    if media not in NO_TEXT and "example" not in content:
                        lacking.append(f"{name}: no example of {status} {media}")
    assert lacking == []


NO_TEXT = {
    "audio/wav", "application/vnd.apache.parquet", "application/octet-stream", "application/pdf",
    "image/jpeg",
}  # fmt: skip
"""Of these no example can be shown in a document."""


LISTS = (
    "/api/v1/machines", "/api/v1/gateways", "/api/v1/events", "/api/v1/labels",
    "/api/v1/alarms/load?since_ms=0&until_ms=9000000000000",
    "/api/v1/report?since_ms=0&until_ms=9000000000000",
)  # fmt: skip


def test_lists_that_are_polled_need_not_be_sent_again(dashboard, gateway):
    gateway.say_hello("pump-3")
    # the last that is said: nothing comes after it
    eventually(lambda: dashboard.count("point"), 2)
    wait_until(
        lambda: all(
            p["heard_ms"] for p in dashboard.get(f"/api/v1/machines/{MACHINE}")["point_states"]
        ),
        what="both points",
    )
    tags = {}
    for path in LISTS:
        first = dashboard.client.get(path)
        tags[path] = first.headers["ETag"]
        again = dashboard.client.get(path, headers={"If-None-Match": tags[path]})
        assert (again.status_code, again.content) == (304, b""), path
        assert again.headers["ETag"] == tags[path]
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 1)
    for path in LISTS[2:3] + LISTS[4:]:
        changed = dashboard.client.get(path, headers={"If-None-Match": tags[path]})
        assert changed.status_code == 200, path
        assert changed.headers["ETag"] != tags[path]


def test_events_come_in_pages_and_by_filter(dashboard, gateway):
    ids = [m.ulid() for _ in range(7)]
    for i, identity in enumerate(ids):
        # two begin at the same instant
        t = 1_000_000 + 1000 * (i // 2)
        more = {"phase": "end", "ended_ms": t + 10} if i < 3 else {}
        peak = "alarm" if i % 2 else "warning"
        machine = "pump-3" if i else "fan-1"
        gateway.publish(
            m.event(machine, identity, started_ms=t, updated_ms=t + 10, peak_condition=peak)
            .model_copy(update=more)
        )  # fmt: skip
    eventually(lambda: dashboard.count("event"), 7)
    got, cursor = [], None
    while True:
        params = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        page = dashboard.get("/api/v1/events", **params)
        got += [event["id"] for event in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert got == sorted(ids, reverse=True)

    def matching(**params):
        return {e["id"] for e in dashboard.get("/api/v1/events", **params)["items"]}

    assert matching(state="open") == set(ids[3:])
    assert matching(state="closed") == set(ids[:3])
    assert matching(machine_id="plant~gw1~fan-1") == {ids[0]}
    assert matching(peak_condition="alarm") == set(ids[1::2])
    assert matching(until_ms=1_001_000) == set(ids[:2])
    assert matching(since_ms=1_003_000) == set(ids[6:])
    gateway.publish(m.lesson("pump-3", ids[4], "label-0001"))
    eventually(lambda: dashboard.count("label"), 1)
    assert matching(labelled=True) == {ids[4]}
    assert matching(labelled=False) == set(ids) - {ids[4]}


def test_spectra_of_points_and_events(dashboard, gateway):
    event_id = m.ulid()
    gateway.publish(m.event("pump-3", event_id))
    first = m.spectrum("pump-3", "DE-H", window_ms=1000)
    second = m.spectrum(
        "pump-3", "DE-H", window_ms=2000, event_id=event_id, kind="envelope",
        band_hz=(2000.0, 4000.0), speed_rpm=1480.0,
    )  # fmt: skip
    gateway.publish(first)
    gateway.publish(second)
    eventually(lambda: dashboard.count("spectrum"), 2)
    path = f"/api/v1/machines/{MACHINE}/points/DE-H/spectra"
    assert [s["id"] for s in dashboard.get(path)["items"]] == [second.id, first.id]
    assert [s["id"] for s in dashboard.get(path, kind="spectrum")["items"]] == [first.id]
    latest = dashboard.get(f"{path}/latest")
    assert latest["id"] == second.id
    assert latest["band_hz"] == [2000, 4000]
    assert (latest["window"], latest["averages"], latest["df_hz"]) == ("hann", 8, 2)
    assert latest["values"] == pytest.approx(second.values, rel=1e-6)
    assert dashboard.get(f"/api/v1/spectra/{first.id}")["values"][8] == pytest.approx(8 / 4096)
    (ref,) = dashboard.get(f"/api/v1/events/{event_id}")["spectra"]
    assert (ref["id"], ref["kind"]) == (second.id, "envelope")


def test_a_trend_over_http(dashboard, gateway):
    for i in range(50):
        gateway.publish(m.trend("pump-3", "DE-H", i * 60_000, float(i)))
    eventually(lambda: dashboard.count("trend WHERE tier_s = 0"), 50)
    trend = dashboard.get(
        f"/api/v1/machines/{MACHINE}/points/DE-H/trend",
        start_ms=0, end_ms=3_000_000, feature=["kurtosis", "crest_factor"], max_points=5,
    )  # fmt: skip
    buckets = {
        "unit": "",
        "minimum": [-0.5, 9.5, 19.5, 29.5, 39.5],
        "mean": [4.5, 14.5, 24.5, 34.5, 44.5],
        "maximum": [9.5, 19.5, 29.5, 39.5, 49.5],
    }
    assert trend == {
        "machine_id": MACHINE, "point": "DE-H", "start_ms": 0, "end_ms": 3_000_000,
        "bucket_ms": 600_000, "t_ms": [i * 600_000 for i in range(5)], "windows": [600] * 5,
        "condition": ["normal"] * 5,
        "series": [{"feature": name, **buckets} for name in ("kurtosis", "crest_factor")],
        "features": dict(zip(m.FEATURES, ("mm/s", "", "", "g"), strict=True)), "bands": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status", "code", "words"),
    [
        ("/api/v1/machines/a~b~c", 404, "not_found", "no machine a~b~c"),
        ("/api/v1/gateways/a~b", 404, "not_found", "no gateway a~b"),
        ("/api/v1/events/x", 404, "not_found", "no event x"),
        ("/api/v1/labels/x", 404, "not_found", "no label x"),
        ("/api/v1/commands/x", 404, "not_found", "no command x"),
        ("/api/v1/spectra/x", 404, "not_found", "no spectrum x"),
        ("/api/v1/machines/a~b~c/points/p/trend", 404, "not_found", "no measuring point"),
        ("/api/v1/events?cursor=malformed", 422, "cursor_unknown", "cursor"),
        ("/api/v1/events?limit=1000", 422, "invalid_request", "query.limit: must be at most 200"),
        ("/api/v1/machines/a~b~c/points/p/trend?start_ms=5&end_ms=4", 422, "empty_period", "5"),
        ("/api/v1/unheard-of", 404, "no_such_path", "/api/openapi.json"),
        ("/api", 404, "no_such_path", "/api/openapi.json"),
    ],
)
def test_errors_are_problem_details(dashboard, path, status, code, words):
    answer = dashboard.client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert words in problem["detail"]
    assert problem["instance"] == path.partition("?")[0]


def test_an_internal_error_discloses_nothing(dashboard, monkeypatch):
    from auscult.app.store import machines

    monkeypatch.setattr(machines, "view_all", lambda *a: 1 / 0)
    answer = dashboard.client.get("/api/v1/machines")
    assert answer.status_code == 500
    assert "division" not in answer.text
    assert answer.headers["content-security-policy"]


# --- what the description promises holds for any request -----------------------------------


@pytest.fixture(scope="module")
def schema(described):
    """The requests of the description; made here, since each process collects this file."""
    return schemathesis.openapi.from_dict(described)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A dashboard that knows a machine, and is asked by an administrator: all doors are open."""
    from tests.app.conftest import RunningDashboard

    folder = tmp_path_factory.mktemp("dashboard")
    broker = BrokerSettings(host="127.0.0.1", port=1)
    running = RunningDashboard(folder, broker, login="required")
    administrator = {
        "name": "ada",
        "password": "correct horse battery",
        "code": (folder / CODE_FILE).read_text().strip(),
    }
    running.client.post("/api/v1/session/first-administrator", json=administrator)
    messages = [
        m.status(), m.inventory("pump-3"), m.machine_state("pump-3"),
        m.point_state("pump-3", "DE-H"), m.trend("pump-3", "DE-H", 0, 1.0),
        m.event("pump-3", m.ulid()), m.spectrum("pump-3", "DE-H"),
        Configuration(ts=m.now_ms(), version="v1"),
    ]  # fmt: skip
    origin = Origin("plant", "gw1", m.now_ms())
    store = running.dashboard.store
    store.write(lambda db: [store_message(db, origin, message) for message in messages])
    yield running
    running.stop()


@pytest.fixture
def node_with_id(request):
    """Give the test the attribute that schemathesis 4.32 reads and pytest 9.2 no longer has."""
    request.node._nodeid = request.node.nodeid


requests = schemathesis.pytest.from_fixture("schema").exclude(
    path=["/api/v1/live", "/api/v1/topics"]
)


@pytest.mark.usefixtures("node_with_id")
@pytest.mark.timeout(3000)  # all operations, one after the other
@requests.parametrize()
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_any_request_gets_a_documented_answer(served, case):
    if isinstance(case.query, dict) and "wait_s" in case.query:
        case.query["wait_s"] = 0
    # whoever signs out could ask for nothing else
    signs_out = (case.method, case.path) == ("DELETE", "/api/v1/session")
    cookies = {} if signs_out else dict(served.client.cookies)
    response = case.call(base_url=served.url, cookies=cookies, timeout=DEADLINE_S)
    case.validate_response(
        response,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )


def test_an_administrator_was_let_in_to_the_end(served):
    """The requests above were not all refused at the door."""
    assert served.client.get("/api/v1/people").status_code == 200


def test_every_path_is_in_the_documentation(described):
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    page += commands.page().replace("`/", "`/api/v1/")
    missing = [path for path in described["paths"] if f"`{path}`" not in page]
    assert not missing, f"docs/api.md: {missing}"
