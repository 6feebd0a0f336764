"""Run-ups in the dashboard: received, listed, returned whole, and kept within the cap."""

from __future__ import annotations

import json

import pytest

from auscult.app.mqtt.decode import RejectedError, decode
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.app.store.retention import RetentionPeriods, delete_old
from auscult.app.store.run_ups import view_newest
from auscult.contract.times import DAY_MS
from auscult.contract.topics import Topics
from tests.app import messages as m
from tests.app.test_ingest import eventually

TOPIC = Topics("plant", "gw1").run_up("pump-3", "DE-H")
PATH = "/api/v1/machines/plant~gw1~pump-3/points/DE-H/run-ups"


def test_a_run_up_comes_back_whole(dashboard, gateway):
    gateway.say_hello("pump-3")
    earlier, later = (m.run_up("pump-3", "DE-H", start_ms=at_ms) for at_ms in (1000, 2000))
    empty = earlier.cascade.model_copy(update={"speed_rpm": (), "values": ()})
    silent = m.run_up("pump-3", "DE-H", start_ms=500, phase_deg=None, cascade=empty)
    for one in (earlier, later, earlier, silent):
        gateway.publish(one)
    eventually(lambda: dashboard.count("run_up"), 3)
    listed = dashboard.get(PATH)["items"]
    assert [one["id"] for one in listed] == [later.id, earlier.id, silent.id]
    assert (listed[0]["low_rpm"], listed[0]["high_rpm"]) == (300, 3300)
    whole = dashboard.get(f"/api/v1/run-ups/{earlier.id}")
    said = earlier.model_dump(mode="json", exclude={"ts", "machine"})
    assert {key: whole[key] for key in said} == said
    assert dashboard.get(f"/api/v1/run-ups/{silent.id}")["cascade"]["values"] == []
    assert dashboard.client.get("/api/v1/run-ups/none").status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"amplitude": (1.0,)},
        {"phase_deg": (1.0,)},
        {"speed_rpm": (), "amplitude": ()},
        {"cascade": {"speed_rpm": (1.0, 2.0), "order_step": 1, "unit": "g", "values": ((1.0,),)}},
        {"cascade": {"speed_rpm": (1.0, 2.0), "order_step": 1, "unit": "g",
                     "values": ((1.0,), (1.0, 2.0))}},
    ],
)  # fmt: skip
def test_columns_that_do_not_fit_are_rejected(wrong):
    said = json.loads(m.run_up("pump-3", "DE-H").to_json())
    assert decode(TOPIC, json.dumps(said).encode()) is not None
    with pytest.raises(RejectedError):
        decode(TOPIC, json.dumps(said | wrong).encode())


def test_the_newest_stay_and_of_the_past_a_few(opened_store):
    origin = Origin("plant", "gw1", 0)
    made = [m.run_up("pump-3", "DE-H", id=f"r{i}", start_ms=i * DAY_MS) for i in range(30)]
    opened_store.write(lambda db: [store_message(db, origin, one) for one in made] and None)
    keep = RetentionPeriods(30, 1830, 3650, spectra_per_point=10, clips_per_point=3)
    delete_old(opened_store, keep, m.now_ms())
    kept = [
        int(one.id[1:]) for one in view_newest(opened_store.read(), "plant~gw1~pump-3", "DE-H", 50)
    ]
    assert kept[:5] == [29, 28, 27, 26, 25]
    assert len(kept) == 10
    assert kept[-1] == 0, "the first one is what a later one is compared with"
