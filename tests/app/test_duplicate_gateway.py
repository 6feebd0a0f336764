"""A second gateway with the same site and id replaces nothing of the first, and is reported."""

from __future__ import annotations

import pytest

from auscult.app.store import configurations, gateways
from auscult.app.store.freshness import Freshness
from auscult.app.store.instances import SILENT_MS
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.inventory import Configuration
from tests.app import messages as m

FIRST, SECOND = "01FIRST", "01SECOND"


class Plant:
    """A dashboard's store, with gateways that publish to it at given times."""

    def __init__(self, store):
        self._store = store
        self.start_ms = m.now_ms() - 3_600_000

    def publish(self, instance, machines=None, after_s=0.0, made_s=None, **more):
        """Store an inventory (or a status) that arrives `after_s` after the start."""
        at_ms = self.start_ms + int(1000 * after_s)
        ts = at_ms if made_s is None else self.start_ms + int(1000 * made_s)
        if machines is None:
            message = m.status(ts=ts, instance=instance, **more)
        else:
            listed = m.inventory(*machines, ts=ts)
            message = listed.model_copy(update={"instance": instance})
        return self.store(message, at_ms)

    def store(self, message, at_ms):
        origin = Origin("plant", "gw1", at_ms)
        return self._store.write(lambda db: store_message(db, origin, message))

    def configure(self, instance, version, after_s):
        at_ms = self.start_ms + int(1000 * after_s)
        self.store(Configuration(ts=at_ms, version=version, instance=instance), at_ms)

    @property
    def machines(self):
        rows = self._store.read().query("SELECT machine FROM machine WHERE listed = 1")
        return sorted(row["machine"] for row in rows)

    @property
    def version(self):
        return configurations.view(self._store.read(), "plant~gw1").version

    def troubles(self, after_s):
        now = Freshness(self.start_ms + int(1000 * after_s), SILENT_MS)
        return gateways.view(self._store.read(), now, "plant~gw1").troubles


@pytest.fixture
def plant(opened_store):
    return Plant(opened_store)


def test_a_second_gateway_without_machines_empties_nothing(plant, caplog):
    plant.publish(FIRST)
    plant.publish(FIRST, ["pump", "fan"])
    plant.configure(FIRST, "one", 0)
    for after_s in (5, 6, 7):
        plant.publish(SECOND, after_s=after_s)
        plant.publish(SECOND, [], after_s=after_s)
        plant.configure(SECOND, "two", after_s)
    assert plant.machines == ["fan", "pump"]
    assert plant.version == "one"
    assert "second gateway" in plant.troubles(8)["duplicate"]
    assert caplog.text.count("second gateway") == 1, "logged once"
    # The first's inventory, made before the second came, is taken after the next change too.
    plant.publish(FIRST, ["pump"], after_s=10, made_s=1)
    assert plant.machines == ["pump"]
    plant.publish(FIRST, after_s=200)
    assert plant.troubles(200) == {}, "the second has ended"


def test_a_gateway_that_stopped_in_order_is_replaced_at_once(plant):
    plant.publish(FIRST)
    plant.publish(FIRST, ["pump"])
    plant.publish(FIRST, after_s=1, state="offline", started_ms=plant.start_ms)
    plant.publish(SECOND, ["fan"], after_s=2)
    assert plant.machines == ["fan"]
    assert plant.troubles(3) == {}


def test_a_lost_gateway_is_replaced_after_a_while_whatever_its_clock(plant):
    plant.publish(FIRST)
    plant.publish(FIRST, ["pump"], made_s=3)
    plant.publish(FIRST, after_s=1, state="offline")  # its last will
    plant.publish(SECOND, ["fan"], after_s=2)
    assert plant.machines == ["pump"]
    after_s = 5 + SILENT_MS / 1000
    plant.publish(SECOND, ["fan"], after_s=after_s, made_s=2)
    assert plant.machines == ["fan"]
    assert plant.troubles(after_s + SILENT_MS) == {}


def test_gateways_of_earlier_versions_have_no_instance_and_go_on(plant):
    plant.publish("", ["pump"])
    plant.publish("", ["fan"], after_s=1)
    assert plant.machines == ["fan"]
    plant.publish(FIRST, ["pump"], after_s=2)
    assert plant.machines == ["pump"], "the gateway was updated"
