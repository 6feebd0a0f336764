"""Fixtures of the Sparkplug tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.outputs.sparkplug.bench import Bench
from tests.gateway.outputs.sparkplug.life import Life, live


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


@pytest.fixture(scope="package", params=["3.1.1", "5.0"])
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Life:
    """A whole life of the edge node, recorded once for all tests that read it."""
    return live(tmp_path_factory.mktemp("life"), request.param)
