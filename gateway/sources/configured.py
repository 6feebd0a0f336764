"""The sources of the configuration, each in a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from functools import partial

from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.settings.source import SourceSettings
from auscult.gateway.sources.contract import Bursts, Source, SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.registry import kind_of
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store
from auscult.gateway.supervised import Supervised
from auscult.models.said import Rejection, Said

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
        self.threads: list[Supervised] = []
        self.opened: dict[str, Source] = {}
        for source in settings.sources:
            key = _key(source, settings)
            try:
                self.opened[key] = opened(source, settings, store, (earlier or {}).get(key))
            except Rejection as error:
                log.error("source of %s: %s", source.target, error)
                self._broken[f"{source.type}:{source.target}"] = error.said
                inlet.put(_faults(source, settings, error.said), wait=False)
        self._sources = list(self.opened.values())
        self.wait_for_loop = bool(settings.sources) and all(s.waits for s in self._sources)
        """Whether all sources play as fast as the loop takes their samples."""

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        """Points that measure in bursts."""
        return {
            point: bursts for source in self._sources for point, bursts in source.bursts.items()
        }

    @property
    def clocks(self) -> Mapping[PointId, str]:
        """Points that share a sampling clock, each with the clock's name."""
        return {point: name for source in self._sources for point, name in source.clocks.items()}

    @property
    def statuses(self) -> dict[str, Said]:
        """Each source's name with its state or fault."""
        failed = {
            thread.name: Said("source_failed", {"detail": thread.trouble})
            for thread in self.threads
            if thread.trouble
        }
        return {source.name: source.status for source in self._sources} | failed | self._broken

    def start(self, stop: threading.Event) -> None:
        """Run all sources until they end or `stop` is set; one that fails starts again."""
        self.threads = [
            Supervised(source.name, partial(source.run, self._inlet, stop), stop)
            for source in self._sources
        ]
        for thread in self.threads:
            thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait up to `timeout_s` for each source to end."""
        for thread in self.threads:
            thread.join(timeout_s)


def _key(source: SourceSettings, settings: GatewaySettings) -> str:
    """Everything that a source is made of: its settings and the points of its machine."""
    points = [m.model_dump_json(include={"points"}) for m in settings.machines
              if m.id == source.target]  # fmt: skip
    return " ".join([source.type, source.target, source.model_dump_json(), *points])


def opened(
    source: SourceSettings, settings: GatewaySettings, store: Store, earlier: Source | None = None
) -> Source:
    """Open a source by its plugin.

    Raises
    ------
    SourceError, ManifestError
        If it can't work; one line with the remedy.
    """
    context = SourceContext(
        machines={machine.id: machine for machine in settings.machines},
        broker=settings.mqtt,
        client_id=f"auscult-{settings.site.id}-{settings.gateway.id}",
        folder=settings.gateway.data_dir / "sources" / f"{source.type}-{source.target}",
        stream_end_ns=detector_states.stream_end_ns(store, source.target),
        earlier=earlier,
    )
    return kind_of(source).open(source, context)


def _faults(source: SourceSettings, settings: GatewaySettings, said: Said) -> list[SourceFault]:
    """Report the fault at the points that the source names, or at all of its machine."""
    points = list(source.feeds) or [
        PointId(machine.id, point.id)
        for machine in settings.machines
        if machine.id == source.target
        for point in machine.channels
    ]
    return [SourceFault(point, time.time_ns(), said) for point in points]
