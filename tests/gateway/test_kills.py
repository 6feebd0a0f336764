"""kill -9 of the whole `auscult gateway` at random instants: nothing lost, nothing doubled.

A gateway with faults that come and go is killed again and again, both while it starts and while it
publishes; a real dashboard receives it over a real broker. `AUSCULT_CAMPAIGN=full pytest
tests/gateway/test_kills.py` kills 200 times.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from lab.campaign.plant import Plant
from tests.waiting import wait_until

KILLS = 200 if os.environ.get("AUSCULT_CAMPAIGN") == "full" else 4
STARTS_S = 2.5
"""A gateway takes about so long from its start to its first words on a busy machine."""
SPEAKS_S = 1.5


@pytest.fixture
def plant(trained, tmp_path, mosquitto):
    assert trained == tmp_path / "gateway"
    plant = Plant(tmp_path, (mosquitto.port, mosquitto.port))
    yield plant
    plant.end()


@pytest.mark.slow
@pytest.mark.timeout(7200 if KILLS > 10 else 300)
def test_kills_of_the_whole_gateway_lose_and_double_nothing(plant):
    wait_until(plant.connected, what="the dashboard")
    chance = random.Random(6)
    for number in range(KILLS):
        gateway, before = plant.start(), plant.promises
        if number % 3:
            wait_until(lambda n=before: plant.promises > n, what="the gateway says more")
            time.sleep(chance.uniform(0, SPEAKS_S))
        else:
            time.sleep(chance.uniform(0, STARTS_S))
        assert gateway.process.poll() is None, gateway.log.read_text()[-2000:]
        gateway.kill()
    last = plant.finish()
    assert "Traceback" not in last.log.read_text()
    counts = plant.count()
    assert (counts.lost, counts.doubled, counts.wrong) == (0, 0, 0), counts
    assert counts.events >= KILLS // 4
    ended = plant.rows("SELECT count(*) FROM events WHERE phase = 'end'")[0][0]
    assert ended >= counts.events - 1, "one departure is one event: at most the last is open"
    kept = dict(plant.rows("SELECT event_id, phase FROM events"))
    assert kept == dict(plant.at_the_dashboard("SELECT id, phase FROM event"))
    print(f"{KILLS} kills: {counts}")
