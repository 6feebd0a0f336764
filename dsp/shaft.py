"""The shaft speed that a group of windows shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Shaft:
    """Windows of a batch at one shaft speed.

    Parameters
    ----------
    rows : slice or np.ndarray
        Rows of the batch.
    hz : float
        Shaft frequency, measured or nominal.
    df_hz : float
        Line spacing of the spectra.
    tolerance : float
        Largest relative error of the speed, 0.06 = ± 6 %.
    """

    rows: slice | NDArray[np.intp]
    hz: float
    df_hz: float
    tolerance: float

    @property
    def lines(self) -> float:
        """Return the shaft frequency in lines."""
        return self.hz / self.df_hz
