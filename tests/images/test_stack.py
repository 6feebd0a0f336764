"""The stack of docker/compose.yaml, from its start to an alarm seen through the API, and on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.images.stack import SERVICES, Stack

pytestmark = [pytest.mark.image, pytest.mark.timeout(1800)]

WRITABLE = {"broker": "/var/lib/mosquitto", "dashboard": "/data", "gateway": "/data"}
MACHINES = ("demo~gateway1~gearbox", "demo~gateway1~motor")


def machine(stack: Stack, machine_id: str) -> dict[str, Any]:
    return stack.get(f"/api/v1/machines/{machine_id}") or {}


def alarms(stack: Stack) -> list[dict[str, Any]]:
    found = stack.get("/api/v1/events", peak_condition="alarm")
    return found["items"] if found else []


def learned(stack: Stack) -> bool:
    states = [machine(stack, name).get("coverage") for name in MACHINES]
    return all(coverage and coverage["phase"] == "ready" for coverage in states)


@pytest.mark.parametrize("service", SERVICES)
def test_becomes_healthy(stack: Stack, service: str) -> None:
    stack.wait(lambda: stack.healthy(service), 120, f"{service} healthy")


@pytest.mark.parametrize("service", SERVICES)
def test_has_no_rights(stack: Stack, service: str) -> None:
    status = stack.run_in(service, "cat /proc/1/status").split("\n")
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    assert "0" not in fields["Uid"].split()
    assert int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"


@pytest.mark.parametrize("service", SERVICES)
def test_writes_to_its_volume_only(stack: Stack, service: str) -> None:
    folders = f"/ /etc /opt /usr {WRITABLE[service]}"
    probe = "touch $d/probe 2>/dev/null && rm $d/probe && echo $d"
    assert stack.run_in(service, f"for d in {folders}; do {probe}; done").split() == [
        WRITABLE[service]
    ]


def test_the_broker_turns_strangers_away(stack: Stack) -> None:
    publish = "mosquitto_pub -h 127.0.0.1 -t auscult/v1/demo/gateway1/status -m x"
    without_name = f"XDG_CONFIG_HOME=/ {publish}"
    assert "not authorised" in stack.run_in("broker", without_name).lower()
    assert "not authorised" in stack.run_in("broker", f"{publish} -u gateway1 -P no").lower()


def test_a_gateway_publishes_only_in_its_own_name(stack: Stack) -> None:
    def login(user: str) -> str:
        return f'-h 127.0.0.1 -u {user} -P "$(cat /run/secrets/mqtt_{user})"'

    for gateway in ("gateway2", "gateway1"):
        topic = f"auscult/v1/demo/{gateway}/probe"
        stack.run_in("broker", f"mosquitto_pub {login('gateway1')} -q 1 -r -t {topic} -m x")
    listen = f"mosquitto_sub {login('dashboard')} -t auscult/v1/demo/+/probe -v -W 2"
    received = stack.run_in("broker", listen)
    assert "gateway1/probe" in received
    assert "gateway2/probe" not in received


def test_every_machine_is_learned(stack: Stack) -> None:
    stack.wait(lambda: learned(stack), 600, "a baseline of every machine")


def test_an_alarm_is_seen_through_the_dashboard(stack: Stack) -> None:
    event = stack.wait(lambda: alarms(stack), 600, "an alarm")[0]
    assert event["machine_id"] in MACHINES
    assert event["reasons"]
    assert event["ids"]["model_id"]
    assert event["ids"]["baseline_id"]


def test_the_broker_may_restart(stack: Stack) -> None:
    stack.compose("restart", "--timeout=10", "broker")
    stack.wait(
        lambda: (stack.get("/api/health") or {}).get("broker") == "connected",
        90,
        "dashboard connected again",
    )
    assert "mosquitto.db" in stack.run_in("broker", "ls /var/lib/mosquitto")


def test_stops_on_sigterm_and_resumes_with_what_was_learned(stack: Stack) -> None:
    baselines = {name: machine(stack, name)["ids"]["baseline_id"] for name in MACHINES}
    events = {event["id"] for event in alarms(stack)}
    stack.compose("stop", "--timeout=10", *SERVICES)
    for service in SERVICES:
        killed_after_timeout = 137
        assert int(stack.inspect(service, "{{.State.ExitCode}}")) != killed_after_timeout, service
    stack.compose("start", *SERVICES)

    def received_again() -> bool:
        states = [machine(stack, name) for name in MACHINES]
        return all(state.get("condition") and not state["stale"] for state in states)

    stack.wait(received_again, 120, "both machines received again")
    for name in MACHINES:
        state = machine(stack, name)
        assert state["condition"] != "learning"
        assert state["ids"]["baseline_id"] == baselines[name] != ""
    assert events <= {event["id"] for event in alarms(stack)}
