"""An engine, the images built on it, and the whole stack of docker/compose.yaml running."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.images.build import build_image, make_base_images
from tests.images.engine import ROOT, Engine, NoEngineError, engine
from tests.images.stack import VERSION, Stack

EXAMPLE_PACE, PACE = "\npace = 2\n", "\npace = 10\n"


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[Engine]:
    """The engine that runs here, or one of our own; skip where neither can be had."""
    with ExitStack() as until_the_end:
        try:
            running = until_the_end.enter_context(engine())
        except NoEngineError as error:
            pytest.skip(str(error))
        yield running


@pytest.fixture(scope="session")
def images(docker_engine: Engine) -> Iterator[Engine]:
    """The engine, with both images built from this checkout."""
    if not docker_engine.has_registry:
        make_base_images(docker_engine)
    tags = {"broker": f"auscult-broker:{VERSION}", "auscult": f"auscult:{VERSION}"}
    for target, tag in tags.items():
        build_image(docker_engine, tag, target)
    yield docker_engine
    docker_engine.docker("image", "rm", "--force", *tags.values(), check=False)


@pytest.fixture(scope="session")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plant's folder: the example's configuration, its recordings played fast, and secrets."""
    folder = tmp_path_factory.mktemp("plant")
    example = (ROOT / "docker/gateway.toml").read_text()
    assert EXAMPLE_PACE in example
    (folder / "gateway.toml").write_text(example.replace(EXAMPLE_PACE, PACE))
    shutil.copy(ROOT / "docker/dashboard.toml", folder)
    subprocess.run([ROOT / "docker/make-secrets.sh", folder / "secrets"], check=True)
    return folder


@pytest.fixture(scope="module")
def stack(images: Engine, plant: Path) -> Iterator[Stack]:
    """The stack, started as docs/deployment.md says, and its administrator signed in."""
    running = Stack(images, plant, "auscult-test", "compose.yaml")
    with running.up():
        running.wait(lambda: running.healthy("dashboard"), 60, "dashboard healthy")
        running.sign_in()
        yield running
