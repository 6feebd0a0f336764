"""What a source hands to the inlet: numbered blocks, values, faults; and the counts of losses."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.contract.said import Said
from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.sources.inlet import Inlet, Item

log = logging.getLogger(__name__)

LARGEST_SHARE = 8
"""The channels of a device share what was read together; a second of recordings is more."""


class Feed:
    """The way of one source into the inlet. One thread delivers; others may read `status`.

    Parameters
    ----------
    name : str
        Of the source, for the log.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers: dict[PointId, int] = {}
        self._problems: dict[str, Said] = {}
        self._delivered: set[PointId] = set()
        self.dropped = 0
        """Blocks and values that the full inlet did not take."""
        self.lost = 0
        """Messages or blocks that did not arrive here, as the source counts them."""

    @property
    def status(self) -> Said:
        """Return `source_ok`, or each problem and what was lost."""
        notes = [
            Said("source_part", {"what": what, "problem": said})
            for what, said in sorted(self._problems.copy().items())
        ]
        notes += [Said("messages_lost", {"count": self.lost})] if self.lost else []
        notes += [Said("blocks_dropped", {"count": self.dropped})] if self.dropped else []
        if not notes:
            return Said("source_ok")
        return notes[0] if len(notes) == 1 else Said("parts", {"parts": tuple(notes)})

    def block(
        self, point: PointId, fs_hz: float, t0_ns: int, samples: NDArray[np.float32], unit: str, *,
        gap: bool = False, clipped: bool = False, state: OperatingState | None = None,
    ) -> SampleBlock:  # fmt: skip
        """Make the next block of a point. Each is counted, so that one not delivered shows."""
        self._numbers[point] = number = self._numbers.get(point, -1) + 1
        return SampleBlock(
            point=point, fs_hz=fs_hz, t0_ns=t0_ns, sequence=number, samples=_own(samples),
            unit=unit, gap=gap, clipped=clipped, state=state,
        )  # fmt: skip

    def deliver(self, inlet: Inlet, items: Sequence[Item], *, wait: bool = False) -> bool:
        """Hand items over together; False where the inlet is full (counted) or closed."""
        if not items or inlet.put(items, wait=wait):
            self._delivered.update(item.point for item in items)
            return True
        self.dropped += len(items)
        return False

    def delivered(self, point: PointId) -> bool:
        """Return whether anything of a point was delivered since the start."""
        return point in self._delivered

    def fail(self, inlet: Inlet, point: PointId, said: Said) -> None:
        """Report that a point's samples can't be used from now on."""
        inlet.put([SourceFault(point, time.time_ns(), said)], wait=False)

    def note(self, what: str, problem: Said) -> bool:
        """Show a problem in the status until `clear`; logged once. True where it is new."""
        new = what not in self._problems
        if new:
            log.warning("%s: %s: %s", self._name, what, problem)
        self._problems[what] = problem
        return new

    def clear(self, what: str) -> None:
        """End a problem; logged."""
        if self._problems.pop(what, None) is not None:
            log.info("%s: %s delivers again", self._name, what)


def _own(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Copy a small part of a large array, which would stay in memory as long as the part waits."""
    whole = samples.base
    shared = isinstance(whole, np.ndarray) and whole.nbytes > LARGEST_SHARE * samples.nbytes
    return samples.copy() if shared else samples
