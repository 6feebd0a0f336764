"""Encoder and decoder: values of all types in a round trip, templates, commands, malformed data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auscult.gateway.outputs.sparkplug import payload
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
    TagInventory,
    Unit,
)
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.rules import proves

INTEGERS = {**SIGNED_BITS, **UNSIGNED_BITS}


def values(kind: DataType) -> st.SearchStrategy:
    if kind in SIGNED_BITS:
        half = 1 << (SIGNED_BITS[kind] - 1)
        return st.integers(-half, half - 1)
    if kind in UNSIGNED_BITS:
        return st.integers(0, (1 << UNSIGNED_BITS[kind]) - 1)
    if kind in FLOATS:
        return st.floats(allow_nan=False, allow_infinity=False, width=32)
    return st.booleans() if kind is DataType.BOOLEAN else st.text(max_size=50)


BASIC = [*INTEGERS, *FLOATS, *STRINGS, DataType.BOOLEAN]


@pytest.mark.parametrize("kind", BASIC, ids=lambda k: k.name)
@given(data=st.data())
@settings(max_examples=30)
def test_a_value_written_as_born_comes_back(kind, data):
    value = data.draw(values(kind))
    metric = Metric("m", kind, writable=True)
    born = payload.birth_metric(metric, 7, Reading(value, 5), 9)
    message = payload.decode_command(payload.encode([born], t_ms=9, seq=3))
    assert message.t_ms == 9
    (written,) = message.written
    assert (written.name, written.alias, written.datatype) == ("m", 7, kind)
    assert payload.written_value(written, metric) == value


@pytest.mark.parametrize("kind", BASIC, ids=lambda k: k.name)
def test_null_is_published_as_null(kind):
    metric = Payload.Metric.FromString(payload.birth_metric(Metric("m", kind), 7, None, 9))
    assert metric.is_null
    assert metric.WhichOneof("value") is None
    assert (metric.datatype, metric.timestamp) == (kind, 9)


@given(st.lists(st.binary(max_size=40), max_size=5), st.integers(0, 255))
def test_joining_encoded_metrics_equals_encoding_them_together(names, seq):
    metrics = [Payload.Metric(bytes_value=name) for name in names]
    joined = payload.encode([m.SerializeToString() for m in metrics], t_ms=5, seq=seq)
    assert Payload.FromString(joined) == Payload(timestamp=5, seq=seq, metrics=metrics)


def test_long_metrics_are_joined_right():
    metric = Payload.Metric(string_value="x" * 100_000)
    joined = payload.encode([metric.SerializeToString()] * 2, t_ms=5, seq=1)
    assert list(Payload.FromString(joined).metrics) == [metric, metric]


@proves("payloads-template-instance-members-data", "payloads-template-instance-ref")
def test_an_instance_in_data_may_have_some_of_the_members():
    part = MetricTemplate(((Metric("Kind", DataType.STRING), "sound"),), reference="Auscult Point")
    plate = Metric("Points/DE/Name Plate", DataType.TEMPLATE)
    metric = Payload.Metric.FromString(payload.data_metric(plate, 3, Reading(part, 5)))
    instance = metric.template_value
    assert not metric.HasField("datatype")
    assert [m.name for m in instance.metrics] == ["Kind"]
    assert (instance.template_ref, instance.is_definition) == ("Auscult Point", False)
    assert instance.HasField("is_definition")


def test_a_data_set_must_fit_itself():
    with pytest.raises(ValueError, match="2 columns"):
        MetricDataSet(("a", "b"), (DataType.FLOAT,))
    with pytest.raises(ValueError, match="1 columns"):
        MetricDataSet(("a",), (DataType.FLOAT,), ((1.0, 2.0),))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (DataType.INT8, 128), (DataType.INT8, -129), (DataType.UINT8, 256), (DataType.UINT8, -1),
        (DataType.INT32, 2**31), (DataType.UINT64, 2**64), (DataType.BOOLEAN, 1),
        (DataType.FLOAT, "1"), (DataType.FLOAT, True), (DataType.STRING, 5),
        (DataType.INT32, 1.5), (DataType.INT32, True), (DataType.DATASET, 1.0),
        (DataType.TEMPLATE, "x"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(kind, value):
    with pytest.raises(ValueError, match="does not fit"):
        Metric("m", kind).check(value)


def test_the_largest_float_is_a_reading():
    largest = float(np.finfo(np.float32).max)
    assert Metric("m", DataType.FLOAT).check(largest) == largest


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_a_float_that_is_none_is_no_reading(value):
    assert Metric("m", DataType.FLOAT).check(value) is None


def _write(**fields: object) -> payload.WrittenMetric:
    body = Payload(timestamp=1, metrics=[Payload.Metric(**fields)]).SerializeToString()
    return payload.decode_command(body).written[0]


@pytest.mark.parametrize(
    ("metric", "fields", "why"),
    [
        (Metric("m", DataType.BOOLEAN), {"name": "m"}, "without a value"),
        (Metric("m", DataType.BOOLEAN), {"name": "m", "is_null": True}, "without a value"),
        (Metric("m", DataType.BOOLEAN), {"name": "m", "int_value": 1}, "BOOLEAN"),
        (
            Metric("m", DataType.BOOLEAN),
            {"name": "m", "datatype": 12, "boolean_value": True},
            "data type 12",
        ),
        (Metric("m", DataType.INT8), {"name": "m", "int_value": 200}, "outside"),
        (Metric("m", DataType.UINT8), {"name": "m", "int_value": 256}, "outside"),
        (Metric("m", DataType.FLOAT), {"name": "m", "float_value": math.nan}, "finite"),
        (Metric("m", DataType.FLOAT, low=0, high=1), {"name": "m", "float_value": 2.0}, "0 to 1"),
        (Metric("m", DataType.INT32, low=0), {"name": "m", "int_value": 2**32 - 1}, "allowed"),
        (Metric("m", DataType.STRING), {"name": "m", "bytes_value": b"x"}, "without a value"),
    ],
)
def test_a_written_value_is_checked_for_type_and_range(metric, fields, why):
    with pytest.raises(payload.PayloadError, match=why):
        payload.written_value(_write(**fields), metric)


@given(st.binary(max_size=300))
@example(b"")
@example(b"\x12" * 200)
@settings(max_examples=3000)
def test_the_decoder_reads_or_refuses_any_bytes(body):
    try:
        message = payload.decode_command(body)
    except payload.PayloadError:
        return
    for written in message.written:
        for kind in (DataType.BOOLEAN, DataType.INT8, DataType.STRING, DataType.DOUBLE):
            try:
                value = payload.written_value(written, Metric("m", kind))
            except payload.PayloadError:
                continue
            assert Metric("m", kind).check(value) == value


def test_deep_nesting_is_refused_or_read_and_never_ends_the_process():
    body = b""
    for _ in range(500):  # a template in a metric in a template …
        body = b"\x12" + _length(body) + body
        body = b"\x92\x01" + _length(body) + body
    body = b"\x12" + _length(body) + body
    assert len(body) < payload.MAX_COMMAND_BYTES
    with pytest.raises(payload.PayloadError):
        payload.decode_command(body)


def _length(body: bytes) -> bytes:
    return payload._varint(len(body))


def test_a_long_command_is_refused_unread():
    with pytest.raises(payload.PayloadError, match="at most"):
        payload.decode_command(b"x" * (payload.MAX_COMMAND_BYTES + 1))


@proves(
    "case-sensitivity-metric-names",
    "case-sensitivity-sparkplug-ids",
    "topic-structure-namespace-unique-device-id",
)
def test_names_and_ids_that_differ_by_case_only_are_refused():
    with pytest.raises(ValueError, match="differ by case"):
        Unit.from_metrics(None, Metric("a/B", DataType.INT8), Metric("A/b", DataType.INT8))
    with pytest.raises(ValueError, match="used twice"):
        TagInventory.from_units(
            Unit.from_metrics(None), Unit.from_metrics("pump"), Unit.from_metrics("PUMP")
        )


def test_quality_is_published_where_it_is_not_good():
    metric = Metric("m", DataType.FLOAT)

    def keys(reading, **how):
        body = payload.data_metric(metric, 1, reading, **how)
        return list(Payload.Metric.FromString(body).properties.keys)

    assert keys(Reading(1.0, 5)) == []
    assert keys(Reading(1.0, 5), with_quality=True) == ["Quality"]
    assert keys(Reading(1.0, 5, Quality.STALE)) == ["Quality"]
