"""Sensors that measure in their own thread, faster than real time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

import numpy as np

SAMPLES = 250
FS_HZ = 1000
EACH_S = 0.03


class Sensors:
    """Calls `measure(number, samples, clock_ns)` again and again; tests turn its knobs.

    ``level`` is the signal's r.m.s., ``hit`` adds a knock, ``clock_ns`` is how far the sensors'
    clock is off.
    """

    def __init__(self, measure: Callable[[int, np.ndarray, int], None]) -> None:
        self.level, self.hit, self.clock_ns = 1.0, 0.0, 0
        self._measure = measure
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        rng = np.random.default_rng(3)
        start_ns = time.time_ns()
        number = 0
        while not self._stop.wait(EACH_S):
            samples = self.level * rng.normal(0, 1, SAMPLES)
            samples[::25] += self.hit
            t_ns = start_ns + number * SAMPLES * 10**9 // FS_HZ + self.clock_ns
            self._measure(number, samples.astype(np.float32), t_ns)
            number += 1

    def __enter__(self) -> Sensors:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        at: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stop.set()
        self._thread.join()
