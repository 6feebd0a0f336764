"""From the gateway's messages to readings of metrics: the same values as in the JSON interface.

Pure functions; `feed` passes their results to the edge node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntFlag

from auscult.contract.parts import Level
from auscult.contract.payloads import (
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    SpectrumMessage,
    Status,
)
from auscult.contract.records import RECOVERED, SEVERITY, Reason
from auscult.gateway.tags.inventory import (
    SPECTRUM_COLUMNS,
    TagOptions,
    level_metric,
    point_name,
    spectrum_name,
)
from auscult.gateway.tags.metrics import DataType, Metric, MetricDataSet, Quality, Reading, Value

QUALITY = {"good": Quality.GOOD, "uncertain": Quality.STALE, "bad": Quality.BAD}
"""Sparkplug has no "uncertain": stale is the code that says "do not rely on it yet"."""


class AlarmWord(IntFlag):
    """Bits of the metric `Alarm Word`, for hosts that alarm on numbers."""

    WARNING = 1 << 0
    ALARM = 1 << 1
    LEARNED = 1 << 2
    """The learned detector gives a reason."""
    ISO_ZONE = 1 << 3
    FIXED_LIMIT = 1 << 4
    SENSOR = 1 << 5
    STATE = 1 << 6
    """The machine runs as it never did during the baseline."""
    LEARNING = 1 << 7
    UNKNOWN = 1 << 8
    UNACKNOWLEDGED = 1 << 9
    """An alarm waits for someone; this and the bits after it are of machines only."""
    ACKNOWLEDGED = 1 << 10
    SHELVED = 1 << 11
    OUT_OF_SERVICE = 1 << 12


_REASON_BITS = {
    "learned": AlarmWord.LEARNED,
    "iso_zone": AlarmWord.ISO_ZONE,
    "fixed_limit": AlarmWord.FIXED_LIMIT,
    "sensor": AlarmWord.SENSOR,
    "state": AlarmWord.STATE,
}
_CONDITION_BITS = {
    "warning": AlarmWord.WARNING,
    "alarm": AlarmWord.ALARM,
    "learning": AlarmWord.LEARNING,
    "unknown": AlarmWord.UNKNOWN,
}
_HANDLING_BITS = {
    "unacknowledged": AlarmWord.UNACKNOWLEDGED,
    "returned": AlarmWord.UNACKNOWLEDGED,
    "acknowledged": AlarmWord.ACKNOWLEDGED,
    "shelved": AlarmWord.SHELVED,
    "out_of_service": AlarmWord.OUT_OF_SERVICE,
    "planned_work": AlarmWord.OUT_OF_SERVICE,
}


def alarm_word(condition: str, reasons: Sequence[Reason], handling: str = "normal") -> int:
    """Return the bits that a condition, its reasons and the handling of its alarm set.

    >>> from auscult.contract.said import Said
    >>> alarm_word("alarm", [Reason("iso_zone", "alarm", Said("limit"))])
    10
    """
    word = _CONDITION_BITS.get(condition, AlarmWord(0))
    for reason in reasons:
        if reason.condition not in RECOVERED:
            word |= _REASON_BITS[reason.kind]
    return int(word | _HANDLING_BITS.get(handling, AlarmWord(0)))


def point_levels(message: PointStateMessage, options: TagOptions) -> list[Metric]:
    """Return the metrics of the levels that a state carries."""
    return [
        level_metric(message.point, name, level.unit, options)
        for name, level in message.levels.items()
    ]


def point_readings(message: PointStateMessage) -> dict[str, Reading]:
    """Return the readings of one point, at the time of its last window.

    Before its first window they have the message's time, and nothing is known of its sensor.
    """
    measured = message.window_ms > 0
    t_ms = message.window_ms if measured else message.ts
    quality = QUALITY[message.quality]
    folder = point_name(message.point, "")
    values: dict[str, Value] = {
        **_verdict(folder, message),
        f"{folder}Speed": message.speed_rpm,
        f"{folder}Load": message.load,
    }
    readings = {name: Reading(value, t_ms, quality, measured) for name, value in values.items()}
    faults = message.sensor or [r.text for r in message.reasons if r.kind == "sensor"]
    health: dict[str, Value] = {
        f"{folder}Sensor/Healthy": not faults if measured else None,
        f"{folder}Sensor/Faults": "; ".join(faults) if measured else None,
    }
    # Whether the sensor is well is known all the better when it is not.
    readings.update(_readings(health, t_ms, Quality.GOOD))
    for name, level in message.levels.items():
        readings[f"{folder}Levels/{name}"] = _level(level, t_ms)
    return readings


def machine_readings(
    message: MachineStateMessage, with_baseline: bool = True
) -> dict[str, Reading]:
    """Return the readings of a machine's fused verdict and, if asked, of its baseline."""
    readings = _readings(_verdict("Verdict/", message), message.ts, QUALITY[message.quality])
    coverage = message.coverage
    known: dict[str, Value] = {
        "Event/Open": message.event_id is not None,
        "Event/Id": message.event_id or "",
        "Event/Handling": message.handling.state,
        "Event/Handled By": message.handling.acknowledged_by,
        "Event/Waiting": message.unacknowledged,
    }
    if with_baseline:
        known |= {
            "Baseline/Phase": coverage.phase,
            "Baseline/Progress": 100 * coverage.fraction,
            "Baseline/Windows": coverage.windows,
            "Baseline/Windows Needed": coverage.windows_needed,
            "Baseline/Outliers": coverage.outliers,
            "Baseline/Missing": "; ".join(coverage.missing),
        }
    readings.update(_readings(known, message.ts, Quality.GOOD))
    return readings


