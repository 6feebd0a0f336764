"""The gateway's connection: the broker, the outputs, and the publisher over them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from auscult.contract.host_actions import OnAction
from auscult.contract.message import now_ms
from auscult.contract.payloads import Status
from auscult.contract.topics import Topics
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.commands.origin import Origins
from auscult.gateway.commands.receipts import ReceiptCheck
from auscult.gateway.outputs.running import Outputs
from auscult.gateway.publishing.inventory import inventory
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings, MachineSettings
from auscult.gateway.storage.audit import Refusals
from auscult.gateway.storage.instance import instance_id
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.store import Store, StoreError
from auscult.link.link import LastWill, Link, Received

BYTES_PER_MB = 1_000_000
LAST_MESSAGES_S = 0.7
"""How long a stop waits for the broker to take the last messages."""


class Connection:
    """The link to the broker, the outputs, and the publisher over them."""

    def __init__(
        self,
        settings: GatewaySettings,
        store: Store,
        on_command: Callable[[Received], object],
        on_action: OnAction,
        refusals: Refusals,
        origins: Origins,
    ) -> None:
        own = settings.gateway
        self._on_command = on_command
        self.instance = instance_id(own.data_dir)
        self.topics = Topics(settings.site.id, own.id, settings.site.path)
        self.link = Link(
            settings.mqtt,
            f"auscult-{settings.site.id}-{own.id}",
            on_message=self._on_message,
            on_connected=self._on_connected,
            will=_last_will(self.topics, self.instance),
            manual_ack=True,
        )
        self.states = RetainedStates(self.link)
        self.outbox = Outbox(store, self.link, own.outbox_max_mb * BYTES_PER_MB)
        self.receipts = ReceiptCheck(self.topics.receipt, origins, refusals, self.outbox.receive)
        self.outputs = Outputs(settings, on_action, refusals.count_rejection, self.states)
        self.link.subscribe([self.topics.commands, *self.outputs.subscriptions])
        self.publisher = Publisher(self.states, self.outbox, [self.outputs.publish])

    def start(self) -> None:
        self.outbox.start()
        self.link.start()
        self.outputs.start()

    def send_rest(self) -> None:
        """Wait a moment for the broker to take what the outbox holds; stop the outputs."""
        deadline = time.monotonic() + LAST_MESSAGES_S
        with suppress(StoreError):
            while self.link.connected and self.outbox.pending and time.monotonic() < deadline:
                time.sleep(0.01)
        self.outputs.stop()

    def stop(self) -> None:
        self.link.stop()
        self.outbox.stop()

    def repeat_inventory(self) -> None:
        """Send inventory and configuration again: a second gateway may have replaced them."""
        self.states.repeat(self.topics.inventory)
        self.states.repeat(self.topics.configuration)

    def publish_inventory(
        self, machines: Sequence[MachineSettings], specs: Mapping[PointId, FeatureSpec]
    ) -> None:
        message = inventory(machines, now_ms(), self.instance, specs)
        self.publisher.state(self.topics.inventory, message)

    def _on_message(self, message: Received) -> None:
        if message.topic == self.topics.receipt:
            message.acknowledge()
            self.receipts.receive(message.payload)
        elif take := self.outputs.subscriptions.get(message.topic):
            message.acknowledge()
            take(message.payload)
        else:
            self._on_command(message)

    def _on_connected(self) -> None:
        self.states.connected()
        self.outbox.connected()


def _last_will(topics: Topics, instance: str) -> LastWill:
    """Return the message that the broker publishes when the gateway is lost."""
    will = Status(ts=now_ms(), state="offline", instance=instance)
    return LastWill(topics.status, will.to_json())
