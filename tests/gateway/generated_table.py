"""A table of a document that a module generates, between a first and a last line of its own."""

from __future__ import annotations

from pathlib import Path


def with_table(text: str, table: str) -> str:
    """Replace the table that has the same first and last line."""
    first, *_, last = table.splitlines()
    head, _, rest = text.partition(first)
    _, _, tail = rest.partition(last)
    return head + table + tail


def write_table(document: Path, table: str) -> None:
    """Write the table into its document."""
    text = document.read_text(encoding="utf-8")
    document.write_text(with_table(text, table), encoding="utf-8")
