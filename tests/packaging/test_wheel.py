"""The wheel as a user gets it: its content, each set of extras in an environment of its own, and
a gateway and a dashboard that run from it up to an alarm."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Mosquitto
from tests.ports import free_port
from tests.waiting import DEADLINE_S

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
SETS = {"bare": "", "gateway": "[gateway]", "dashboard": "[dashboard]", "evaluate": "[evaluate]"}
ABSENT = {
    "bare": ("fastapi", "paho", "sqlite_utils", "cryptography", "uvicorn"),
    "gateway": ("fastapi", "uvicorn", "argon2", "asyncua", "pymodbus", "psycopg"),
    "dashboard": ("asyncua", "pymodbus", "psycopg", "pyarrow", "amqtt"),
    "evaluate": ("fastapi", "uvicorn", "asyncua", "pymodbus", "psycopg", "distributed"),
}
"""What a set must not bring."""

GATEWAY = """
[site]
id = "plant"
[gateway]
id = "gw1"
data_dir = "gateway"
[mqtt]
port = {mqtt}
[learning]
cpu_share_max = 1 # the other tests must not hold its training up
[[machines]]
id = "gearbox"
[[machines.points]]
id = "a1"
kind = "vibration"
unit = "as_delivered"
fs_hz = 4300
[[sources]]
type = "recordings"
manifest = "{label}.csv"
machine = "gearbox"
pace = 20
"""
DASHBOARD = """
[mqtt]
port = {mqtt}
[dashboard]
port = {http}
data_dir = "dashboard"
login = "off"
"""
BARE = """
import importlib, pkgutil, sys
import numpy as np
import auscult
data = auscult.example("motor")
tables = [auscult.features_of(r, overlap=0)["mic"] for r in data.recordings]
detector = auscult.Detector().fit(auscult.concat([t[:15] for t in tables[:7]]))
assert np.median(detector.score(tables[-1])) > np.median(detector.score(tables[0][15:]))
for name in auscult.__all__:
    getattr(auscult, name)
print(sorted({"fastapi", "paho", "pydantic", "sqlite_utils"} & set(sys.modules)))
import auscult.dsp, auscult.models
for room in (auscult.dsp, auscult.models):
    for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        if module.name.rpartition(".")[2] not in ("build", "tensorflow_graph"):
            importlib.import_module(module.name)
