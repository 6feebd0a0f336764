"""A round on loopback: Flower's server and three gateways' clients, each a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from auscult.gateway.fleet.averaging import AveragingSettings, average
from auscult.gateway.learning.deltas import own_key
from auscult.link.signing import public_hex
from auscult.models.learning.delta import sign, verify
from tests.models.learning.world import NEW_SPEED, OUTER_RACE, World, windows
from tests.ports import free_port

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-fleet" / "bin" / "python"
SPEC = "spec-1"
WAIT_S = 200
AWAY = (NEW_SPEED, 1.5)


def fleet(*args, python=PYTHON, home):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}
    command = [str(python), "-m", "auscult.gateway.fleet", *map(str, args)]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.fixture
def gateways(tmp_path):
    """Three machines of one base: the first knows a new speed, the second a fault."""
    worlds = {f"gateway-{i}": World(tmp_path / str(i)) for i in (1, 2, 3)}
    worlds["gateway-1"].false_alarm("E1", AWAY)
    worlds["gateway-2"].fault("E2", (OUTER_RACE, 1.5))
    return worlds


def assert_its_fault_is_left_out(update):
    assert update.accepted, update.reason.text
    assert update.contradicts == ("E3",)
    assert "resemble the confirmed fault of event E3 are left out" in update.reason.text


def test_an_average_leaves_a_fault_confirmed_meanwhile_alone(gateways):
    deltas = [world.updater.export(name, SPEC, 1) for name, world in gateways.items()]
    averaged = average(deltas, AveragingSettings(), 7)
    third = gateways["gateway-3"]
    third.fault("E3", AWAY)
    new_speed = windows(200, 99, AWAY)
    before = third.log_scores(new_speed)
    assert_its_fault_is_left_out(third.updater.apply(averaged, SPEC, 100))
    np.testing.assert_array_equal(third.log_scores(new_speed), before)
    assert all(len(head.faults) == 2 for head in third.updater.heads.values())


@pytest.mark.slow
def test_three_gateways_average_and_each_gate_decides(tmp_path, gateways):
    if not (ROOT / ".venv-fleet" / "ready").exists():
        pytest.skip("no environment with Flower; `make fleet` makes it")
    server_key = own_key(tmp_path / "server")
    trusted, keys = [], {}
    for number, (name, world) in enumerate(gateways.items()):
        key = own_key(tmp_path / name)
        keys[name] = public_hex(key)
        trusted += ["--trusted", keys[name]]
        (tmp_path / name / "out").mkdir()
        delta = world.updater.export(name, SPEC, number)
        (tmp_path / name / "out" / "pump.delta").write_bytes(sign(delta, key))
    common = ("--address", f"127.0.0.1:{free_port()}", "--insecure", "--wait-s", WAIT_S)
    server = fleet("serve", "--gateways", 3, *trusted, "--folder", tmp_path / "server", *common,
                   home=tmp_path)  # fmt: skip
    clients = [
        fleet("join", "--outgoing", tmp_path / name / "out", "--incoming", tmp_path / name / "in",
              "--own", keys[name], "--server", public_hex(server_key), *common,
              home=tmp_path)
        for name in gateways
    ]  # fmt: skip
    said = [process.communicate(timeout=WAIT_S)[0] for process in (server, *clients)]
    assert [process.returncode for process in (server, *clients)] == [0] * 4, "\n".join(said)

    # Meanwhile the third learned that just this is a fault.
    gateways["gateway-3"].fault("E3", AWAY)
    updates = {}
    for name, world in gateways.items():
        (received,) = (tmp_path / name / "in").glob("*.delta")
        averaged = verify(received.read_bytes(), [server_key.public_key()])
        assert averaged.about.machine == "3 machines"
        updates[name] = world.updater.apply(averaged, SPEC, 100)
    assert updates["gateway-2"].accepted, updates["gateway-2"].reason
    assert_its_fault_is_left_out(updates["gateway-3"])
    new_speed = windows(200, 99, AWAY)
    assert gateways["gateway-2"].beyond(new_speed) < 0.05
    assert gateways["gateway-3"].beyond(new_speed) > 0.98, "the fault still alarms"


def test_flower_reports_nothing_to_its_makers():
    """Its telemetry is on unless this variable says otherwise."""
    code = "import os, gateway.fleet.__main__; print(os.environ['FLWR_TELEMETRY_ENABLED'])"
    env = {**os.environ, "FLWR_TELEMETRY_ENABLED": "1"}
    assert subprocess.check_output([sys.executable, "-c", code], env=env, cwd=ROOT) == b"0\n"


def test_without_flower_one_line_names_the_command_to_install_it(tmp_path):
    process = fleet(
        "serve", "--gateways", 1, "--trusted", "00" * 32, "--folder", tmp_path, "--insecure",
        python=sys.executable, home=tmp_path,
    )  # fmt: skip
    said, _ = process.communicate(timeout=WAIT_S)
    assert process.returncode == 2
    assert "make fleet" in said
    assert len(said.splitlines()) == 1


def test_the_server_has_one_key(tmp_path):
    process = fleet("key", "--folder", tmp_path, python=sys.executable, home=tmp_path)
    said, _ = process.communicate(timeout=WAIT_S)
    assert said.strip() == public_hex(own_key(tmp_path))
