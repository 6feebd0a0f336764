"""What is written of the MQTT interface: the AsyncAPI document, the examples of docs/mqtt.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from auscult.contract.payloads import MESSAGES
from auscult.contract.requests import COMMANDS
from auscult.contract.topics import parse_topic
from lab.documents import asyncapi, commands
from lab.documents.schemas import schema_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/mqtt.md").read_text(encoding="utf-8")
OFFICIAL = ROOT / "web/node_modules/@asyncapi/specs/schemas/3.0.0.json"
EXAMPLES = re.findall(r"`(auscult/v1/[^`]+)`\n\n```json\n(.*?)```", PAGE, re.DOTALL)


def test_the_asyncapi_document_is_valid_by_the_official_schema():
    official = Draft7Validator(json.loads(OFFICIAL.read_text()))
    document = asyncapi.document("1")
    assert [error.message for error in official.iter_errors(document)] == []
    document["operations"]["send.event"]["action"] = "shout"
    assert not official.is_valid(document), "the schema does judge"


def test_every_channel_is_a_topic_of_the_tree():
    for channel in asyncapi.channels():
        topic = re.sub(r"\{(\w+)\}", r"\1", channel.address)
        assert parse_topic(topic) is not None, topic
    said = {channel.message for channel in asyncapi.channels()}
    assert said == set(MESSAGES)


@pytest.mark.parametrize(("topic", "example"), EXAMPLES, ids=[topic for topic, _ in EXAMPLES])
def test_each_example_is_valid(topic, example):
    body = json.loads(example)
    schemas = {message.schema_name: schema_of(message) for message in MESSAGES}
    Draft202012Validator(schemas[body["schema"]]).validate(body)
    assert parse_topic(topic) is not None


def test_every_message_and_command_is_documented():
    shown = {json.loads(example)["schema"] for _, example in EXAMPLES}
    assert shown == {message.schema_name for message in MESSAGES}
    assert "(commands.md)" in PAGE
    assert all(f"`{name}`" in commands.page() for name in COMMANDS)
