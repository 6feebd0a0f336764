"""How much raw signal of each point is kept in memory, for evidence, searches and clips."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from auscult.dsp.diagnosis import LONG_REVOLUTIONS
from auscult.gateway.records import PointId
from auscult.gateway.windows.points import PointPlan

SEARCHED_WINDOWS = 8
"""Windows kept of a point whose bearings are known, or more: at its nominal speed they hold the
revolutions that a search wants."""


def pages_kept(
    plans: Mapping[PointId, PointPlan], clip_s: Mapping[PointId, float], max_bytes: float
) -> dict[PointId, int]:
    """Return the pages of one hop that are kept of each point.

    They hold the last complete window and the one that is being filled; and, as far as `max_bytes`
    suffices for all points together, the signal for bearing searches and clips.

    Parameters
    ----------
    plans : mapping of PointId to PointPlan
    clip_s : mapping of PointId to float
        Longest clip of a point, s; absent where there are none.
    max_bytes : float
    """
    wanted_s = {point: max(clip_s.get(point, 0.0), _searched_s(p)) for point, p in plans.items()}
    bytes_per_s = sum(4 * plans[point].window.fs_hz for point, s in wanted_s.items() if s)
    room_s = max_bytes / max(bytes_per_s, 1.0)
    return {point: _pages(plan, wanted_s[point], room_s) for point, plan in plans.items()}


def windows_kept(plan: PointPlan, pages: int) -> int:
    """Complete windows in this many pages, besides the one that is being filled."""
    return max(1, pages - plan.window.pages)


def _searched_s(plan: PointPlan) -> float:
    if not plan.searched:
        return 0.0
    window = plan.window
    least_s = (window.n_samples + (SEARCHED_WINDOWS - 1) * window.hop) / window.fs_hz
    speed_rpm = plan.spec.nominal_speed_rpm
    if not speed_rpm or window.burst_s is not None:
        return least_s
    return max(least_s, LONG_REVOLUTIONS * 60 / speed_rpm + window.hop / window.fs_hz)


def _pages(plan: PointPlan, wanted_s: float, room_s: float) -> int:
    window = plan.window
    page_s = window.hop / window.fs_hz
    wanted = ceil(wanted_s / page_s) + 1  # the newest page is not full
    return max(window.pages + 1, min(wanted, int(room_s / page_s)))
