"""Real traffic is valid by the JSON Schemas."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from auscult.contract.payloads import MESSAGES, Receipt
from auscult.contract.topics import parse_topic
from lab.documents.schemas import files
from tests.gateway.plant import TOPICS, Running, settings
from tests.waiting import wait_until


@pytest.mark.parametrize("name", sorted(files()))
def test_each_is_a_schema(name):
    Draft202012Validator.check_schema(json.loads(files()[name]))


def test_real_traffic_is_valid(mosquitto, reader, recordings, trained):
    validators = {
        m.schema_name: Draft202012Validator(json.loads(files()[name]))
        for m in MESSAGES
        for name in [f"docs/schemas/{m.schema_name.rsplit('/', 1)[1]}.json"]
    }
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    with Running(config):
        wait_until(lambda: reader.of("event") and reader.of("trend"))
        event = reader.of("event")[0]["event_id"]
        reader.command("label", "l", {"event_id": event, "verdict": "confirmed_fault"})
        reader.answer("l")
        wait_until(lambda: reader.of("lesson"))
        reader.command("request_clip", "c", {"machine": "pump", "point": "de"})
        wait_until(lambda: reader.of("clip"))
        reader.link.publish(TOPICS.receipt, Receipt(ts=0, ids=("c",)).to_json())
        wait_until(lambda: TOPICS.receipt in reader.latest)
        wait_until(lambda: TOPICS.status in reader.latest)
    seen = set()
    for topic, body in reader.messages:
        assert parse_topic(topic) is not None, topic
        validators[body["schema"]].validate(body)
        seen.add(body["schema"])
    assert seen == {m.schema_name for m in MESSAGES}, "every message type was seen"
