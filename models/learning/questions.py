"""Questions to people: which stretch of windows without an event an answer would help most with.

Two kinds of stretches are candidates: near-misses, where the evidence came near the warning and
fell again, and runs in operating states that the baseline does not hold. Those whose windows lie
nearest to the limit come first: there an answer decides most (uncertainty sampling, Settles 2009,
section 2.1; figures: lab/results/labels.md). A stretch that resembles an open or answered
question adds nothing and is left out.

At most `PER_WEEK` questions are asked in a week. A stretch of more worth replaces the question of
least worth that waits, so the best of a week are asked without knowing it in advance. The
answer is a label on the question's id, as on an event: "normal" is a false alarm, and a confirmed
fault raises scores as a report does.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from auscult.contract.label import REPORTED
from auscult.contract.said import Said
from auscult.contract.times import WEEK_NS
from auscult.models.learning.checkpoints import CheckpointError, read_whole, write_whole
from auscult.models.learning.recognition import cosine
from auscult.models.learning.settings import SETTINGS
from auscult.models.records import Decision, ScoredWindow

Float32 = NDArray[np.float32]

log = logging.getLogger(__name__)

QUESTION = f"{REPORTED}q-"
"""Ids of questions begin with it: one answered as a fault is learned as a reported fault."""
PER_WEEK = 3
WAITS_NS = 2 * WEEK_NS
"""A question without an answer expires: later no one can say what the machine did that day."""
RAISED = 0.5
"""Share of the warning level from which windows belong to a near-miss."""
FEWEST, MOST = 4, 64
"""Hops of a stretch: fewer say too little, and a longer one is cut."""
KEPT = 32
"""Hops of a stretch whose windows are kept, evenly over it."""
LEAST_SIGMA = 0.5
"""Mean normal score below which windows look normal: no answer would change anything."""
LIMIT_SIGMA = float(-ndtri(SETTINGS.p_limit))
"""Normal score of a window at the limit."""
BETTER = 1.25
"""Factor of worth at which a stretch replaces a question that waits."""
ALIKE = SETTINGS.resembles
REMEMBERED = 32
"""Questions whose position is remembered, so that the same is not asked again."""


class Cause(StrEnum):
    """Why a stretch is asked about."""

    NEAR_MISS = "near_miss"
    NEW_STATE = "new_state"


@dataclass(frozen=True, slots=True)
class Question:
    """A stretch of time that people are asked about.

    ``information`` is the mean normal score of its windows in σ, ``evidence`` its highest evidence
    (1 = warning), ``centres`` the mean position of its windows at each point.
    """

    question_id: str
    cause: Cause
    start_ns: int
    end_ns: int
    asked_ns: int
    information: float
    evidence: float
    windows: int
    points: tuple[str, ...]
    centres: Mapping[str, Sequence[float]]
    is_open: bool = True

    @property
    def worth(self) -> float:
        """Return its mean normal score, σ; beyond the limit as much less as it is beyond."""
        return min(self.information, 2 * LIMIT_SIGMA - self.information)

    @property
    def said(self) -> Said:
        """Return why it is asked."""
        if self.cause is Cause.NEAR_MISS:
            return Said("question_near_miss", {"evidence": self.evidence})
        return Said("question_new_state", {"sigma": self.information})

    def likeness(self, centres: Mapping[str, Float32]) -> float:
        """Return the cosine 0..1 with the mean positions of other windows."""
        own = {point: np.array(centre, np.float32) for point, centre in self.centres.items()}
        return cosine(centres, own)


@dataclass(slots=True)
class HopStretch:
    """Hops that belong together; of a long one every second, fourth … is kept."""

    hops: list[tuple[ScoredWindow, ...]] = field(default_factory=list)
    count: int = 0
    unseen: int = 0
    sigma: float = 0.0
    evidence: float = 0.0
    start_ns: int = 0
    end_ns: int = 0

    def add(self, decision: Decision, windows: Sequence[ScoredWindow]) -> None:
        """Add a hop."""
        if self.count == 0:
            self.start_ns = decision.t_ns
        self.end_ns = decision.t_ns
        if self.count % self._stride == 0:
            self.hops.append(tuple(windows))
            if len(self.hops) > KEPT:
                del self.hops[1::2]
        self.count += 1
        self.unseen += not all(window.seen for window in windows)
        self.sigma += normal_score(decision)
        self.evidence = max(self.evidence, decision.evidence or 0.0)

    @property
    def _stride(self) -> int:
        return 1 << max(0, (self.count // KEPT).bit_length())

    @property
    def information(self) -> float:
        """Return the mean normal score of its hops, σ."""
        return self.sigma / max(1, self.count)

    @property
    def centres(self) -> dict[str, Float32]:
        """Return the mean position of its windows at each point."""
        by_point: dict[str, list[Float32]] = {}
        for hop in self.hops:
            for window in hop:
                by_point.setdefault(window.point, []).append(window.position)
        return {point: np.mean(own, axis=0) for point, own in by_point.items()}

    def question(self, now_ns: int) -> Question:
        """Return it as a question."""
        centres = self.centres
        return Question(
            question_id=f"{QUESTION}{now_ns:016x}{secrets.token_hex(4)}",
            cause=Cause.NEW_STATE if 2 * self.unseen > self.count else Cause.NEAR_MISS,
            start_ns=self.start_ns,
            end_ns=self.end_ns,
            asked_ns=now_ns,
            information=self.information,
            evidence=self.evidence,
            windows=self.count,
            points=tuple(centres),
            centres={point: [round(float(x), 3) for x in one] for point, one in centres.items()},
        )


class Questions:
    """The questions of one machine; only the window loop calls `follow`, any thread the rest.

    Parameters
    ----------
    path : Path
        The file that keeps them over a restart; one that can't be read is left out.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stretch = HopStretch()
        self._all: tuple[Question, ...] = self._read()

    def open(self, now_ns: int) -> tuple[Question, ...]:
        """Return the questions that wait for an answer, the nearest to the limit first."""
        waiting = (one for one in self._all if one.is_open and not _is_over(one, now_ns))
        return tuple(sorted(waiting, key=lambda one: -one.worth))

    def find(self, question_id: str) -> Question | None:
        """Return a question, answered or not; None if there is none of this id."""
        return next((one for one in self._all if one.question_id == question_id), None)

    def follow(
        self,
        decision: Decision,
        windows: Sequence[ScoredWindow],
        now_ns: int,
        *,
        has_event: bool,
    ) -> tuple[Question, Sequence[Sequence[ScoredWindow]]] | None:
        """Add a hop; returns a new question with the windows of its hops if one is worth asking.

        Parameters
        ----------
        decision : Decision
            On the machine.
        windows : sequence of ScoredWindow
        now_ns : int
            UTC, for the questions of a week.
        has_event : bool
            Whether an event is open: it is labelled itself.
        """
        if has_event:
            self._stretch = HopStretch()
            return None
        raised = (decision.evidence or 0.0) >= RAISED or not all(w.seen for w in windows)
        if raised and windows:
            self._stretch.add(decision, windows)
        over = self._stretch.count >= MOST or (windows and not raised)
        if not over or self._stretch.count == 0:
            return None
        stretch, self._stretch = self._stretch, HopStretch()
        asked = self.offer(stretch, now_ns)
        return None if asked is None else (asked, stretch.hops)

    def offer(self, stretch: HopStretch, now_ns: int) -> Question | None:
        """Ask about a stretch if that is worth a question now."""
        if stretch.count < FEWEST or stretch.information < LEAST_SIGMA:
            return None
        known = self._all
        if any(one.likeness(stretch.centres) >= ALIKE for one in known):
            return None
        new = stretch.question(now_ns)
        recent = [one for one in known if abs(now_ns - one.asked_ns) < WEEK_NS]
        waiting = self.open(now_ns)
        if max(len(recent), len(waiting)) >= PER_WEEK:
            least = min(waiting, key=lambda one: one.worth, default=None)
            if least is None or new.worth < BETTER * least.worth:
                return None
            known = tuple(one for one in known if one is not least)
        self._keep((*known, new))
        return new

    def answer(self, question_id: str) -> None:
        """Note that a question was answered: it is not asked again."""
        self._keep(
            tuple(
                replace(one, is_open=False) if one.question_id == question_id else one
                for one in self._all
            )
        )

    def _keep(self, questions: tuple[Question, ...]) -> None:
        self._all = questions[-REMEMBERED:]
        try:
            write_whole(self._path, json.dumps([asdict(one) for one in self._all]).encode())
        except OSError as error:
            log.error("%s: the questions can't be stored (%s)", self._path, error)

    def _read(self) -> tuple[Question, ...]:
        try:
            data = read_whole(self._path)
            rows = json.loads(data) if data else []
            return tuple(
                Question(**row | {"cause": Cause(row["cause"]), "points": tuple(row["points"])})
                for row in rows
            )
        except (CheckpointError, ValueError, TypeError, KeyError) as error:
            log.error("%s: the questions can't be read (%s)", self._path, error)
            return ()


def _is_over(one: Question, now_ns: int) -> bool:
    """Return whether it was asked too long ago, or in a future that a clock was ahead in."""
    return abs(now_ns - one.asked_ns) > WAITS_NS


def normal_score(decision: Decision) -> float:
    """Return the normal score −Φ⁻¹(p) of a decision in σ, 0..the detector's cap."""
    p = 1.0 if decision.p_value is None else max(decision.p_value, 1e-12)
    return float(np.clip(-ndtri(p), 0.0, SETTINGS.score_cap))
