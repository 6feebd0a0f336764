"""Which metrics a gateway and its machines have: gateway = edge node, machine = device.

The table in docs/sparkplug.md is generated from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auscult.contract.host_actions import HostRight
from auscult.contract.inventory import Inventory as InventoryMessage
from auscult.contract.inventory import MachinePart, PointPart
from auscult.contract.label import Verdict
from auscult.contract.parts import SPECTRUM_KINDS
from auscult.contract.payloads import MAX_SHELF_S
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.metrics import (
    BD_SEQ,
    NEXT_SERVER,
    REBIRTH,
    DataType,
    DeadBand,
    Metric,
    MetricDataSet,
    MetricTemplate,
    TagInventory,
    Unit,
    Value,
)

POINT_TYPE = "Auscult Point"
"""The one user-defined type: a measuring point's name plate."""
ACKNOWLEDGE = "Commands/Acknowledge"
LABEL = "Commands/Label"
REPORT_FAULT = "Commands/Report Fault"
SHELVE = "Commands/Shelve"
OUT_OF_SERVICE = "Commands/Out Of Service"
START_BASELINE = "Commands/Start Baseline"
STOP_BASELINE = "Commands/Stop Baseline"
FINISH_BASELINE = "Commands/Finish Baseline"
ROLL_BACK = "Commands/Roll Back"
LAST_RESULT = "Commands/Last Result"
VERDICTS = tuple(Verdict)
SPECTRUM_COLUMNS = ("Frequency", "Amplitude")
EMPTY_SPECTRUM = MetricDataSet(SPECTRUM_COLUMNS, (DataType.DOUBLE, DataType.FLOAT))
EVIDENCE_STEP = 0.05
"""Evidence below this is noise about zero: no message for it."""
TEMPERATURE_STEP_C = 2.0
LEVEL_RANGES = {
    "mm/s": (0.0, 20.0),
    "µm": (0.0, 300.0),
    "m/s²": (0.0, 200.0),
    "g": (0.0, 20.0),
    "Pa": (0.0, 20.0),
    "FS": (0.0, 1.0),
    "1": (0.0, 20.0),
}
"""What a host's gauge shows, by unit: well past the last limit of ISO 20816 (11 mm/s, 140 µm) and
a damaged bearing's crest factor. A value may lie beyond."""

_F, _S, _B = DataType.FLOAT, DataType.STRING, DataType.BOOLEAN
_U64 = DataType.UINT64
# No UINT32: the specification carries it as int_value, older hosts look for a long_value.


@dataclass(frozen=True, slots=True)
class TagOptions:
    """What an output chooses of the tags.

    Parameters
    ----------
    commands : tuple of HostRight
        What hosts may ask for.
    dead_band_percent, health_dead_band_percent : float
        A measured value, or one of the gateway's health, is sent when it changes by more, %.
    several_brokers : bool
        Whether hosts may move the gateway to another broker.
    """

    commands: tuple[HostRight, ...] = ()
    dead_band_percent: float = 2
    health_dead_band_percent: float = 5
    several_brokers: bool = False


def inventory_of(
    message: InventoryMessage, options: TagOptions, levels: KnownLevels, version: str
) -> TagInventory:
    """Return all that a gateway with these machines reports.

    Levels that are not known yet are added by the first measurement (`level_metric`).
    """
    devices = (
        Unit.from_metrics(
            machine.id,
            *_machine_metrics(machine, options),
            *(
                level_metric(point.id, name, unit, options)
                for point in machine.points
                for name, unit in levels.levels_of(machine.id, point.id).items()
            ),
        )
        for machine in message.machines
    )
    return TagInventory.from_units(
        Unit.from_metrics(None, *_node_metrics(options, version)), *devices
    )


def point_name(point: str, leaf: str) -> str:
    """Return the name of a point's metric.

    >>> point_name("DE-H", "Condition")
    'Points/DE-H/Condition'
    """
    return f"Points/{point}/{leaf}"


def spectrum_name(point: str, kind: str) -> str:
    """Return the metric that carries a requested spectrum; `kind` is spectrum or envelope."""
    return point_name(point, kind.capitalize())


def request_name(point: str, kind: str) -> str:
    """Return the metric that a host writes to ask for a spectrum."""
    return point_name(point, f"Commands/Request {kind.capitalize()}")


def level_metric(point: str, level: str, unit: str, options: TagOptions) -> Metric:
    """Return the metric of a measured level, in the unit it came with."""
    low, high = LEVEL_RANGES.get(unit, (None, None))
    return Metric(
        point_name(point, f"Levels/{level}"),
        _F,
        unit,
        low,
        high,
        dead_band=DeadBand(percent=options.dead_band_percent),
    )


