"""A certificate authority and the example broker, one a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.certificates import Authority
from tests.gateway.broker.example_broker import ExampleBroker


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def broker(
    authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ExampleBroker]:
    broker = ExampleBroker(tmp_path_factory.mktemp("broker"), authority)
    broker.start()
    yield broker
    broker.stop()
