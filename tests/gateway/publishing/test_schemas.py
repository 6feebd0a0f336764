"""Real traffic is valid by the JSON Schemas."""

from __future__ import annotations

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from auscult.contract.machines import MachineSettings
from auscult.contract.message import NS_PER_S
from auscult.contract.payloads import MESSAGES, Receipt
from auscult.contract.topics import parse_topic
from auscult.dsp.tracking import angle_from_speed
from auscult.gateway.records import PointId, SampleBlock
from lab.documents.schemas import files
from tests.gateway.plant import TOPICS, Running, settings
from tests.gateway.recorded import FS_HZ
from tests.waiting import wait_until


@pytest.mark.parametrize("name", sorted(files()))
def test_each_is_a_schema(name):
    Draft202012Validator.check_schema(json.loads(files()[name]))


def run_up():
    """A run-up of the fan, with its tachometer, and the time after it."""
    n = round(FS_HZ)
    rpm = np.append(np.linspace(1500, 3300, 20 * n), np.full(24 * n, 3300.0))
    wave = np.cos(2 * np.pi * angle_from_speed(rpm, FS_HZ)).astype(np.float32)
    for number in range(rpm.size // n):
        own, t0_ns = wave[number * n : (number + 1) * n], (1_700_000_000 + number) * NS_PER_S
        for name, unit in (("t", "V"), ("de", "g")):
            yield SampleBlock(PointId("fan", name), FS_HZ, t0_ns, number, own, unit)


def test_real_traffic_is_valid(mosquitto, reader, recordings, trained):
    validators = {
        m.schema_name: Draft202012Validator(json.loads(files()[name]))
        for m in MESSAGES
        for name in [f"docs/schemas/{m.schema_name.rsplit('/', 1)[1]}.json"]
    }
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    fan = MachineSettings.model_validate({
        "id": "fan", "tacho": {"id": "t", "fs_hz": FS_HZ, "level": 0.0},
        "points": [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ}],
    })  # fmt: skip
    config = config.model_copy(update={"machines": (*config.machines, fan)})
    with Running(config) as running:
        for block in run_up():
            assert running.gateway.inlet.put([block], wait=True)
        wait_until(lambda: reader.of("event") and reader.of("trend"))
        event = reader.of("event")[0]["event_id"]
        reader.command("label", "l", {"event_id": event, "verdict": "confirmed_fault"})
        reader.answer("l")
        wait_until(lambda: reader.of("lesson"))
        reader.command("request_clip", "c", {"machine": "pump", "point": "de"})
        wait_until(lambda: reader.of("clip"))
        wait_until(lambda: reader.of("run_up"))
        reader.link.publish(TOPICS.receipt, Receipt(ts=0, ids=("c",)).to_json())
        wait_until(lambda: TOPICS.receipt in reader.latest)
        wait_until(lambda: TOPICS.status in reader.latest)
    seen = set()
    for topic, body in reader.messages:
        assert parse_topic(topic) is not None, topic
        validators[body["schema"]].validate(body)
        seen.add(body["schema"])
    assert seen == {m.schema_name for m in MESSAGES}, "every message type was seen"
