"""A shadow run: a candidate scores live windows beside the active heads before it may replace them.

The gate's result on the replay must hold on new windows too. The candidate is promoted if, over so
many windows, it calls no more healthy windows abnormal than the active heads do, and hides no
window that looks like a confirmed fault.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtri_exp

from auscult.contract.said import Said
from auscult.contract.times import HOUR_NS
from auscult.models.learning.checkpoints import CheckpointError, read_whole
from auscult.models.learning.gate import GateDecision, PointContext, normal_score
from auscult.models.learning.head import Head
from auscult.models.learning.settings import LearningSettings
from auscult.models.records import ScoredWindow

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ShadowRun:
    """Counts of one candidate: windows beyond the limit by either, and faults it would hide."""

    checkpoint_id: str
    windows: int = 0
    first_ns: int = 0
    last_ns: int = 0
    active_beyond: int = 0
    candidate_beyond: int = 0
    faults_hidden: int = 0

    def compare(
        self,
        windows: Sequence[ScoredWindow],
        in_event: bool,
        active: Mapping[str, Head],
        candidate: Mapping[str, Head],
        points: Mapping[str, PointContext],
        settings: LearningSettings,
    ) -> None:
        """Score windows twice. Those of an event only show whether a known fault is hidden."""
        limit = float(-ndtri_exp(np.log(settings.p_limit)))
        for window in windows:
            before, after = (
                normal_score(window, heads[window.point], points[window.point])
                for heads in (active, candidate)
            )
            if not self.first_ns or window.t_ns < self.first_ns:
                # The first, or a clock that was set back: the hours begin again.
                self.first_ns = self.last_ns = window.t_ns
            self.last_ns = max(self.last_ns, window.t_ns)
            self.windows += 1
            if in_event:
                found = active[window.point].resembles(window.position)
                known = found is not None and found[1] >= settings.resembles
                self.faults_hidden += known and before > limit >= after
            else:
                self.active_beyond += before > limit
                self.candidate_beyond += after > limit

    def decision(self, settings: LearningSettings) -> GateDecision | None:
        """Promote, reject, or None while the run lasts."""
        counts = {
            "windows": self.windows,
            "candidate_beyond": self.candidate_beyond,
            "active_beyond": self.active_beyond,
            "faults_hidden": self.faults_hidden,
        }
        if self.faults_hidden or self.candidate_beyond > self.active_beyond:
            return GateDecision(False, Said("shadow_failed", counts))
        long_enough = self.last_ns - self.first_ns >= settings.shadow_hours * HOUR_NS
        if self.windows < settings.shadow_windows or not long_enough:
            return None
        return GateDecision(True, Said("shadow_passed", counts))

    def to_bytes(self) -> bytes:
        """Serialise."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> ShadowRun:
        """Read what `to_bytes` wrote."""
        return cls(**json.loads(data))

    @classmethod
    def resumed(cls, checkpoint_id: str, saved: Path) -> ShadowRun:
        """Continue the saved shadow run of a candidate, or begin it."""
        try:
            data = read_whole(saved)
        except CheckpointError as error:
            logger.error("the shadow run begins again: %s", error)
            data = None
        run = cls.from_bytes(data) if data is not None else None
        return run if run is not None and run.checkpoint_id == checkpoint_id else cls(checkpoint_id)
