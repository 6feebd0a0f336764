"""Our payloads, read by other people's code: the npm package `sparkplug-payload`."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from auscult.gateway.tags.metrics import DataType
from tests.gateway.sparkplug.life import live

FOLDER = Path(__file__).parent / "foreign"
TYPE_NAMES = {
    DataType.INT32: "Int32", DataType.INT64: "Int64", DataType.UINT16: "UInt16",
    DataType.UINT64: "UInt64", DataType.FLOAT: "Float", DataType.BOOLEAN: "Boolean",
    DataType.STRING: "String", DataType.DATETIME: "DateTime", DataType.DATASET: "DataSet",
    DataType.TEMPLATE: "Template", DataType.DOUBLE: "Double",
}  # fmt: skip


def _program(name: str) -> str:
    beside_python = shutil.which(name, path=str(Path(sys.executable).parent))
    found = shutil.which(name) or beside_python
    assert found, f"{name} is missing: make setup brings it"
    return found


@pytest.fixture(scope="session")
def decode():
    if not (FOLDER / "node_modules" / "sparkplug-payload").exists():
        subprocess.run([_program("npm"), "ci", "--silent"], cwd=FOLDER, check=True, timeout=120)

    def run(payloads: list[bytes]) -> list[dict]:
        lines = b"\n".join(base64.b64encode(p) for p in payloads)
        done = subprocess.run(
            [_program("node"), FOLDER / "decode.js"],
            input=lines, capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def _number(value):
    return int(value["long"]) if isinstance(value, dict) and "long" in value else value


def test_a_foreign_decoder_reads_all_messages_of_a_node(decode, tmp_path):
    packets = live(tmp_path, "5.0").sent()
    types = set()
    for p, foreign in zip(packets, decode([p.payload for p in packets]), strict=True):
        ours = p.body
        assert _number(foreign.get("seq")) == (ours.seq if ours.HasField("seq") else None)
        if ours.HasField("timestamp"):
            assert _number(foreign["timestamp"]) == ours.timestamp
        assert len(foreign["metrics"]) == len(ours.metrics)
        for mine, theirs in zip(ours.metrics, foreign["metrics"], strict=True):
            assert _number(theirs.get("alias")) == (mine.alias if mine.HasField("alias") else None)
            assert theirs.get("name", "") == mine.name
            assert theirs.get("isHistorical", False) == mine.is_historical
            properties = {k: v["value"] for k, v in (theirs.get("properties") or {}).items()}
            assert set(properties) == set(mine.properties.keys)
            if "BIRTH" not in p.type:
                continue
            types.add(theirs["type"])
            assert theirs["type"] == TYPE_NAMES[DataType(mine.datatype)]
            field = mine.WhichOneof("value")
            if field is None:
                assert theirs["value"] is None
            elif field == "dataset_value":
                assert theirs["value"]["columns"] == ["Frequency", "Amplitude"]
                assert theirs["value"]["types"] == ["Double", "Float"]
            elif field == "template_value":
                members = theirs["value"]["metrics"]
                assert [m["name"] for m in members] == ["Name", "Kind", "Unit", "Sampling Rate"]
                assert theirs["value"]["isDefinition"] == mine.template_value.is_definition
            elif mine.datatype == DataType.DATETIME:
                assert theirs["value"]
            else:
                assert _number(theirs["value"]) == getattr(mine, field)
    assert types >= {
        "Boolean",
        "DataSet",
        "Float",
        "Int64",
        "String",
        "Template",
        "UInt16",
        "UInt64",
    }
