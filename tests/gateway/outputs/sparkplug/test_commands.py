"""Commands from hosts over a real broker: what is executed, rejected and published."""

from __future__ import annotations

import random
import time
from typing import get_args

import pytest

from auscult.contract.host_actions import HostRight
from auscult.contract.payloads import Acknowledgement
from auscult.contract.requests import (
    AcknowledgeArgs,
    LabelArgs,
    MachineArgs,
    OutOfServiceArgs,
    ReleaseArgs,
    ReportFaultArgs,
    RollBackArgs,
    ShelveArgs,
    SpectrumArgs,
    StopBaselineArgs,
)
from auscult.contract.said import Said
from auscult.gateway.outputs.sparkplug.actions import REASON
from auscult.gateway.outputs.sparkplug.commands import CommandReader
from auscult.gateway.tags.inventory import TagOptions, inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.plant import INVENTORY, event, now_ms, spectrum
from tests.gateway.outputs.sparkplug.test_node import started
from tests.waiting import wait_until

REQUEST = "Points/DE/Commands/Request Spectrum"


@pytest.fixture
def plant(bench):
    broker = bench.broker()
    bench.wired, bench.hosted = bench.wire(broker), bench.host(broker)
    return bench


def results(wire) -> list[str]:
    """Return the published values of the pump's `Commands/Last Result`."""
    alias = wire.sent("DBIRTH", device="pump-3")[-1].metrics()["Commands/Last Result"].alias
    return [
        m.string_value
        for p in wire.sent("DDATA", device="pump-3")
        for m in p.body.metrics
        if m.alias == alias
    ]


def test_an_open_event_is_acknowledged(plant):
    feed = started(plant, plant.wired)
    feed.publish(event(event_id="01J0EVENT"))
    plant.hosted.device_command("pump-3", "Commands/Acknowledge", "01J0EVENT", datatype=12)
    wait_until(lambda: plant.actions)
    action = plant.actions[0]
    assert (action.spec.name, action.args) == ("acknowledge", AcknowledgeArgs(event_id="01J0EVENT"))
    answer = Acknowledgement(ts=now_ms(), id=action.id, command="acknowledge", ok=True)
    feed.publish(answer)
    wait_until(lambda: results(plant.wired) == ["Commands/Acknowledge: done"])
    feed.publish(answer.model_copy(update={"ok": False, "said": Said("text", {"text": "doubled"})}))
    plant.hosted.device_command("pump-3", "Commands/Start Baseline", True)
    wait_until(lambda: len(plant.actions) == 2)
    refused = {
        "id": plant.actions[1].id,
        "ok": False,
        "said": Said("text", {"text": "it runs already"}),
    }
    feed.publish(answer.model_copy(update=refused))
    wait_until(lambda: len(results(plant.wired)) == 2)
    assert results(plant.wired)[1] == "Commands/Start Baseline: refused, it runs already"


def test_an_event_that_is_over_may_still_be_acknowledged(plant):
    feed = started(plant, plant.wired)
    feed.publish(event(event_id="01J0EVENT"))
    feed.publish(event(event_id="01J0EVENT", phase="end"))
    plant.hosted.device_command("pump-3", "Commands/Acknowledge", "01J0EVENT", datatype=12)
    wait_until(lambda: plant.actions)


@pytest.mark.parametrize("event_id", ["", "01J0OTHER", "x" * 5000])
def test_another_event_is_not_acknowledged(plant, event_id):
    feed = started(plant, plant.wired)
    feed.publish(event(event_id="01J0EVENT"))
    plant.hosted.device_command("pump-3", "Commands/Acknowledge", event_id)
    wait_until(lambda: results(plant.wired))
    assert "refused" in results(plant.wired)[0]
    assert len(results(plant.wired)[0]) < 300
    assert not plant.actions


def test_baselines_and_spectra_are_commanded_by_name_or_alias(plant):
    feed = started(plant, plant.wired)
    plant.hosted.device_command("pump-3", "Commands/Start Baseline", True)
    wait_until(lambda: [a.spec.name for a in plant.actions] == ["start_baseline"])
    alias = plant.wired.sent("DBIRTH", device="pump-3")[0].metrics()[REQUEST].alias
    plant.hosted.device_command("pump-3", None, True, alias=alias)
    wait_until(lambda: len(plant.actions) == 2)
    assert plant.actions[1].args == SpectrumArgs(machine="pump-3", point="DE", kind="spectrum")
    plant.hosted.device_command("fan-1", "Points/M/Commands/Request Envelope", True)
    wait_until(lambda: len(plant.actions) == 3)
    assert plant.actions[2].args == SpectrumArgs(machine="fan-1", point="M", kind="envelope")
    feed.publish(spectrum(lines=50))
    wait_until(
        lambda: any(
            len(m.dataset_value.rows) == 50
            for p in plant.wired.sent("DDATA")
            for m in p.body.metrics
        )
    )


