"""Sources of the machines of a table: recordings, or sensors and process values over MQTT.

Metrics of other Sparkplug B edge nodes have an address in place of a topic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from auscult.app.commissioning.cells import (
    CellError,
    Row,
    cell_of,
    factors_of,
    factors_text,
    numbers_of,
    parts_of,
)
from auscult.app.commissioning.table_metrics import SPARKPLUG, metrics_cells, metrics_source
from auscult.contract.said import Said

RECORDING_COLUMNS = ("recordings", "recorded_machine", "recorded_point", "pace")
MQTT_COLUMNS = (
    "topic", "burst_s", "interval_s", "sample_encoding", "sample_scale", "tags", "tags_stale_s",
    "path",
)  # fmt: skip
VALUE_COLUMNS = ("point", "topic", "path")
MQTT_JSON = "mqtt_json"
SOURCE_COLUMNS = (*RECORDING_COLUMNS, *MQTT_COLUMNS)

_COLUMNS = {
    "manifest": "recordings",
    "machine": "recorded_machine",
    "stale_after_s": "tags_stale_s",
    "encoding": "sample_encoding",
    "scale": "sample_scale",
}
"""Columns of the keys of a source, where the names differ."""

_TAG = re.compile(
    r"(?P<name>[^=\s]+)\s*=\s*(?P<topic>[^#+*]+?)(?P<pointer>#/[^\s]*)?"
    r"(?:\s+\*\s*(?P<scale>-?[\d.,e-]+))?(?:\s+(?P<offset>[+-]\s*[\d.,e-]+))?"
)
"""No single topic holds `#` or `+`."""


def target_of(source: Mapping[str, Any]) -> str:
    """Return the id of the machine that a source delivers to."""
    return str(source.get("as_machine") or source.get("machine") or "")


def sources_of(machine: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Read a machine's sources from its rows: of its samples, and of its overall values.

    Raises
    ------
    CellError
        As `source_of`.
    """
    values = [row for row in rows if row[1].get("kind") == "value"]
    first = (rows[0][0], {**rows[0][1], "topic": ""}) if rows[0] in values else rows[0]
    others = [row for row in rows if row not in values]
    found = source_of(machine, [first, *others] if rows[0] in values else others)
    with_topic = [row for _, row in values if row.get("topic")]
    sources = [] if found is None else [found]
    if with_topic:
        mapped = [{key: row.get(key, "") for key in VALUE_COLUMNS} for row in with_topic]
        sources.append({"type": MQTT_JSON, "machine": machine, "values": mapped})
    return sources


def source_of(machine: str, rows: Sequence[Row]) -> dict[str, Any] | None:
    """Read the source of a machine's samples from its rows; None if the table names none.

    Raises
    ------
    CellError
        If a cell can't be read, or the rows name both recordings and topics.
    """
    first, cells = rows[0]
    with_topic = [(number, row) for number, row in rows if row.get("topic")]
    if cells.get("recordings"):
        if with_topic:
            raise CellError(with_topic[0][0], "topic", Said("source_kinds_mixed"))
        return _recordings(machine, first, cells, rows)
    if any(row["topic"].startswith(SPARKPLUG) for _, row in with_topic):
        return metrics_source(machine, first, cells, with_topic)
    if with_topic:
        return _mqtt(machine, first, cells, with_topic)
    for column in ("tags", "tags_stale_s"):
        if cells.get(column):
            raise CellError(first, column, Said("tags_without_topic"))
    return None


def source_cells(source: Mapping[str, Any], point: str, *, first: bool) -> dict[str, str]:
    """Write the source of a point; the ``first`` row also holds what concerns the whole machine."""
    match source.get("type"):
        case "recordings":
            cells = {
                "recordings": source["manifest"],
                "recorded_machine": source["machine"],
                "recorded_point": source.get("points", {}).get(point, point),
                "pace": source.get("pace"),
            }
        case "mqtt":
            wave: Mapping[str, Any] = {
                key: value
                for one in source["waveforms"]
                if one["point"] == point
                for key, value in one.items()
            }
            cells = {key: wave.get(key) for key in ("topic", "burst_s", "interval_s")}
            if first:
                cells["tags"] = "; ".join(_tag_text(tag) for tag in source.get("tags", ()))
                cells["tags_stale_s"] = source.get("stale_after_s")
        case "mqtt_json":
            value: Mapping[str, Any] = next(
                (one for one in source["values"] if one["point"] == point), {}
            )
            cells = {key: value.get(key) for key in ("topic", "path")}
        case "sparkplug":
            cells = metrics_cells(source, point, first=first)
        case _:
            return {}
    return {column: cell_of(value) for column, value in cells.items()}


def place_of_source(source: Mapping[str, Any], path: Sequence[str | int]) -> tuple[str, str]:
    """Return the point (empty = the machine) and the column of a path within a source."""
    match path:
        case ("waveforms", int(number), *more):
            key = str(more[0]) if more else ""
            column = key if key in MQTT_COLUMNS else _COLUMNS.get(key, "topic")
            return source["waveforms"][number]["point"], column
        case ("values", int(number), *more):
            column = str(more[0]) if more and more[0] in VALUE_COLUMNS else "topic"
            return source["values"][number]["point"], column
        case ("points", str(point), *_):
            return point, "recorded_point"
        case (str(key), *_):
            return "", _COLUMNS.get(key, key)
    return "", "recorded_point" if source["type"] == "recordings" else "topic"


def _recordings(
    machine: str, first: int, cells: Mapping[str, str], rows: Sequence[Row]
) -> dict[str, Any]:
    source: dict[str, Any] = {
        "type": "recordings",
        "manifest": cells["recordings"],
        "machine": cells.get("recorded_machine") or machine,
        "as_machine": machine,
        "points": {row["point"]: row.get("recorded_point") or row["point"] for _, row in rows},
        "repeat": True,
    }
    return source | numbers_of(first, cells, {"pace": "pace"})


def _mqtt(
    machine: str, first: int, cells: Mapping[str, str], with_topic: Sequence[Row]
) -> dict[str, Any]:
    bursts = {"burst_s": "burst_s", "interval_s": "interval_s"}
    source: dict[str, Any] = {
        "type": "mqtt",
        "machine": machine,
        "waveforms": [
            {"point": row["point"], "topic": row["topic"], **numbers_of(number, row, bursts)}
            for number, row in with_topic
        ],
    }
    if cells.get("tags"):
        source["tags"] = [_tag(first, text) for text in parts_of(cells["tags"])]
    return source | numbers_of(first, cells, {"tags_stale_s": "stale_after_s"})


def _tag(row: int, text: str) -> dict[str, Any]:
    """Read `name=topic#/pointer *scale +offset`; all but name and topic may be left out."""
    found = _TAG.fullmatch(text)
    if found is None:
        raise CellError(row, "tags", Said("cell_tag_form", {"cell": text}))
    tag: dict[str, Any] = {"name": found["name"], "topic": found["topic"]}
    if found["pointer"]:
        tag["pointer"] = found["pointer"][1:]
    return tag | factors_of(row, found)


def _tag_text(tag: Mapping[str, Any]) -> str:
    text = f"{tag['name']}={tag['topic']}"
    if tag.get("pointer"):
        text += f"#{tag['pointer']}"
    return text + factors_text(tag)
