"""Commissioning: a list of machines is checked whole, stored whole, and measured."""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from pydantic import ValidationError

from auscult.contract.payloads import ProblemPart
from auscult.contract.requests import ConfigureArgs
from auscult.gateway import service
from auscult.gateway.commands import commissioning
from auscult.gateway.commands.commissioning import (
    Commissioned,
    CommissionedFile,
    joined,
    problems,
    summary,
)
from auscult.gateway.datasets.channels import recorded_channels
from auscult.gateway.settings.gateway import GatewaySettings
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS, Process, Reader, settings
from tests.gateway.recorded import FS_HZ, shaft_noise, write_data_set
from tests.reasons import text_of
from tests.waiting import DEADLINE_S, wait_until

KILLS = 200 if os.environ.get("AUSCULT_CAMPAIGN") == "full" else 4


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A folder of data sets, as `recordings_dir` names it."""
    folder = tmp_path / "recordings"
    write_data_set(folder / "pumps", {"healthy": shaft_noise(120, 1)})
    return folder


def empty(broker: Mosquitto | None, tmp_path: Path, recordings: Path) -> GatewaySettings:
    """A gateway without a machine in its file."""
    return GatewaySettings.model_validate(
        {
            "mqtt": {"host": "127.0.0.1", "port": broker.port if broker else 1},
            "gateway": {
                "data_dir": tmp_path / "data", "recordings_dir": recordings,
                "trend_interval_s": 5, "heartbeat_s": 5,
            },
            "detector": {"window_s": 0.25, "baseline_windows": 60},
        }
    )  # fmt: skip


def machine(name: str, **changed: object) -> dict[str, object]:
    points = [{"id": p, "kind": "vibration", "unit": "g", "fs_hz": FS_HZ} for p in ("DE", "NDE")]
    return {"id": name, "speed_rpm": 1500, "baseline_windows": 40, "points": points} | changed


def source(name: str, **changed: object) -> dict[str, object]:
    return {
        "type": "recordings", "manifest": "pumps/manifest.csv", "machine": "pump",
        "as_machine": name, "points": {"DE": "de", "NDE": "nde"}, "repeat": True,
    } | changed  # fmt: skip


def asked(*machines: dict[str, object], sources: list[dict[str, object]] | None = None):
    return ConfigureArgs.model_validate({"machines": machines, "sources": sources or []})


def found(args: ConfigureArgs, own: GatewaySettings) -> dict[tuple[object, ...], str]:
    return {problem.path: problem.text for problem in problems(args, own)}


# --- what is rejected, each with its place ---------------------------------------------------


def test_a_good_list_has_no_problems(tmp_path, recordings):
    own = empty(None, tmp_path, recordings)
    assert found(asked(machine("a"), sources=[source("a")]), own) == {}


def test_the_check_says_how_long_the_baseline_of_a_machine_takes():
    hourly = {"kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 3600}
    slow = {"id": "a", "points": [{"id": "T"} | hourly]}
    plans = [machine("a"), machine("a", baseline_days=3), slow]
    asked = ConfigureArgs.model_validate({"machines": plans})
    said = [commissioning.baseline_takes(one, GatewaySettings()).text for one in asked.machines]
    assert [re.search("least (.*) of measured", text)[1] for text in said] == [
        "1 min",
        "72 h",
        "20 h",
    ]


def test_every_problem_is_reported_with_its_place(tmp_path, recordings):
    own = empty(None, tmp_path, recordings)
    wrong_limit = machine("b")
    wrong_limit["points"][0] |= {"limits": [{"feature": "loudness", "alarm": 3}]}  # type: ignore[index]
    wrong_unit = machine("c")
    wrong_unit["points"][1] |= {"unit": "Pa"}  # type: ignore[index]
    reported = found(
        asked(
            machine("a"), machine("A"), wrong_limit, wrong_unit,
            sources=[
                source("a", machine="absent"),
                source("b", points={"DE": "de", "NDE": "far"}),
                source("gone"),
                source("b", manifest="../elsewhere/manifest.csv"),
                source("c", pace=-1),
            ],
        ),
        own,
    )  # fmt: skip
    assert reported.keys() == {
        ("machines", 1, "id"),
        ("machines", 2, "points", 0, "limits"),
        ("machines", 3, "points", 1),
        ("sources", 0, "manifest"),
        ("sources", 1, "points", "NDE"),
        ("sources", 2, "machine"),
        ("sources", 3, "manifest"),
        ("sources", 4, "pace"),
    }
    assert "used twice" in reported["machines", 1, "id"]
    assert "loudness" in reported["machines", 2, "points", 0, "limits"]
    assert "outside the gateway's recordings_dir" in reported["sources", 3, "manifest"]


def test_devices_are_set_up_from_the_page_only_where_the_file_allows_it(tmp_path, recordings):
    closed = empty(None, tmp_path, recordings)
    values = [{"id": p, "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 1}
              for p in ("m", "o", "h")]  # fmt: skip
    modbus = {"type": "modbus", "machine": "a", "values": [{"point": "m", "address": 3}]}
    opcua = {"type": "opcua", "machine": "a", "url": "opc.tcp://10.0.0.5:4840",
             "values": [{"point": "o", "node": "ns=2;s=T"}]}  # fmt: skip
    http = {"type": "http", "machine": "a", "token_sha256": "a" * 64, "values": [{"point": "h"}]}

    def wrong(own: GatewaySettings, line: dict[str, object], **changed: object):
        sources = [modbus | line, opcua | changed, http]
        return found(asked(machine("a", points=values), sources=sources), own)

    reported = wrong(closed, {"host": "10.0.0.7"})
    assert reported.keys() == {("sources", number, "type") for number in range(3)}
    assert "page_sources" in reported["sources", 0, "type"]
    allowed = closed.gateway.model_copy(update={"page_sources": ("modbus", "opcua", "http")})
    opened = closed.model_copy(update={"gateway": allowed})
    assert wrong(opened, {"host": "10.0.0.7"}) == {}
    assert wrong(opened, {"serial_port": "/dev/ttyUSB0"}) == {}
    for elsewhere in ("spy:///dev/ttyUSB0?file=/etc/x", "/dev/../etc/x", "socket://10.0.0.7:1"):
        assert wrong(opened, {"serial_port": elsewhere}).keys() == {("sources", 0, "serial_port")}
    secret = wrong(opened, {"host": "10.0.0.7"}, password_file="/etc/auscult/password")
    assert secret.keys() == {("sources", 1, "password_file")}
    shown = wrong(opened, {"host": "10.0.0.7"}, url="opc.tcp://eva:secret@10.0.0.5:4840")
    assert shown.keys() == {("sources", 1, "url")}
    for url in ("opc.tcp://[::1:4840", "opc.tcp://10.0.0.5:99999", "opc.tcp://:4840"):
        assert wrong(opened, {"host": "10.0.0.7"}, url=url).keys() == {("sources", 1, "url")}


def test_two_sources_of_one_point_are_rejected_with_both_names(tmp_path, recordings):
    own = empty(None, tmp_path, recordings)
    values = [{"id": p, "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 1}
              for p in ("t", "u")]  # fmt: skip
    topic = {"type": "mqtt_json", "machine": "a", "values": [{"point": "t", "topic": "x"}]}
    both = [{"point": "u", "node": "i=1"}, {"point": "t", "node": "i=2"}]
    opcua = {"type": "opcua", "machine": "a", "url": "opc.tcp://10.0.0.5:4840", "values": both}
    allowed = own.gateway.model_copy(update={"page_sources": ("opcua",)})
    opened = own.model_copy(update={"gateway": allowed})
    wanted = machine("a", points=values)
    why = (
        "two sources feed point a/t: source 1 (mqtt_json) and source 2 (opcua); remove it from "
        "one of them, or give it a point of its own"
    )
    reported = found(asked(wanted, sources=[topic, opcua]), opened)
    assert reported == {("sources", 1, "values", 1, "point"): why}
    assert found(asked(wanted, sources=[topic, opcua | {"values": both[:1]}]), opened) == {}
    # the same in a file
    given = own.model_dump(exclude={"machines", "sources"}) | {"machines": [wanted]}
    with pytest.raises(ValidationError, match=re.escape(why)):
        GatewaySettings.model_validate(given | {"sources": [topic, opcua]})
    played = {"type": "recordings", "machine": "x", "as_machine": "b", "manifest": "m.csv"}
    sampled = {"type": "mqtt", "machine": "b", "waveforms": [{"point": "DE", "topic": "y"}]}
    given["machines"] = [machine("b")]
    with pytest.raises(ValidationError, match=r"feed point b/DE: source 1 \(mqtt\)"):
        GatewaySettings.model_validate(given | {"sources": [sampled, played]})


def test_sensors_over_mqtt_are_commissioned_too(tmp_path, recordings):
    own = empty(None, tmp_path, recordings)
    sensors = {"type": "mqtt", "machine": "a"}
    waveforms = [{"point": p, "topic": f"rig/{p}"} for p in ("DE", "FAR")]
    reported = found(asked(machine("a"), sources=[sensors | {"waveforms": waveforms}]), own)
    assert reported == {("sources", 0, "waveforms", 1, "point"): "machine a has no point FAR"}
    secret = sensors | {"waveforms": waveforms[:1], "broker": {"host": "127.0.0.1"}}
    reported = found(asked(machine("a"), sources=[secret]), own)
    assert reported.keys() == {("sources", 0, "broker")}


@pytest.mark.parametrize("key", ["fs_hz", "unit"])
def test_a_point_must_be_what_was_recorded(tmp_path, recordings, key):
    wrong = machine("a")
    wrong["points"][0] |= {"fs_hz": 2 * FS_HZ} if key == "fs_hz" else {"unit": "m/s2"}  # type: ignore[index]
    reported = found(asked(wrong, sources=[source("a")]), empty(None, tmp_path, recordings))
    assert "configured" in reported["sources", 0, "points", "DE"]


def test_machines_of_the_file_stay_unchanged(mosquitto, tmp_path, recordings):
    manifest = recordings / "pumps" / "manifest.csv"
    own = settings(mosquitto, tmp_path / "data", manifest)
    reported = found(asked(machine("Pump", speed_rpm=3000)), own)
    assert "gateway's own file" in reported["machines", 0, "id"]
    both = joined(own, Commissioned(machines=asked(machine("pump"), machine("fan")).machines))
    assert [m.id for m in both.machines] == ["pump", "fan"]
    assert both.machines[0] == own.machines[0]


# --- what is stored ---------------------------------------------------------------------------


def test_a_damaged_list_is_skipped_for_the_one_before(tmp_path, caplog):
    file = CommissionedFile(tmp_path)
    assert file.load() == Commissioned()
    first = Commissioned(machines=asked(machine("a")).machines)
    second = Commissioned(machines=asked(machine("a"), machine("b")).machines)
    file.save(first)
    file.save(second)
    assert file.load() == second
    content = file.path.read_bytes()
    for damaged in (b"", content[:-30], content.replace(b'"b"', b'"x"'), b"\x00" * 50, b"[]"):
        file.path.write_bytes(damaged)
        assert file.load() == first
    assert "using the list before it" in caplog.text


def test_a_kill_while_storing_leaves_a_whole_list(tmp_path, monkeypatch):
    file = CommissionedFile(tmp_path)
    first = Commissioned(machines=asked(machine("a")).machines)
    second = Commissioned(machines=asked(machine("b")).machines)
    file.save(first)

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("open", "fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, cut)
            with pytest.raises(KeyboardInterrupt):
                file.save(second)
        assert file.load() == first


def test_channels_are_offered(recordings):
    (recordings / "damaged").mkdir()
    (recordings / "damaged" / "manifest.csv").write_bytes(b"\xff\xfe,\n1")
    offered = recorded_channels(recordings)
    assert [(c.source, c.machine, c.point, c.fs_hz) for c in offered] == [
        ("pumps/manifest.csv", "pump", "de", FS_HZ),
        ("pumps/manifest.csv", "pump", "nde", FS_HZ),
    ]


# --- on a running gateway -----------------------------------------------------------------------


@pytest.fixture
def reader(mosquitto):
    one = Reader(mosquitto)
    yield one
    one.close()


@pytest.fixture
def gateway(mosquitto, tmp_path, recordings, reader):
    stop = threading.Event()
    own = empty(mosquitto, tmp_path, recordings)
    thread = threading.Thread(target=service.run, args=(own, stop))
    thread.start()
    wait_until(lambda: configuration(reader), what="the gateway")
    yield own
    stop.set()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


def machines_of(reader: Reader) -> list[str]:
    return [m["id"] for m in reader.latest.get(TOPICS.inventory, {}).get("machines", ())]


def lists_machines(reader: Reader, names: list[str]) -> bool:
    """Whether the gateway has published that it measures these machines."""
    return TOPICS.inventory in reader.latest and machines_of(reader) == names


def configuration(reader: Reader) -> dict[str, object]:
    return reader.latest.get(TOPICS.configuration, {})


def configure(reader: Reader, id_: str, *names: str, **more: object) -> dict[str, object]:
    args = {
        "machines": [machine(n) for n in names],
        "sources": [source(n, pace=0) for n in names],
    } | more
    reader.command("configure", id_, args)
    return reader.answer(id_)


def state(reader: Reader, name: str) -> dict[str, object]:
    return reader.latest.get(TOPICS.machine_state(name), {})


@pytest.mark.slow
def test_machines_are_commissioned_on_a_running_gateway(gateway, reader):
    assert machines_of(reader) == []
    assert len(configuration(reader)["channels"]) == 2
    first = configuration(reader)["version"]
    dry = configure(reader, "dry-run-1", "a", dry_run=True)
    assert dry["ok"]
    assert text_of(dry).startswith(
        "1 machine checked; nothing was changed; the baseline of a needs"
    )
    assert configure(reader, "apply-1", "a")["ok"]
    wait_until(lambda: machines_of(reader) == ["a"], what="the new inventory")
    wait_until(lambda: state(reader, "a").get("condition") == "normal", what="a baseline")
    baseline = state(reader, "a")["ids"]["baseline_id"]
    # a second machine is added: the first one keeps what it learned
    stale = configure(reader, "apply-2", "a", "b", base=first)
    assert not stale["ok"]
    assert "load them again" in text_of(stale)
    assert configure(reader, "apply-3", "a", "b", base=configuration(reader)["version"])["ok"]
    wait_until(lambda: machines_of(reader) == ["a", "b"], what="both machines")
    wait_until(lambda: state(reader, "b").get("condition"), what="b's first words")
    assert state(reader, "a")["ids"]["baseline_id"] == baseline
    assert reader.latest[TOPICS.status]["state"] == "online"
    bad = configure(reader, "apply-4", "a", sources=[source("a", machine="absent")])
    assert not bad["ok"]
    assert bad["problems"][0]["path"] == ["sources", 0, "manifest"]
    # what is gone is not reported of any more, and nothing else is lost
    assert configure(reader, "apply-5", "a")["ok"]
    wait_until(lambda: machines_of(reader) == ["a"], what="b to go")
    assert "offline" not in [b["state"] for t, b in reader.messages if t == TOPICS.status]


@pytest.mark.slow
def test_a_baseline_waits_for_its_approval(gateway, reader):
    one = machine("a", approve_baseline=True)
    assert configure(reader, "apply-1", "a", machines=[one])["ok"]
    wait_until(lambda: state(reader, "a").get("awaiting_approval"), what="a complete baseline")
    waiting = state(reader, "a")
    assert waiting["condition"] == "learning"
    assert waiting["coverage"]["phase"] == "ready"
    reader.command("approve_baseline", "approve-0", {"machine": "a", "baseline_id": "other"})
    assert "look again" in text_of(reader.answer("approve-0"))
    baseline = waiting["ids"]["baseline_id"]
    reader.command("approve_baseline", "approve-1", {"machine": "a", "baseline_id": baseline})
    assert reader.answer("approve-1")["ok"]
    wait_until(
        lambda: state(reader, "a").get("condition") == "normal", what="the approved baseline"
    )
    assert not state(reader, "a")["awaiting_approval"]


@pytest.mark.slow
def test_kills_at_any_moment_lose_no_configuration(mosquitto, tmp_path, recordings, reader):
    own = empty(mosquitto, tmp_path, recordings)
    chance = random.Random(3)
    lists: list[list[str]] = [[]] + [[f"m{i}" for i in range(1 + n % 5)] for n in range(KILLS)]
    for round_, names in enumerate(lists[1:]):
        process = Process(own, tmp_path / "gateway.log")
        before = lists[round_]
        wait_until(partial(lists_machines, reader, before), what=f"the list of round {round_}")
        args = {"machines": [machine(n) for n in names], "sources": [source(n) for n in names]}
        # the broker keeps it for the gateway if that is killed before it took it
        late_ms = (int(time.time()) + 600) * 1000
        reader.command("configure", f"round-{round_}", args, expires_ms=late_ms)
        time.sleep(chance.uniform(0, 0.4))
        process.kill()
    process = Process(own, tmp_path / "gateway.log")
    wait_until(partial(lists_machines, reader, lists[-1]), what="the last list")
    for round_ in range(KILLS):
        assert reader.answer(f"round-{round_}")["ok"], round_
    stored = json.loads((own.gateway.data_dir / commissioning.FILE_NAME).read_bytes())
    assert [m["id"] for m in stored["machines"]] == lists[-1]
    process.kill()


def test_one_problem_is_said_alone_and_more_are_counted():
    one = ProblemPart(path=("machines", 0, "id"), text="taken")
    assert "and" not in summary([one]).text.split()
    assert "machines.0.id" in summary([one]).text
    assert summary([one] * 3).values["more"] == 2