def test_every_command_of_a_machine(plant):
    feed = started(plant, plant.wired, commands=get_args(HostRight))
    feed.publish(event(event_id="01J0EVENT"))
    label = LabelArgs(event_id="01J0EVENT", verdict="false_alarm", note=REASON)
    fault = {"verdict": "confirmed_fault", "kind": "outer"}
    out = OutOfServiceArgs(machine="pump-3", reason=REASON)
    released = ReleaseArgs(machine="pump-3", comment=REASON)
    given = (
        ("Label", "false_alarm", "label", label),
        ("Label", "confirmed_fault: outer", "label", label.model_copy(update=fault)),
        ("Shelve", 90, "shelve", ShelveArgs(machine="pump-3", duration_s=5400, reason=REASON)),
        ("Shelve", 0, "unshelve", released),
        ("Out Of Service", True, "out_of_service", out),
        ("Out Of Service", False, "return_to_service", released),
        ("Start Baseline", True, "start_baseline", MachineArgs(machine="pump-3")),
        ("Stop Baseline", True, "stop_baseline", StopBaselineArgs(machine="pump-3")),
        ("Finish Baseline", True, "stop_baseline", StopBaselineArgs(machine="pump-3", finish=True)),
        ("Roll Back", True, "roll_back", RollBackArgs(machine="pump-3")),
    )
    for number, (metric, value, *_) in enumerate(given, start=1):
        plant.hosted.device_command("pump-3", f"Commands/{metric}", value)
        wait_until(lambda n=number: len(plant.actions) == n)
    assert [(a.spec.name, a.args) for a in plant.actions] == [
        (name, args) for *_, name, args in given
    ]
    plant.hosted.device_command("pump-3", "Commands/Report Fault", "30: gear")
    wait_until(lambda: len(plant.actions) == len(given) + 1)
    reported = plant.actions.pop()
    end_ms = reported.t_ms
    assert reported.args == ReportFaultArgs(
        machine="pump-3", start_ms=end_ms - 30 * 60_000, end_ms=end_ms, kind="gear", note=REASON
    )
    wrong = (
        ("Shelve", -1),
        ("Report Fault", "721"),
        ("Report Fault", "soon"),
        ("Shelve", 10_081),
        ("Shelve", True),
        ("Label", "nonsense"),
    )
    for number, (metric, value) in enumerate(wrong, start=1):
        plant.hosted.device_command("pump-3", f"Commands/{metric}", value)
        wait_until(lambda n=number: feed.node.commands_refused == n)
    assert len(plant.actions) == len(given)


def test_nothing_is_labelled_before_the_first_event(plant):
    started(plant, plant.wired, commands=("label",))
    plant.hosted.device_command("pump-3", "Commands/Label", "false_alarm")
    wait_until(lambda: any("no event yet" in result for result in results(plant.wired)))
    assert not plant.actions


def test_a_rejection_by_the_gateway_is_published(plant):
    started(plant, plant.wired)
    plant.refuse_actions = "the machine does not run"
    plant.hosted.device_command("pump-3", "Commands/Start Baseline", True)
    wait_until(
        lambda: (
            results(plant.wired) == ["Commands/Start Baseline: refused, the machine does not run"]
        )
    )


