"""What the API answers: one model for each thing a page shows, the same in answers and live events.

Times are integers in UTC milliseconds since 1970, named ``*_ms``, as in the messages. Ids of
machines are ``site~gateway~machine``: `~` no part holds a `~`, and a URL need not escape it.
"""

from auscult.app.views.alarms import Alarm, AlarmLoad, MachineLoad, Suppression
from auscult.app.views.base import CommandState, View
from auscult.app.views.bearings import (
    Bearing,
    BearingCandidate,
    BearingCandidates,
    BearingList,
    Orders,
)
from auscult.app.views.cases import (
    Attention,
    Case,
    CaseDetail,
    CaseEntry,
    CaseList,
    CaseState,
    Evidence,
    EvidencePoint,
    Finding,
    Location,
    Movement,
    OrderState,
    PhotoRef,
    Picture,
    PlantStatus,
    PointStatements,
    Repeats,
    TimeToLimit,
    Urgency,
    WorkOrder,
    Zone,
)
from auscult.app.views.checkpoints import MachineCheckpoints
from auscult.app.views.clips import ClipPage, ClipView
from auscult.app.views.commands import Command, CommandPage
from auscult.app.views.commissioning import ImportResult, MachineConfiguration, RowProblem
from auscult.app.views.events import Event, EventDetail, EventPage
from auscult.app.views.gateways import (
    Gateway,
    GatewayList,
    Health,
    UnknownGateway,
    UnknownGatewayList,
)
from auscult.app.views.labels import Label, LabelPage, LabelPreview
from auscult.app.views.live import LIVE_VIEWS
from auscult.app.views.machines import CurrentDecision, Machine, MachineDetail, MachineList, Point
from auscult.app.views.notifications import (
    Channel,
    ChannelList,
    Delivery,
    DeliveryPage,
    Language,
    Rule,
    RuleBody,
    RuleList,
    Span,
)
from auscult.app.views.orders import (
    OrderPriority,
    OrderSystem,
    OrderSystemBody,
    OrderSystemList,
    OrderTemplate,
    OrderTemplateList,
)
from auscult.app.views.prescriptions import (
    Bilingual,
    CheckStep,
    MachineClass,
    Prescription,
    PrescriptionBody,
    PrescriptionList,
)
from auscult.app.views.problems import Problem
from auscult.app.views.report import LearningMachine, SensorFault, ShiftReport
from auscult.app.views.reports import (
    Figures,
    MonthFigures,
    ReportSchedule,
    ReportScheduleBody,
    ReportScheduleList,
)
from auscult.app.views.spectra import Spectrum, SpectrumBand, SpectrumPage, SpectrumRef, Waterfall
from auscult.app.views.tokens import MadeToken, Token, TokenList
from auscult.app.views.trends import Trend, TrendSeries

__all__ = [
    "LIVE_VIEWS",
    "Alarm",
    "AlarmLoad",
    "Attention",
    "Bearing",
    "BearingCandidate",
    "BearingCandidates",
    "BearingList",
    "Bilingual",
    "Case",
    "CaseDetail",
    "CaseEntry",
    "CaseList",
    "CaseState",
    "Channel",
    "ChannelList",
    "CheckStep",
    "ClipPage",
    "ClipView",
    "Command",
    "CommandPage",
    "CommandState",
    "CurrentDecision",
    "Delivery",
    "DeliveryPage",
    "Event",
    "EventDetail",
    "EventPage",
    "Evidence",
    "EvidencePoint",
    "Figures",
    "Finding",
    "Gateway",
    "GatewayList",
    "Health",
    "ImportResult",
    "Label",
    "LabelPage",
    "LabelPreview",
    "Language",
    "LearningMachine",
    "Location",
    "Machine",
    "MachineCheckpoints",
    "MachineClass",
    "MachineConfiguration",
    "MachineDetail",
    "MachineList",
    "MachineLoad",
    "MadeToken",
    "MonthFigures",
    "Movement",
    "OrderPriority",
    "OrderState",
    "OrderSystem",
    "OrderSystemBody",
    "OrderSystemList",
    "OrderTemplate",
    "OrderTemplateList",
    "Orders",
    "PhotoRef",
    "Picture",
    "PlantStatus",
    "Point",
    "PointStatements",
    "Prescription",
    "PrescriptionBody",
    "PrescriptionList",
    "Problem",
    "Repeats",
    "ReportSchedule",
    "ReportScheduleBody",
    "ReportScheduleList",
    "RowProblem",
    "Rule",
    "RuleBody",
    "RuleList",
    "SensorFault",
    "ShiftReport",
    "Span",
    "Spectrum",
    "SpectrumBand",
    "SpectrumPage",
    "SpectrumRef",
    "Suppression",
    "TimeToLimit",
    "Token",
    "TokenList",
    "Trend",
    "TrendSeries",
    "UnknownGateway",
    "UnknownGatewayList",
    "Urgency",
    "View",
    "Waterfall",
    "WorkOrder",
    "Zone",
]
