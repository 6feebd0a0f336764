"""Reads overall values from any JSON over MQTT: Zigbee, LoRaWAN, IO-Link, plain numbers."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from auscult.contract.machines import MachineSettings
from auscult.contract.said import Said
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.settings.value_source import ValueSettings
from auscult.gateway.sources.contract import SourceContext, SourceError, SourceProblem
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt_json.mapping import Mapped, mapped
from auscult.gateway.sources.mqtt_json.settings import MqttJsonSource
from auscult.gateway.sources.support.json_path import found_at
from auscult.gateway.sources.support.over_mqtt import OverMqtt, other_broker
from auscult.gateway.sources.support.process_tags import TagError
from auscult.gateway.sources.support.sender_time import TimeError, time_ns_of
from auscult.gateway.sources.values import MessageError, ValueKind, number_of, scaled
from auscult.link.broker import BrokerSettings
from auscult.link.link import Received, nothing_arrived


class MqttJsonListener(OverMqtt):
    """A `Source` of overall values over MQTT."""

    def __init__(self, settings: MqttJsonSource, context: SourceContext) -> None:
        self._values: dict[str, list[Mapped]] = defaultdict(list)
        self._plates = context.plates(settings.machine)
        for value in settings.values:
            one = mapped(value)
            self._values[one.topic].append(one)
        super().__init__(
            "mqtt_json",
            settings.machine,
            (),
            settings.broker or context.broker,
            context.client_id,
            list(self._values),
        )

    def _lost(self) -> int:
        return 0

    def _look(self, inlet: Inlet, now_s: float) -> None:
        """Nothing is due between messages."""

    def _take(self, message: Received, inlet: Inlet, now_s: float) -> None:
        del now_s
        arrived_ns = time.time_ns()
        items = []
        for one in self._values.get(message.topic, ()):
            point = PointId(self._machine, one.settings.point)
            what = f"{message.topic} {one.path}".strip()
            if message.retained and not one.time_path:
                continue  # its age is unknown
            try:
                found = found_at(message.payload, one.path)
                value = scaled(number_of(found, self._plates.get(one.settings.point)), one.settings)
                t_ns = arrived_ns
                if one.time_path:
                    t_ns = time_ns_of(found_at(message.payload, one.time_path), arrived_ns)
            except (MessageError, TagError, TimeError) as error:
                # A device may send its values in turn: a message without one is no fault.
                if error.said.code not in ("no_value_by", "no_value_at"):
                    self._feed.note(what, error.said)
                    self._feed.fail(inlet, point, error.said)
                elif not self._feed.delivered(point):
                    self._feed.note(what, error.said)
                continue
            self._feed.clear(what)
            items.append(PointValue(point, t_ns, value, one.unit, bool(one.time_path)))
        self._feed.deliver(inlet, items)


class MqttJsonKind(ValueKind[MqttJsonSource]):
    """Overall values in JSON over MQTT."""

    settings = MqttJsonSource

    def open(self, settings: MqttJsonSource, context: SourceContext) -> MqttJsonListener:
        try:
            return MqttJsonListener(settings, context)
        except MessageError as error:
            raise SourceError(error.said.code, **error.said.values) from error

    def problems(
        self, settings: MqttJsonSource, machine: MachineSettings
    ) -> Iterator[SourceProblem]:
        yield from super().problems(settings, machine)
        for row, value in enumerate(settings.values):
            try:
                mapped(value)
            except MessageError as error:
                yield SourceProblem(("values", row), error.said)

    def forbidden(self, settings: MqttJsonSource, recordings_dir: Path) -> SourceProblem | None:
        del recordings_dir
        return other_broker(settings.broker)

    def nothing(
        self, settings: MqttJsonSource, value: ValueSettings, broker: BrokerSettings, after_s: float
    ) -> Said:
        own = next(one for one in settings.values if one.point == value.point)
        return nothing_arrived(settings.broker or broker, mapped(own).topic, after_s)


KIND = MqttJsonKind()
