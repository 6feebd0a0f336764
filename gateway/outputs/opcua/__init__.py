"""The gateway as an OPC UA server: machines as objects, their tags as variables, alarms.

`access` (who may connect), `address_space` (what clients see), `alarms` (Alarms and Conditions),
`server` (the thread that runs it all).
"""

from __future__ import annotations

from auscult.gateway.outputs.contract import Output, OutputContext, OutputKind, extra
from auscult.gateway.outputs.opcua.settings import OpcUaSettings


class OpcUa(OutputKind[OpcUaSettings]):
    """The gateway as an OPC UA server."""

    title = "The gateway as an OPC UA server"
    settings = OpcUaSettings

    def open(self, settings: OpcUaSettings, context: OutputContext) -> Output | None:
        if not settings.enabled:
            return None
        with extra("opcua"):
            from auscult.gateway.outputs.opcua.server import OpcUaServer
        return OpcUaServer(settings, context)


KIND = OpcUa()
