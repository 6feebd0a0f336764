"""Tables of machines for tests."""

from __future__ import annotations

import csv
import io

from auscult.app.commissioning import table


def rows(*changes: dict[str, str]) -> str:
    """A table of a machine with two points that hear nothing, changed row by row."""
    base = [{**row, "topic": "", "tags": ""} for row in table.EXAMPLE_ROWS]
    for row, change in zip(base, changes, strict=False):
        row.update(change)
    text = io.StringIO()
    writer = csv.DictWriter(text, table.COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(base)
    return text.getvalue()
