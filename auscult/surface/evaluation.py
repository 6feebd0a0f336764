"""How well scores separate, of any detector; and `auscult evaluate` from Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.errors import InputError, MissingExtraError
from auscult.gateway.evaluate.metrics import auc, share
from auscult.models.settings import SHIPPED

LIMIT: Final = float(-np.log10(SHIPPED.p_limit))
"""The detector's own limit of `Detector.score`: one healthy window in 500 lies beyond it."""


@dataclass(frozen=True, slots=True)
class Separation:
    """How well scores separate faulty windows from healthy ones; None without any of a kind.

    Attributes
    ----------
    auc : float
        Probability that a faulty window scores higher than a healthy one, 0..1; ties count half.
    fpr, tpr : float
        Share of healthy and of faulty windows beyond the limit, 0..1.
    """

    auc: float | None
    fpr: float | None
    tpr: float | None


def separation(healthy: ArrayLike, faulty: ArrayLike, limit: float = LIMIT) -> Separation:
    """Compare the scores of healthy windows with those of faulty ones.

    Parameters
    ----------
    healthy, faulty : array_like [shape=(n,)]
        High = anomalous. A window without a score (NaN) counts as below the limit: a fault that was
        withheld is a fault that was missed.
    limit : float
        By default that of `Detector.score`.

    Examples
    --------
    >>> separation([0.1, 0.5], [0.4, 3.0, 4.0])
    Separation(auc=0.8333333333333334, fpr=0.0, tpr=0.6666666666666666)
    """
    below, above = _scores(healthy), _scores(faulty)
    return Separation(auc(below, above), share(below > limit), share(above > limit))


def evaluate(
    *folders: str | Path,
    json_path: str | Path | None = None,
    hold_out: Literal["speed_rpm", "load"] | None = None,
    labels: int | None = None,
    workers: int = 1,
) -> list[dict[str, Any]]:
    """Evaluate the detector beside simple ones on data sets, as the command `auscult evaluate`.

    Parameters
    ----------
    folders : path
        Folders with ``manifest.csv`` or ``values.toml``, or of plain files.
    json_path : path, optional
        File for the result.
    hold_out : {"speed_rpm", "load"}, optional
        Also leave out of the baseline one value of this quantity at a time.
    labels : int, optional
        With `hold_out`: number of events that a simulated technician labels.
    workers : int
        Processes that evaluate machines side by side.

    Returns
    -------
    list of dict
        A row for each machine, protocol, detector and point; the tables are printed, too.

    Raises
    ------
    MissingExtraError
        If ``pip install 'auscult[evaluate]'`` is missing.
    InputError
        If a data set is invalid.
    """
    try:
        from auscult.gateway.evaluate.run import run
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"evaluate needs {error.name}: pip install 'auscult[evaluate]'"
        ) from error
    given: Iterable[Path] = map(Path, folders)
    return run(given, json_path, hold_out=hold_out, labels=labels, progress=False, workers=workers)


def _scores(given: ArrayLike) -> NDArray[np.float64]:
    try:
        scores = np.asarray(given, np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise InputError(f"scores must be numbers: {error}") from error
    return np.where(np.isnan(scores), -np.inf, scores)
