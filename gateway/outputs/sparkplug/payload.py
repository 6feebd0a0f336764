"""Payloads: metrics to and from protobuf bytes (specification, chapter 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from auscult.gateway.tags.metrics import (
    FLOATS,
    SIGNED_BITS,
    STRINGS,
    UNSIGNED_BITS,
    DataType,
    Metric,
    MetricDataSet,
    MetricTemplate,
    Quality,
    Reading,
    Value,
    fits,
)
from auscult.sparkplug.sparkplug_b_pb2 import Payload

MAX_COMMAND_BYTES = 16_000
"""A command writes a handful of metrics; what is longer is refused unread."""


class PayloadError(ValueError):
    """A payload that cannot be read, or a value in it that does not fit."""


@dataclass(frozen=True, slots=True)
class WrittenMetric:
    """One metric that a command wants to write, by name or by alias, with its raw value."""

    name: str | None
    alias: int | None
    datatype: int | None
    is_null: bool
    field: str | None
    raw: bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class CommandPayload:
    """A command as it arrived; ``t_ms`` is None where the host gave no time."""

    t_ms: int | None
    written: tuple[WrittenMetric, ...]


def birth_metric(metric: Metric, alias: int | None, reading: Reading | None, now_ms: int) -> bytes:
    """Return a metric as a birth announces it: name, alias, type, value or null, properties.

    Parameters
    ----------
    reading : Reading or None
        The current value; None = none yet.
    now_ms : int
        Time of the birth; the metric's time where there is no reading.
    """
    known = reading is not None and not metric.momentary
    value = reading.value if known and reading is not None else metric.initial
    out = Payload.Metric(
        name=metric.name,
        timestamp=reading.t_ms if known and reading is not None else now_ms,
        datatype=int(metric.datatype),
        is_historical=False,
    )
    if alias is not None:
        out.alias = alias
    if metric.momentary:
        out.is_transient = True
    _set_value(out, metric.datatype, value, birth=True)
    _add_properties(out, metric)
    if reading is not None and value is not None and not metric.momentary:
        _add_property(out, "Quality", DataType.INT32, int(reading.quality))
    elif value is None and not metric.momentary and not metric.writable:
        _add_property(out, "Quality", DataType.INT32, int(Quality.BAD))
    return out.SerializeToString()


def data_metric(
    metric: Metric,
    alias: int | None,
    reading: Reading,
    *,
    historical: bool = False,
    with_quality: bool = False,
    with_type: bool = False,
) -> bytes:
    """Return a metric as a DATA message carries it: alias (or name), time, value; no type by rule.

    Quality goes along where it is not good, or where `with_quality` says that it became so.
    """
    out = Payload.Metric(timestamp=reading.t_ms)
    if with_type:
        out.datatype = int(metric.datatype)
    if alias is None:
        out.name = metric.name
    else:
        out.alias = alias
    if historical:
        out.is_historical = True
    if metric.momentary:
        out.is_transient = True
    _set_value(out, metric.datatype, reading.value, birth=False)
    if with_quality or reading.quality is not Quality.GOOD:
        _add_property(out, "Quality", DataType.INT32, int(reading.quality))
    return out.SerializeToString()


def encode(metrics: Sequence[bytes], *, t_ms: int, seq: int) -> bytes:
    """Return a payload of metrics that are encoded already.

    Their bytes are joined, not parsed again: a metric is encoded before its message has a
    sequence number, which is given only at the moment of sending.
    """
    head = Payload(timestamp=t_ms, seq=seq).SerializeToString()
    return head + b"".join(_METRICS_TAG + _varint(len(m)) + m for m in metrics)


_METRICS_TAG = bytes([Payload.METRICS_FIELD_NUMBER << 3 | 2])


def death(bd_seq: int) -> bytes:
    """Return the death certificate: only `bdSeq`, no sequence number.

    It has no time either: the broker may send it hours after it was written.
    """
    metric = Payload.Metric(name="bdSeq", datatype=int(DataType.INT64), long_value=bd_seq)
    return Payload(metrics=[metric]).SerializeToString()


def decode_command(payload: bytes) -> CommandPayload:
    """Read an NCMD or DCMD.

    Raises
    ------
    PayloadError
        If it is no Sparkplug payload, or larger than 16 kB.
    """
    if len(payload) > MAX_COMMAND_BYTES:
        raise PayloadError(f"command of {len(payload)} bytes: at most {MAX_COMMAND_BYTES}")
    try:
        message = Payload.FromString(payload)
    except (DecodeError, RecursionError) as error:
        raise PayloadError("command is no Sparkplug B payload") from error
    return CommandPayload(
        t_ms=message.timestamp if message.HasField("timestamp") else None,
        written=tuple(_written(metric) for metric in message.metrics),
    )


def written_value(written: WrittenMetric, metric: Metric) -> bool | int | float | str:
    """Return the value that a command writes to `metric`, in the metric's own type.

    Raises
    ------
    PayloadError
        If type or range do not fit, or there is no value.
    """
    kind = metric.datatype
    if written.is_null or written.raw is None or written.field is None:
        raise PayloadError(f"{metric.name!r} is written without a value: {kind.name} expected")
    if written.datatype is not None and written.datatype != kind:
        raise PayloadError(
            f"{metric.name!r} is written as data type {written.datatype}: it is "
            f"{int(kind)} ({kind.name})"
        )
    if written.field != _field(kind):
        raise PayloadError(f"{metric.name!r} is written as {written.field}: it is {kind.name}")
    value = written.raw
    if kind in SIGNED_BITS and isinstance(value, int):
        value = _signed(value, 64 if kind is DataType.INT64 else 32)
    if isinstance(value, int) and not isinstance(value, bool) and not fits(kind, value):
        raise PayloadError(f"{metric.name!r} = {value}: outside the range of {kind.name}")
    if isinstance(value, float) and not (metric.check(value) is not None):
        raise PayloadError(f"{metric.name!r} = {value}: a finite number is expected")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = metric.low, metric.high
        if (low is not None and value < low) or (high is not None and value > high):
            raise PayloadError(f"{metric.name!r} = {value}: allowed is {low} to {high}")
    return value


def history_metric(
    stored: bytes, alias: int | None, *, marked: bool = True, datatype: int | None = None
) -> bytes:
    """Return a stored metric (by name) as it goes out now (by its alias of today).

    ``marked`` keeps `is_historical`, which the next Sparkplug will remove from metrics;
    ``datatype`` is added where data messages carry types.
    """
    metric = Payload.Metric.FromString(stored)
    if datatype is not None:
        metric.datatype = datatype
    if not marked:
        metric.ClearField("is_historical")
    if alias is not None:
        metric.ClearField("name")
        metric.alias = alias
    return metric.SerializeToString()


def _written(metric: Payload.Metric) -> WrittenMetric:
    field = metric.WhichOneof("value")
    raw = getattr(metric, field) if field else None
    return WrittenMetric(
        name=metric.name if metric.HasField("name") else None,
        alias=metric.alias if metric.HasField("alias") else None,
        datatype=metric.datatype if metric.HasField("datatype") else None,
        is_null=metric.is_null,
        field=field,
        raw=raw if isinstance(raw, bool | int | float | str) else None,
    )


def _field(kind: DataType) -> str:
    """Return the field of the payload that carries values of a type."""
    if kind in (DataType.INT64, DataType.UINT64, DataType.DATETIME):
        return "long_value"
    if kind in SIGNED_BITS or kind in UNSIGNED_BITS:
        return "int_value"
    if kind in STRINGS:
        return "string_value"
    return {
        DataType.FLOAT: "float_value",
        DataType.DOUBLE: "double_value",
        DataType.BOOLEAN: "boolean_value",
        DataType.DATASET: "dataset_value",
        DataType.TEMPLATE: "template_value",
    }[kind]


def _set_value(out: Payload.Metric, kind: DataType, value: Value, *, birth: bool) -> None:
    if value is None:
        out.is_null = True
    elif isinstance(value, MetricDataSet):
        out.dataset_value.CopyFrom(_data_set(value))
    elif isinstance(value, MetricTemplate):
        out.template_value.CopyFrom(_template(value, birth=birth))
    else:
        setattr(out, _field(kind), _plain(kind, value))


def _plain(kind: DataType, value: bool | int | float | str) -> bool | int | float | str:
    """Return a value as protobuf wants it: negative integers in two's complement."""
    if kind in SIGNED_BITS and isinstance(value, int):
        return value & (0xFFFF_FFFF_FFFF_FFFF if kind is DataType.INT64 else 0xFFFF_FFFF)
    if kind in FLOATS and isinstance(value, int):
        return float(value)
    return value


