"""Sparkplug B 3.0 (ISO/IEC 20237): the gateway as an edge node, each machine as a device.

It gives SCADA the same facts as the JSON interface. `feed` turns messages into metrics, `node` is
the edge node.
"""

from __future__ import annotations

from auscult.gateway.outputs.contract import Output, OutputContext, OutputKind
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings


class Sparkplug(OutputKind[SparkplugSettings]):
    """The gateway as a Sparkplug B edge node."""

    title = "The gateway as a Sparkplug B edge node"
    settings = SparkplugSettings

    def open(self, settings: SparkplugSettings, context: OutputContext) -> Output | None:
        if not settings.enabled:
            return None
        from auscult.gateway.outputs.sparkplug.feed import SparkplugFeed

        return SparkplugFeed(settings, context)


KIND = Sparkplug()
