"""What the live stream says."""

from __future__ import annotations

from app.views.base import View
from app.views.clips import ClipView
from app.views.commands import Command
from app.views.events import Event
from app.views.gateways import Gateway
from app.views.labels import Label
from app.views.machines import Machine, Point

LIVE_VIEWS: dict[str, type[View]] = {
    "gateway": Gateway,
    "machine": Machine,
    "point": Point,
    "event": Event,
    "label": Label,
    "command": Command,
    "clip": ClipView,
}
"""Types of live events and what their data is: the same model as the resource itself."""
