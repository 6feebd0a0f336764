"""Features over time."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.payloads import Condition


class TrendSeries(View):
    """One feature over time; null where a bucket holds no value of it."""

    feature: str
    unit: str
    minimum: list[float | None]
    mean: list[float | None]
    maximum: list[float | None]


class FeatureTrends(View):
    """Features of one point over time, as columns of equal length.

    Minimum and maximum of a bucket are those of all its values: no extreme is lost by
    down-sampling.
    """

    machine_id: str
    point: str
    start_ms: int
    end_ms: int
    bucket_ms: int = Field(description="0 = every stored interval is given as it is")
    t_ms: list[int] = Field(description="Start of each bucket")
    windows: list[int]
    condition: list[Condition] = Field(description="Worst condition within the bucket")
    series: list[TrendSeries]
    features: dict[str, str] = Field(description="All features the point has, with their units")
    bands: dict[str, list[float]] = Field(
        default_factory=dict,
        description="Lower and upper edge in Hz of those that are levels of a band",
    )
