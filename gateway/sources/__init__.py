"""Where samples come from: each kind of source fills the inlet from a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

from gateway.inlet import Inlet
from gateway.records import PointId


class Source(Protocol):
    """Something that delivers `SampleBlock` and, where it can't, `SourceFault`.

    Blocks of one point come in order of time. A source that can't wait (a sensor, or recordings
    at real time) drops what the full inlet can't take, and says so by the next block's `gap`.
    """

    @property
    def name(self) -> str:
        """How the gateway's status calls it."""

    @property
    def status(self) -> str:
        """`ok`, `ended`, or what is wrong with it."""

    @property
    def bursts_s(self) -> Mapping[PointId, float]:
        """Length of the bursts of points that measure now and then."""

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        """Deliver until the source ends or `stop` is set."""
