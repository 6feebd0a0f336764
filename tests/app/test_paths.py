"""Topics below the plant's own levels (ISA-95): received, and commands sent there."""

from __future__ import annotations

from tests.app import messages as m
from tests.app.messages import FakeGateway
from tests.gateway.plant import Running, settings
from tests.gateway.recorded import shaft_noise, write_data_set
from tests.waiting import eventually


def test_gateways_with_a_path_are_received_and_commanded(dashboards, mosquitto):
    dashboard = dashboards(paths=("acme/+",))
    dashboard.wait_connected()
    plain = FakeGateway(mosquitto.settings)
    below = FakeGateway(mosquitto.settings, gateway="gw2", path="acme/lyon")
    elsewhere = FakeGateway(mosquitto.settings, gateway="gw3", path="other/lyon")
    for gateway in (elsewhere, plain, below):
        gateway.say_hello("pump-3")
    eventually(lambda: dashboard.count("machine"), 2)
    body = {"id": m.ulid(), "kind": "spectrum"}
    path = "/api/v1/machines/plant~gw2~pump-3/points/DE-H/spectra"
    assert dashboard.client.post(path, json=body).json()["state"] == "acknowledged"
    assert [name for name, _ in below.commands] == ["request_spectrum"]
    assert plain.commands == elsewhere.commands == []
    below.publish(m.event("pump-3", "e1", id="message-1"))
    eventually(lambda: "message-1" in below.receipts, True)
    for gateway in (plain, below, elsewhere):
        gateway.stop()


def test_a_gateway_publishes_below_its_path(dashboards, mosquitto, tmp_path):
    dashboard = dashboards(paths=("acme/lyon/hall-2/line-4",))
    dashboard.wait_connected()
    more = {"site": {"id": "plant", "path": "acme/lyon/hall-2/line-4"}}
    manifest = write_data_set(tmp_path / "data", {"healthy": shaft_noise(5, 1)})
    config = settings(mosquitto, tmp_path / "g", manifest, pace=1, more=more)
    with Running(config):
        eventually(lambda: dashboard.count("machine"), 1)
