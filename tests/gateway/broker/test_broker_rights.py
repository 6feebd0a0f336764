"""The example broker of docker/: who may publish and receive what."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest

from auscult.app.commissioning.topic_preview import preview
from auscult.contract.topics import Topics
from auscult.link.link import Link, Received
from tests.gateway.broker.example_broker import (
    EXAMPLE,
    ExampleBroker,
    accepted,
    say,
    say_all,
    topics_of,
)
from tests.waiting import DEADLINE_S, wait_until

OWN, OTHER = Topics("plant", "gateway1"), Topics("plant", "gateway2")
SENT_BY_GATEWAYS = (
    "auscult/v1/plant/{id}/status",
    "auscult/v1/plant/{id}/pump/de/state",
    "auscult/v1/plant/{id}/ack/1",
    "spBv1.0/plant/NBIRTH/{id}",
    "spBv1.0/plant/NDEATH/{id}",
    "spBv1.0/plant/DDATA/{id}/pump",
    "homeassistant/device/{id}/pump/config",
)
READ_BY_GATEWAYS = (
    "auscult/v1/plant/{id}/cmd/label",
    "spBv1.0/plant/NCMD/{id}",
    "spBv1.0/plant/DCMD/{id}/pump",
)


def of(gateway: str, topics: tuple[str, ...]) -> list[str]:
    return [topic.format(id=gateway) for topic in topics]


def test_a_gateway_publishes_in_its_own_name_only(broker, authority):
    received: list[Received] = []
    spy = broker.secured(authority.client("scada"))
    house = broker.secured(authority.client("homeassistant"))
    gateway = broker.secured(authority.client("gateway1"))
    with (
        accepted(spy, "spy", "auscult/#", "spBv1.0/#", into=received),
        accepted(house, "house", "homeassistant/#", into=received),
        accepted(gateway, "gw1") as link,
    ):
        # A broker keeps the order: what comes after the forbidden ones shows that they did not.
        own = of("gateway1", SENT_BY_GATEWAYS)
        say(link, *of("gateway2", SENT_BY_GATEWAYS), "spBv1.0/STATE/scada", *own)
        wait_until(lambda: len(received) >= len(own))
        assert sorted(topics_of(received)) == sorted(own)


def test_a_gateway_receives_only_its_own_commands(broker, authority):
    received: list[Received] = []
    dashboard = broker.secured(authority.client("dashboard"))
    scada = broker.secured(authority.client("scada"))
    other = broker.secured(authority.client("gateway2"))
    with (
        accepted(broker.secured(authority.client("gateway1")), "gw1", "#", into=received),
        accepted(dashboard, "dashboard") as commander,
        accepted(scada, "scada") as host,
        accepted(other, "gw2") as neighbour,
    ):
        say(neighbour, OTHER.status)
        for gateway in ("gateway2", "gateway1"):
            json, *sparkplug = of(gateway, READ_BY_GATEWAYS)
            say(commander, json)
            say(host, *sparkplug)
        own = of("gateway1", READ_BY_GATEWAYS)
        wait_until(lambda: len(received) >= len(own))
        assert sorted(topics_of(received)) == sorted(own)


@pytest.mark.parametrize("user", ["scada", "homeassistant", "health", "dashboard", "transmitter"])
def test_no_other_user_publishes_as_a_gateway(broker, authority, user):
    """A lesson of a made-up gateway showed as the answer of a shift leader."""
    received: list[Received] = []
    spy = broker.secured(authority.client("dashboard"))
    with (
        accepted(spy, "spy", "auscult/#", into=received),
        accepted(broker.secured(authority.client(user)), "forger") as forger,
        accepted(broker.secured(authority.client("gateway1")), "gw1") as gateway,
    ):
        for name in (user, "gateway1", "ghost"):
            say(forger, *of(name, SENT_BY_GATEWAYS), f"auscult/v1/plant/{name}/ghost/lesson")
        say(gateway, OWN.status)
        wait_until(lambda: OWN.status in topics_of(received))
        assert topics_of(received) == [OWN.status]


def test_a_sensor_publishes_below_its_own_name_only(broker, authority):
    received: list[Received] = []
    leaked: list[Received] = []
    own = broker.secured(authority.client("transmitter"))
    with (
        accepted(broker.secured(authority.client("gateway1")), "gw1", "sensors/#", into=received),
        accepted(own, "sensor", "auscult/#", "sensors/#", into=leaked) as sensor,
        accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander,
    ):
        say(commander, OWN.command("label"))
        say(sensor, "sensors/other/wave", "sensors/transmitter/wave")
        wait_until(lambda: received)
        assert topics_of(received) == ["sensors/transmitter/wave"]
        assert leaked == []


def test_a_name_that_is_no_gateways_is_rejected():
    for name in ("dashboard", "b gateway+", "x/#", "*"):
        done = subprocess.run(
            ["sh", EXAMPLE / "make-acl.sh", EXAMPLE], capture_output=True, text=True,
            env={**os.environ, "AUSCULT_GATEWAYS": name},
        )  # fmt: skip
        assert done.returncode == 2
        assert "AUSCULT_GATEWAYS" in done.stderr


def test_commands_that_wait_are_not_given_to_another_who_takes_the_name(broker, authority):
    """A session belongs to a client id, which anyone can claim: its queue must not leak."""
    own = broker.secured(authority.client("gateway1"))
    away = Link(own, "auscult-plant-gateway1", subscriptions=[OWN.commands], manual_ack=True)
    away.start()
    assert away.wait_connected(DEADLINE_S)
    away.stop()
    with accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander:
        done: list[bool] = []
        assert commander.publish(
            OWN.command("label"), b"{}", on_delivered=lambda: done.append(True)
        )
        wait_until(lambda: done, what="the command is with the broker")
    received: list[Received] = []
    thief = Link(
        broker.secured(authority.client("gateway2")),
        "auscult-plant-gateway1",
        on_message=received.append,
        subscriptions=[OTHER.commands],
    )
    thief.start()
    assert thief.wait_connected(DEADLINE_S)
    with accepted(broker.secured(authority.client("dashboard")), "dashboard") as commander:
        say(commander, OWN.command("label"), OTHER.command("label"))
        wait_until(lambda: OTHER.command("label") in topics_of(received))
    thief.stop()
    assert topics_of(received) == [OTHER.command("label")]


def test_the_preview_names_the_line_that_opens_a_topic(authority, tmp_path):
    """Mosquitto grants the subscription and withholds the messages: no one sees why."""
    broker = ExampleBroker(tmp_path, authority)
    broker.start()
    dashboard = broker.secured(authority.client("dashboard"))
    acl = tmp_path / "acl"
    acl.write_text(f"{acl.read_text()}\nuser transmitter\ntopic write plant/#\n")
    broker.reload()
    stop = threading.Event()

    def send(link: Link) -> None:
        while not stop.wait(0.05):
            say_all(link, ("sensors/transmitter/t", "1.5"), ("plant/t", "2.5"))

    sensor = broker.secured(authority.client("transmitter"))
    with accepted(sensor, "transmitter") as link:
        thread = threading.Thread(target=send, args=(link,))
        thread.start()
        try:
            open_to_all = preview(dashboard, "#", 0.5)
            assert {value.topic for value in open_to_all.items} == {"sensors/transmitter/t"}
            closed = preview(dashboard, "plant/+", 0.5)
            assert closed.items == ()
            assert closed.said.code == "nothing_on_topic"
            values = closed.said.values
            assert 'add "topic read plant/+" below "user dashboard"' in closed.reason
            added = f"\nuser {values['user']}\ntopic read {values['line']}\n"
            acl.write_text(acl.read_text() + added)
            broker.reload()
            wait_until(lambda: [v.value for v in preview(dashboard, "plant/+", 0.5).items] == [2.5])
        finally:
            stop.set()
            thread.join()
            broker.stop()
