"""Blocks in, features out: windows of all points with one feature set are computed together."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsp.health import SensorHealth
from dsp.pipeline import FeaturePipeline
from gateway.records import PointId, SampleBlock, SourceFault, WindowBatch
from gateway.sources.inlet import Item
from gateway.windows.assembler import BlockMismatchError, WindowAssembler
from gateway.windows.points import PointPlan
from gateway.windows.recent import RecentSamples
from models.detector import Observation
from models.records import OperatingState

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hop:
    """Windows of one machine that were taken together: at most one of each point."""

    machine: str
    observations: tuple[Observation, ...]


RECENT_WINDOWS = 8
"""Windows kept of a point whose bearings are known: some seconds, in which a fault that has just
been noticed repeats often enough to be named …"""
RECENT_BYTES = 32_000_000
"""… as far as all of them together take no more than this: of more than 40 points at 25.6 kHz fewer
are kept, of 200 only the last one."""


@dataclass(frozen=True, slots=True)
class LatestWindow:
    """A recent window of a point, kept for evidence: ``samples`` is float32 (n,) in `unit`."""

    t0_ns: int
    samples: NDArray[np.float32]
    fs_hz: float
    unit: str
    state: OperatingState | None
    health: int = 0


@dataclass(frozen=True, slots=True)
class _Taken:
    """An observation with its window; ``samples`` is a view of the batch, for now."""

    point: PointId
    observation: Observation
    samples: NDArray[np.float32]


class Pipeline:
    """Turns what sources deliver into hops of observations.

    Not thread-safe: the window loop owns it.

    Parameters
    ----------
    plans : mapping of PointId to PointPlan
    recent : mapping of PointId to RecentSamples, optional
        Keep the last seconds of these points.
    """

    def __init__(
        self,
        plans: Mapping[PointId, PointPlan],
        recent: Mapping[PointId, RecentSamples] | None = None,
    ) -> None:
        self._recent = recent or {}
        self._plans = dict(plans)
        self._assembler = WindowAssembler({p: plan.window for p, plan in plans.items()})
        specs = {plan.spec.spec_id: plan.spec for plan in plans.values()}
        self._pipelines = {spec_id: FeaturePipeline(spec) for spec_id, spec in specs.items()}
        self._faults: dict[PointId, str] = {}
        kept = _windows_kept(plans)
        self._windows: dict[PointId, deque[LatestWindow]] = {
            point: deque(maxlen=kept if plan.spec.bearings else 1) for point, plan in plans.items()
        }
        self.windows_total = 0

    @property
    def faults(self) -> Mapping[PointId, str]:
        """Points whose samples can't be used, and why."""
        return self._faults

    def latest(self, point: PointId) -> LatestWindow | None:
        """Last window of a point up to the hop that `take` gave; valid until the next one."""
        windows = self._windows[point]
        return windows[-1] if windows else None

    def recent(self, point: PointId) -> list[LatestWindow]:
        """Last windows of a point in order of time; valid as `latest`."""
        return list(self._windows[point])

    def take(self, items: Sequence[Item]) -> Iterator[Hop]:
        """Take what the sources delivered; gives the hops that became complete, in order."""
        for item in items:
            if isinstance(item, SourceFault):
                self._fail(item.point, item.text)
            else:
                self._push(item)
        taken: list[_Taken] = []
        for batch in self._assembler.drain():
            taken += self._observe(batch)
        self.windows_total += len(taken)
        for together in _hops(taken):
            for one in together:
                self._keep(one)
            yield Hop(together[0].point.machine, tuple(one.observation for one in together))

    def _push(self, block: SampleBlock) -> None:
        plan = self._plans.get(block.point)
        if plan is None:
            return
        if block.unit == plan.settings.unit and block.unit != plan.unit:
            block = block._replace(samples=block.samples * plan.gain, unit=plan.unit)
        try:
            self._assembler.push(block)
        except BlockMismatchError as error:
            self._fail(block.point, str(error))
            return
        if (ring := self._recent.get(block.point)) is not None:
            ring.push(block)
        if block.point in self._faults:
            del self._faults[block.point]
            log.info("%s: delivers again", block.point)

    def _fail(self, point: PointId, text: str) -> None:
        if self._faults.get(point) != text:
            log.warning("%s: no samples: %s", point, text)
        self._faults[point] = text
        self._assembler.reset(point)

    def _observe(self, batch: WindowBatch) -> Iterator[_Taken]:
        plans = [self._plans[point] for point in batch.points]
        spec_ids = np.array([plan.spec.spec_id for plan in plans])
        for spec_id in dict.fromkeys(spec_ids.tolist()):
            rows = np.flatnonzero(spec_ids == spec_id)
            whole = len(rows) == len(spec_ids)
            samples = batch.samples if whole else batch.samples[rows]
            speed_rpm = np.array([_speed(batch.states[row]) for row in rows])
            block = self._pipelines[spec_id].extract(samples, speed_rpm)
            health = block.health.tolist()
            for i, row in enumerate(rows.tolist()):
                point, state = batch.points[row], batch.states[row]
                clipped = int(SensorHealth.CLIPPING) if batch.clipped[row] else 0
                t0_ns = int(batch.t0_ns[row])
                observation = Observation(
                    point.point, t0_ns, block.values[i], state, health[i] | clipped
                )
                yield _Taken(point, observation, samples[i])

    def _keep(self, taken: _Taken) -> None:
        # A copy: a view would keep the whole batch alive for as long as the point is silent.
        windows = self._windows[taken.point]
        full = len(windows) == windows.maxlen
        kept = windows.popleft().samples if full else np.empty_like(taken.samples)
        kept[:] = taken.samples
        plan, observation = self._plans[taken.point], taken.observation
        windows.append(
            LatestWindow(
                observation.t_ns,
                kept,
                plan.window.fs_hz,
                plan.unit,
                observation.state,
                observation.health,
            )
        )


def _windows_kept(plans: Mapping[PointId, PointPlan]) -> int:
    """Windows of each point with bearings for which there is room."""
    once = sum(4 * plan.window.n_samples for plan in plans.values() if plan.spec.bearings)
    return min(RECENT_WINDOWS, max(1, RECENT_BYTES // max(once, 1)))


def _hops(taken: list[_Taken]) -> Iterator[list[_Taken]]:
    """Put windows of one machine together that begin within the same hop."""
    taken.sort(key=lambda one: (one.point.machine, one.observation.t_ns))
    points = set[PointId]()
    together = list[_Taken]()
    for one in taken:
        if together and (one.point.machine != together[0].point.machine or one.point in points):
            yield together
            points, together = set(), []
        points.add(one.point)
        together.append(one)
    if together:
        yield together


def _speed(state: OperatingState | None) -> float:
    return state.speed_rpm if state is not None and state.speed_rpm is not None else np.nan
