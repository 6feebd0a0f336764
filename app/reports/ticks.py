"""Round places on the axes of a chart."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, tzinfo
from typing import Final

import numpy as np

DAY_MIN: Final = 24 * 60
STEPS_MIN: Final = (1, 5, 15, 60, 180, 360, 720, *(n * DAY_MIN for n in (1, 2, 7, 14, 28, 91)))
MOST_TICKS: Final = 7
"""Of a time axis; a date is that wide."""


def of_numbers(low: float, high: float) -> list[float]:
    """Return three to six round values within a range.

    >>> of_numbers(0.0, 4.2)
    [0, 1, 2, 3, 4]
    """
    rough = (high - low) / 4 or 1.0
    power = 10 ** math.floor(math.log10(rough))
    step = next((m * power for m in (1, 2, 5) if m * power >= rough * 0.9), 10 * power)
    first = math.ceil(low / step)
    return [round(i * step, 12) for i in range(first, int(high / step) + 1)]


def plain(value: float) -> str:
    """Return a round value without an exponent.

    >>> plain(4e-05), plain(20000.0)
    ('0.00004', '20000')
    """
    return np.format_float_positional(value, trim="-")


def of_time(since_ms: float, until_ms: float, zone: tzinfo | None) -> list[tuple[float, str]]:
    """Return full minutes, hours or days of a time zone within a period, with their names.

    >>> from datetime import UTC
    >>> [name for _, name in of_time(1.7e12 - 86_400_000, 1.7e12, UTC)]
    ['2023-11-14 00:00', '06:00', '12:00', '18:00']
    """
    minutes = (until_ms - since_ms) / 60_000
    step = next((step for step in STEPS_MIN if minutes / step <= MOST_TICKS), round(minutes))
    at = datetime.fromtimestamp(since_ms / 1000, zone)
    at = at.replace(hour=0, minute=0, second=0, microsecond=0)
    ticks: list[tuple[float, str]] = []
    while (at_ms := 1000 * at.timestamp()) <= until_ms:
        if at_ms >= since_ms:
            dated = step >= DAY_MIN or not ticks or (at.hour, at.minute) == (0, 0)
            day, clock = f"{at:%Y-%m-%d}", f"{at:%H:%M}"
            ticks.append((at_ms, day if step >= DAY_MIN else f"{day} {clock}" if dated else clock))
        at += timedelta(minutes=step)  # as a clock on the wall counts: a day may have 23 hours
    return ticks
