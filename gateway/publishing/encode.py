"""From the gateway's records to its messages: numbers rounded, times in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
from ulid import ULID

from auscult.contract import learning, parts, payloads
from auscult.contract.label import Label, Verdict
from auscult.contract.message import Message, Part, millis, now_ms
from auscult.contract.parts import worded
from auscult.contract.records import (
    Condition,
    HeadUpdate,
    OperatingState,
    Provenance,
    ReasonKind,
    Warranty,
)
from auscult.contract.run_up import CascadePart, CriticalSpeedPart, RunUpMessage
from auscult.contract.said import Said
from auscult.dsp.envelope import EnvelopeSpectrum
from auscult.dsp.kurtogram import KurtogramBand
from auscult.dsp.run_up import amplitude_unit
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.spectrum import AmplitudeSpectrum
from auscult.gateway.machines.alarms import Alarm, MachineAlarms
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.trends import PointInterval
from auscult.gateway.publishing.levels import EVIDENCE
from auscult.gateway.publishing.numbers import optional, rounded, rounded_all
from auscult.gateway.publishing.questions import question_part
from auscult.gateway.publishing.repair import repair_part
from auscult.gateway.records import PointId
from auscult.gateway.windows.run_ups import ORDER_STEP, PointRunUp
from auscult.models.records import Decision

MESSAGES: Sequence[type[Message | Part]] = (
    payloads.PointStateMessage,
    payloads.MachineStateMessage,
    payloads.EventMessage,
    payloads.Trend,
    payloads.SpectrumMessage,
    RunUpMessage,
    parts.Level,
)
"""What the window loop publishes, and the parts that it checks by themselves."""


def optional_millis(t_ns: int | None) -> int | None:
    """Convert nanoseconds to milliseconds; None stays None."""
    return None if t_ns is None else millis(t_ns)


def quality_of(decision: Decision, sensor: Sequence[str] = ()) -> parts.Quality:
    """Return a point's quality: bad without a usable measurement, uncertain for a doubtful one.

    A sensor fault beside a decision makes the measurement doubtful. In an operating state that the
    baseline has never seen, the measured values are good; only the decision on them is doubtful.
    """
    beside = any(r.kind is ReasonKind.SENSOR for r in decision.reasons)
    if decision.condition is Condition.UNKNOWN:
        decided_on = decision.point is not None and decision.p_value is not None
        return "uncertain" if decision.reasons and (decided_on or not beside) else "bad"
    return "uncertain" if sensor or beside else "good"


def point_state(
    point: PointId,
    decision: Decision,
    *,
    ts: int,
    levels: Mapping[str, tuple[float, str]],
    sensor: Sequence[str],
    state: OperatingState | None,
    provenance: Provenance,
) -> payloads.PointStateMessage:
    """Encode the decision on a point, with its overall values (value and unit)."""
    quality = quality_of(decision, sensor)
    return payloads.PointStateMessage(
        ts=ts,
        machine=point.machine,
        point=point.point,
        **_decided(decision),
        quality=quality,
        window_ms=millis(decision.t_ns),
        score=optional(decision.score.value) if decision.score else None,
        levels={
            name: parts.Level(value=rounded(value), unit=unit, quality=quality)
            for name, (value, unit) in levels.items()
        },
        sensor=tuple(sensor),
        speed_rpm=optional(state.speed_rpm) if state else None,
        load=optional(state.load) if state else None,
        ids=provenance,
    )


def machine_state(machine: MonitoredMachine, *, ts: int) -> payloads.MachineStateMessage:
    """Encode the decision on a machine, and the handling of its alarms."""
    alarms, repair, event = machine.alarms, machine.learning.repair, machine.open_event
    return payloads.MachineStateMessage(
        ts=ts,
        machine=machine.id,
        **_decided(machine.decision),
        quality=machine.quality,
        coverage=machine.detector.coverage,
        event_id=event.event_id if event else None,
        awaiting_approval=machine.awaiting_approval,
        handling=machine_handling(alarms),
        unacknowledged=alarms.waiting,
        suppression=alarms.suppression,
        repair=repair_part(repair) if repair else None,
        questions=tuple(map(question_part, machine.learning.questions)),
        warranty=warranty_part(machine.detector.warranty),
        ids=machine.provenance(),
    )


def _decided(decision: Decision) -> dict[str, Any]:
    """Return the fields of a state that a decision has, as they are published."""
    return {
        "condition": decision.condition,
        "reasons": tuple(map(worded, decision.reasons)),
        "p_value": optional(decision.p_value),
        "evidence": optional(decision.evidence),
        "warning_level": optional(decision.warning_level),
        "alarm_level": optional(decision.alarm_level),
    }


def warranty_part(promise: Warranty | None) -> parts.WarrantyPart | None:
    """Encode what the charts promise, the missing days rounded up."""
    if promise is None:
        return None
    return parts.WarrantyPart(
        false_alarms_per_year=promise.false_alarms_per_year,
        days_missing=ceil(promise.days_missing),
        wider=round(promise.wider, 2),
    )


def handling(alarm: Alarm, suppression: parts.SuppressionPart | None) -> parts.HandlingPart:
    """Encode the state of an event as an alarm."""
    return parts.HandlingPart(
        state=alarm.state,
        changes=alarm.changes,
        acknowledged_ms=optional_millis(alarm.acknowledged_ns),
        acknowledged_by=alarm.acknowledged_by,
        comment=alarm.comment,
        until_ms=suppression.until_ms if suppression and alarm.state == "shelved" else None,
    )


def machine_handling(alarms: MachineAlarms) -> parts.HandlingPart:
    """Encode the alarm state of a machine: of its shown alarm, else of its suppression."""
    if alarms.shown is not None:
        return handling(alarms.shown, alarms.suppression)
    if alarms.suppression is None:
        return parts.HandlingPart()
    return parts.HandlingPart(state=alarms.suppression.kind, until_ms=alarms.suppression.until_ms)


def event(
    alarm: Alarm, suppression: parts.SuppressionPart | None, *, ts: int
) -> payloads.EventMessage:
    """Encode an event's start, update or end, or its handling, under a new message id."""
    record = alarm.event
    published = {
        "ts": ts,
        "id": str(ULID()),
        "peak_evidence": rounded(record.peak_evidence),
        "peak_p_value": optional(record.peak_p_value),
        "reasons": tuple(map(worded, record.reasons)),
        "handling": handling(alarm, suppression),
    }
    return payloads.EventMessage(**dict(record) | published)


