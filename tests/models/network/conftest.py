"""Every test of the network runs on each engine."""

import pytest

from auscult.models.network import litert

ENGINES = ("litert", "numpy")


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    """The engine that serves: numpy does where LiteRT is not installed."""
    if request.param == "numpy":
        monkeypatch.setattr(litert, "_litert", None)
    return request.param
