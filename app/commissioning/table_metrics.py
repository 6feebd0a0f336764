"""Metrics of other Sparkplug B edge nodes in a table: an address in place of a topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from auscult.app.commissioning.cells import (
    CellError,
    Row,
    factors_of,
    factors_text,
    numbers_of,
    parts_of,
)
from auscult.contract.said import Said

SPARKPLUG = "sparkplug:"
"""Begins the address of a metric, in place of a topic."""
_ADDRESS = re.compile(
    r"sparkplug:(?P<group>[^/#]+)/(?P<node>[^/#]+)(?:/(?P<device>[^/#]+))?#(?P<metric>.+)"
)
_METRIC_TAG = re.compile(
    r"(?P<name>[^=\s]+)\s*=\s*(?P<address>sparkplug:.+?)"
    r"(?:\s+\*\s*(?P<scale>-?[\d.,e-]+))?(?:\s+(?P<offset>[+-]\s*[\d.,e-]+))?"
)


def metrics_source(
    machine: str, first: int, cells: Mapping[str, str], rows: Sequence[Row]
) -> dict[str, Any]:
    """Read a source of metrics from the rows that have one.

    Raises
    ------
    CellError
    """
    numbers = {"burst_s": "burst_s", "interval_s": "interval_s", "sample_scale": "scale"}
    group, node, _ = _address(first, "topic", rows[0][1]["topic"])
    waveforms = []
    for number, row in rows:
        its_group, its_node, metric = _address(number, "topic", row["topic"])
        if its_group != group:
            raise CellError(number, "topic", Said("source_groups_mixed", {"group": group}))
        wave = {"point": row["point"], **metric, **numbers_of(number, row, numbers)}
        if row.get("sample_encoding"):
            wave["encoding"] = row["sample_encoding"]
        waveforms.append(wave | ({"edge_node_id": its_node} if its_node != node else {}))
    source = {
        "type": "sparkplug",
        "machine": machine,
        "group_id": group,
        "edge_node_id": node,
        "waveforms": waveforms,
    }
    if cells.get("tags"):
        source["tags"] = [_metric_tag(first, text, node) for text in parts_of(cells["tags"])]
    return source | numbers_of(first, cells, {"tags_stale_s": "stale_after_s"})


def _address(row: int, column: str, text: str) -> tuple[str, str, dict[str, str]]:
    """Read group, edge node, and the metric's place on it."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise CellError(row, column, Said("cell_address_form", {"cell": text}))
    metric = {"metric": found["metric"]}
    if found["device"]:
        metric["device_id"] = found["device"]
    return found["group"], found["node"], metric


def _metric_tag(row: int, text: str, node: str) -> dict[str, Any]:
    found = _METRIC_TAG.fullmatch(text)
    if found is None:
        raise CellError(row, "tags", Said("cell_metric_tag_form", {"cell": text}))
    _, its_node, metric = _address(row, "tags", found["address"])
    tag: dict[str, Any] = {"name": found["name"], **metric}
    if its_node != node:
        tag["edge_node_id"] = its_node
    return tag | factors_of(row, found)


def metrics_cells(source: Mapping[str, Any], point: str, *, first: bool) -> dict[str, Any]:
    """Write the metric of a point; the ``first`` row of a machine also its process values."""
    cells: dict[str, Any] = {}
    for wave in source["waveforms"]:
        if wave["point"] == point:
            cells = {
                "topic": _address_text(source, wave),
                "burst_s": wave.get("burst_s"),
                "interval_s": wave.get("interval_s"),
                "sample_encoding": wave.get("encoding"),
                "sample_scale": wave.get("scale"),
            }
    if first:
        tags = source.get("tags", ())
        texts = (f"{tag['name']}={_address_text(source, tag)}{factors_text(tag)}" for tag in tags)
        cells["tags"] = "; ".join(texts)
        cells["tags_stale_s"] = source.get("stale_after_s")
    return cells


def _address_text(source: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    node = metric.get("edge_node_id") or source["edge_node_id"]
    device = f"/{metric['device_id']}" if metric.get("device_id") else ""
    return f"{SPARKPLUG}{source['group_id']}/{node}{device}#{metric['metric']}"
