"""Values of Sparkplug B metrics: samples from DataSets, arrays and Bytes; numbers and texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.sources.sparkplug.settings import SparkplugWaveform
from auscult.gateway.sources.support.samples import MAX_SAMPLES, WIDTH, WaveformError, numbers
from auscult.gateway.tags.metrics import SIGNED_BITS, DataType, Quality
from auscult.sparkplug.sparkplug_b_pb2 import Payload

ARRAYS = {
    # Numbered by the specification (6.4.16); booleans, texts and times are no samples.
    22: "<i1", 23: "<i2", 24: "<i4", 25: "<i8", 26: "<u1", 27: "<u2", 28: "<u4", 29: "<u8",
    30: "<f4", 31: "<f8",
}  # fmt: skip
NUMERIC = ("int_value", "long_value", "float_value", "double_value")


def samples_of(
    metric: Payload.Metric, datatype: int, settings: SparkplugWaveform
) -> NDArray[np.float32]:
    """Give a metric's samples [shape=(n,), dtype=float32], times the settings' scale.

    Raises
    ------
    WaveformError
        If it holds none; the message says why.
    """
    field = metric.WhichOneof("value")
    if metric.is_null or field is None:
        raise WaveformError("metric_empty")
    if not is_good(metric):
        raise WaveformError("metric_bad_quality")
    raw: NDArray[Any]
    if field == "dataset_value":
        raw = _column(metric.dataset_value, settings.column)
    elif field == "bytes_value":
        raw = _from_bytes(metric.bytes_value, datatype, settings.encoding)
    else:
        raise WaveformError("metric_no_samples", datatype=field)
    if not 0 < raw.size <= MAX_SAMPLES:
        raise WaveformError("samples_count", count=int(raw.size), limit=MAX_SAMPLES)
    samples: NDArray[np.float32] = raw.astype(np.float32) * np.float32(settings.scale)
    if not np.isfinite(samples).all():
        raise WaveformError("samples_not_finite")
    return samples


def plain_value(metric: Payload.Metric, datatype: int) -> float | int | str | bool | None:
    """Give a metric's number, truth value or text; None where it has none that is good."""
    field = metric.WhichOneof("value")
    if metric.is_null or field is None or not is_good(metric):
        return None
    value = getattr(metric, field)
    if isinstance(value, int) and not isinstance(value, bool):
        return _signed(value, datatype)
    return value if isinstance(value, bool | float | str) else None


def is_good(metric: Payload.Metric) -> bool:
    """Return whether the property `Quality` is good; without it, a value is."""
    properties = dict(zip(metric.properties.keys, metric.properties.values, strict=False))
    quality = properties.get("Quality")
    return quality is None or quality.int_value == Quality.GOOD


def _from_bytes(body: bytes, datatype: int, encoding: str) -> NDArray[Any]:
    if datatype in ARRAYS:
        kind = np.dtype(ARRAYS[datatype])
        if len(body) % kind.itemsize:
            raise WaveformError("bytes_do_not_fit", bytes=len(body), encoding=kind.name)
        return np.frombuffer(body, kind)
    if datatype not in (0, DataType.BYTES):
        raise WaveformError("metric_no_samples", datatype=datatype)
    if len(body) % WIDTH[encoding]:
        raise WaveformError("bytes_do_not_fit", bytes=len(body), encoding=encoding)
    return numbers(body, encoding)


def _column(table: Payload.DataSet, name: str) -> NDArray[np.float64]:
    if len(table.columns) != len(table.types) or not table.columns:
        raise WaveformError("data_set_no_columns")
    if name and name not in table.columns:
        raise WaveformError("data_set_no_column", column=name, columns=tuple(table.columns))
    at = list(table.columns).index(name) if name else len(table.columns) - 1
    kind = table.types[at]
    values = np.empty(len(table.rows))
    for i, row in enumerate(table.rows):
        if len(row.elements) <= at:
            raise WaveformError("data_set_short_row", row=i)
        field = row.elements[at].WhichOneof("value")
        if field not in NUMERIC:
            raise WaveformError("data_set_no_number", row=i)
        values[i] = _signed(getattr(row.elements[at], field), kind)
    return values


def _signed(value: float, datatype: int) -> float:
    """Read an integer as its type means it: negative ones come in two's complement."""
    if datatype not in SIGNED_BITS or not isinstance(value, int) or isinstance(value, bool):
        return value
    # Writers in use fill up to the 32 bits of the field, or to the type's own width.
    bits = 64 if datatype == DataType.INT64 else 32
    if value < 1 << SIGNED_BITS[DataType(datatype)]:
        bits = SIGNED_BITS[DataType(datatype)]
    return value - (1 << bits) if value >= 1 << (bits - 1) else value
