"""From windows to features: in batches of one feature set, and on several cores where there are.

The transforms release Python's interpreter, so the batches of a large plant are computed beside
each other and beside the decisions. Each batch is the same as on one core, and so are its features.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.health import SensorHealth
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import PointId, Window
from auscult.models.records import Observation, OperatingState

BATCH_SAMPLES = 32 * 25_600
"""Samples whose features are computed in one call. With 32 windows of 1 s at 25.6 kHz, a window
takes 4 % longer than with 256 (16: 11 %), and the call takes 7 MB instead of 60."""
MOST_AT_A_TIME = 3
"""Batches computed beside each other, each with 10 MB of its own (20 with eight sets of features);
the decisions on more would wait for the window loop."""


@dataclass(frozen=True, slots=True)
class ObservedWindow:
    """A window with its features."""

    window: Window
    observation: Observation


class Observer:
    """Computes the features of windows; one thread at a time may use it.

    Parameters
    ----------
    specs : mapping of PointId to FeatureSpec
    """

    def __init__(self, specs: Mapping[PointId, FeatureSpec]) -> None:
        self._specs = specs
        own = {spec.spec_id: spec for spec in specs.values()}
        self._pipelines = {spec_id: FeaturePipeline(spec) for spec_id, spec in own.items()}
        self._batch = np.empty(0, np.float32)

    def observe(self, windows: Sequence[Window]) -> list[ObservedWindow]:
        """Compute the features of windows, those of one feature set together."""
        alike: dict[str, list[Window]] = {}
        for window in windows:
            alike.setdefault(self._specs[window.point].spec_id, []).append(window)
        observed: list[ObservedWindow] = []
        for spec_id, own in alike.items():
            pipeline = self._pipelines[spec_id]
            n = pipeline.spec.n_samples
            rows = max(1, BATCH_SAMPLES // n)
            for first in range(0, len(own), rows):
                batch = own[first : first + rows]
                samples = self._rows(len(batch), n)
                for window, row in zip(batch, samples, strict=True):
                    np.concatenate(window.parts, out=row)
                speed_rpm = np.array([_speed(window.state) for window in batch])
                block = pipeline.extract(samples, speed_rpm)
                observed += map(_observed, batch, block.values, block.health.tolist())
        return observed

    def _rows(self, count: int, n: int) -> NDArray[np.float32]:
        """Return memory for a batch; it is reused for each batch."""
        if self._batch.size < count * n:
            self._batch = np.empty(count * n, np.float32)
        return self._batch[: count * n].reshape(count, n)


class Observers:
    """Computes the features of many turns of windows, as many at a time as there are cores.

    Parameters
    ----------
    specs : mapping of PointId to FeatureSpec
    cores : int, optional
        By default those that this process may use.
    """

    def __init__(self, specs: Mapping[PointId, FeatureSpec], cores: int | None = None) -> None:
        self._specs = specs
        self._at_a_time = min(MOST_AT_A_TIME, cores or _usable_cores())
        self._free: queue.SimpleQueue[Observer] = queue.SimpleQueue()
        self._free.put(Observer(specs))
        self._pool: ThreadPoolExecutor | None = None

    def observe(self, turns: Sequence[list[Window]]) -> Iterator[list[ObservedWindow]]:
        """Yield the features of each turn, in their order, as soon as they are known."""
        if len(turns) < 2 or self._at_a_time < 2:
            yield from map(self._observe, turns)
            return
        if self._pool is None:
            # A small plant never needs more than one.
            self._pool = ThreadPoolExecutor(self._at_a_time, "features")
            for _ in range(self._at_a_time - 1):
                self._free.put(Observer(self._specs))
        running = [self._pool.submit(self._observe, turn) for turn in turns]
        try:
            for future in running:
                yield future.result()
        finally:
            for future in running:
                future.cancel()

    def _observe(self, windows: list[Window]) -> list[ObservedWindow]:
        observer = self._free.get()
        try:
            return observer.observe(windows)
        finally:
            self._free.put(observer)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _observed(window: Window, values: NDArray[np.float32], health: int) -> ObservedWindow:
    if window.clipped:
        health |= SensorHealth.CLIPPING
    point = window.point.point
    return ObservedWindow(
        window, Observation(point, window.t0_ns, values, window.state, int(health))
    )


def _speed(state: OperatingState | None) -> float:
    return state.speed_rpm if state is not None and state.speed_rpm is not None else np.nan
