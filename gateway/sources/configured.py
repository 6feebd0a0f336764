"""The sources of the configuration, each in a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from functools import partial

from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.settings.gateway import (
    AnySource,
    GatewaySettings,
    MachineSettings,
    MqttSource,
    RecordingsSource,
    SparkplugSource,
)
from auscult.gateway.sources import Bursts, Source
from auscult.gateway.sources.dataset import ManifestError
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt import MqttListener
from auscult.gateway.sources.recordings import RecordingsPlayer
from auscult.gateway.sources.sparkplug import SparkplugListener
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.store import Store
from auscult.gateway.supervised import Supervised
from auscult.models.said import Said

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
    """

    def __init__(self, settings: GatewaySettings, store: Store, inlet: Inlet) -> None:
        self._inlet = inlet
        self._broken: dict[str, Said] = {}
        self.threads: list[Supervised] = []
        machines = {machine.id: machine for machine in settings.machines}
        self._sources: list[Source] = []
        for source in settings.sources:
            machine = machines[source.target]
            try:
                self._sources.append(_opened(source, machine, settings, store))
            except ManifestError as error:
                log.error("source of %s: %s", machine.id, error)
                self._broken[f"{source.type}:{machine.id}"] = error.said
                inlet.put(_faults(machine, error.said), wait=False)
        self.wait_for_loop = bool(settings.sources) and all(
            isinstance(s, RecordingsSource) and s.pace == 0 for s in settings.sources
        )
        """Whether all sources play as fast as the loop takes their samples."""

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        """Points that measure in bursts."""
        return {
            point: bursts for source in self._sources for point, bursts in source.bursts.items()
        }

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


def _opened(
    source: AnySource, machine: MachineSettings, settings: GatewaySettings, store: Store
) -> Source:
    client_id = f"auscult-{settings.site.id}-{settings.gateway.id}"
    if isinstance(source, MqttSource):
        return MqttListener(source, settings.mqtt, client_id)
    if isinstance(source, SparkplugSource):
        return SparkplugListener(source, machine, settings.mqtt, client_id)
    earliest_ns = detector_states.stream_end_ns(store, machine.id)
    return RecordingsPlayer(source, machine, earliest_ns)


def _faults(machine: MachineSettings, said: Said) -> list[SourceFault]:
    return [SourceFault(PointId(machine.id, p.id), time.time_ns(), said) for p in machine.points]
