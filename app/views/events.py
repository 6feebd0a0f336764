"""Departures of machines from their baselines."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.labels import LabelView
from auscult.app.views.spectra import SpectrumRef
from auscult.contract import event


class EventView(event.Event, View):
    """An event with the names of its machine and its newest label."""

    id: str = Field(description="`event_id`")
    machine_id: str
    machine_name: str
    area: str = ""
    open: bool
    lost_ms: int | None = Field(
        default=None,
        description="When its gateway was found not to have it any more: its end is not measured",
    )
    label: LabelView | None = Field(default=None, description="The newest label that counts")


class EventPage(View):
    """Events, newest first."""

    items: list[EventView]
    next_cursor: str | None = Field(default=None, description="Give it as `cursor` for the rest")


class EventDetail(EventView):
    """An event with its evidence and all labels."""

    spectra: list[SpectrumRef] = Field(default_factory=list)
    labels: list[LabelView] = Field(default_factory=list)
