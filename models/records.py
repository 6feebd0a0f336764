"""The frozen records between features and decisions: `Observation → Score → Decision`.

Records made for each window of each point are tuples: a frozen dataclass takes four times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Condition, Contribution, OperatingState, Reason

Float32 = NDArray[np.float32]


RUNNING: Final = "running"
"""Tag of an operating state that states whether the machine runs."""


class Observation(NamedTuple):
    """Features of one window of one point.

    ``features`` [shape=(d,), dtype=float32] are the values of the point's `FeatureSpec`, ``t_ns``
    the UTC time of the window's first sample, ``health`` the bits of `dsp.health.SensorHealth`.
    """

    point: str
    t_ns: int
    features: Float32
    state: OperatingState | None = None
    health: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """Distance of a window from the baseline; high = anomalous.

    ``parts`` are the parts of the score by name (residual, latent …); ``top`` the features with
    the largest shares, largest first.
    """

    value: float
    parts: Mapping[str, float]
    top: tuple[Contribution, ...]
    model_id: str
    baseline_id: str


class Decision(NamedTuple):
    """Decision on a point (or, with ``point=None``, on the machine) at a time.

    ``p_value`` in (0, 1] is the calibrated probability of such a score on healthy data, None while
    learning. ``evidence`` accumulates over time; the conditions begin at ``warning_level`` and
    ``alarm_level``.
    """

    point: str | None
    t_ns: int
    condition: Condition
    reasons: tuple[Reason, ...]
    p_value: float | None = None
    evidence: float | None = None
    warning_level: float | None = None
    alarm_level: float | None = None
    score: Score | None = None


class MachineDecision(NamedTuple):
    """Decisions on the machine (``point=None``) and on each observed point."""

    machine: Decision
    points: Mapping[str, Decision]


class ScoredWindow(NamedTuple):
    """A window as learning from labels stores it: see `MachineDetector.scored_windows`.

    ``position`` [shape=(m,)] residual and latent in whitened coordinates, ``log_score`` before any
    head, ``state`` the operating state's name, ``seen`` whether the baseline holds it, ``z``
    [shape=(w,)] the robust z-scores of its features, from which the net can score it again; None
    where only a position is known.
    """

    point: str
    t_ns: int
    position: Float32
    log_score: float
    state: str
    seen: bool
    z: Float32 | None = None
