"""The English text of reasons."""

from __future__ import annotations

from dataclasses import replace

from auscult.contract.records import Condition, Contribution, Reason, ReasonKind
from auscult.contract.said import Said

MOVED = Contribution("rms", 2.0, 1.0, "g", 6.0, 0.5, 6.02, "overall r.m.s.")


def test_points_that_depart_together_name_the_clearest_point() -> None:
    said = Said("departs_together")
    alone = Reason(ReasonKind.LEARNED, Condition.WARNING, said)
    clear = Reason(ReasonKind.LEARNED, Condition.WARNING, said, point="de", contributions=(MOVED,))
    assert clear.text == f"{alone.text}; most at de: overall r.m.s. +6.0 dB"


def test_a_ratio_is_said_as_from_to_and_not_in_db() -> None:
    ratio = replace(MOVED, title="kurtosis", unit="1", baseline=3.1, value=12.8, change_db=None)
    assert ratio.change == "kurtosis 3.1 → 12.8"
