"""The stages of a rollout: how many gateways each one takes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auscult.contract.said import Rejection

DEFAULT = ("1", "10%", "100%")


class StageError(Rejection):
    """Stages that can't be."""


def placed(gateways: Sequence[str], stages: Sequence[str]) -> dict[str, int]:
    """Return the stage of each gateway, the first is 0; what is left over joins the last.

    Parameters
    ----------
    gateways : sequence of str
        In their order.
    stages : sequence of str
        How many gateways are done after each stage: a number, or a share as `10%`.

    Raises
    ------
    StageError

    Examples
    --------
    >>> placed(["a", "b", "c", "d"], ("1", "50%", "100%"))
    {'a': 0, 'b': 1, 'c': 2, 'd': 2}
    """
    ends: list[int] = []
    for stage in stages:
        end = _count(stage, len(gateways))
        if end > (ends[-1] if ends else 0):
            ends.append(end)
    ends = [*ends[:-1], len(gateways)]
    return {
        gateway: next(stage for stage, end in enumerate(ends) if index < end)
        for index, gateway in enumerate(gateways)
    }


def _count(stage: str, total: int) -> int:
    text = stage.strip()
    share = text.endswith("%")
    try:
        number = float(text.rstrip("%"))
    except ValueError:
        number = 0
    if not number > 0 or (share and number > 100) or not math.isfinite(number):
        raise StageError("stage_malformed", stage=stage)
    return min(total, math.ceil(total * number / 100) if share else int(number))
