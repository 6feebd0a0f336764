"""What the API says: one model for each thing a page shows, the same in answers and live events.

Times are integers in UTC milliseconds since 1970, named ``*_ms``, as in the messages. Ids of
machines are ``site~gateway~machine``: `~` may not stand in a part, nor must a URL escape it.
"""

from app.views.alarms import Alarm, AlarmLoad, MachineLoad, Suppression
from app.views.base import CommandState, View
from app.views.bearings import Bearing, BearingList, Orders
from app.views.checkpoints import MachineCheckpoints
from app.views.clips import ClipPage, ClipView
from app.views.commands import Command, CommandPage
from app.views.commissioning import ImportResult, MachineConfiguration, RowProblem
from app.views.events import Event, EventDetail, EventPage
from app.views.gateways import Gateway, GatewayList, Health
from app.views.labels import Label, LabelPage, LabelPreview
from app.views.live import LIVE_VIEWS
from app.views.machines import Judgement, Machine, MachineDetail, MachineList, Point
from app.views.problems import Problem
from app.views.report import Learner, SensorFault, ShiftReport
from app.views.spectra import Spectrum, SpectrumBand, SpectrumPage, SpectrumRef, Waterfall
from app.views.tokens import MadeToken, Token, TokenList
from app.views.trends import Trend, TrendSeries

__all__ = [
    "LIVE_VIEWS",
    "Alarm",
    "AlarmLoad",
    "Bearing",
    "BearingList",
    "ClipPage",
    "ClipView",
    "Command",
    "CommandPage",
    "CommandState",
    "Event",
    "EventDetail",
    "EventPage",
    "Gateway",
    "GatewayList",
    "Health",
    "ImportResult",
    "Judgement",
    "Label",
    "LabelPage",
    "LabelPreview",
    "Learner",
    "Machine",
    "MachineCheckpoints",
    "MachineConfiguration",
    "MachineDetail",
    "MachineList",
    "MachineLoad",
    "MadeToken",
    "Orders",
    "Point",
    "Problem",
    "RowProblem",
    "SensorFault",
    "ShiftReport",
    "Spectrum",
    "SpectrumBand",
    "SpectrumPage",
    "SpectrumRef",
    "Suppression",
    "Token",
    "TokenList",
    "Trend",
    "TrendSeries",
    "View",
    "Waterfall",
]