def _signed(raw: int, bits: int) -> int:
    return raw - (1 << bits) if raw >= 1 << (bits - 1) else raw


def _data_set(table: MetricDataSet) -> Payload.DataSet:
    out = Payload.DataSet(
        num_of_columns=len(table.columns),
        columns=table.columns,
        types=[int(kind) for kind in table.types],
    )
    for row in table.rows:
        elements = out.rows.add().elements
        for kind, cell in zip(table.types, row, strict=True):
            setattr(elements.add(), _field(kind), _plain(kind, cell))
    return out


def _template(template: MetricTemplate, *, birth: bool) -> Payload.Template:
    out = Payload.Template(is_definition=not template.reference)
    if template.reference:
        out.template_ref = template.reference
    if template.version:
        out.version = template.version
    for metric, value in template.members:
        member = out.metrics.add(name=metric.name)
        if birth:
            member.datatype = int(metric.datatype)
        _set_value(member, metric.datatype, value, birth=birth)
        if birth:
            _add_properties(member, metric)
    for name, kind, value in template.parameters:
        parameter = out.parameters.add(name=name, type=int(kind))
        setattr(parameter, _field(kind), _plain(kind, value))
    return out


def _add_properties(out: Payload.Metric, metric: Metric) -> None:
    if metric.unit:
        _add_property(out, "engUnit", DataType.STRING, metric.unit)
    if metric.low is not None:
        _add_property(out, "engLow", DataType.DOUBLE, float(metric.low))
    if metric.high is not None:
        _add_property(out, "engHigh", DataType.DOUBLE, float(metric.high))
    if metric.documentation:
        _add_property(out, "documentation", DataType.STRING, metric.documentation)
    if metric.writable:
        _add_property(out, "readOnly", DataType.BOOLEAN, False)


def _add_property(
    out: Payload.Metric, key: str, kind: DataType, value: bool | int | float | str
) -> None:
    out.properties.keys.append(key)
    setattr(out.properties.values.add(type=int(kind)), _field(kind), _plain(kind, value))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
