"""How wide an event departs: the share of features far outside all that the healthy machine does.

A new speed or load moves many features a little and a few by much. Where a large part leaves the
baseline by `CLIP` of its spreads, which hold the spread between known states, the cause is rarely a
new condition. There the soft limit of z-scores saturates too: a place would reach far.
"""

from __future__ import annotations

import numpy as np

from auscult.models.learning.replay import ReplayRows
from auscult.models.network.autoencoder import CLIP


def breadth(rows: ReplayRows) -> float:
    """Return the median share of features beyond ±`CLIP`, 0..1; 0 without z-scores."""
    z = rows.z
    z = z[np.isfinite(z).all(1)]
    return float(np.median((np.abs(z) > CLIP).mean(1))) if z.size else 0.0
