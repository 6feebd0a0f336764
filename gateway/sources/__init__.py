"""Where samples come from: each kind of source fills the inlet from a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from auscult.gateway.records import PointId
from auscult.gateway.sources.inlet import Inlet
from auscult.models.said import Said


@dataclass(frozen=True, slots=True)
class Bursts:
    """How a point measures now and then: bursts of `length_s`, one each `interval_s`."""

    length_s: float
    interval_s: float


class Source(Protocol):
    """Something that delivers `SampleBlock` and, where it can't, `SourceFault`.

    Blocks of one point come in order of time. A source that can't wait (a sensor, or recordings
    at real time) drops what the full inlet can't take, and says so by the next block's `gap`.
    """

    @property
    def name(self) -> str:
        """How the gateway's status calls it."""

    @property
    def status(self) -> Said:
        """`source_ok`, `source_ended`, or what is wrong with it."""

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        """Points that measure now and then, in real time."""

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        """Deliver until the source ends or `stop` is set."""