def _node_metrics(options: TagOptions, version: str) -> Iterator[Metric]:
    health = DeadBand(percent=options.health_dead_band_percent)
    points = DeadBand(absolute=options.health_dead_band_percent)
    yield Metric(BD_SEQ, DataType.INT64, documentation="Birth/death number of this connection")
    yield Metric(REBIRTH, _B, initial=False, writable=True, documentation="Asks for new births")
    if options.several_brokers:
        yield Metric(
            NEXT_SERVER, _B, initial=False, writable=True, documentation="Moves to the next broker"
        )
    yield Metric(
        POINT_TYPE,
        DataType.TEMPLATE,
        documentation="Type of the points' name plates",
        initial=_point_type(),
    )
    yield Metric("Properties/Software", _S, documentation="The product", initial="Auscult")
    yield Metric("Properties/Version", _S, documentation="The gateway's version", initial=version)
    yield Metric("Health/CPU", _F, "%", 0, None, "Share of one core", points)
    yield Metric("Health/Memory", _F, "MB", 0, None, "Resident memory", health)
    yield Metric("Health/Disk Free", _F, "MB", 0, None, "Where the gateway stores", health)
    yield Metric("Health/Temperature", _F, "°C", dead_band=DeadBand(absolute=TEMPERATURE_STEP_C))
    yield Metric(
        "Health/Clock Synchronised", _B, documentation="True while the clock is synchronised"
    )
    yield Metric("Health/Storing", _B, documentation="False while the database fails")
    yield Metric("Health/Windows", _U64, documentation="Windows scored since the start")
    yield Metric("Health/Outbox Pending", _U64, documentation="JSON messages that wait")
    yield Metric(
        "Health/Outbox Dropped", _U64, documentation="JSON messages discarded at the bound"
    )
    yield Metric(
        "Health/Certificate Left", _F, "d", documentation="Days until it expires; < 0: since"
    )
    yield Metric("Health/Sources", _S, documentation="Each source with `ok` or its fault")
    yield Metric("Sparkplug/History Pending", _U64, documentation="Readings that wait")
    yield Metric(
        "Sparkplug/History Dropped", _U64, documentation="Readings discarded at the bounds"
    )
    yield Metric("Sparkplug/Commands Refused", _U64, documentation="Since the start")


def _machine_metrics(machine: MachinePart, options: TagOptions) -> Iterator[Metric]:
    evidence = DeadBand(EVIDENCE_STEP, options.dead_band_percent)
    yield Metric("Properties/Name", _S, documentation="The machine's name", initial=machine.name)
    yield Metric("Properties/Area", _S, documentation="Area of the plant", initial=machine.area)
    yield Metric(
        "Properties/Power", _F, "kW", documentation="Rated power", initial=machine.power_kw
    )
    yield Metric(
        "Properties/Speed", _F, "r/min", documentation="Rated speed", initial=machine.speed_rpm
    )
    yield Metric(
        "Properties/Support",
        _S,
        documentation="rigid or flexible, empty if not stated",
        initial=machine.support or "",
    )
    yield from _verdict("Verdict/", evidence)
    yield Metric("Event/Open", _B, documentation="True while an event is open", initial=False)
    yield Metric("Event/Id", _S, initial="", documentation="Of the open event, else empty")
    yield Metric(
        "Event/Handling",
        _S,
        documentation="unacknowledged, acknowledged, returned, normal, shelved, out_of_service, "
        "planned_work",
    )
    yield Metric("Event/Handled By", _S, documentation="Who acknowledged it")
    yield Metric("Event/Waiting", _U64, documentation="Unacknowledged events")
    yield Metric("Event/Phase", _S, documentation="start, update, end")
    yield Metric("Event/Started", DataType.DATETIME, documentation="Of the last event")
    yield Metric("Event/Peak Condition", _S, documentation="The worst of the last event")
    yield Metric("Baseline/Phase", _S, documentation="collecting, training, ready")
    yield Metric("Baseline/Progress", _F, "%", 0, 100, "The least fulfilled requirement")
    yield Metric("Baseline/Windows", _U64)
    yield Metric("Baseline/Windows Needed", _U64)
    yield Metric("Baseline/Outliers", _U64)
    yield Metric("Baseline/Missing", _S, documentation="What the baseline still needs")
    yield Metric(LAST_RESULT, _S, initial="", documentation="Result of the last command")
    yield from _command_metrics(options)
    for point in machine.points:
        yield from _point_metrics(machine, point, options, evidence)


