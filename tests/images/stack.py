"""The containers of docker/compose.yaml, and the dashboard's API as a client sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.images.engine import Engine
from tests.ports import free_port
from tests.waiting import DEADLINE_S

VERSION = "test"
"""Tag of the images under test."""
SERVICES = ("broker", "dashboard", "gateway")
POLL_S = 0.5


class Stack:
    """A running stack: `files` of docker/, with configuration and secrets in `folder`."""

    def __init__(self, engine: Engine, folder: Path, project: str, *files: str) -> None:
        self._engine = engine
        self.project, self._files = project, files
        self.mqtt_port = free_port()
        port = free_port()
        self._environment = {
            "AUSCULT_CONFIG": str(folder),
            "AUSCULT_LISTEN": f"127.0.0.1:{port}",
            "AUSCULT_MQTT_LISTEN": f"127.0.0.1:{self.mqtt_port}",
            "AUSCULT_VERSION": VERSION,
        }
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE_S)

    def compose(self, *arguments: str, check: bool = True) -> str:
        """Run `docker compose ARGUMENTS…` on the stack."""
        files = [f"--file=docker/{name}" for name in self._files]
        command = (f"--project-name={self.project}", *files, *arguments)
        return self._engine.compose(*command, check=check, environment=self._environment)

    @contextmanager
    def up(self, *services: str) -> Iterator[None]:
        """Start the stack, or some of its services; remove it with its volumes at the end."""
        try:
            self.compose("up", "--detach", "--no-build", "--no-deps", *services)
            yield
        finally:
            self.compose("down", "--volumes", "--timeout=5", check=False)

    def run_in(self, service: str, command: str) -> str:
        """Run a shell command in a service's container and return what it printed."""
        return self._engine.docker(
            "exec", self.container(service), "sh", "-c", command, check=False
        )

    def inspect(self, service: str, template: str) -> str:
        """Return a field of the container's state, such as ``{{.State.Running}}``."""
        return self._engine.docker("inspect", "--format", template, self.container(service)).strip()

    def container(self, service: str) -> str:
        """Return the id of a service's container, also of one that has stopped."""
        labels = {"project": self.project, "service": service}
        filters = [f"--filter=label=com.docker.compose.{k}={v}" for k, v in labels.items()]
        return self._engine.docker("ps", "--all", "--quiet", "--no-trunc", *filters).strip()

    def healthy(self, service: str) -> bool:
        """Whether the engine calls the service's container healthy."""
        return self.inspect(service, "{{.State.Health.Status}}") == "healthy"

    def sign_in(self) -> None:
        """Make the first administrator, with the code that only the host can read."""
        code = self.run_in("dashboard", "cat /data/first-start-code.txt").strip()
        person = {"name": "ada", "password": "a long enough pass phrase", "code": code}
        answer = self._http.post("/sign-in", data=person)
        assert answer.status_code == httpx.codes.SEE_OTHER, answer.text

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of an endpoint, or None while the dashboard does not answer."""
        try:
            return self._http.get(path, params=query).raise_for_status().json()
        except httpx.HTTPError:
            return None

    def wait(self, condition: Callable[[], Any], timeout_s: float, what: str) -> Any:
        """Return the first true result of `condition`; show the logs if there is none in time."""
        deadline = time.monotonic() + timeout_s
        while not (result := condition()):
            if time.monotonic() > deadline:
                log = self.compose("logs", "--no-color", "--tail=40", check=False)
                pytest.fail(f"not within {timeout_s:g} s: {what}\n{log}", pytrace=False)
            time.sleep(POLL_S)
        return result