REFUSED = {
    "late": {"name": REQUEST, "value": True, "age_s": 120},
    "from the future": {"name": REQUEST, "value": True, "age_s": -120},
    "without a time": {"name": REQUEST, "value": True, "timed": False},
    "of the wrong type": {"name": REQUEST, "value": "yes"},
    "declared as another type": {"name": REQUEST, "value": True, "datatype": 12},
    "without a value": {"name": REQUEST},
    "false": {"name": REQUEST, "value": False},
    "to a metric that is only read": {"name": "Verdict/Condition", "value": "normal"},
    "to no metric": {"name": "No/Such", "value": True},
    "to no alias": {"name": None, "alias": 99_999, "value": True},
    "to another unit's alias": {"name": None, "alias": 1, "value": True},
    "without name and alias": {"name": None, "value": True},
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_command_is_refused_that_is(plant, what):
    feed = started(plant, plant.wired)
    how = dict(REFUSED[what])
    age_s = how.pop("age_s", None)
    t_ms = None if age_s is None else now_ms() - age_s * 1000
    name, value = how.pop("name"), how.pop("value", None)
    plant.hosted.device_command("pump-3", name, value, t_ms=t_ms, **how)
    wait_until(lambda: feed.node.commands_refused)
    assert not plant.actions


def test_a_retained_command_is_not_carried_out_at_each_connection(plant):
    plant.hosted.device_command("pump-3", REQUEST, True, retain=True)
    plant.hosted.node_command("Node Control/Rebirth")
    feed = started(plant, plant.wired)
    wait_until(lambda: feed.node.commands_refused)
    assert not plant.actions


def test_a_command_that_comes_twice_is_carried_out_once(plant):
    feed = started(plant, plant.wired)
    t_ms = now_ms()
    for _ in range(3):
        plant.hosted.device_command("pump-3", REQUEST, True, t_ms=t_ms, qos=1)
    plant.hosted.device_command("pump-3", REQUEST, True, t_ms=t_ms + 1, qos=1)
    wait_until(lambda: feed.node.commands_refused == 2)
    wait_until(lambda: len(plant.actions) == 2)


def test_a_command_without_the_right_is_refused_and_not_offered(plant):
    feed = started(plant, plant.wired, commands=("acknowledge",))
    birth = plant.wired.sent("DBIRTH", device="pump-3")[0].metrics()
    assert "Commands/Start Baseline" not in birth
    assert REQUEST not in birth
    plant.hosted.device_command("pump-3", "Commands/Start Baseline", True)
    wait_until(lambda: feed.node.commands_refused)
    assert not plant.actions


def test_without_any_right_no_device_listens_to_commands(plant):
    started(plant, plant.wired, commands=())
    (subscribe,) = plant.wired.of_kind("SUBSCRIBE")
    assert all("/DCMD/" not in topic for topic, _ in subscribe.filters)


@pytest.mark.parametrize("value", [False, "true", 1])
def test_a_rebirth_is_asked_for_with_true_only(plant, value):
    feed = started(plant, plant.wired)
    if isinstance(value, bool):
        plant.hosted.node_command("Node Control/Rebirth", value)
        time.sleep(0.5)
    else:
        plant.hosted.device_command("pump-3", "Node Control/Rebirth", value)
        wait_until(lambda: feed.node.commands_refused)
    assert len(plant.wired.sent("NBIRTH")) == 1


def test_a_callback_that_fails_ends_nothing(bench):
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    bench.actions = None  # the callback's append raises
    feed = started(bench, wire)
    host.device_command("pump-3", "Commands/Start Baseline", True)
    wait_until(lambda: feed.node.commands_refused)
    assert feed.node.born


def test_a_hundred_thousand_damaged_commands_are_read_or_refused(tmp_path):
    """Valid commands with bytes flipped, cut out or doubled: nothing but a count comes of them."""
    rng = random.Random(20)
    levels = KnownLevels(tmp_path / "levels.json")
    commands = ("acknowledge", "start_baseline", "request_spectrum")
    inventory = inventory_of(INVENTORY, TagOptions(commands), levels, "1")
    desk = CommandReader(60)
    valid = []
    for name in (REQUEST, "Commands/Acknowledge", "Verdict/Condition"):
        payload = Payload(timestamp=now_ms())
        payload.metrics.add(name=name, alias=7, datatype=11, boolean_value=True)
        payload.metrics.add(name=name, string_value="01J0EVENT")
        valid.append(payload.SerializeToString())
    accepted = 0
    for _ in range(100_000):
        body = bytearray(rng.choice(valid))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(body))
            match rng.randrange(3):
                case 0:
                    body[at] = rng.randrange(256)
                case 1:
                    del body[at : at + rng.randrange(1, 8)]
                case _:
                    body[at:at] = body[at : at + rng.randrange(1, 8)]
            body = body or bytearray(b"\0")
        for command in desk.read("pump-3", bytes(body), False, inventory, now_ms()):
            assert inventory.unit("pump-3").metrics[command.metric].writable
            accepted += 1
    assert desk.refused > 50_000
    assert accepted < 10_000


def test_each_refused_write_changes_the_last_result(plant):
    started(plant, plant.wired)
    plant.hosted.device_command("pump-3", "Commands/Acknowledge", True)  # takes a text
    wait_until(lambda: len(results(plant.wired)) == 1)
    first = results(plant.wired)[0]
    assert first.startswith("Commands/Acknowledge: refused, ")
    plant.hosted.device_command("pump-3", "Commands/Acknowledge", True)
    wait_until(lambda: len(results(plant.wired)) == 2)
    assert results(plant.wired)[1] != first
    plant.hosted.device_command("pump-3", "Verdict/Condition", "normal", datatype=12)
    wait_until(lambda: len(results(plant.wired)) == 3)
    assert "may not be written" in results(plant.wired)[2]
