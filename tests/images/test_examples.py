"""The configuration beside the compose file."""

from __future__ import annotations

from auscult.app.command.configuration import load
from tests.images.engine import ROOT

DOCKER = ROOT / "docker"
DEMO = ROOT / "app/demo/auscult.toml"


def test_the_gateway_plays_the_recordings_of_the_demo() -> None:
    path = DOCKER / "gateway.toml"
    ours, demo = load(path).for_gateway(path), load(DEMO).for_gateway(DEMO)
    recorded = [source for source in demo.sources if source.type == "recordings"]
    played = tuple(m for m in demo.machines if m.id in {source.machine for source in recorded})
    assert (ours.site, ours.machines, ours.detector) == (demo.site, played, demo.detector)
    for here, there in zip(ours.sources, recorded, strict=True):
        elsewhere = {"manifest": there.manifest, "pace": there.pace}
        assert here.model_copy(update=elsewhere) == there


def test_both_log_in_at_the_broker() -> None:
    gateway, dashboard = load(DOCKER / "gateway.toml"), load(DOCKER / "dashboard.toml")
    assert gateway.mqtt.username == gateway.gateway.id
    assert dashboard.mqtt.username == "dashboard"
    assert gateway.mqtt.password_file == dashboard.mqtt.password_file