def trend(
    point: PointId,
    done: PointInterval,
    spec: FeatureSpec,
    columns: Sequence[int],
    *,
    ts: int,
) -> payloads.Trend:
    """Encode one interval of a point's features, and of its evidence (the last column)."""
    interval = done.interval
    units = {spec.features[i].name: spec.features[i].unit for i in columns}
    columns = list(columns)
    # Before a baseline there is no evidence.
    if np.isfinite(interval.mean[-1]):
        columns.append(len(spec))
        units[EVIDENCE] = "1"
    rows = [rounded_all(x[columns]) for x in (interval.low, interval.mean, interval.high)]
    return payloads.Trend(
        ts=ts,
        id=str(ULID()),
        machine=point.machine,
        point=point.point,
        start_ms=millis(interval.start_ns),
        end_ms=millis(interval.end_ns),
        windows=interval.windows,
        condition=done.condition.value,
        quality="uncertain" if done.doubtful else "good",
        values=dict(zip(units, zip(*rows, strict=True), strict=True)),
        units=units,
    )


def spectrum(
    point: PointId,
    measured: AmplitudeSpectrum | EnvelopeSpectrum,
    *,
    ts: int,
    window_ns: int,
    event_id: str | None,
    state: OperatingState | None,
    condition: Condition,
    baseline_id: str,
    quality: parts.Quality,
) -> payloads.SpectrumMessage:
    """Encode a spectrum with its measuring conditions (ISO 13373)."""
    envelope = isinstance(measured, EnvelopeSpectrum)
    return payloads.SpectrumMessage(
        ts=ts,
        id=str(ULID()),
        machine=point.machine,
        point=point.point,
        event_id=event_id,
        kind="envelope" if envelope else "spectrum",
        window_ms=millis(window_ns),
        f0_hz=float(measured.frequencies_hz[0]),
        df_hz=measured.df_hz,
        values=tuple(rounded_all(measured.values)),
        unit=f"{measured.unit}²" if envelope else measured.unit,
        fs_hz=measured.fs_hz,
        window=measured.window,
        averages=measured.averages,
        overlap=measured.overlap,
        band_hz=measured.band_hz if isinstance(measured, EnvelopeSpectrum) else None,
        speed_rpm=optional(state.speed_rpm) if state else None,
        load=optional(state.load) if state else None,
        condition=condition.value,
        baseline_id=baseline_id,
        quality=quality,
    )


def run_up(one: PointRunUp, *, ts: int) -> RunUpMessage:
    """Encode a run-up or coast-down."""
    passed = one.passed
    phase_deg = passed.phase_deg
    return RunUpMessage(
        ts=ts,
        id=str(ULID()),
        machine=one.point.machine,
        point=one.point.point,
        start_ms=millis(one.start_ns),
        end_ms=millis(one.end_ns),
        rising=passed.rising,
        unit=amplitude_unit(one.unit),
        speed_rpm=tuple(rounded_all(passed.speed_rpm)),
        amplitude=tuple(rounded_all(passed.amplitude)),
        phase_deg=None if phase_deg is None else tuple(rounded_all(phase_deg)),
        critical_speeds=tuple(
            CriticalSpeedPart(
                rpm=rounded(speed.rpm),
                amplitude=rounded(speed.amplitude),
                amplification=rounded(speed.amplification),
                turn_deg=optional(speed.turn_deg),
            )
            for speed in passed.critical_speeds
        ),
        cascade=CascadePart(
            speed_rpm=tuple(rounded_all(one.cascade_rpm)),
            order_step=ORDER_STEP,
            unit=one.unit,
            values=tuple(tuple(rounded_all(row)) for row in one.cascade),
        ),
    )


def impulsive_band(band: KurtogramBand) -> Said:
    """Return the word the best band of a kurtogram."""
    low, high = band.edges_hz
    values = {"low_hz": round(low), "high_hz": round(high), "kurtosis": round(band.kurtosis, 1)}
    return Said("kurtogram_band", values)


def lesson(label: Label, update: HeadUpdate | None, reason: Said | None = None) -> learning.Lesson:
    """Encode a label, and what it changed if it was learned."""
    offers = label.verdict is Verdict.PLANNED_WORK or bool(update and update.advice_said)
    return learning.Lesson(
        **dict(label),
        ts=now_ms(),
        id=str(ULID()),
        said=reason or (update.said if update else None),
        offer="new_baseline" if offers else None,
        lesson=update,
    )
