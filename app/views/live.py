"""Events of the live stream."""

from __future__ import annotations

from auscult.app.views.base import View
from auscult.app.views.cases import Case
from auscult.app.views.clips import ClipView
from auscult.app.views.commands import SentCommand
from auscult.app.views.events import EventView
from auscult.app.views.gateways import Gateway
from auscult.app.views.labels import LabelView
from auscult.app.views.machines import Machine, Point

LIVE_VIEWS: dict[str, type[View]] = {
    "gateway": Gateway,
    "machine": Machine,
    "point": Point,
    "event": EventView,
    "label": LabelView,
    "command": SentCommand,
    "clip": ClipView,
    "case": Case,
}
"""Types of live events and what their data is: the same model as the resource itself."""
