"""The plant's map: machines keep their places, and the picture is pixels only."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from auscult.app.views.roles import Role
from tests.app.conftest import DATABASES, account, client_of
from tests.waiting import eventually

MAP = "/api/v1/map"
MACHINE = "plant~gw1~pump-3"


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


def png(width, height):
    target = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(target, "PNG")
    return target.getvalue()


def test_machines_are_placed_moved_and_taken_off(dashboard, gateway):
    gateway.say_hello("pump-3")
    put = dashboard.client.put
    eventually(lambda: put(f"{MAP}/places/{MACHINE}", json={"x": 0.25, "y": 0.5}).status_code, 200)
    assert put(f"{MAP}/places/{MACHINE}", json={"x": 0.3337, "y": 1}).json() == {
        "picture": None,
        "places": [{"machine_id": MACHINE, "x": 0.334, "y": 1.0}],
    }
    assert put(f"{MAP}/places/{MACHINE}", json={"x": 1.1, "y": 0}).status_code == 422
    assert put(f"{MAP}/places/plant~gw1~none", json={"x": 0, "y": 0}).status_code == 404
    delete = dashboard.client.delete
    assert delete(f"{MAP}/places/{MACHINE}").status_code == 204
    assert delete(f"{MAP}/places/{MACHINE}").status_code == 404
    assert dashboard.get(MAP)["places"] == []


def test_an_administrator_sets_the_picture(administered):
    account(administered, "eng", Role.ENGINEER)
    client, engineer = administered.client, client_of(administered, "eng")
    assert engineer.put(f"{MAP}/picture", content=png(40, 20)).status_code == 403
    assert client.put(f"{MAP}/picture", content=b"<svg/>").json()["code"] == "photo_unreadable"
    first = client.put(f"{MAP}/picture", content=png(40, 20)).json()["picture"]
    made = client.put(f"{MAP}/picture", content=png(3200, 1000)).json()["picture"]
    assert (made["width"], made["height"]) == (1600, 500)
    answer = engineer.get(f"{MAP}/picture/{made['id']}")
    assert answer.headers["content-type"] == "image/jpeg"
    assert Image.open(io.BytesIO(answer.content)).size == (1600, 500)
    assert engineer.get(f"{MAP}/picture/{first['id']}").status_code == 404, "it was replaced"
    assert client.delete(f"{MAP}/picture").status_code == 204
    assert administered.get(MAP)["picture"] is None
