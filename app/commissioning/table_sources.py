"""What the machines of a table hear: recordings, or sensors and process values over MQTT.

Those of other Sparkplug B edge nodes are named by an address in the place of a topic.
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

RECORDED = ("recordings", "recorded_machine", "recorded_point", "pace")
HEARD = (
    "topic", "burst_s", "interval_s", "sample_encoding", "sample_scale", "tags", "tags_stale_s",
)  # fmt: skip
SOURCE_COLUMNS = (*RECORDED, *HEARD)

_COLUMNS = {
    "manifest": "recordings",
    "machine": "recorded_machine",
    "stale_after_s": "tags_stale_s",
    "encoding": "sample_encoding",
    "scale": "sample_scale",
}
"""What keys of a source are called in the table, where the names differ."""

_TAG = re.compile(
    r"(?P<name>[^=\s]+)\s*=\s*(?P<topic>[^#+*]+?)(?P<pointer>#/[^\s]*)?"
    r"(?:\s+\*\s*(?P<scale>-?[\d.,e-]+))?(?:\s+(?P<offset>[+-]\s*[\d.,e-]+))?"
)
"""`#` and `+` stand in no topic that names one."""


def target_of(source: Mapping[str, Any]) -> str:
    """Id of the machine that a source delivers to."""
    return str(source.get("as_machine") or source.get("machine") or "")


def source_of(machine: str, rows: Sequence[Row]) -> dict[str, Any] | None:
    """Read what a machine hears from its rows; None if the table does not say.

    Raises
    ------
    CellError
        If a cell can't be read, or the rows name both recordings and topics.
    """
    first, cells = rows[0]
    heard = [(number, row) for number, row in rows if row.get("topic")]
    if cells.get("recordings"):
        if heard:
            text = "this machine plays recordings already; it has one kind of source"
            raise CellError(heard[0][0], "topic", text)
        return _recordings(machine, first, cells, rows)
    if any(row["topic"].startswith(SPARKPLUG) for _, row in heard):
        return metrics_source(machine, first, cells, heard)
    if heard:
        return _mqtt(machine, first, cells, heard)
    for column in ("tags", "tags_stale_s"):
        if cells.get(column):
            raise CellError(first, column, "needs a point with a topic")
    return None


def source_cells(source: Mapping[str, Any], point: str, *, first: bool) -> dict[str, str]:
    """Write what a point hears; the ``first`` row of a machine also says what is of all of it."""
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
        case "sparkplug":
            cells = metrics_cells(source, point, first=first)
        case _:
            return {}
    return {column: cell_of(value) for column, value in cells.items()}


def place_of_source(source: Mapping[str, Any], path: Sequence[str | int]) -> tuple[str, str]:
    """Say at which point (empty = the machine) and in which column a path within a source is."""
    match path:
        case ("waveforms", int(number), *more):
            key = str(more[0]) if more else ""
            column = key if key in HEARD else _COLUMNS.get(key, "topic")
            return source["waveforms"][number]["point"], column
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
    machine: str, first: int, cells: Mapping[str, str], heard: Sequence[Row]
) -> dict[str, Any]:
    bursts = {"burst_s": "burst_s", "interval_s": "interval_s"}
    source: dict[str, Any] = {
        "type": "mqtt",
        "machine": machine,
        "waveforms": [
            {"point": row["point"], "topic": row["topic"], **numbers_of(number, row, bursts)}
            for number, row in heard
        ],
    }
    if cells.get("tags"):
        source["tags"] = [_tag(first, text) for text in parts_of(cells["tags"])]
    return source | numbers_of(first, cells, {"tags_stale_s": "stale_after_s"})


def _tag(row: int, text: str) -> dict[str, Any]:
    """Read `name=topic#/pointer *scale +offset`; all but name and topic may be left out."""
    found = _TAG.fullmatch(text)
    if found is None:
        remedy = "write name=topic#/pointer *scale +offset, e.g. speed_rpm=plc/pump-1#/speed *60"
        raise CellError(row, "tags", f"{text!r}: {remedy}")
    tag: dict[str, Any] = {"name": found["name"], "topic": found["topic"]}
    if found["pointer"]:
        tag["pointer"] = found["pointer"][1:]
    return tag | factors_of(row, found)


def _tag_text(tag: Mapping[str, Any]) -> str:
    text = f"{tag['name']}={tag['topic']}"
    if tag.get("pointer"):
        text += f"#{tag['pointer']}"
    return text + factors_text(tag)
