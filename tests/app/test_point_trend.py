"""A trend that msgspec reads is the one that pydantic reads; damaged ones are rejected alike."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from auscult.app.mqtt.decode import RejectedError, decode
from auscult.app.store.point_trend import StoredTrend
from auscult.contract.payloads import Trend
from tests.app import messages as m
from tests.robustness.malformed import _damaged

TOPIC = "auscult/v1/plant/gw1/pump-3/DE-H/trend"
VALUES = (None, True, -1, 1 << 60, 60.0, "60", 1e39, "", "x" * 65, "alarm", [], {}, [1, 2], "\0")


def read(payload: bytes) -> StoredTrend | None:
    try:
        return StoredTrend.read(payload)
    except ValueError:
        return None


def by_pydantic(payload: bytes) -> StoredTrend | None:
    try:
        return StoredTrend.from_message(Trend.read(payload))
    except ValueError:
        return None


def same(one: StoredTrend | None, other: StoredTrend | None) -> bool:
    if one is None or other is None:
        return one is other
    a, b = one.interval, other.interval
    return (
        (one.id, one.machine, one.point) == (other.id, other.machine, other.point)
        and (a.start_ms, a.end_ms, a.windows) == (b.start_ms, b.end_ms, b.windows)
        and (a.condition, a.features) == (b.condition, b.features)
        and np.array_equal(a.values, b.values, equal_nan=True)
    )


def test_damaged_trends_are_read_as_pydantic_reads_them():
    rng = random.Random(17)
    whole = m.trend("pump-3", "DE-H", 1_000_000).to_json()
    payloads = [_damaged(whole, rng) for _ in range(1000)]
    fields = json.loads(whole)
    payloads += [json.dumps(fields | {name: v}).encode() for name in fields for v in VALUES]
    outcomes = [(payload, read(payload), by_pydantic(payload)) for payload in payloads]
    assert [payload for payload, fast, slow in outcomes if not same(fast, slow)] == []
    rejected = sum(fast is None for _, fast, _ in outcomes)
    assert 100 < rejected < len(outcomes) - 100, "some of both"


def test_a_rejected_trend_names_its_field():
    payload = m.trend("pump-3", "DE-H", 1_000).to_json().replace(b'"windows":60', b'"windows":-6')
    with pytest.raises(RejectedError, match="windows: Input should be greater than or equal to 0"):
        decode(TOPIC, payload)


def test_features_are_stored_in_the_order_of_their_names():
    trend = m.trend("p", "DE", 0, values={"b": (1, 2, 3), "a": (4, 5, 6)}, units={"b": "g"})
    found = StoredTrend.read(trend.to_json()).interval
    assert json.loads(found.features) == {"a": "", "b": "g"}
    assert found.values.tolist() == [[4, 1], [5, 2], [6, 3]]


def test_a_value_beyond_float32_is_none_and_the_others_stay():
    trend = m.trend("p", "DE", 0, values={"a": (-1e39, 1, 1e308), "b": (1, 2, 3)}, units={})
    values = StoredTrend.read(trend.to_json()).interval.values
    assert np.isnan(values[:, 0]).tolist() == [True, False, True]
    assert values[:, 1].tolist() == [1, 2, 3]
