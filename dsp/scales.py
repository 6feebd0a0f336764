"""Factors from one scale to another."""

from __future__ import annotations

from typing import Final

import numpy as np

DB_PER_NEPER: Final = 20 / np.log(10)
"""Models hold levels in nepers, the natural logarithm of an amplitude."""
MAD_TO_SIGMA: Final = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution."""