print(auscult.__file__)
"""


class Environment:
    """A virtual environment that holds the wheel with one set of extras, and a folder to run in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv" / "bin"
        venv.create(folder / "venv", symlinks=True)

    def install(self, requirement: str) -> subprocess.Popen[str]:
        """Begin to install what is asked for, in the versions of requirements.lock."""
        return subprocess.Popen(
            [
                sys.executable, "-m", "pip", "--python", self.bin / "python", "install", "--quiet",
                "--no-compile", "--disable-pip-version-check",
                "--constraint", ROOT / "requirements.lock", requirement,
            ],
            stderr=subprocess.PIPE, text=True, cwd=self.folder,
        )  # fmt: skip

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment to its end, away from the checkout."""
        return subprocess.run(
            [self.bin / command[0], *command[1:]],
            capture_output=True, text=True, timeout=120, check=False,
            cwd=self.folder, env=self._variables(),
        )  # fmt: skip

    @contextmanager
    def running(self, command: str, configuration: str) -> Iterator[None]:
        """Run `auscult gateway` or `dashboard`, and end it as systemd would."""
        (self.folder / "auscult.toml").write_text(configuration)
        log = self.folder / f"{command}.log"
        with log.open("ab") as stream:
            process = subprocess.Popen(
                [self.bin / "auscult", command, "--config", "auscult.toml"],
                stdout=stream, stderr=stream, cwd=self.folder, env=self._variables(),
            )  # fmt: skip
        try:
            yield
        except BaseException:
            print(log.read_text()[-2000:])
            raise
        finally:
            process.terminate()
            code = process.wait(DEADLINE_S)
        assert code == 0, log.read_text()[-2000:]

    def _variables(self) -> dict[str, str]:
        return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build(ROOT, folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environments(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Environment]]:
    """All sets at once: pip waits for the network more than for a core."""
    made = {name: Environment(tmp_path_factory.mktemp(name)) for name in SETS}
    installs = [
        made[name].install(f"auscult{extras} @ {wheel.as_uri()}") for name, extras in SETS.items()
    ]
    for install in installs:
        _, errors = install.communicate(timeout=300)
        assert install.returncode == 0, errors
    yield made
    for environment in made.values():
        shutil.rmtree(environment.folder / "venv")


def build(source: Path, to: Path, *what: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *(what or ("--wheel",)),
         "--outdir", to, source],
        check=True, capture_output=True, text=True,
    )  # fmt: skip


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_puts_only_auscult_into_site_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"auscult"}


def test_the_wheel_is_complete(wheel: Path) -> None:
    names = names_in(wheel)
    assert {
        "auscult/py.typed",
        "auscult/app/static/index.html",
        "auscult/app/static-docs/index.html",
        "auscult/app/static-docs/schemas/event.json",
        "auscult/models/network/artefacts/vibration.tflite",
        "auscult/app/demo/gearbox/manifest.csv",
    } <= names
    sources = subprocess.run(
        ["git", "ls-files", "auscult/*.py", "dsp/*.py", "models/*.py", "gateway/*.py", "app/*.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    in_wheel = {name if name.startswith("auscult/") else f"auscult/{name}" for name in sources}
    assert {name for name in names if name.endswith(".py")} == in_wheel


def test_the_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    build(ROOT, tmp_path, "--sdist")
    sdist = next(tmp_path.glob("*.tar.gz"))
    shutil.unpack_archive(sdist, tmp_path)
    build(tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path)
    assert names_in(next(tmp_path.glob("*.whl"))) == names_in(wheel)


@pytest.mark.parametrize("missing", ["static", "static-docs"])
def test_no_wheel_without_its_pages(missing: str, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in {"static", "static-docs"} - {missing}:
        page = tmp_path / "auscult" / "app" / name / "index.html"
        page.parent.mkdir(parents=True)
        page.touch()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        build(tmp_path, tmp_path)
    printed = failed.value.stdout + failed.value.stderr
    assert f"auscult/app/{missing}/index.html is missing" in printed
    assert "make wheel" in printed


@pytest.mark.parametrize("name", SETS)
def test_a_set_brings_what_it_needs_and_no_more(
    name: str, environments: dict[str, Environment]
) -> None:
    listed = f"import importlib.util as u; print([m for m in {ABSENT[name]} if u.find_spec(m)])"
    assert environments[name].run("python", "-c", listed).stdout == "[]\n"


def test_a_notebook_needs_the_bare_set_only(environments: dict[str, Environment]) -> None:
    done = environments["bare"].run("python", "-c", BARE)
    assert done.returncode == 0, done.stderr
    loaded, file = done.stdout.splitlines()
    assert loaded == "[]"
    assert file.startswith(str(environments["bare"].folder))


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        (["gateway", "-c", "x.toml"], "pip install 'auscult[gateway]'"),
        (["dashboard", "-c", "x.toml"], "pip install 'auscult[dashboard]'"),
        (["demo"], "pip install 'auscult[demo]'"),
        (["move-store", "-c", "x.toml"], "pip install 'auscult[postgres]'"),
        (["delta", "key", "-c", "x.toml"], "pip install 'auscult[gateway]'"),
        (["evaluate", "."], "pip install 'auscult[evaluate]'"),
        (["bench", "dsp"], "run it in a checkout"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_names_the_extra_that_it_lacks(
    command: list[str], remedy: str, environments: dict[str, Environment]
) -> None:
    done = environments["bare"].run("auscult", *command)
    assert done.returncode == 2
    assert remedy in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_set_for_evaluating_evaluates(environments: dict[str, Environment]) -> None:
    evaluate = environments["evaluate"]
    place = "import auscult.app as app; print(app.__path__[0])"
    recordings = Path(evaluate.run("python", "-c", place).stdout.strip()) / "demo" / "gearbox"
    done = evaluate.run("auscult", "evaluate", str(recordings), "--json", "out.json")
    assert done.returncode == 0, done.stderr
    rows = json.loads((evaluate.folder / "out.json").read_text())["results"]
    assert {"auscult", "rms", "mahalanobis", "isolation_forest"} == {r["detector"] for r in rows}
    assert "no window was withheld" in done.stdout


def test_gateway_and_dashboard_run_up_to_an_alarm(
    environments: dict[str, Environment], tmp_path: Path
) -> None:
    gateway, dashboard = environments["gateway"], environments["dashboard"]
    place = "import auscult.app as app; print(app.__path__[0])"
    recordings = Path(gateway.run("python", "-c", place).stdout.strip()) / "demo" / "gearbox"
    for label in ("healthy", "faulty"):
        keep_recordings(label, recordings, gateway.folder)
    broker = Mosquitto(tmp_path)
    broker.start()
    url = f"http://127.0.0.1:{free_port()}"
    api = f"{url}/api/v1"
    own = DASHBOARD.format(mqtt=broker.port, http=url.rsplit(":", 1)[1])
    try:
        with dashboard.running("dashboard", own):
            with gateway.running("gateway", GATEWAY.format(mqtt=broker.port, label="healthy")):
                wait(lambda: phase(f"{api}/machines/plant~gw1~gearbox") == "ready", "a baseline")
            with gateway.running("gateway", GATEWAY.format(mqtt=broker.port, label="faulty")):
                events = f"{api}/events?peak_condition=alarm"
                found = wait(lambda: (fetch_json(events) or {}).get("items"), "an alarm")
            assert found[0]["machine_id"] == "plant~gw1~gearbox"
            assert found[0]["reasons"]
            assert "<script" in fetch(f"{url}/")
            assert "$defs" in fetch_json(f"{url}/docs/schemas/event.json")
    finally:
        broker.stop()


def keep_recordings(label: str, folder: Path, to: Path) -> None:
    """Write a manifest of one point's recordings with this label."""
    with (folder / "manifest.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    with (to / f"{label}.csv").open("w", newline="") as text:
        writer = csv.DictWriter(text, rows[0])
        writer.writeheader()
        writer.writerows(
            row | {"recording": str(folder / row["recording"])}
            for row in rows
            if (row["label"], row["point"]) == (label, "a1")
        )


def wait(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + 180
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{what} not in time"
        time.sleep(0.2)
    return result


def phase(url: str) -> str:
    coverage = (fetch_json(url) or {}).get("coverage") or {}
    return str(coverage.get("phase"))


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=DEADLINE_S) as answer:
        return str(answer.read().decode())


def fetch_json(url: str) -> Any:
    """Give what the dashboard answers; None while it does not."""
    try:
        return json.loads(fetch(url))
    except (urllib.error.URLError, OSError):
        return None
