"""The catalogue of bearings: published ones, own ones, search."""

from __future__ import annotations

import pytest

from auscult.app.commissioning.bearings import PUBLISHED


def test_orders_are_those_that_were_published():
    """The multiples that the Bearing Data Center states for its two bearings."""
    stated = {
        "6205-2RS JEM SKF": (3.5848, 5.4152, 4.7135, 0.39828),
        "6203-2RS JEM SKF": (3.0530, 4.9469, 3.9874, 0.3817),
    }
    for bearing in PUBLISHED:
        if bearing.name in stated:
            o = bearing.orders
            got = (o.bpfo, o.bpfi, 2 * o.bsf, o.ftf)
            assert got == pytest.approx(stated[bearing.name], rel=3e-4)


def test_bearings_are_searched_by_designation_and_by_comb(dashboard):
    named = dashboard.get("/api/v1/bearings", text="6309-2Z/C3")["items"]
    assert [(one["name"], one["approximate"]) for one in named] == [
        ("6309 Timken", False), ("6309", True),
    ]  # fmt: skip
    found = dashboard.get("/api/v1/bearings/candidates", order=4.95, tolerance=0.002)["items"]
    assert ("ER-10K MB", "bpfi") in [(one["bearing"]["name"], one["part"]) for one in found]


def test_an_own_bearing_by_its_makers_orders(dashboard):
    body = {"name": "FAG 22310", "bpfo": 5.99, "bpfi": 9.01, "actor": "eva"}
    answer = dashboard.client.post("/api/v1/bearings", json=body)
    assert answer.status_code == 201, answer.text
    first = dashboard.get("/api/v1/bearings")["items"][0]
    assert first["balls"] is None
    assert first["orders"] == {"bpfo": 5.99, "bpfi": 9.01, "bsf": None, "ftf": None}
    for wrong in ({"bpfo": None, "bpfi": None}, {"bpfo": 9.01, "bpfi": 5.99}):
        assert dashboard.client.post("/api/v1/bearings", json=body | wrong).status_code == 422


def test_own_bearings(dashboard):
    body = {"name": "6305 ours", "balls": 8, "ball_diameter_mm": 10.3, "pitch_diameter_mm": 43.5}
    answer = dashboard.client.post("/api/v1/bearings", json=body | {"actor": "eva"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["orders"]["bpfo"] == pytest.approx(4 * (1 - 10.3 / 43.5))
    first = dashboard.get("/api/v1/bearings")["items"][0]
    assert (first["name"], first["origin"], first["source"]) == (
        "6305 ours", "own", "entered by eva",
    )  # fmt: skip
    wrong = dashboard.client.post("/api/v1/bearings", json=body | {"ball_diameter_mm": 50})
    assert wrong.status_code == 422
    taken = dashboard.client.post("/api/v1/bearings", json=body | {"name": PUBLISHED[0].name})
    assert taken.status_code == 409
    assert dashboard.client.delete("/api/v1/bearings/6305 OURS").status_code == 204
    assert dashboard.client.delete("/api/v1/bearings/6305 ours").status_code == 404
