"""The catalogue of bearings, for gateway and dashboard."""

from auscult.dsp.bearing import Bearing as Orders
from auscult.dsp.bearing_types import (
    CATALOGUE,
    BearingMatch,
    BearingType,
    Geometry,
    candidates,
    search,
    type_of,
)

__all__ = [
    "CATALOGUE",
    "BearingMatch",
    "BearingType",
    "Geometry",
    "Orders",
    "candidates",
    "search",
    "type_of",
]
