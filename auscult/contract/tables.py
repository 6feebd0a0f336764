"""What a table of overall values holds, as the page shows it to map its columns."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from auscult.contract.message import Part
from auscult.contract.said import Said


class TableColumn(Part):
    """A column of a table, or a tag of a long one."""

    name: str
    cells: tuple[str, ...] = Field(description="The first filled cells, as they are written")
    numbers: bool = Field(description="At least half of the filled cells of the head are numbers")


class TableHead(Part):
    """Answer of `read_table`: what is there, and the mapping of one table."""

    tables: tuple[str, ...] = Field(
        default=(), description="Tables below `recordings_dir`; only without a named table"
    )
    columns: tuple[TableColumn, ...] = ()
    tags: tuple[TableColumn, ...] = Field(default=(), description="Of a long table: its tags")
    left_out: int = Field(default=0, ge=0, description="Further columns and tags, or tables")
    table: str = Field(default="", description="`table` of its machines, as in values.toml")
    machines: tuple[dict[str, Any], ...] = Field(
        default=(), description="`[[machine]]` of values.toml for this table, maybe incomplete"
    )
    version: str = Field(default="", description="Hash of the machines in values.toml")
    more_rows: bool = Field(
        default=False, description="Long table: rows follow the head, maybe with further tags"
    )
    stored: bool = Field(default=False, description="They are in values.toml; false: a draft")
    open: tuple[Said, ...] = Field(default=(), description="What the table does not say")
