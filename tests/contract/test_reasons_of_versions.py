"""Reasons in messages of other versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from auscult.contract.parts import worded
from auscult.contract.payloads import PointStateMessage
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said

ROSE = Said("order_rose", {"order": 1})


def received(**reason: Any) -> Reason:
    """Return a reason of a point's state, as the dashboard reads it from this JSON."""
    fields = {"kind": "learned", "condition": "alarm", **reason}
    message = {
        "ts": 1, "machine": "pump", "point": "de", "condition": "alarm", "quality": "good",
        "window_ms": 1, "reasons": [fields],
    }  # fmt: skip
    return PointStateMessage.read(json.dumps(message).encode()).reasons[0]


def test_a_published_reason_is_read_as_it_was_with_its_sentence():
    silent = Reason(
        ReasonKind.SENSOR, Condition.UNKNOWN, Said("silent", {"after_s": 3}), matched=(ROSE,)
    )
    message = PointStateMessage(
        ts=1, machine="pump", point="de", condition="unknown", quality="bad", window_ms=1,
        reasons=(worded(silent),),
    )  # fmt: skip
    (sent,) = json.loads(message.to_json())["reasons"]
    assert sent["text"] == "no window for more than 3 s"
    assert sent["matched"] == [{"code": "order_rose", "values": {"order": 1}}]
    assert PointStateMessage.read(message.to_json()).reasons == (worded(silent),)


@pytest.mark.parametrize(
    ("sent", "text", "matched"),
    [
        ({"text": "departs", "matched": ["1× rose"]}, "departs", ("1× rose",)),
        (
            {"text": "departs", "said": {"code": "departs"}, "matched": ["1× rose"],
             "matched_said": [{"code": "order_rose", "values": {"order": 1}}]},
            "departs from its baseline: ", (ROSE.text,),
        ),
        ({"text": "new words", "said": {"code": "of_a_later_version"}}, "new words", ()),
    ],
    ids=["before 0.2", "before 0.4", "later"],
)  # fmt: skip
def test_a_reason_of_another_version_keeps_its_words(sent, text, matched):
    reason = received(**sent)
    assert reason.said.render(changes="") == text
    assert tuple(one.text for one in reason.matched) == matched


def test_a_reason_without_code_and_text_is_malformed():
    with pytest.raises(ValueError, match="said"):
        received(matched=[])
