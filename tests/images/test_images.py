"""What is in the images, and what is not."""

from __future__ import annotations

import json

import pytest

from tests.images.engine import Engine
from tests.images.stack import VERSION

pytestmark = [pytest.mark.image, pytest.mark.timeout(1800)]

AUSCULT, BROKER = f"auscult:{VERSION}", f"auscult-broker:{VERSION}"
NOT_ON_A_GATEWAY = {"tensorflow", "tensorflow-cpu", "amqtt", "scikit-learn", "librosa", "pytest"}


def run(engine: Engine, tag: str, program: str, *arguments: str) -> str:
    options = ("--rm", "--network=none", f"--entrypoint={program}")
    return engine.docker("run", *options, tag, *arguments)


def test_the_command_answers(images: Engine) -> None:
    assert run(images, AUSCULT, "auscult", "--version").startswith("auscult ")


def test_a_gateway_has_the_runtime_and_nothing_of_training_or_tests(images: Engine) -> None:
    listing = "import importlib.metadata as m; print(*(d.name.lower() for d in m.distributions()))"
    installed = set(run(images, AUSCULT, "python", "-c", listing).split())
    assert {"auscult", "ai-edge-litert"} <= {name.replace("_", "-") for name in installed}
    assert not installed & NOT_ON_A_GATEWAY


def test_the_page_and_the_recordings_are_inside(images: Engine) -> None:
    code = "import auscult.app; print(auscult.app.__path__[0])"
    package = run(images, AUSCULT, "python", "-c", code).strip()
    found = run(
        images, AUSCULT, "ls", f"{package}/static/index.html", "/opt/auscult/recordings/gearbox"
    )
    assert "manifest.csv" in found


def test_the_bill_of_materials_with_licences_is_inside(images: Engine) -> None:
    shown = run(images, AUSCULT, "cat", "/opt/auscult/sbom.cdx.json")
    components = {one["name"].lower(): one for one in json.loads(shown)["components"]}
    assert {"auscult", "numpy", "fastapi", "asyncua", "psycopg"} <= components.keys()
    assert components["numpy"]["licenses"][0]["license"]["name"]


@pytest.mark.parametrize("tag", [AUSCULT, BROKER])
def test_no_image_runs_as_root(images: Engine, tag: str) -> None:
    assert run(images, tag, "id", "-u").strip() not in ("", "0")


@pytest.mark.parametrize("tag", [AUSCULT, BROKER])
def test_nothing_of_the_build_secrets_stays(images: Engine, tag: str) -> None:
    left = "find /run/secrets /etc/pip.conf /root/.npmrc -type f 2>/dev/null | wc -l"
    assert run(images, tag, "sh", "-c", left).strip() == "0"
