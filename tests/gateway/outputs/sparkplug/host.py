"""The host's side in the tests: a client beside the edge node, straight at the broker."""

from __future__ import annotations

import json

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from auscult.link.broker import BrokerSettings
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.plant import GROUP, HOST, NODE, now_ms

BOOLEAN = 11


class Host:
    """Says whether it is online, and commands."""

    def __init__(self, broker: BrokerSettings) -> None:
        self._client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.connect(broker.host, broker.port)
        self._client.loop_start()
        self.received: list[paho.MQTTMessage] = []
        self._client.on_message = lambda _c, _d, message: self.received.append(message)
        self._client.subscribe("spBv1.0/#", qos=1)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def state(self, online: bool, t_ms: int | None = None, host: str = HOST) -> int:
        """Publish STATE, retained; return its time."""
        t_ms = now_ms() if t_ms is None else t_ms
        body = json.dumps({"online": online, "timestamp": t_ms}).encode()
        self.raw(f"spBv1.0/STATE/{host}", body, retain=True)
        return t_ms

    def node_command(self, name: str, value: bool = True, *, timed: bool = True) -> None:
        payload = Payload(timestamp=now_ms()) if timed else Payload()
        payload.metrics.add(name=name, datatype=BOOLEAN, boolean_value=value)
        self.raw(f"spBv1.0/{GROUP}/NCMD/{NODE}", payload.SerializeToString())

    def device_command(
        self, device: str, name: str | None, value: bool | int | float | str | None = None, *,
        alias: int | None = None, t_ms: int | None = None, timed: bool = True,
        datatype: int | None = None, qos: int = 0, retain: bool = False,
    ) -> None:  # fmt: skip
        payload = Payload()
        if timed:
            payload.timestamp = t_ms or now_ms()
        metric = payload.metrics.add()
        if name is not None:
            metric.name = name
        if alias is not None:
            metric.alias = alias
        if datatype is not None:
            metric.datatype = datatype
        if isinstance(value, bool):
            metric.boolean_value = value
        elif isinstance(value, str):
            metric.string_value = value
        elif isinstance(value, int):
            metric.int_value = value & 0xFFFF_FFFF
        elif isinstance(value, float):
            metric.double_value = value
        topic = f"spBv1.0/{GROUP}/DCMD/{NODE}/{device}"
        self.raw(topic, payload.SerializeToString(), qos=qos, retain=retain)

    def raw(self, topic: str, body: bytes, *, qos: int = 1, retain: bool = False) -> None:
        self._client.publish(topic, body, qos=qos, retain=retain).wait_for_publish(5)
