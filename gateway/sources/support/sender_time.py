"""Times that senders give: read, and rejected where they can't be true."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from auscult.contract.message import NS_PER_S
from auscult.contract.said import Rejection
from auscult.contract.times import DAY_NS

EARLIEST_NS = 946_684_800 * NS_PER_S
"""The year 2000: an earlier time is in another unit, or of a clock that was never set."""
FUTURE_NS = DAY_NS
"""A sender's clock may be ahead by this much, for example by a wrong time zone."""
OLD_NS = 400 * DAY_NS
"""Stored values of a sensor that was away may be this old."""
UNITS = ((1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (NS_PER_S, "s"))


class TimeError(Rejection):
    """A time that can't be true; the message says why and what to do."""


def checked_ns(t_ns: int, now_ns: int | None = None, *, history: bool = False) -> int:
    """Return a time in ns since 1970 that is plausible; with `history` of any age.

    Raises
    ------
    TimeError
        If it is in another unit, more than a day ahead, or older than 400 days.

    Examples
    --------
    >>> try:
    ...     checked_ns(1_700_000_000_000, now_ns=1_700_000_001 * 10**9)
    ... except TimeError as error:
    ...     print(error)
    the time 1700000000000 is in ms, not in ns since 1970; correct the sender
    """
    now_ns = time.time_ns() if now_ns is None else now_ns
    oldest_ns = EARLIEST_NS if history else now_ns - OLD_NS
    if oldest_ns <= t_ns <= now_ns + FUTURE_NS:
        return t_ns
    for factor, unit in UNITS[1:]:
        if now_ns - OLD_NS <= t_ns * factor <= now_ns + OLD_NS:
            raise TimeError("time_unit", t_ns=t_ns, unit=unit)
    days = round(abs(t_ns - now_ns) / DAY_NS, 3)
    raise TimeError("time_not_plausible", t_ns=t_ns, days=days)


def time_ns_of(value: Any, now_ns: int | None = None) -> int:
    """Read a time of a JSON message: ISO 8601, or s, ms, µs or ns since 1970 by its size.

    Raises
    ------
    TimeError
        If it is neither, or can't be true.

    Examples
    --------
    >>> now = 1_700_000_000 * 10**9
    >>> {time_ns_of(v, now) for v in (1_700_000_000, 1_700_000_000_000, "2023-11-14T22:13:20Z")}
    {1700000000000000000}
    """
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        try:
            moment = datetime.fromisoformat(value)
        except ValueError as error:
            raise TimeError("time_malformed", value=value[:40]) from error
        # a zone other than UTC may lead out of the years 1 to 9999
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        return checked_ns(round(moment.timestamp() * 1e6) * 1000, now_ns)
    try:
        number = float(value)
        int(number)  # fails for what is no number, or infinite
    except (TypeError, ValueError, OverflowError) as error:
        raise TimeError("time_malformed", value=str(value)[:40]) from error
    for factor, _ in UNITS:
        t_ns = int(value) * factor if isinstance(value, int) else round(number * factor)
        if EARLIEST_NS <= t_ns < 5 * EARLIEST_NS:
            return checked_ns(t_ns, now_ns)
    raise TimeError("time_malformed", value=str(value)[:40])
