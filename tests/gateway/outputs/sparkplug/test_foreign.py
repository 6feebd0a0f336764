"""Our payloads, read by other people's code.

The npm package `sparkplug-payload`, and two packages from PyPI that read data messages only where
these carry types (`data_types`).
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from auscult.gateway.tags.metrics import DataType
from lab.documents.sparkplug_metrics import type_name
from tests.gateway.outputs.sparkplug.life import live
from tests.gateway.programs import install, program

FOLDER = Path(__file__).parent / "foreign"
PACKAGES = FOLDER / ".venv"


def _decoded(command: list[str | Path], payloads: Iterable[bytes]) -> list[Any]:
    done = subprocess.run(
        command,
        input=b"\n".join(base64.b64encode(payload) for payload in payloads),
        env={**os.environ, "PYTHONPATH": str(PACKAGES)},
        capture_output=True,
        check=True,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def decode():
    install(FOLDER, "sparkplug-payload")
    return lambda payloads: _decoded([program("node"), FOLDER / "decode.js"], payloads)


@pytest.fixture(scope="session")
def packages():
    if not PACKAGES.exists():
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", PACKAGES,
             "-r", FOLDER / "requirements.txt"],
            check=True, timeout=240,
        )  # fmt: skip


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """The data messages of a node with types in them, without requested spectra."""
    life = live(tmp_path_factory.mktemp("typed"), "5.0", data_types=True)
    data = life.sent("NDATA", "DDATA")
    assert any(metric.is_historical for packet in data for metric in packet.body.metrics)
    return [p for p in data if not p.body.metrics[0].HasField("dataset_value")]


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
            assert theirs["type"] == type_name(DataType(mine.datatype))
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


def _values(packet) -> list[Any]:
    return [getattr(metric, metric.WhichOneof("value")) for metric in packet.body.metrics]


@pytest.mark.parametrize("package", ["pysparkplug", "mqtt-spb-wrapper"])
def test_a_package_without_births_reads_all_data_with_types(packages, typed, package):
    read = _decoded([sys.executable, FOLDER / "decode.py", package], [p.payload for p in typed])
    assert read == [pytest.approx(_values(packet)) for packet in typed]


def test_sparkplug_payload_reads_all_data_with_types(decode, typed):
    for packet, foreign in zip(typed, decode([p.payload for p in typed]), strict=True):
        read = [_number(metric["value"]) for metric in foreign["metrics"]]
        assert read == pytest.approx(_values(packet))
