"""Staged updates with real processes: dashboard, broker, four gateways and their installers."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import tomllib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.contract.said import Said
from tests.gateway.product import Auscult
from tests.packaging import test_bundle
from tests.packaging.test_bundle import FOLDER, install
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

REPOSITORY = Path(__file__).parents[2]
SOURCES = """
import sys
if "{version}" == "3.0" and "gateway" in sys.argv[1:2]:
    sys.exit("this version does not start")
sys.path += [{repository!r}, {packages!r}]
from auscult.app.command.main import main
"""
"""A wheel whose program is the tree that is tested, under another version."""
CONTROL = """#!{python}
import os, signal, subprocess, sys, time
verb, name = sys.argv[1:]
pid_file = "{place}/" + name + ".pid"
def pid():
    try:
        found = int(open(pid_file).read())
        return found if open(f"/proc/{{found}}/stat").read().split()[2] != "Z" else None
    except (OSError, ValueError):
        return None
if verb == "is-active":
    sys.exit(pid() is None)
if verb == "stop" and pid():
    os.kill(pid(), signal.SIGTERM)
    end = time.monotonic() + 20
    while pid() and time.monotonic() < end:
        time.sleep(0.05)
    if pid():
        os.kill(pid(), signal.SIGKILL)
if verb == "start" and not pid():
    part = name.removeprefix("auscult-")
    log = open("{place}/" + name + ".log", "ab")
    started = subprocess.Popen(
        ["{place}/root/current/bin/auscult", part, "--config", "{place}/etc/" + part + ".toml"],
        stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    open(pid_file, "w").write(str(started.pid))
"""


def control(place: Path) -> Path:
    """Write what takes the place of systemctl on this "machine"."""
    path = place / "control"
    path.write_text(CONTROL.format(python=sys.executable, place=place))
    path.chmod(0o755)
    return path


def bundle(folder: Path, version: str, key: Ed25519PrivateKey, monkeypatch) -> Path:
    text = SOURCES.format(
        version=version, repository=str(REPOSITORY), packages=sysconfig.get_paths()["purelib"]
    )
    monkeypatch.setattr(test_bundle, "PROGRAM", text.replace("{", "{{").replace("}", "}}"))
    return test_bundle.bundle(folder, version, key)


class Box:
    """One gateway's computer: installation, configuration, and what systemd's path unit does."""

    def __init__(self, folder: Path, name: str, broker: int, key: str, first: Path) -> None:
        self.folder, self.name, self.key = folder, name, key
        self.inbox, self.root = folder / "update", folder / "root"
        (folder / "etc").mkdir(parents=True)
        (folder / "etc" / "gateway.toml").write_text(
            f'[site]\nid = "plant"\n[gateway]\nid = "{name}"\ndata_dir = "{folder}/data"\n'
            f'[gateway.updates]\nfolder = "{self.inbox}"\nresult = "{self.root}/update.json"\n'
            f'[mqtt]\nhost = "127.0.0.1"\nport = {broker}\n'
        )
        self.control = control(folder)
        self.place = (
            "--root", self.root, "--etc", folder / "etc", "--control", self.control, "--within", 12,
        )  # fmt: skip
        install("install", first, "--key", key, *self.place)
        self.do("start")
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def do(self, verb: str) -> int:
        return subprocess.run([self.control, verb, "auscult-gateway"], check=False).returncode

    @property
    def version(self) -> str:
        return (self.root / "current").readlink().name

    def _watch(self) -> None:
        seen = b""
        while not self._ending.wait(0.1):
            request = self.inbox / "request.json"
            if request.exists() and (text := request.read_bytes()) != seen:
                seen = text
                updater(self, "apply", self.inbox, "--key", self.key)

    def stop(self) -> None:
        self._ending.set()
        self._thread.join()
        self.do("stop")


def updater(box: Box, *args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, FOLDER / "auscult-update", *args, *box.place]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def console(config: Path, *args: object, code: int = 0) -> str:
    command = [sys.executable, "-m", "auscult.app.command.main", "updates", *map(str, args)]
    done = subprocess.run(
        [*command, "--config", config], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_fleet_is_updated_in_stages_and_stops_at_the_first_that_fails(
    tmp_path, mosquitto, monkeypatch
):
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    first, good, bad = (bundle(tmp_path, v, key, monkeypatch) for v in ("1.0", "2.0", "3.0"))
    port = free_port()
    (tmp_path / "dashboard").mkdir()
    dashboard = Auscult(
        "dashboard",
        tmp_path / "dashboard",
        f'[dashboard]\nport = {port}\nlogin = "off"\ndata_dir = "data"\n[dashboard.updates]\n'
        f'folder = "bundles"\naddress = "http://127.0.0.1:{port}"\n'
        f'[mqtt]\nhost = "127.0.0.1"\nport = {mosquitto.port}\n',
    )
    config = tmp_path / "dashboard" / "dashboard.toml"
    boxes = [Box(tmp_path / f"gw{n}", f"gw{n}", mosquitto.port, public, first) for n in range(1, 5)]
    try:
        foreign = bundle(tmp_path / "foreign", "2.0", Ed25519PrivateKey.generate(), monkeypatch)
        assert "is not signed by this key" in console(
            config, "add", foreign, "--key", public, code=1
        )
        console(config, "add", bad, "--key", public)
        console(config, "add", good, "--key", public)
        wait_until(lambda: updatable(config) == 4, timeout_s=200, what="four gateways")

        data = (boxes[0].folder / "data" / "instance").read_bytes()
        console(config, "start", "3.0", "--stages", "1,100%", "--wait", 0)
        wait_until(
            lambda: ", stopped, " in console(config, "list"), timeout_s=200, what="the failed stage"
        )
        said = console(config, "list")
        assert "stopped at plant~gw1: installer: the new version is not healthy" in said
        assert [line.split()[3] for line in said.splitlines() if "  stage 2" in line] == [
            "waiting"
        ] * 3
        assert {box.version for box in boxes} == {"1.0"}
        assert all(box.do("is-active") == 0 for box in boxes)
        assert (boxes[0].folder / "data" / "instance").read_bytes() == data
        assert not (boxes[1].root / "versions" / "3.0").exists()
        rollout = said.partition("rollout ")[2].partition(":")[0]
        assert "other rollout" in console(config, "start", "2.0", code=1)
        console(config, "cancel", rollout)

        console(config, "start", "2.0", "--stages", "1,50%,100%", "--wait", 0)
        wait_until(
            lambda: ": 2.0, done" in console(config, "list"), timeout_s=300, what="the fleet"
        )
        assert {box.version for box in boxes} == {"2.0"}
        found = rollouts_of(port)
        times = {one["gateway_id"][-1]: one for one in found["gateways"]}
        assert [times[n]["stage"] for n in "1234"] == [0, 1, 2, 2]
        assert times["1"]["changed_ms"] < times["2"]["offered_ms"]
        assert times["2"]["changed_ms"] < min(times[n]["offered_ms"] for n in "34")
        assert "no gateway" in console(config, "start", "2.0", "--site", "elsewhere", code=1)
    finally:
        for box in boxes:
            box.stop()
        dashboard.kill()


def updatable(config: Path) -> int:
    port = tomllib.loads(config.read_text())["dashboard"]["port"]
    try:
        items = get(port, "gateways")["items"]
    except OSError:
        return 0
    return sum(one["updatable"] and one["state"] == "online" for one in items)


def rollouts_of(port: int) -> dict:
    return next(one for one in get(port, "updates")["rollouts"] if one["version"] == "2.0")


def get(port: int, path: str) -> dict:
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{port}/api/v1/{path}", timeout=DEADLINE_S) as answer:
        return json.load(answer)


FAKE = """
import signal, sys, time
VERSION = "{version}"
def main():
    command = sys.argv[1]
    config = sys.argv[-3] if "--replace" in sys.argv else sys.argv[-2]
    config = sys.argv[-1] if command == "gateway" else config
    if command == "--version":
        print("auscult", VERSION)
    elif command == "backup":
        time.sleep(0.1)
        open(sys.argv[-1], "w").write(open(config + ".data").read())
    elif command == "restore":
        open(config + ".data", "w").write("half")
        time.sleep(0.1)
        open(config + ".data", "w").write(open(sys.argv[-2]).read())
    elif command == "gateway":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        data = open(config + ".data").read()
        if not data.startswith("of "):
            open(config + ".wrong", "a").write(VERSION + " started with " + data + "\\n")
        open(config + ".data", "w").write("of " + VERSION)
        if VERSION == "3.0":
            time.sleep(0.3)
            sys.exit(1)
        time.sleep(600)
"""


CUTS = {
    "2.0": ("verifying", "installing", "switching"),
    "3.0": ("installing", "switching", "rolling_back"),
}
"""Steps after whose beginning the power is cut."""


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_power_cut_leaves_the_old_or_the_new_version(tmp_path, monkeypatch):
    """Power cuts soon after each step of good and bad updates, each followed by a boot."""
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    monkeypatch.setattr(test_bundle, "PROGRAM", FAKE)
    bundles = {v: test_bundle.bundle(tmp_path, v, key) for v in ("1.0", "2.0", "3.0")}
    seeded, ends = random.Random(16), []
    for trial in range(14):
        box = Plain(tmp_path / f"box{trial}", public, bundles["1.0"])
        version = "3.0" if trial % 2 else "2.0"
        box.request(version, bundles[version])
        running = box.begin()
        cut = CUTS[version][trial // 2 % 3]
        wait_until(lambda b=box, c=cut, r=running: b.step == c or r.poll() is not None, what=cut)
        time.sleep(seeded.uniform(0, 1.2))
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        cut_at = box.step
        box.control_do("stop")  # the power is gone
        box.boot()
        for _ in range(3):
            if box.step in ("installed", "rolled_back"):
                break
            box.begin().wait()
        ends.append((cut_at, box.version))
        assert box.version == ("1.0" if version == "3.0" else "2.0"), (cut_at, box.state)
        assert box.step == ("rolled_back" if version == "3.0" else "installed"), box.state
        assert box.control_do("is-active") == 0
        assert box.data == f"of {box.version}"
        assert not (box.folder / "etc" / "gateway.toml.wrong").exists()
        box.control_do("stop")
        shutil.rmtree(box.folder)
    assert len({cut for cut, _ in ends}) >= 3, ends


class Plain:
    """A computer with a fake gateway, quick to start."""

    def __init__(self, folder: Path, key: str, first: Path) -> None:
        self.folder, self.key, self.root = folder, key, folder / "root"
        (folder / "etc").mkdir(parents=True)
        (folder / "update").mkdir()
        (folder / "etc" / "gateway.toml").touch()
        (folder / "etc" / "gateway.toml.data").write_text("of 1.0")
        self.control = control(folder)
        self.place = (
            "--root", self.root, "--etc", folder / "etc", "--control", self.control, "--within", 4,
        )  # fmt: skip
        install("install", first, "--key", key, *self.place)
        self.control_do("start")

    def control_do(self, verb: str) -> int:
        return subprocess.run([self.control, verb, "auscult-gateway"], check=False).returncode

    def request(self, version: str, path: Path) -> None:
        shutil.copy(path, self.folder / "update" / "bundle")
        request = {"rollout": "r1", "version": version}
        (self.folder / "update" / "request.json").write_text(json.dumps(request))

    def _command(self, *args: object) -> list[str]:
        return list(map(str, [sys.executable, FOLDER / "auscult-update", *args, *self.place]))

    def begin(self) -> subprocess.Popen[bytes]:
        command = self._command("apply", self.folder / "update", "--key", self.key)
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)

    def boot(self) -> None:
        """Recover before the services, start them, then continue: the order of the units."""
        subprocess.run(self._command("recover"), stderr=subprocess.DEVNULL, check=False)
        self.control_do("start")
        self.begin().wait()

    @property
    def state(self) -> dict:
        try:
            return json.loads((self.root / "update.json").read_text())
        except OSError:
            return {}

    @property
    def step(self) -> str:
        return self.state.get("step", "")

    @property
    def version(self) -> str:
        return (self.root / "current").readlink().name

    @property
    def data(self) -> str:
        return (self.folder / "etc" / "gateway.toml.data").read_text()


def test_what_must_not_be_installed_is_rejected(tmp_path, monkeypatch):
    """A foreign signature, an older version, and a link in the gateway's folder change nothing."""
    key = Ed25519PrivateKey.generate()
    updating = test_bundle.module("auscult_update", FOLDER / "auscult-update")
    services = updating.install.Services(None)
    root, inbox = tmp_path / "root", tmp_path / "in"
    (root / "versions" / "2.0").mkdir(parents=True)
    inbox.mkdir()
    (root / "current").symlink_to("versions/2.0")
    own = test_bundle.bundle(tmp_path, "1.0", key)
    foreign = test_bundle.bundle(tmp_path, "4.0", Ed25519PrivateKey.generate())
    early, hiding = test_bundle.bundle(tmp_path, "2.0rc1", key), tmp_path / "hiding"
    hiding.write_bytes(test_bundle.header("x", b"\xff" * 12) + own.read_bytes())
    for number, (path, version, why, code) in enumerate([
        (foreign, "4.0", "not signed by this key", "bundle_unsigned"),
        (own, "1.0", "an older one is not installed", "update_older"),
        (early, "2.0rc1", "an older one is not installed", "update_older"),
        (hiding, "4.0", "nothing was changed", "bundle_damaged"),
        (own, "9.0", "the bundle is version 1.0", "update_other_version"),
        (None, "4.0", "Too many levels of symbolic links", None),
    ]):  # fmt: skip
        (inbox / "bundle").unlink(missing_ok=True)
        if path is None:
            (inbox / "bundle").symlink_to(own)
        else:
            shutil.copy(path, inbox / "bundle")
        request = {"rollout": f"r{number}", "version": version}
        (inbox / "request.json").write_text(json.dumps(request))
        journal = updating.Journal(root)
        here = updating.install.Installation(root, tmp_path, None, services, 1, journal.write)
        updating.apply(here, journal, inbox, key.public_key().public_bytes_raw().hex())
        state = json.loads((root / "update.json").read_text())
        assert (state["step"], state["rollout"]) == ("rejected", f"r{number}")
        assert why in state["text"]
        # our sentences are codes too, so that the page words them in its language
        said = state["said"] and Said(**state["said"])
        assert said is None if code is None else (said.code == code and said.text)
    assert sorted(path.name for path in (root / "versions").iterdir()) == ["2.0"]
    versions = ["1.9", "1.10.dev3", "1.10a2", "1.10b1", "1.10rc1", "1.10rc12", "1.10", "1.10.1"]
    mixed = random.Random(1).sample(versions, len(versions))
    assert sorted(mixed, key=updating.order) == versions
    assert updating.order("1.10.0") == updating.order("1.10")
    assert (root / "current").readlink().name == "2.0"


def test_a_key_that_others_can_change_decides_nothing(tmp_path, monkeypatch):
    """The service's user must not choose what root installs, nor the command that root runs."""
    updating = test_bundle.module("auscult_update", FOLDER / "auscult-update")
    root, inbox, old = tmp_path / "root", tmp_path / "in", tmp_path / "auscult"
    folder, signer = tmp_path / "auscult-update", Ed25519PrivateKey.generate()
    for place in (root, inbox, old, folder):
        place.mkdir(mode=0o755)
    monkeypatch.setattr(updating, "OLD_PLACE", old)
    key, settings = folder / "release.pub", folder / "update.env"
    shutil.copy(test_bundle.bundle(tmp_path, "4.0", signer), inbox / "bundle")

    def applied(rollout: str) -> dict:
        (inbox / "request.json").write_text(json.dumps({"rollout": rollout, "version": "4.0"}))
        journal = updating.Journal(root)
        services = updating.install.Services(None)
        here = updating.install.Installation(root, tmp_path, None, services, 1, journal.write)
        monkeypatch.setattr(here, "unpack", lambda *_: (_ for _ in ()).throw(OSError("trusted")))
        updating.apply(here, journal, inbox, str(key))
        return json.loads((root / "update.json").read_text())

    def reported(rollout: str, text: str, code: str, path: Path) -> None:
        state = applied(rollout)
        assert (state["step"], state["rollout"]) == ("rejected", rollout)
        assert text in state["text"]
        said = Said(**state["said"])
        assert said.code == code
        assert str(path) in said.text

    reported("r1", f"as root, install -D -m 644 release.pub {key}", "update_key_missing", key)
    public = signer.public_key().public_bytes_raw().hex()
    (old / "release.pub").write_text(public)
    reported("r2", "is no longer read", "update_key_moved", old / "release.pub")
    key.write_text(public)
    settings.write_text("AUSCULT_UPDATE_OPTIONS=--health true")
    for path in (key, settings, folder):
        mode = path.stat().st_mode & 0o777
        path.chmod(mode | 0o020)
        reported(f"mode {path.name}", "can be changed by others than root", "update_key_open", path)
        path.chmod(mode)
        if os.geteuid() == 0:
            os.chown(path, 65_534, 65_534)
            reported(f"owner {path.name}", "compare the key", "update_key_open", path)
            os.chown(path, 0, 0)
    foreign = tmp_path / "foreign"
    foreign.mkdir(mode=0o777)
    foreign.chmod(0o777)
    key.rename(foreign / "release.pub")
    key.symlink_to(foreign / "release.pub")
    reported("link", "can be changed by others than root", "update_key_open", foreign)
    foreign.chmod(0o755)
    assert applied("good")["text"] == "trusted"
