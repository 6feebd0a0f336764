"""What answers look like: one example of each kind, put into the OpenAPI document.

Each is made with the view itself, so that it can't say what no answer says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from auscult.app.api.example_answers import ANSWERS
from auscult.app.api.example_cases import CASE_ANSWERS
from auscult.app.api.example_plant import PUMP
from auscult.app.commissioning import table
from auscult.app.people.audit import AuditEntry
from auscult.app.store import exports


def _head(columns: Iterable[str]) -> str:
    return ",".join(columns) + "\r\n"


TABLES = {
    "/audit.csv": _head(AuditEntry.model_fields),
    "/template.csv": table.template(),
    "/configuration.csv": table.template(),
    "/trends.csv": _head(exports.TREND_COLUMNS),
    "/events.csv": _head(exports.EVENT_COLUMNS),
}
"""How the tables begin, by the end of their path."""
STREAMED = f"event: machine\ndata: {PUMP.model_dump_json()}\n\n"


def add_to(document: dict[str, Any]) -> None:
    """Put an example into each main answer of an OpenAPI document that can be shown as text."""
    by_schema = {
        type(one).__name__: one.model_dump(mode="json") for one in (*ANSWERS, *CASE_ANSWERS)
    }
    for path, content in _contents(document):
        for media, described in content.items():
            name = str(described.get("schema", {}).get("$ref", "")).rpartition("/")[2]
            if media == "application/json" and name in by_schema:
                described["example"] = by_schema[name]
            elif media == "text/csv":
                described["example"] = next(
                    text for end, text in TABLES.items() if path.endswith(end)
                )
            elif media == "text/event-stream":
                described["example"] = STREAMED


def _contents(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status.startswith("2"):
                    yield path, answer.get("content", {})
