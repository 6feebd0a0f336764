"""Times that senders state: text or numbers in any usual unit, and those that can't be true."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from auscult.gateway.sources.support.sender_time import TimeError, checked_ns, time_ns_of

NOW_NS = 1_760_000_000 * 10**9


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (NOW_NS // 1_000_000, "time_unit"),
        (NOW_NS // 10**9, "time_unit"),
        (NOW_NS + 400 * 86_400 * 10**9, "time_not_plausible"),
        (0, "time_not_plausible"),
    ],
)
def test_a_time_that_can_not_be_true_is_refused_with_the_reason(given, code):
    with pytest.raises(TimeError) as refused:
        checked_ns(given, NOW_NS)
    assert refused.value.said.code == code


def test_times_of_json_may_be_text_or_a_number_in_any_usual_unit():
    text = datetime.fromtimestamp(NOW_NS / 1e9, UTC).isoformat()
    for given in (text, NOW_NS, NOW_NS // 10**6, NOW_NS // 10**9, NOW_NS / 1e9):
        assert time_ns_of(given, NOW_NS) == NOW_NS
    with pytest.raises(TimeError):
        time_ns_of("yesterday", NOW_NS)


@pytest.mark.parametrize(
    "given",
    [
        float("nan"), float("inf"), -float("inf"), 10**400, -(10**400), "9" * 400, "inf",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", None, [], {}, True,
    ],
)  # fmt: skip
def test_no_time_of_a_message_ends_its_source(given):
    with pytest.raises(TimeError):
        time_ns_of(given, NOW_NS)
