"""The edge node's session as a state machine: births, data, deaths and their numbering.

It knows neither sockets nor threads nor the clock: a transport takes the bytes and says whether
they left, and the caller says what time it is. Specification: chapters 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum

from auscult.gateway.outputs.sparkplug import payload
from auscult.gateway.outputs.sparkplug.history import StoredReading
from auscult.gateway.outputs.sparkplug.reporting import CurrentValues, Report
from auscult.gateway.tags.metrics import BD_SEQ, Metric, Reading, TagInventory, Unit
from auscult.sparkplug import SEQ_MODULUS
from auscult.sparkplug.topics import SparkplugTopics

Send = Callable[[str, bytes], bool]
"""Publishes (topic, payload) with QoS 0, not retained; False where it did not leave."""


class SessionPhase(Enum):
    """State of the session."""

    AWAY = "away"
    """Not connected, or connected and not yet born: readings are kept."""
    BORN = "born"
    """The births are out: readings are sent."""


class NodeSession:
    """One edge node, over all its connections.

    Parameters
    ----------
    topics : SparkplugTopics
    inventory : TagInventory
        Must hold the metrics `bdSeq` and `Node Control/Rebirth` of the node.
    send : Send
        The transport of the day; sending is only asked for between `connected` and `away`.
    mark_historical : bool
        Kept readings carry `is_historical`.
    data_types : bool
        DATA carries each metric's type.
    """

    def __init__(
        self,
        topics: SparkplugTopics,
        inventory: TagInventory,
        send: Send,
        *,
        mark_historical: bool = True,
        data_types: bool = False,
    ) -> None:
        self._mark_historical = mark_historical
        self._data_types = data_types
        self.inventory = inventory
        self.values = CurrentValues()
        self.phase = SessionPhase.AWAY
        self._topics = topics
        self._send = send
        self._bd_seq = 0
        self._seq = 0
        self._lost: set[str] = set()
        self._born_devices: set[str] = set()
        self._announced_ms: dict[tuple[str | None, str], int] = {}

    def will(self, bd_seq: int) -> tuple[str, bytes]:
        """Return topic and payload of the last will of the connection about to be made."""
        self._bd_seq = bd_seq
        return self._topics.topic("NDEATH"), payload.death(bd_seq)

    def subscriptions(self, host: str) -> list[str]:
        """Return what to subscribe with QoS 1 before any birth; `host` may be empty."""
        filters = [self._topics.topic("NCMD")]
        filters.extend(
            self._topics.topic("DCMD", device.id)
            for device in self.inventory.devices.values()
            if any(metric.writable for metric in device.metrics.values())
        )
        if host:
            filters.append(self._topics.state(host))
        return filters

    def birth(self, now_ms: int) -> bool:
        """Send NBIRTH and the DBIRTH of each device that is not lost; False if one did not leave.

        The same is done for a rebirth: same `bdSeq`, sequence from 0.
        """
        self.phase = SessionPhase.AWAY
        self._seq = 0
        self._born_devices.clear()
        self._announced_ms.clear()
        node_t_ms = {BD_SEQ: Reading(self._bd_seq, now_ms)}
        if not self._birth_of(self.inventory.node, now_ms, node_t_ms):
            return False
        for device in self.inventory.devices.values():
            if device.id not in self._lost and not self._device_birth(device, now_ms):
                return False
        self.phase = SessionPhase.BORN
        return True

    def report(
        self, unit_id: str | None, readings: Mapping[str, Reading]
    ) -> list[tuple[Metric, Report]]:
        """Take readings and return those worth a message, in the order of their time.

        Raises
        ------
        ValueError
            If the unit, or one of its metrics, is unknown, or a value does not fit.
        """
        unit = self.inventory.unit(unit_id)
        news = []
        for name, reading in readings.items():
            if name not in unit.metrics:
                raise ValueError(f"{name!r} is no metric of {unit_id or 'the edge node'}")
            report = self.values.offer(unit_id, unit.metrics[name], reading)
            if report is not None:
                news.append((unit.metrics[name], report))
        return sorted(news, key=lambda item: item[1].reading.t_ms)

    def reachable(self, unit_id: str | None) -> bool:
        """Return whether DATA of this unit may be sent now."""
        return self.phase is SessionPhase.BORN and (
            unit_id is None or unit_id in self._born_devices
        )

    @property
    def lost_devices(self) -> list[str]:
        """Return the devices that are lost."""
        return sorted(self._lost)

    def data(self, unit_id: str | None, news: Iterable[tuple[Metric, Report]], now_ms: int) -> bool:
        """Send NDATA or DDATA with what `report` returned; False if it did not leave."""
        metrics = [
            payload.data_metric(
                metric,
                self._alias(unit_id, metric),
                report.reading,
                with_quality=report.quality_changed,
                with_type=self._data_types,
            )
            for metric, report in news
        ]
        return self._number("DATA", unit_id, metrics, now_ms)

    def historical(
        self, unit_id: str | None, kept: Sequence[StoredReading], now_ms: int
    ) -> bool | None:
        """Send kept readings of one unit, oldest first; None where none of them is to be sent.

        Readings that the last birth announced, and those of metrics that are no more, are left
        out.
        """
        unit = self.inventory.unit(unit_id) if self._knows(unit_id) else None
        metrics = []
        for stored in kept:
            metric = unit.metrics.get(stored.name) if unit else None
            if metric is None or int(metric.datatype) != stored.datatype:
                continue
            if self._announced_ms.get((unit_id, stored.name)) == stored.t_ms:
                continue
            metrics.append(
                payload.history_metric(
                    stored.metric,
                    self._alias(unit_id, metric),
                    marked=self._mark_historical,
                    datatype=stored.datatype if self._data_types else None,
                )
            )
        return self._number("DATA", unit_id, metrics, now_ms) if metrics else None

    @staticmethod
    def stored(unit_id: str | None, news: Iterable[tuple[Metric, Report]]) -> list[StoredReading]:
        """Return readings as the history keeps them."""
        return [
            StoredReading(
                row=0,
                unit=unit_id,
                name=metric.name,
                datatype=int(metric.datatype),
                t_ms=report.reading.t_ms,
                metric=payload.data_metric(
                    metric,
                    None,
                    report.reading,
                    historical=True,
                    with_quality=report.quality_changed,
                ),
            )
            for metric, report in news
            if not metric.momentary
        ]

    def device_lost(self, device_id: str, now_ms: int) -> bool:
        """Send the DDEATH of a device if it was born; False if it did not leave."""
        self.inventory.unit(device_id)
        self._lost.add(device_id)
        if not self.reachable(device_id):
            return True
        self._born_devices.discard(device_id)
        return self._number("DEATH", device_id, [], now_ms)

    def device_back(self, device_id: str, now_ms: int) -> bool:
        """Send the DBIRTH of a device that was lost; False if it did not leave."""
        unit = self.inventory.unit(device_id)
        if device_id not in self._lost:
            return True
        self._lost.discard(device_id)
        return self._device_birth(unit, now_ms) if self.phase is SessionPhase.BORN else True

    def farewell(self, now_ms: int) -> None:
        """Send the DDEATH of all devices that are born: the gateway is about to stop."""
        for device_id in sorted(self._born_devices):
            self._number("DEATH", device_id, [], now_ms)
        self._born_devices.clear()

    def death(self) -> tuple[str, bytes]:
        """Return the NDEATH of this session, to be sent before an intended disconnection."""
        return self.will(self._bd_seq)

    def away(self) -> None:
        """Note that the connection is gone: until the next birth, nothing is sent."""
        self.phase = SessionPhase.AWAY
        self._born_devices.clear()

    def _knows(self, unit_id: str | None) -> bool:
        return unit_id is None or unit_id in self.inventory.devices

    def _alias(self, unit_id: str | None, metric: Metric) -> int | None:
        return self.inventory.aliases.get((unit_id, metric.name))

    def _device_birth(self, device: Unit, now_ms: int) -> bool:
        if not self._birth_of(device, now_ms, {}):
            return False
        self._born_devices.add(str(device.id))
        return True

    def _birth_of(self, unit: Unit, now_ms: int, fixed: Mapping[str, Reading]) -> bool:
        timed: list[tuple[int, bytes]] = []
        for metric in unit.metrics.values():
            reading = fixed.get(metric.name) or self.values.current(unit.id, metric.name)
            t_ms = now_ms if reading is None or metric.momentary else reading.t_ms
            alias = self._alias(unit.id, metric)
            timed.append((t_ms, payload.birth_metric(metric, alias, reading, now_ms)))
            self.values.announced(unit.id, metric.name)
            if reading is not None and not metric.momentary:
                self._announced_ms[(unit.id, metric.name)] = reading.t_ms
        # Metrics that are not historical must be in the order of their time within a payload.
        timed.sort(key=lambda item: item[0])
        return self._number("BIRTH", unit.id, [metric for _, metric in timed], now_ms)

    def _number(self, kind: str, unit_id: str | None, metrics: list[bytes], now_ms: int) -> bool:
        """Send with the next sequence number, which is taken only if the message left."""
        topic = self._topics.topic(("N" if unit_id is None else "D") + kind, unit_id)
        if not self._send(topic, payload.encode(metrics, t_ms=now_ms, seq=self._seq)):
            return False
        self._seq = (self._seq + 1) % SEQ_MODULUS
        return True
