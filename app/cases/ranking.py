"""The rank of a case, by a rule that one line explains: urgency + consequence + spare part."""

from __future__ import annotations

from math import log10
from typing import Final

from auscult.app.cases.reading import Surroundings
from auscult.app.cases.urgency import DAY_S, DAYS_S, NOW_S, WEEKS_S
from auscult.app.views import Movement, Ranking, Urgency
from auscult.contract.inventory import CriticalityPart
from auscult.contract.machines import NOT_STATED
from auscult.contract.said import Said

URGENCY_POINTS: Final = {"now": 7, "days": 4, "weeks": 2, "watch": 1, "over": 0}
"""What must be done now is before all that can wait, whatever the consequence."""
CONSEQUENCE_POINTS: Final = {"high": 3, "medium": 2, "low": 1}
TIME_LEFT_S: Final = {"now": NOW_S, "days": DAYS_S, "weeks": WEEKS_S}
MOST_COST_PER_H: Final = 1e9
USUAL_SIGMA: Final = 20.0
"""Half of the range of a departure's size; larger ones still differ."""


def criticality_of(around: Surroundings | None) -> CriticalityPart:
    """Return what a failure of the machine entails, as far as the plant stated it."""
    stated = around.plate.get("criticality") if around else None
    return CriticalityPart.model_validate(stated or {})


def ranking_of(urgency: Urgency, criticality: CriticalityPart, symptom: Movement | None) -> Ranking:
    """Return the rank of a case and the line that explains it; high = first.

    The whole part is the sum of points. Among equal sums the dearer downtime is first, then the
    larger departure: it is measured from the healthy scatter, because the evidence is capped.
    """
    first, second = (
        URGENCY_POINTS[urgency.level],
        CONSEQUENCE_POINTS[criticality.worst or NOT_STATED],
    )
    late = _spare_is_late(urgency, criticality.spare_part_days)
    points = first + second + late
    said = Said(
        "rank_stated" if criticality.worst else "rank_not_stated",
        {
            "points": points,
            "urgency": f"urgency {urgency.level}",
            "urgency_points": first,
            "consequence": f"consequence {criticality.worst or NOT_STATED}",
            "consequence_points": second,
            "spare_part_days": criticality.spare_part_days if late else None,
        },
    )
    cost = log10(1 + (criticality.downtime_cost_per_h or 0)) / log10(1 + MOST_COST_PER_H)
    sigma = abs(symptom.sigma) if symptom else 0.0
    rank = points + 0.9 * cost + 1e-3 * sigma / (sigma + USUAL_SIGMA)
    return Ranking(rank=round(rank, 7), points=points, said=said, text=said.text)


def _spare_is_late(urgency: Urgency, spare_part_days: float | None) -> bool:
    """Return whether a spare part that is ordered now comes after the time that is left."""
    left_s = TIME_LEFT_S.get(urgency.level)
    if left_s is None or spare_part_days is None:
        return False
    if urgency.time_to_limit is not None:
        left_s = min(left_s, urgency.time_to_limit.expected_s)
    return spare_part_days * DAY_S > left_s
