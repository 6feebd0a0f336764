"""A Docker engine for the tests: the one that runs here, else one of our own for their duration.

Our own is Debian's `docker.io`, started as root with all its files in one folder and removed
without a trace: no service, no configuration of the machine, no bridge or firewall rule stays.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
KEEP = "AUSCULT_ENGINE_DIR"
"""Names a folder in which our own engine keeps its images from one run to the next."""
PACKAGES = {"dockerd": "docker.io", "docker-compose": "docker-compose", "mmdebstrap": "mmdebstrap"}
START_S = 60
IP_FORWARD = Path("/proc/sys/net/ipv4/ip_forward")
NO_RULES = "*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n*nat\nCOMMIT\n"
"""What `iptables-save` leaves out for an unused table."""


class NoEngineError(Exception):
    """No engine runs here and none can be started; the message says why."""


@dataclass(frozen=True)
class Engine:
    """A running engine and the clients that speak to it."""

    compose_command: tuple[str, ...]
    has_registry: bool
    cli: str = "docker"
    environment: dict[str, str] = field(default_factory=dict)

    def docker(self, *arguments: str, check: bool = True) -> str:
        """Run `docker ARGUMENTS…` in the repository's root and return what it printed."""
        return self._run([self.cli, *arguments], check, {})

    def compose(self, *arguments: str, check: bool, environment: Mapping[str, str]) -> str:
        """Run `docker compose ARGUMENTS…` and return what it printed."""
        return self._run([*self.compose_command, *arguments], check, environment)

    def _run(self, command: list[str], check: bool, environment: Mapping[str, str]) -> str:
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment, **environment},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if check and done.returncode:
            last_lines = "\n".join(done.stdout.splitlines()[-40:])
            raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{last_lines}")
        return done.stdout


@contextmanager
def engine() -> Iterator[Engine]:
    """Give an engine; end it afterwards if we started it.

    Raises
    ------
    NoEngineError
        If none runs here and, not being root or not on Debian, we can't start one.
    """
    running = _running()
    if running is not None:
        yield running
        return
    _install()
    kept = os.environ.get(KEEP)
    # Not below pytest's own folder, which keeps what the last three runs left.
    folder = Path(kept or tempfile.mkdtemp(prefix="auscult-engine-"))
    folder.mkdir(exist_ok=True)
    try:
        with _firewall_restored(), _daemon(folder) as own:
            yield own
    finally:
        if not kept:
            shutil.rmtree(folder)


def _running() -> Engine | None:
    cli = shutil.which("docker")
    if cli is None or subprocess.run([cli, "info"], capture_output=True, check=False).returncode:
        return None
    with_plugin = [cli, "compose", "version"]
    if subprocess.run(with_plugin, capture_output=True, check=False).returncode == 0:
        return Engine(("docker", "compose"), has_registry=True)
    if shutil.which("docker-compose"):
        return Engine(("docker-compose",), has_registry=True)
    raise NoEngineError("a Docker engine runs here, but docker compose is missing: install it")


def _install() -> None:
    if os.geteuid() != 0:
        raise NoEngineError("no Docker engine runs here; start one, or run as root on Debian")
    missing = [package for command, package in PACKAGES.items() if shutil.which(command) is None]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise NoEngineError(f"no Docker engine runs here; install {', '.join(missing)}")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "iptables", *missing]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], install):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


@contextmanager
def _daemon(folder: Path) -> Iterator[Engine]:
    """Run dockerd with its socket, images and state below `folder`."""
    socket = f"unix://{folder}/docker.sock"
    # Debian's client builds with BuildKit by itself; others on the path may want a plug-in.
    own = Engine(
        ("docker-compose",),
        has_registry=False,
        cli="/usr/bin/docker",
        environment={
            "DOCKER_HOST": socket,
            "DOCKER_CONFIG": str(folder / "config"),
            "DOCKER_BUILDKIT": "1",
        },
    )
    places = [f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
    files = [f"--pidfile={folder}/docker.pid", f"--host={socket}"]
    with (folder / "dockerd.log").open("w") as log:
        daemon = subprocess.Popen(
            ["dockerd", *places, *files, "--bridge=none"], stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + START_S
        while own.docker("info", "--format", "{{.ServerVersion}}", check=False).count("\n") != 1:
            if daemon.poll() is not None or time.monotonic() > deadline:
                lines = (folder / "dockerd.log").read_text().splitlines()
                raise RuntimeError("dockerd does not start:\n" + "\n".join(lines[-10:]))
            time.sleep(0.3)
        yield own
    finally:
        daemon.terminate()
        daemon.wait(DEADLINE_S)


@contextmanager
def _firewall_restored() -> Iterator[None]:
    """Take dockerd's firewall rules and forwarding away again: it leaves them when it ends."""
    rules = subprocess.run(["iptables-save"], capture_output=True, text=True, check=True).stdout
    forwarding = IP_FORWARD.read_text()
    try:
        yield
    finally:
        before = NO_RULES + rules
        subprocess.run(["iptables-restore"], input=before, text=True, check=True)
        IP_FORWARD.write_text(forwarding)
