"""Settings and ids."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from auscult.link.broker import BrokerSettings
from auscult.sparkplug.topics import SparkplugTopics, check_id
from tests.gateway.outputs.sparkplug.rules import proves


def test_it_is_off_by_default_and_ids_come_from_site_and_gateway():
    settings = SparkplugSettings()
    assert not settings.enabled
    named = settings.named("plant", "gw1")
    assert (named.group_id, named.edge_node_id, named.client_id) == ("plant", "gw1", "plant-gw1")
    assert "start_baseline" not in settings.commands


@proves(
    "intro-group-id-chars", "intro-edge-node-id-chars", "intro-device-id-chars",
    "topic-structure-namespace-valid-group-id", "topic-structure-namespace-valid-edge-node-id",
    "topic-structure-namespace-valid-device-id",
)  # fmt: skip
@pytest.mark.parametrize("bad", ["", "a/b", "a+b", "a#", "a\0b", "\ud800", "x" * 129])
def test_ids_that_mqtt_topics_do_not_allow_are_refused(bad):
    for make in (
        lambda: check_id(bad),
        lambda: SparkplugTopics(bad, "n"),
        lambda: SparkplugTopics("g", bad),
        lambda: SparkplugTopics("g", "n").topic("DDATA", bad),
    ):
        with pytest.raises(ValueError, match="id"):
            make()
    if bad:
        for key in ("group_id", "edge_node_id", "primary_host_id"):
            with pytest.raises(ValidationError):
                SparkplugSettings(**{key: bad})


@proves("intro-group-id-string", "intro-edge-node-id-string", "intro-device-id-string")
def test_ids_may_be_any_utf_8():
    topics = SparkplugTopics("Werk Köln", "ゲートウェイ")
    assert topics.topic("DBIRTH", "Pümpe 3") == "spBv1.0/Werk Köln/DBIRTH/ゲートウェイ/Pümpe 3"


@proves("topic-structure-namespace-duplicate-device-id-across-edge-node")
def test_two_edge_nodes_may_have_devices_of_the_same_id():
    topics = {SparkplugTopics("plant", node).topic("DBIRTH", "pump-3") for node in ("gw1", "gw2")}
    assert len(topics) == 2


@proves(
    "topic-structure-namespace-device-id-associated-message-types",
    "topic-structure-namespace-device-id-non-associated-message-types",
)
def test_kind_and_device_must_belong_together():
    with pytest.raises(ValueError, match="needs a device"):
        SparkplugTopics("g", "n").topic("DBIRTH")
    with pytest.raises(ValueError, match="N… has none"):
        SparkplugTopics("g", "n").topic("NBIRTH", "d")


@pytest.mark.parametrize(
    "topic",
    [
        "spBv1.0/g/NCMD/other", "spBv1.0/g/DCMD/n", "spBv1.0/g/DCMD/n/", "spBv1.0/g/DCMD/n/a/b",
        "spBv1.0/g/NCMD/n/a", "spAv1.0/g/NCMD/n", "", "/", "spBv1.0/g/DDATA/n/d",
    ],
)  # fmt: skip
def test_topics_of_others_are_no_commands(topic):
    unit = SparkplugTopics("g", "n").command_unit(topic)
    assert unit is None


def test_a_broker_named_twice_is_refused():
    broker = BrokerSettings(host="a")
    with pytest.raises(ValidationError, match="name each broker once"):
        SparkplugSettings(brokers=(broker, broker))
