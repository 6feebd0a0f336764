"""The sources of the configuration."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence

from auscult.contract.machines import MachineSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.settings.source import SourceSettings
from auscult.gateway.sources.contract import Bursts, Source, SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.registry import kind_of
from auscult.gateway.sources.threads import SourceThreads
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store

log = logging.getLogger(__name__)


class ConfiguredSources:
    """Opens and runs the configured sources.

    A source that can't be opened leaves the others running; its points get the reason as a fault.

    Parameters
    ----------
    settings : GatewaySettings
    store : Store
        For the time up to which a machine's recordings were processed.
    inlet : Inlet
        Gets the samples.
    earlier : mapping of str to Source, optional
        The sources of the run before this one (`opened`); those that are unchanged continue.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        store: Store,
        inlet: Inlet,
        earlier: Mapping[str, Source] | None = None,
    ) -> None:
        self._inlet = inlet
        self._broken: dict[str, Said] = {}
        self.opened: dict[str, Source] = {}
        self._feeds: dict[str, list[PointId]] = {}
        machines = {machine.id: machine for machine in settings.machines}
        for source in settings.sources:
            machine = machines[source.target]
            points = _points(source, machine)
            key = _key(source, machine)
            try:
                one = opened(source, settings, machines, store, (earlier or {}).get(key))
            except Rejection as error:
                log.error("source of %s: %s", source.target, error)
                self._broken[f"{source.type}:{source.target}"] = error.said
                self._report(points, error.said)
            else:
                self.opened[key] = one
                self._feeds[one.name] = points
        self._sources = list(self.opened.values())
        self._threads = SourceThreads(self._sources)
        self.wait_for_loop = bool(settings.sources) and all(s.waits for s in self._sources)
        """Whether all sources play as fast as the loop takes their samples."""

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        """Return the points that measure in bursts."""
        return {
            point: bursts for source in self._sources for point, bursts in source.bursts.items()
        }

    @property
    def clocks(self) -> Mapping[PointId, str]:
        """Return the points that share a sampling clock, each with the clock's name."""
        return {point: name for source in self._sources for point, name in source.clocks.items()}

    @property
    def statuses(self) -> dict[str, Said]:
        """Return each source's name with its state or fault."""
        running = {source.name: source.status for source in self._sources}
        return {**running, **self._threads.failed, **self._broken}

    @property
    def trouble(self) -> Said | None:
        """Return that threads are missing for sources; else None."""
        return self._threads.trouble

    def start(self, stop: threading.Event) -> None:
        """Run all sources until they end or `stop` is set; one that fails starts again."""
        for source in self._threads.start(self._inlet, stop):
            self._report(self._feeds[source.name], Said("source_no_thread"))

    def join(self, timeout_s: float) -> None:
        """Wait up to `timeout_s` for each source to end."""
        self._threads.join(timeout_s)

    def _report(self, points: Sequence[PointId], said: Said) -> None:
        """Report the fault of a source at its points."""
        self._inlet.put([SourceFault(point, time.time_ns(), said) for point in points], wait=False)


def _key(source: SourceSettings, machine: MachineSettings) -> str:
    """Return everything that a source is made of: its settings and the points of its machine."""
    points = machine.model_dump_json(include={"points"})
    return " ".join([source.type, source.target, source.model_dump_json(), points])


def opened(
    source: SourceSettings,
    settings: GatewaySettings,
    machines: Mapping[str, MachineSettings],
    store: Store,
    earlier: Source | None = None,
) -> Source:
    """Open a source by its plugin; `machines` are those of the settings by id.

    Raises
    ------
    SourceError, ManifestError
        If it can't work; one line with the remedy.
    """
    context = SourceContext(
        machines=machines,
        broker=settings.mqtt,
        client_id=f"auscult-{settings.site.id}-{settings.gateway.id}",
        folder=settings.gateway.data_dir / "sources" / f"{source.type}-{source.target}",
        stream_end_ns=detector_states.stream_end_ns(store, source.target),
        earlier=earlier,
    )
    return kind_of(source).open(source, context)


def _points(source: SourceSettings, machine: MachineSettings) -> list[PointId]:
    """Return the points that a source names, or all of its machine."""
    return list(source.feeds) or [PointId(machine.id, point.id) for point in machine.channels]
