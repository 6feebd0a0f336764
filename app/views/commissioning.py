"""What gateways listen to, and tables of it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.commands import Command
from auscult.gateway.messages.inventory import ChannelPart
from auscult.gateway.messages.machines import MachineSettings


class MachineConfiguration(View):
    """What a gateway is configured to listen to."""

    gateway_id: str
    version: str = Field(description="Of what was commissioned: `base` of the next change")
    fixed: list[MachineSettings] = Field(description="Of the gateway's own file: not to be changed")
    machines: list[MachineSettings] = Field(description="Commissioned")
    sources: list[dict[str, Any]] = Field(description="What commissioned machines hear")
    channels: list[ChannelPart] = Field(description="What they could hear")


class RowProblem(View):
    """What is wrong with one cell of a table."""

    row: int = Field(description="In the file; the head is row 1; 0 = of the whole table")
    column: str
    text: str


class ImportResult(View):
    """What came of a table."""

    machines: int = Field(description="How many the table holds that are well")
    points: int
    problems: list[RowProblem] = Field(description="Nothing is taken over while there is one")
    command: Command | None = Field(
        default=None, description="What was asked of the gateway, if the table was well"
    )
