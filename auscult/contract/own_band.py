"""The name of a band with own edges, by which a limit is on its r.m.s."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"rms_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)hz")


def own_band_hz(name: str) -> tuple[float, float] | None:
    """Return the edges that the name of an own band states, Hz; None for a feature.

    >>> own_band_hz("rms_500_2000hz"), own_band_hz("rms")
    ((500.0, 2000.0), None)
    """
    match = _NAME.fullmatch(name)
    return (float(match[1]), float(match[2])) if match else None
