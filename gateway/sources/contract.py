"""The contract of a source: what a plugin gives, and what it gets.

A plugin is a `SourceKind`: a model of settings, and `open`, which makes a `Source` of them. An
entry point of the group ``auscult.sources`` names it. docs/sensors/writing-a-source.md holds a
template and explains each rule.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings
from auscult.gateway.sources.inlet import Inlet
from auscult.link.broker import BrokerSettings

S = TypeVar("S", bound=SourceSettings)


class SourceError(Rejection):
    """A source that can't be opened; one line: what, cause, remedy."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """How a point measures now and then: bursts of `length_s`, one each `interval_s`."""

    length_s: float
    interval_s: float


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """What is wrong with settings, and with which key."""

    place: Place
    said: Said


@dataclass(frozen=True, slots=True)
class Attached:
    """A sensor or channel that a kind of source finds at this computer, as `auscult sensors` shows.

    ``address`` is what the settings name, ``settings`` further keys that fit it.
    """

    kind: str
    address: str
    title: str
    channels: int
    fs_hz: float | None = None
    settings: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a source gets beside its settings.

    Parameters
    ----------
    machines : mapping of str to MachineSettings
        The configured machines by id; their points say rate, unit and sensitivity.
    broker : BrokerSettings
        The gateway's MQTT broker.
    client_id : str
        Begins the ids of connections that this gateway makes.
    folder : path
        Folder of the source's own, for what must survive a restart; made when first used.
    stream_end_ns : int
        UTC time up to which the machine's samples were processed before; no stamp lies before it.
    earlier : Source or None
        The source with the same settings and points in the run of the gateway before this one, in
        this process; it has ended. What plays a stream continues it: a machine that is added does
        not restart the others.
    """

    machines: Mapping[str, MachineSettings]
    broker: BrokerSettings
    client_id: str
    folder: Path
    stream_end_ns: int = 0
    earlier: Source | None = None

    def point(self, point: PointId) -> PointSettings:
        """Return the settings of a configured point."""
        return next(p for p in self.machines[point.machine].channels if p.id == point.point)

    def plates(self, machine: str) -> dict[str, PointSettings]:
        """Return the configured points of a machine by id."""
        own = self.machines.get(machine)
        return {} if own is None else {point.id: point for point in own.points}


class Source(ABC):
    """Something that delivers `SampleBlock` and `PointValue` and, where it can't, `SourceFault`.

    Blocks of one point come in order of time; `Feed` numbers them. A source that can't wait (a
    sensor, or recordings at real time) drops what the full inlet rejects and counts it; the
    number that is left out shows the loss downstream. Nothing is invented: no sample for one that
    was lost, no time that lies in the future.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Return how the gateway's status calls it: ``kind:machine``."""

    @property
    @abstractmethod
    def status(self) -> Said:
        """Return `source_ok`, `source_ended`, or its fault. Other threads call it."""

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        """Return the points that measure now and then, in real time."""
        return {}

    @property
    def clocks(self) -> Mapping[PointId, str]:
        """Points that are sampled at the same instants as others, each with its clock's name."""
        return {}

    @property
    def waits(self) -> bool:
        """Whether it delivers as fast as the gateway processes, like recordings at pace 0."""
        return False

    @property
    def group(self) -> SourceGroup | None:
        """Return what runs it together with the sources of an equal group; None: it runs alone."""
        return None

    @abstractmethod
    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        """Deliver until the source ends or `stop` is set; in a thread of its own.

        An exception is logged and shown, and `run` is called again after a pause. It returns
        within half a second after `stop`.
        """


class SourceGroup(ABC):
    """Runs the sources that share a connection, all in one thread; equal groups are one."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Return how the log calls its thread."""

    @abstractmethod
    def run(self, sources: Sequence[Source], inlet: Inlet, stop: threading.Event) -> None:
        """Deliver what all these sources would, by the rules of `Source.run`.

        A fault of one source leaves the others unaffected.
        """


class SourceKind(ABC, Generic[S]):
    """A plugin: one kind of source."""

    settings: type[S]
    """Model of its settings; its field ``type`` is ``Literal["…"]`` with the entry point's name."""
    page_if_allowed = False
    """Whether the page may set it up where `page_sources` in the gateway's file names the kind."""

    @abstractmethod
    def open(self, settings: S, context: SourceContext) -> Source:
        """Make a source. It touches no device and no network before `Source.run`.

        Raises
        ------
        SourceError
            If it can't work: a file or a package is missing. Packages of vendors are imported
            here, with `vendor`.
        """

    def problems(self, settings: S, machine: MachineSettings) -> Iterator[SourceProblem]:
        """Find what is wrong with settings before they are used, beyond what the model checks."""
        ids = {point.id for point in machine.channels}
        for point, place in settings.feeds.items():
            if point.machine == machine.id and point.point not in ids:
                yield SourceProblem(place, no_point(machine, point.point))

    def forbidden(self, settings: S, recordings_dir: Path) -> SourceProblem | None:
        """Say why a machine commissioned from the dashboard may not use these settings.

        Such settings arrive over MQTT: they must reach no other host and no file outside
        `recordings_dir`. Without a rule of the kind's own, only the gateway's file may hold them,
        or with `page_if_allowed` the page may hold those that name no file.
        """
        del recordings_dir
        if not self.page_if_allowed:
            return SourceProblem(("type",), Said("source_only_in_file", {"kind": settings.type}))
        # A file could hold a secret that the given address must not receive.
        files = (key for key, value in settings if isinstance(value, Path))
        return next(map(not_from_page, files), None)

    def attached(self) -> Iterator[Attached]:
        """Find the sensors at this computer, for `auscult sensors`.

        Raises
        ------
        SourceError
            If the vendor's package is missing.
        """
        return iter(())


def not_from_page(key: str) -> SourceProblem:
    """Say that the page can't give a setting its value."""
    return SourceProblem((key,), Said("setting_not_from_page", {"key": key}))


def no_point(machine: MachineSettings, point: str) -> Said:
    """Say that a machine has no such point."""
    return Said("point_unknown", {"machine": machine.id, "point": point})
