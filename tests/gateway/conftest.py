"""Fixtures of the gateway's tests: a trained gateway is made once and copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.gateway.storage.store import Store
from tests.conftest import Mosquitto
from tests.gateway.plant import Reader, Running, settings
from tests.gateway.recorded import impacts, shaft_noise, write_data_set
from tests.waiting import wait_until


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Manifests: `healthy`, `faulty` (the same machine with impacts)."""
    folder = tmp_path_factory.mktemp("recordings")
    return {
        "healthy": write_data_set(folder / "healthy", {"healthy": shaft_noise(30, 1)}),
        "again": write_data_set(folder / "again", {"healthy2": shaft_noise(30, 9)}),
        "faulty": write_data_set(folder / "faulty", {"faulty": impacts(10, 2)}),
    }


@pytest.fixture(scope="session")
def trained_folder(recordings: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of a gateway that has learned the healthy machine."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "mosquitto").mkdir()
    broker = Mosquitto(folder / "mosquitto")
    broker.start()
    reader = Reader(broker)
    with Running(settings(broker, folder / "data", recordings["healthy"])) as running:
        reader.wait_for("normal")
        running.stop()
    reader.close()
    broker.stop()
    return folder / "data"


@pytest.fixture
def trained(trained_folder: Path, tmp_path: Path) -> Path:
    """A copy of its own of the trained gateway's data."""
    return Path(shutil.copytree(trained_folder, tmp_path / "gateway"))


@pytest.fixture
def reader(mosquitto: Mosquitto) -> Iterator[Reader]:
    """A reader in the dashboard's place."""
    reader = Reader(mosquitto)
    yield reader
    reader.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of its own."""
    store = Store(tmp_path)
    yield store
    store.close()


__all__ = ["wait_until"]
