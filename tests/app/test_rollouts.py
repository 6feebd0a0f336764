"""Rollouts of updates: two at once, and clocks that are set while one runs."""

from __future__ import annotations

from typing import Any

import pytest

from auscult.app.people.sessions import Person
from auscult.app.settings import RolloutSettings
from auscult.app.store import rollouts
from auscult.app.updates.rollouts import RolloutError, begin
from auscult.app.views import Rollout, UpdateBundle
from auscult.app.views.roles import Role
from auscult.contract.parts import UpdatePart
from tests.app import messages as m
from tests.app.conftest import PASSWORD, administer
from tests.app.messages import FakeGateway
from tests.waiting import wait_until

YEAR_S = 365 * 86_400
PLATFORM = "x86_64-3.11"
ADA = Person("ada", Role.ADMINISTRATOR)


@pytest.fixture
def offering(dashboards, tmp_path):
    """A dashboard that offers version 2.0."""
    updates = RolloutSettings(folder=tmp_path / "bundles", address="http://127.0.0.1:1")
    running = administer(dashboards(login="required", updates=updates))
    running.wait_connected()
    bundle = UpdateBundle(
        sha256="ab" * 32, version="2.0", platform=PLATFORM, size=1, actor="ada",
        added_ms=m.now_ms(),
    )  # fmt: skip
    running.dashboard.store.write(lambda db: rollouts.add_bundle(db, bundle))
    return running


def say(gateway: FakeGateway, version: str, update: UpdatePart | None = None) -> None:
    status = m.status(version=version, platform=PLATFORM, updatable=True, update=update)
    gateway.send(gateway.topics.status, status, retain=True)


def begin_rollout(running: Any, **body: Any) -> None:
    given = {"version": "2.0", "stages": ["1", "100%"], **body}
    answer = running.client.post("/api/v1/updates/rollouts", json=given)
    assert answer.status_code == 201, answer.text


def first(running: Any) -> Rollout:
    """Read the store: a session has ended where the clock is a year ahead."""
    found: Rollout = rollouts.view_all(running.dashboard.store.read())[0]
    return found


def all_heard(running: Any) -> bool:
    """Tell whether each gateway was received within a day of the present clock."""
    query = "SELECT min(heard_ms) FROM gateway"
    (heard_ms,) = running.dashboard.store.read().execute(query).fetchone()
    return bool(heard_ms > m.now_ms() - 86_400_000)


def states(running: Any) -> list[str]:
    return [one.state for one in first(running).gateways]


@pytest.fixture
def looked(monkeypatch):
    """`looked(running)` waits until the dashboard has looked at its rollouts once more."""
    begun, running_rollouts = [], rollouts.running

    def counted(db):
        begun.append(1)
        return running_rollouts(db)

    monkeypatch.setattr(rollouts, "running", counted)

    def wait(running: Any) -> None:
        before = len(begun)

        def whole() -> bool:  # one under way, a whole one (each reads twice at most), the next
            running.dashboard.rollouts.wake()
            return len(begun) >= before + 4

        wait_until(whole, what="a look at the rollouts")

    return wait


def updated(gateway: FakeGateway, running: Any) -> None:
    part = UpdatePart(rollout=first(running).id, version="2.0", step="installed")
    say(gateway, "2.0", part)


def test_two_people_begin_a_rollout_at_the_same_time(opened_store):
    """Both were planned before either was stored: the second is rejected, not carried on beside."""

    def one(gateways: dict[str, int]) -> str:
        return opened_store.write(lambda db: begin(db, "2.0", gateways, ADA, 0, 60))

    one({"plant~gw1": 0, "plant~gw2": 1})
    with pytest.raises(RolloutError, match="plant~gw2"):
        one({"plant~gw2": 0, "plant~gw3": 0})
    assert len(rollouts.view_all(opened_store.read())) == 1
    one({"plant~gw3": 0})


@pytest.fixture
def gateways(offering, mosquitto):
    """Two gateways of version 1.0."""
    two = [FakeGateway(mosquitto.settings, "plant", f"gw{n}") for n in (1, 2)]
    for gateway in two:
        say(gateway, "1.0")
    wait_until(lambda: offering.count("gateway") == 2, what="two gateways")
    yield two
    for gateway in two:
        gateway.stop()


def test_a_clock_set_ahead_ends_no_wait_and_stops_no_rollout(offering, gateways, clock, looked):
    begin_rollout(offering, wait_s=3600, timeout_s=3600)
    wait_until(lambda: states(offering) == ["offered", "waiting"], what="the first offer")

    clock.ahead_s = YEAR_S
    looked(offering)
    assert (first(offering).state, states(offering)) == ("running", ["offered", "waiting"])
    updated(gateways[0], offering)
    wait_until(lambda: states(offering) == ["updated", "waiting"], what="the first gateway")
    clock.ahead_s = 2 * YEAR_S
    say(gateways[1], "1.0")
    updated(gateways[0], offering)
    wait_until(lambda: all_heard(offering), what="both gateways")
    looked(offering)
    assert (first(offering).stage, states(offering)) == (0, ["updated", "waiting"])


@pytest.mark.parametrize("resumed", [False, True])
def test_a_clock_set_back_stops_no_rollout_for_a_year(resumed, offering, gateways, clock, looked):
    begin_rollout(offering, wait_s=2, timeout_s=3600)
    wait_until(lambda: states(offering) == ["offered", "waiting"], what="the first offer")
    updated(gateways[0], offering)
    wait_until(lambda: states(offering)[0] == "updated", what="the first gateway")
    path = f"/api/v1/updates/rollouts/{first(offering).id}"
    if resumed:
        assert offering.client.post(path, json={"action": "stop"}).is_success
    clock.ahead_s = -YEAR_S
    say(gateways[1], "1.0")
    updated(gateways[0], offering)
    if resumed:
        looked(offering)
        who = {"name": "ada", "password": PASSWORD}  # a session from the future has ended
        assert offering.client.post("/api/v1/session", json=who).is_success
        assert offering.client.post(path, json={"action": "resume"}).is_success
    wait_until(lambda: states(offering) == ["updated", "offered"], what="the second stage")


def test_a_clock_set_ahead_while_the_dashboard_is_down_stops_no_rollout(
    offering, gateways, dashboards, clock, looked
):
    begin_rollout(offering, timeout_s=3600)
    wait_until(lambda: states(offering) == ["offered", "waiting"], what="the first offer")
    offering.stop()
    clock.ahead_s = YEAR_S
    again = dashboards(login="required", updates=offering.dashboard.settings.updates)
    again.wait_connected()
    looked(again)
    assert (first(again).state, states(again)) == ("running", ["offered", "waiting"])


def test_waits_count_only_the_time_in_which_the_dashboard_runs(opened_store):
    opened_store.write(lambda db: begin(db, "2.0", {"plant~gw1": 0}, ADA, 60, 60))
    begun_ms = rollouts.view_all(opened_store.read())[0].advanced_ms
    day_ms = 86_400_000
    for now_ms, advanced_ms in (
        (begun_ms + day_ms + 5000, begun_ms + day_ms),  # it ran for 5 s
        (begun_ms + day_ms + 6000, begun_ms + day_ms + 6000),  # never a wait from the future
    ):
        opened_store.write(lambda db, now=now_ms: rollouts.shift_waits(db, day_ms, now))
        [rollout] = rollouts.view_all(opened_store.read())
        assert (rollout.advanced_ms, rollout.gateways[0].changed_ms) == (advanced_ms, advanced_ms)
