"""A small machine for the tests of learning: two points, whose windows are drawn, not recorded."""

import numpy as np

from auscult.contract.label import Label, Verdict
from auscult.contract.message import millis
from auscult.models.baseline.calibration import Calibration
from auscult.models.baseline.score import ShrunkDistance
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.records import ScoredWindow

WIDTH, LATENT = 128, 16
COORDINATES = WIDTH + LATENT
POINTS = ("de", "nde")
HOUR_NS = 3600 * 10**9

NEW_SPEED = 0
"""Directions in which the machine can move, each its own."""
INNER_RACE = 1
OUTER_RACE = 2


def direction(which):
    rng = np.random.default_rng(100 + which)
    d = rng.standard_normal(COORDINATES)
    return d / np.linalg.norm(d) * np.sqrt(COORDINATES)


def windows(n, seed, *shifts):
    """Residual and latent of n windows side by side; each shift is (direction, size in σ)."""
    v = np.random.default_rng(seed).standard_normal((n, COORDINATES))
    for which, size in shifts:
        v += size * direction(which)
    return v.astype(np.float32)


DISTANCE = ShrunkDistance.fit(windows(500, 2))
CALIBRATION = Calibration.fit(np.log(DISTANCE(windows(500, 1))).astype(float))
CONTEXT = PointContext(COORDINATES, CALIBRATION, CALIBRATION)


def positions(v):
    return (v - DISTANCE.centre) @ DISTANCE.whiten


def bare_scores(v):
    return np.log(DISTANCE(v)).astype(float)


class World:
    """The head updater of a simulated machine."""

    context = CONTEXT

    def __init__(self, folder, **settings):
        self.folder = folder
        self.settings = settings
        self.t_ns = 0
        self.labels = 0
        self.open()
        for seed in range(4):
            self.show(windows(40, 10 + seed), state=f"{seed}")

    def open(self, baseline_id="baseline-1"):
        points = dict.fromkeys(POINTS, self.context)
        self.updater = HeadUpdater(self.folder, "pump", points, baseline_id, **self.settings)

    def hops(self, v, state=""):
        """Windows as the detector scores them, an hour apart."""
        for position, score in zip(positions(v), bare_scores(v), strict=True):
            self.t_ns += HOUR_NS
            yield [
                ScoredWindow(point, self.t_ns, position, score, state, seen=True)
                for point in POINTS
            ]

    def show(self, v, event_id=None, state=""):
        for hop in self.hops(v, state):
            self.updater.remember(hop, event_id)

    def next_label(self, event_id, verdict, kind=None):
        self.labels += 1
        return Label(
            label_id=f"L{self.labels}", event_id=event_id, machine="pump", verdict=verdict,
            kind=kind, actor="ada", created_ms=millis(self.t_ns),
        )  # fmt: skip

    def label(self, event_id, verdict, kind=None):
        return self.updater.learn(self.next_label(event_id, verdict, kind))

    def event(self, event_id, *shifts, seed=50, n=16, verdict=None, kind=None):
        self.show(windows(n, seed, *shifts), event_id)
        self.updater.save()
        return None if verdict is None else self.label(event_id, verdict, kind)

    def false_alarm(self, event_id, *shifts, **more):
        return self.event(event_id, *shifts, verdict=Verdict.FALSE_ALARM, **more)

    def fault(self, event_id, *shifts, **more):
        return self.event(event_id, *shifts, verdict=Verdict.CONFIRMED_FAULT, **more)

    def log_scores(self, v):
        """Scores with the active heads."""
        return self.updater.heads[POINTS[0]].adjust(positions(v), bare_scores(v))

    def beyond(self, v, p=0.005):
        """Share of windows below this p-value."""
        return float((CONTEXT.seen.ln_p_of(self.log_scores(v)) < np.log(p)).mean())