def event_readings(message: EventMessage) -> dict[str, Reading]:
    """Return the readings that an event's start, update or end changes."""
    is_open = message.phase != "end"
    values: dict[str, Value] = {
        "Event/Open": is_open,
        "Event/Id": message.event_id if is_open else "",
        "Event/Phase": message.phase,
        "Event/Started": message.started_ms,
        "Event/Peak Condition": message.peak_condition,
    }
    return _readings(values, message.ts, Quality.GOOD)


def spectrum_reading(message: SpectrumMessage) -> dict[str, Reading]:
    """Return a spectrum as a table of frequency (Hz) and amplitude."""
    rows = tuple(
        (message.f0_hz + i * message.df_hz, value) for i, value in enumerate(message.values)
    )
    table = MetricDataSet(SPECTRUM_COLUMNS, (DataType.DOUBLE, DataType.FLOAT), rows)
    return {spectrum_name(message.point, message.kind): Reading(table, message.window_ms)}


def status_readings(message: Status) -> dict[str, Reading]:
    """Return the readings of the gateway's own health."""
    values: dict[str, Value] = {
        "Health/CPU": message.cpu_percent,
        "Health/Memory": message.memory_mb,
        "Health/Disk Free": message.disk_free_mb,
        "Health/Temperature": message.temperature_c,
        "Health/Clock Synchronised": message.clock_synchronised,
        "Health/Storing": message.storing,
        "Health/Windows": message.windows_total,
        "Health/Outbox Pending": message.outbox_pending,
        "Health/Outbox Dropped": message.outbox_dropped,
        "Health/Certificate Left": message.certificate_days,
        "Health/Sources": "; ".join(f"{name}: {is_}" for name, is_ in message.sources.items()),
    }
    return _readings(values, message.ts, Quality.GOOD)


def sensor_lost(message: PointStateMessage) -> bool:
    """Return whether a sensor fault hides the machine's condition at this point."""
    return message.condition == "unknown" and bool(message.sensor)


def _verdict(folder: str, message: PointStateMessage | MachineStateMessage) -> dict[str, Value]:
    named = max(
        (r for r in message.reasons if r.fault), key=lambda r: r.confidence or 0.0, default=None
    )
    handling = message.handling.state if isinstance(message, MachineStateMessage) else "normal"
    return {
        f"{folder}Condition": message.condition,
        f"{folder}Severity": SEVERITY[message.condition],
        f"{folder}Alarm Word": alarm_word(message.condition, message.reasons, handling),
        f"{folder}Reason": "; ".join(reason.text for reason in message.reasons),
        f"{folder}Fault": (named.fault or "") if named else "",
        f"{folder}Fault Confidence": 100 * (named.confidence or 0.0) if named else 0.0,
        f"{folder}Evidence": message.evidence,
        f"{folder}Warning Level": message.warning_level,
        f"{folder}Alarm Level": message.alarm_level,
    }


def _level(level: Level, t_ms: int) -> Reading:
    return Reading(level.value, t_ms, QUALITY[level.quality])


def _readings(values: Mapping[str, Value], t_ms: int, quality: Quality) -> dict[str, Reading]:
    return {name: Reading(value, t_ms, quality) for name, value in values.items()}
