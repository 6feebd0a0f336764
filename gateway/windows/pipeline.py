"""From blocks to features: windows of points with the same features are computed together."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from auscult.contract.message import NS_PER_S
from auscult.contract.records import OperatingState
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId, PointValue, SampleBlock, SourceFault, Window
from auscult.gateway.sources.inlet import Item
from auscult.gateway.windows.assembler import (
    BlockMismatchError,
    Excerpt,
    StreamCounts,
    WindowAssembler,
)
from auscult.gateway.windows.machine_states import MachineStates
from auscult.gateway.windows.observed import BATCH_SAMPLES, ObservedWindow, Observer
from auscult.gateway.windows.overload import Overload
from auscult.gateway.windows.points import PointPlan, ValuePlan
from auscult.gateway.windows.rate_check import RateCheck
from auscult.gateway.windows.recent import pages_kept, windows_kept
from auscult.gateway.windows.run_ups import RunUps
from auscult.gateway.windows.tachos import Tachos
from auscult.gateway.windows.values import ValueCounts, ValueMismatchError, ValueStreams
from auscult.models.records import Observation

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hop:
    """Windows of one machine that start within one hop, or its values of one time.

    At most one of each point.
    """

    machine: str
    observations: tuple[Observation, ...]


TACHO_HOLDS_S = 10.0
"""A tachometer's speed holds so long for overall values."""


