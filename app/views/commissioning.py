"""The configuration of gateways, and tables of machines."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.commands import SentCommand
from auscult.contract.inventory import ChannelPart, SourceForm
from auscult.contract.machines import MachineSettings
from auscult.contract.said import Said


class MachineConfiguration(View):
    """Machines and sources that a gateway is configured for."""

    gateway_id: str
    version: str = Field(description="Of the commissioned list: `base` of the next change")
    fixed: list[MachineSettings] = Field(description="Of the gateway's own file: not to be changed")
    machines: list[MachineSettings] = Field(description="Commissioned")
    sources: list[dict[str, Any]] = Field(description="Sources of commissioned machines")
    channels: list[ChannelPart] = Field(description="Channels that sources offer")
    forms: list[SourceForm] = Field(
        description="Sources of values that can be set up here; none from a gateway before 0.4"
    )


class RowProblem(View):
    """A problem of one cell of a table."""

    row: int = Field(description="In the file; the head is row 1; 0 = of the whole table")
    column: str
    text: str
    said: Said = Field(description="`text` as code and values")

    @classmethod
    def from_said(cls, row: int, column: str, said: Said) -> Self:
        """Return the problem of a cell."""
        return cls(row=row, column=column, text=said.text, said=said)


class ImportResult(View):
    """The result of an import."""

    machines: int = Field(description="How many machines of the table have no problem")
    points: int
    problems: list[RowProblem] = Field(description="With any, nothing is stored")
    command: SentCommand | None = Field(
        default=None, description="The request to the gateway; null if the table has problems"
    )


class BulkChange(View):
    """A setting that a template changes."""

    setting: str = Field(description="Of the machine, or `point/setting`")
    before: Any
    after: Any


class BulkMachine(View):
    """What a template does to one machine."""

    machine_id: str
    state: Literal["changes", "changed", "unchanged", "rejected"] = Field(
        description="`changes`: would change; `changed`: the gateway has stored it"
    )
    changes: list[BulkChange]
    text: str = Field(default="", description="Why it is rejected")
    said: Said | None = Field(default=None, description="`text` as code and values")


class BulkResult(View):
    """What a template does to each machine, in the order that was asked for."""

    items: list[BulkMachine]
