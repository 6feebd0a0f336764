"""The pause before a client tries its broker again."""

from __future__ import annotations

import random
from typing import Final

RETRY_S: Final = (1.0, 5.0)
"""First and longest pause; it doubles. The longest bounds how long after an outage of any length
gateway and dashboard are connected again: messages then arrive within 10 s."""


def pause_s(failures: int) -> float:
    """Return the pause after so many failures, in s.

    It is random, from half to all of its bound: the clients of a plant, which lose the broker at
    the same moment, do not come back at the same moment.

    >>> 2.5 <= pause_s(1000) <= 5.0
    True
    """
    first, longest = RETRY_S
    return min(longest, first * 2.0 ** min(failures - 1, 10)) * random.uniform(0.5, 1.0)  # noqa: S311