def _command_metrics(options: TagOptions) -> Iterator[Metric]:
    """Yield what hosts may write to a machine."""
    writable: dict[HostRight, tuple[tuple[str, DataType, Value, str], ...]] = {
        "acknowledge": ((ACKNOWLEDGE, _S, "", "Write the value of Event/Id"),),
        "label": (
            (LABEL, _S, "", f"Write a verdict on the last event: {', '.join(VERDICTS)}; a fault's "
             "kind after a colon"),
        ),
        "report_fault": (
            (REPORT_FAULT, _S, "", "Write the minutes until now of a fault that raised no "
             "event; its kind after a colon"),
        ),
        "shelve": ((SHELVE, DataType.INT32, 0, "Write the minutes; 0 ends it"),),
        "out_of_service": (
            (OUT_OF_SERVICE, _B, False, "Write true; false returns it to service"),
        ),
        "start_baseline": (
            (START_BASELINE, _B, False, "Write true: the machine is healthy now"),
        ),
        "stop_baseline": (
            (STOP_BASELINE, _B, False, "Write true: cancel the healthy period"),
            (FINISH_BASELINE, _B, False, "Write true: finish the healthy period with the windows "
            "so far"),
        ),
        "roll_back": (
            (ROLL_BACK, _B, False, "Write true: undo what the last label changed"),
        ),
    }  # fmt: skip
    for right, metrics in writable.items():
        if right not in options.commands:
            continue
        for name, kind, initial, text in metrics:
            minutes = name == SHELVE
            yield Metric(
                name,
                kind,
                unit="min" if minutes else "",
                low=0 if minutes else None,
                high=MAX_SHELF_S // 60 if minutes else None,
                documentation=text,
                initial=initial,
                writable=True,
            )


def _point_metrics(
    machine: MachinePart, point: PointPart, options: TagOptions, evidence: DeadBand
) -> Iterator[Metric]:
    folder = f"Points/{point.id}/"
    percent = DeadBand(percent=options.dead_band_percent)
    yield Metric(f"{folder}Name Plate", DataType.TEMPLATE, initial=_name_plate(machine, point))
    yield from _verdict(folder, evidence)
    yield Metric(f"{folder}Sensor/Healthy", _B)
    yield Metric(f"{folder}Sensor/Faults", _S, documentation="Empty without a fault")
    yield Metric(f"{folder}Speed", _F, "r/min", 0, dead_band=percent)
    yield Metric(f"{folder}Load", _F, documentation="In the plant's unit", dead_band=percent)
    if "request_spectrum" in options.commands:
        for kind in SPECTRUM_KINDS:
            yield Metric(
                spectrum_name(point.id, kind),
                DataType.DATASET,
                initial=EMPTY_SPECTRUM,
                momentary=True,
                documentation="Frequency in Hz, amplitude in the point's unit; on request",
            )
            yield Metric(
                request_name(point.id, kind),
                _B,
                initial=False,
                writable=True,
                documentation="Write true",
            )


def _verdict(folder: str, evidence: DeadBand) -> Iterator[Metric]:
    yield Metric(
        f"{folder}Condition", _S, documentation="learning, normal, warning, alarm, unknown"
    )
    yield Metric(
        f"{folder}Severity",
        DataType.INT32,
        low=0,
        high=4,
        documentation="0 normal, 1 learning, 2 unknown, 3 warning, 4 alarm",
    )
    yield Metric(
        f"{folder}Alarm Word", DataType.UINT16, documentation="Bits: see docs/sparkplug.md"
    )
    yield Metric(f"{folder}Reason", _S, documentation="The reasons as text")
    yield Metric(f"{folder}Fault", _S, documentation="Fault named by the diagnosis, or empty")
    yield Metric(f"{folder}Fault Confidence", _F, "%", 0, 100, "0 where none is named")
    yield Metric(f"{folder}Evidence", _F, documentation="Accumulated", dead_band=evidence)
    yield Metric(f"{folder}Warning Level", _F, documentation="Of the evidence")
    yield Metric(f"{folder}Alarm Level", _F, documentation="Of the evidence")


_PLATE: tuple[tuple[Metric, Value], ...] = (
    (Metric("Name", _S), ""),
    (Metric("Kind", _S, documentation="vibration or sound"), ""),
    (Metric("Unit", _S, documentation="Of the samples"), ""),
    (Metric("Sampling Rate", _F, "Hz"), 0.0),
)


def _point_type() -> MetricTemplate:
    return MetricTemplate(
        members=_PLATE,
        parameters=(("Machine", _S, ""), ("Point", _S, "")),
        version="1",
    )


def _name_plate(machine: MachinePart, point: PointPart) -> MetricTemplate:
    values: tuple[Value, ...] = (point.name, point.kind, point.unit, point.fs_hz)
    return MetricTemplate(
        members=tuple((metric, value) for (metric, _), value in zip(_PLATE, values, strict=True)),
        parameters=(("Machine", _S, machine.id), ("Point", _S, point.id)),
        reference=POINT_TYPE,
        version="1",
    )