class Pipeline:
    """Turns blocks of samples into hops of observations.

    Not thread-safe: the window loop owns it.

    Parameters
    ----------
    plans : mapping of PointId to PointPlan
    clip_s : mapping of PointId to float, optional
        Seconds of these points that `last` can return.
    max_bytes : float, optional
        Memory for them and for `recent`; the current and the previous window are always kept.
    values : mapping of PointId to ValuePlan, optional
        Points with overall values.
    sheds : bool, optional
        Whether windows may be left out under overload.
    tachos : Tachos, optional
        Their channels are no points: they give speed and phase.
    now_s : callable, optional
        Clock by which an operating state grows old; that of the history where one is played.
    """

    def __init__(
        self,
        plans: Mapping[PointId, PointPlan],
        clip_s: Mapping[PointId, float] | None = None,
        max_bytes: float = 0.0,
        values: Mapping[PointId, ValuePlan] | None = None,
        *,
        sheds: bool = False,
        tachos: Tachos | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plans = dict(plans)
        pages = pages_kept(plans, clip_s or {}, max_bytes)
        self._assembler = WindowAssembler({p: plan.window for p, plan in plans.items()}, pages)
        self._observer = Observer({point: plan.spec for point, plan in plans.items()})
        self._faults: dict[PointId, Said] = {}
        self._rates = {
            point: RateCheck(plan.window.fs_hz)
            for point, plan in plans.items()
            if plan.window.burst_s is None
        }
        self._sequences: dict[PointId, int] = {}
        self._recent: dict[PointId, deque[ObservedWindow]] = {
            point: deque(maxlen=windows_kept(plan, pages[point]) if plan.searched else 1)
            for point, plan in plans.items()
        }
        self._values = dict(values or {})
        self._streams = ValueStreams(self._values)
        self._states = MachineStates(now_s)
        self.tachos = tachos or Tachos()
        """Tachometers of the machines."""
        self.run_ups = RunUps(self.tachos)
        """Run-ups and coast-downs of the points."""
        self._sampled = {point.machine for point in plans}
        """Machines with waveforms: each of their values is a hop, because evidence counts it."""
        self._has_state_values = any(plan.settings.state for plan in self._values.values())
        self.overload = Overload(sheds=sheds)
        self.windows_total = 0
        """Windows and values of hops that the caller of `process` has processed."""

    @property
    def faults(self) -> Mapping[PointId, Said]:
        """Return the points whose samples can't be used, and why."""
        return self._faults

    def plan(self, point: PointId) -> PointPlan:
        """Return the plan of a point with samples."""
        return self._plans[point]

    @property
    def block_counts(self) -> Mapping[PointId, StreamCounts]:
        """Return the counts of the blocks of each point with samples."""
        return self._assembler.counts

    @property
    def value_counts(self) -> Mapping[PointId, ValueCounts]:
        """Return the counts of the overall values of each point."""
        return self._streams.counts

    def latest(self, point: PointId) -> ObservedWindow | None:
        """Return the last window of a point, up to the last hop of `process`."""
        recent = self._recent.get(point)
        return recent[-1] if recent else None

    def recent(self, point: PointId) -> list[ObservedWindow]:
        """Return the last windows of a point, up to the last hop of `process`, in order of time."""
        return list(self._recent[point])

    def last(self, point: PointId, n: int) -> Excerpt | None:
        """Return up to `n` newest samples of a point without a gap, None if there are none."""
        return self._assembler.last(point, n)

    def process(self, items: Sequence[Item]) -> Iterator[Hop]:
        """Add items of the sources; yield the hops that are complete, in order."""
        if self.tachos:
            # First: samples of the same time refer to their pulses.
            items = [item for item in items if not self._push_tacho(item)]
        for hop in self._value_hops(items):
            yield hop
            self.windows_total += len(hop.observations)
        if not self._plans:
            return
        for turn in self._turns(self.overload.selected(self._assembler.drain())):
            for together in _hops(self._observer.observe(turn)):
                for one in together:
                    self._recent[one.window.point].append(one)
                    if not self.overload.active:
                        self.run_ups.follow(one.window)
                machine = together[0].window.point.machine
                yield Hop(machine, tuple(one.observation for one in together))
                self.windows_total += len(together)

    def _value_hops(self, items: Sequence[Item]) -> Iterator[Hop]:
        """Push the items; yield the values, those of one machine and time that came together."""
        together = list[Observation]()
        of = ""
        for item in items:
            if isinstance(item, SourceFault):
                self._fail(item.point, item.said)
                continue
            if isinstance(item, SampleBlock):
                self._push(item)
                continue
            machine = item.point.machine
            if together and (
                machine != of or item.t_ns != together[0].t_ns or machine in self._sampled
            ):
                yield Hop(of, tuple(together))
                together = []
            if (observation := self._push_value(item)) is not None:
                of = machine
                together.append(observation)
        if together:
            yield Hop(of, tuple(together))

    def _turns(self, windows: list[Window]) -> Iterator[list[Window]]:
        """Divide windows among turns: whole machines, and one full batch for each feature set.

        So a machine's decision waits for the features of a few machines, not of all.
        """
        windows.sort(key=lambda one: one.point.machine)
        most = BATCH_SAMPLES * len({self._plans[one.point].spec.spec_id for one in windows})
        turn, size = list[Window](), 0
        for _, grouped in groupby(windows, key=lambda one: one.point.machine):
            own = list(grouped)
            samples = sum([self._plans[one.point].window.n_samples for one in own])
            if turn and size + samples > most:
                yield turn
                turn, size = [], 0
            turn += own
            size += samples
        if turn:
            yield turn

    def _push_tacho(self, item: Item) -> bool:
        """Return whether an item belongs to a tachometer; its pulses are then found."""
        if self.tachos.settings_at(item.point) is None:
            return False
        if isinstance(item, SampleBlock):
            try:
                self.tachos.add(item)
            except Rejection as error:
                self._fail(item.point, error.said)
                return True
            if self._faults.pop(item.point, None) is not None:
                log.info("%s: delivers samples again", item.point)
            machine = item.point.machine
            if (speed_rpm := self.tachos.newest_rpm(machine)) is not None:
                self._states.put(machine, "speed_rpm", speed_rpm, TACHO_HOLDS_S)
        elif isinstance(item, SourceFault):
            self._fail(item.point, item.said)
        return True

    def _with_speed(self, block: SampleBlock) -> SampleBlock:
        """Add the speed by the tachometer at the time of a block."""
        end_ns = block.t0_ns + round(block.samples.size / block.fs_hz * NS_PER_S)
        speed_rpm = self.tachos.speed_rpm(block.point.machine, block.t0_ns, end_ns)
        if speed_rpm is None:
            return block
        self.tachos.check_clock(block)
        state = replace(block.state or OperatingState(), speed_rpm=speed_rpm)
        return block._replace(state=state)

    def _push_value(self, item: PointValue) -> Observation | None:
        plan = self._values.get(item.point)
        if plan is None:
            if item.point in self._plans:
                self._fail(item.point, Said("point_takes_samples"))
            return None
        try:
            observation = self._streams.observe(item, self._states)
        except ValueMismatchError as error:
            self._fail(item.point, error.said)
            return None
        if self._faults.pop(item.point, None) is not None:
            log.info("%s: delivers values again", item.point)
        return observation

    def _push(self, block: SampleBlock) -> None:
        plan = self._plans.get(block.point)
        if plan is None:
            if block.point in self._values:
                self._fail(block.point, Said("point_takes_values"))
            return
        if block.state is not None:
            self._states.came_with_samples(block.point.machine, block.state)
        if self.tachos:
            block = self._with_speed(block)
        if self._has_state_values:
            block = block._replace(state=self._states.state_of(block.point.machine, block.state))
        if (measured_hz := self._wrong_rate(block)) is not None:
            fs_hz = plan.window.fs_hz
            self._fail(block.point, Said("sampling_clock", {"hz": measured_hz, "fs_hz": fs_hz}))
            return
        if block.unit == plan.settings.unit and block.unit != plan.unit:
            block = block._replace(samples=block.samples * plan.gain, unit=plan.unit)
        try:
            self._assembler.push(block)
        except BlockMismatchError as error:
            self._fail(block.point, error.said)
            return
        if block.point in self._faults:
            del self._faults[block.point]
            log.info("%s: delivers samples again", block.point)

    def _wrong_rate(self, block: SampleBlock) -> float | None:
        """Rate by the times of the blocks, in three digits, where the stated one is wrong."""
        rate = self._rates.get(block.point)
        if rate is None or block.fs_hz != rate.fs_hz:
            return None
        if block.gap or block.sequence != self._sequences.get(block.point, -1) + 1:
            rate.restart()
        self._sequences[block.point] = block.sequence
        measured_hz = rate.add_block(block.samples.size, block.t0_ns)
        return None if measured_hz is None else float(f"{measured_hz:.3g}")

    def _fail(self, point: PointId, said: Said) -> None:
        if self._faults.get(point) != said:
            log.warning("%s: no samples: %s", point, said)
        self._faults[point] = said
        if point in self._plans:
            self._assembler.reset(point)


def _hops(observed: list[ObservedWindow]) -> Iterator[list[ObservedWindow]]:
    """Group the windows of one machine that start within the same hop."""
    observed.sort(key=lambda one: (one.window.point.machine, one.window.t0_ns))
    points = set[PointId]()
    together = list[ObservedWindow]()
    for one in observed:
        point = one.window.point
        if together and (point.machine != together[0].window.point.machine or point in points):
            yield together
            points, together = set(), []
        points.add(point)
        together.append(one)
    if together:
        yield together
